"""Questions and answers on a line: what fits, what a reader says by itself, what comes too late."""

from __future__ import annotations

import pytest
from reader_frames import BY_ID

from tablectl.base.clock import LoopClock
from tablectl.drivers.readers import hf_anyid_7e55 as anyid
from tablectl.drivers.readers.link import Link, NoAnswer
from tablectl.drivers.serial_line import LineSettings
from tablectl.sim.wire.line import PtyLine

pytestmark = pytest.mark.virtual_limit(60)

QUESTION = anyid.build(anyid.QUERY, b"\x00")
ANSWER = BY_ID["hf_anyid_7e55-004"].bytes
OTHER = BY_ID["hf_anyid_7e55-006"].bytes


def push(number: int) -> bytes:
    return anyid.build(anyid.PUSH, anyid.raw_uid(f"e00401500000000{number}"), source=1, destination=0)


def is_query(frame: anyid.Frame) -> bool:
    return frame.query is not None


async def linked(far: PtyLine) -> Link[anyid.Frame]:
    await far.plug()
    link = Link("east", LineSettings(far.port), anyid.look, LoopClock(), unasked=lambda f: f.pushed is not None)
    await link.open()
    return link


async def test_what_a_reader_says_by_itself_is_kept_in_order(tmp_path):
    far = PtyLine(tmp_path / "port")
    link = await linked(far)
    far.write(push(1))
    far.received = lambda data: far.write(push(2) + OTHER + push(3) + ANSWER + push(4))
    heard = await link.ask(QUESTION, is_query, 0.2)
    assert heard.frame.query == (("e0040150cabd51b9",), 0)
    assert [(await link.heard(0.1)).frame.pushed[-1] for _ in range(4)] == ["1", "2", "3", "4"]
    assert link.strays == 1
    with pytest.raises(NoAnswer):
        await link.heard(0.1)
    await link.close()
    far.unplug()


async def test_a_question_is_asked_three_times_and_no_more(tmp_path):
    far = PtyLine(tmp_path / "port")
    link = await linked(far)
    asked = []
    far.received = asked.append
    began = LoopClock().now()
    with pytest.raises(NoAnswer):
        await link.ask(QUESTION, is_query, 0.2)
    assert asked == [QUESTION] * 3
    assert 0.6 <= LoopClock().now() - began <= 0.9
    await link.close()
    far.unplug()


async def test_the_second_answer_to_a_repeated_question_is_not_that_of_the_next(tmp_path):
    """The first comes just too late, the second in time: afterwards question and answer are in step again."""
    far = PtyLine(tmp_path / "port")
    link = await linked(far)
    answers = [
        anyid.build(
            anyid.QUERY, anyid.raw_uid(f"e00401500000000{n}") + b"\xaa\x00\x00", source=1, destination=0, answer=True
        )
        for n in range(5)
    ]
    delays = iter((0.23, 0.01, 0.01, 0.01))
    replies = iter(answers)
    far.received = lambda data: far.send(next(replies), next(delays))
    for wanted in "123":
        uids, _ = (await link.ask(QUESTION, is_query, 0.2)).frame.query
        assert uids[0][-1] == wanted
    assert link.strays == 1
    await link.close()
    far.unplug()


async def test_a_good_frame_behind_a_false_beginning_is_found_after_a_short_silence(tmp_path):
    """Garbage that looks like the head of a long frame, then the answer, then nothing."""
    far = PtyLine(tmp_path / "port")
    link = await linked(far)
    far.received = lambda data: far.write(b"\x7e\x55\xff\x00" + ANSWER)
    began = LoopClock().now()
    assert (await link.ask(QUESTION, is_query, 5.0)).frame.query
    assert LoopClock().now() - began < 0.1
    await link.close()
    far.unplug()
