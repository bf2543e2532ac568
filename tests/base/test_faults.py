"""The catalogue of faults and the latch."""

from __future__ import annotations

import ast
import asyncio
from pathlib import Path

import pytest

from tablectl.base.bus import Bus
from tablectl.base.clock import LoopClock
from tablectl.base.faults import (
    LANGUAGES,
    ROLES,
    ClearRefused,
    DeviceError,
    FaultCleared,
    FaultLatch,
    FaultRaised,
    Severity,
    catalogue,
    in_words,
    kind_of,
)
from tablectl.refusals import Refusal


class Heard(list[object]):
    def __init__(self, bus: Bus) -> None:
        bus.subscribe(object, self.append)

    def codes(self) -> list[str]:
        return [f"{type(item).__name__} {item.fault.code}" for item in self]  # type: ignore[attr-defined]


@pytest.fixture
def bus() -> Bus:
    return Bus()


@pytest.fixture
def heard(bus: Bus) -> Heard:
    return Heard(bus)


@pytest.fixture
def latch(bus: Bus) -> FaultLatch:
    return FaultLatch(bus, LoopClock())


# --- the catalogue


@pytest.mark.parametrize("code", sorted(catalogue()))
def test_every_kind_is_complete_in_every_language(code: str) -> None:
    kind = catalogue()[code]
    assert kind.code == code
    assert kind.raised_as
    assert kind.clear_by
    assert kind.clear_by <= set(ROLES)
    assert not (kind.recovers and kind.severity is Severity.STOP)
    for language in LANGUAGES:
        text = kind.texts[language]
        assert text.title
        assert text.causes
        assert text.next_step.endswith(("。", "."))
    assert len({len(kind.texts[language].causes) for language in LANGUAGES}) == 1


def test_no_cause_means_two_kinds() -> None:
    names = [name for kind in catalogue().values() for name in kind.raised_as]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("cause", "where", "code"),
    [
        ("H02", "head.1", "H02"),
        ("jam", "head.1", "H02"),
        ("no_motion", "head.1", "H01"),
        ("sensor_blind", "head.1", "H03"),
        ("starved", "head.1", "C01"),
        ("no_motion", "tray.3", "W01"),
        ("no_motion", "dome", "L01"),
        ("emergency_stop", "keys", "E01"),
    ],
)
def test_the_same_cause_is_another_fault_at_another_part(cause: str, where: str, code: str) -> None:
    assert kind_of(cause, where).code == code


def test_jam_empty_blind_and_dead_are_four_faults() -> None:
    kinds = [kind_of(cause, "head.0") for cause in ("jam", "starved", "sensor_blind", "no_motion")]
    assert len({kind.code for kind in kinds}) == 4
    assert len({kind.texts["en"].next_step for kind in kinds}) == 4


@pytest.mark.parametrize(("cause", "where"), [("jamm", "head.0"), ("jam", "dome"), ("", "")])
def test_a_fault_that_is_not_in_the_catalogue_is_a_programming_error(latch: FaultLatch, cause: str, where: str) -> None:
    with pytest.raises(KeyError, match=r"is not in tablectl/base/faults\.yaml"):
        latch.raise_fault(cause, where)
    assert latch.active == ()


def raised_in(source: str) -> set[str]:
    """The causes that are written out in calls which raise a fault."""
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call) and node.args)
    names = ((getattr(call.func, "attr", getattr(call.func, "id", "")), call.args[0]) for call in calls)
    raising = {"raise_fault", "_raise_fault", "recover", "MechanismFault"}
    return {arg.value for name, arg in names if name in raising and isinstance(arg, ast.Constant)}


def test_every_cause_that_the_program_raises_is_in_the_catalogue() -> None:
    package = Path(__file__).parents[2] / "tablectl"
    raised = set().union(*(raised_in(path.read_text(encoding="utf-8")) for path in package.rglob("*.py")))
    assert {"no_motion", "no_tiles", "interlock"} <= raised
    known = {name.partition("@")[0] for kind in catalogue().values() for name in (kind.code, *kind.raised_as)}
    assert raised - known == set()


# --- raising


async def test_a_fault_latches_and_is_told_once(latch: FaultLatch, heard: Heard) -> None:
    await asyncio.sleep(12)
    first = latch.raise_fault("jam", "head.1", "cam did not return")
    again = latch.raise_fault("H02", "head.1", "and again")
    assert again is first
    assert latch.active == (first,)
    assert latch.stopped
    assert (first.t, first.detail, first.severity) == (12.0, "cam did not return", Severity.STOP)
    assert heard == [FaultRaised(first)]


def test_the_same_fault_may_stand_at_two_parts(latch: FaultLatch) -> None:
    latch.raise_fault("jam", "head.1")
    latch.raise_fault("jam", "head.2")
    assert [(fault.code, fault.where) for fault in latch.active] == [("H02", "head.1"), ("H02", "head.2")]


def test_a_warning_neither_stops_nor_switches_anything(latch: FaultLatch) -> None:
    calls: list[str] = []
    latch.add_safe_off(lambda: calls.append("off"))
    latch.raise_fault("reader_lost", "reader.hand")
    assert calls == []
    assert not latch.stopped


def test_outputs_are_made_safe_before_anybody_is_told(bus: Bus, latch: FaultLatch) -> None:
    order: list[str] = []
    latch.add_safe_off(lambda: order.append("off"))
    bus.subscribe(FaultRaised, lambda _: order.append("told"))
    latch.raise_fault("on_too_long", "disc_motor")
    assert order == ["off", "told"]


def test_all_handlers_run_even_when_one_fails(latch: FaultLatch, heard: Heard) -> None:
    calls: list[str] = []

    def broken() -> None:
        calls.append("broken")
        raise OSError("bus error")

    latch.add_safe_off(lambda: calls.append("first"))
    latch.add_safe_off(broken)
    latch.add_safe_off(lambda: calls.append("last"))
    latch.raise_fault("E01")
    assert calls == ["first", "broken", "last"]
    assert [fault.code for fault in latch.active] == ["E01", "E04"]
    assert "bus error" in latch.active[1].detail
    assert heard.codes() == ["FaultRaised E01", "FaultRaised E04"]


def test_all_handlers_run_even_when_subscribers_fail(bus: Bus, latch: FaultLatch) -> None:
    calls: list[str] = []

    def broken() -> None:
        raise OSError("bus error")

    def deaf(_: object) -> None:
        raise RuntimeError("display")

    bus.subscribe(FaultRaised, deaf)
    latch.add_safe_off(broken)
    latch.add_safe_off(lambda: calls.append("last"))
    with pytest.raises(ExceptionGroup):
        latch.raise_fault("E01")
    assert calls == ["last"]
    assert [fault.code for fault in latch.active] == ["E01", "E04"]


async def test_coroutines_are_run_at_once(latch: FaultLatch, heard: Heard) -> None:
    loop = asyncio.get_running_loop()
    done: list[tuple[str, float]] = []

    def off(name: str, seconds: float) -> None:
        async def switch() -> None:
            await asyncio.sleep(seconds)
            done.append((name, loop.time()))

        latch.add_safe_off(switch)

    off("far board", 0.04)
    off("near board", 0.01)
    latch.raise_fault("E01")
    assert heard.codes() == ["FaultRaised E01"]
    await latch.settled()
    assert done == [("near board", 0.01), ("far board", 0.04)]
    assert heard.codes() == ["FaultRaised E01"]


async def test_a_coroutine_that_fails_or_hangs_is_a_fault_of_its_own(latch: FaultLatch) -> None:
    async def fails() -> None:
        raise OSError("no answer")

    async def hangs() -> None:
        await asyncio.Event().wait()

    latch.add_safe_off(fails)
    latch.add_safe_off(hangs)
    latch.raise_fault("E01")
    await latch.settled()
    assert asyncio.get_running_loop().time() == 1.0
    assert [fault.code for fault in latch.active] == ["E01", "E04", "E04"]
    assert [fault.detail for fault in latch.active[1:]] == ["OSError('no answer')", "not finished within 1 s"]
    await asyncio.sleep(0)


# --- clearing


def test_a_person_clears_and_it_may_come_again(latch: FaultLatch, heard: Heard) -> None:
    fault = latch.raise_fault("jam", "head.1")
    assert latch.clear("H02", "referee:Wang") == (fault,)
    assert not latch.stopped
    assert heard[-1] == FaultCleared(fault, "referee:Wang")
    assert latch.raise_fault("jam", "head.1") is not fault


@pytest.mark.parametrize("by", ["referee@192.168.1.7", "operator@::1", "admin:Li@192.168.1.7", "ctl:pi"])
def test_whoever_the_page_or_the_command_line_names_clears(latch: FaultLatch, by: str) -> None:
    fault = latch.raise_fault("E01")
    assert latch.clear("E01", by) == (fault,)


def test_clearing_at_one_part_leaves_the_other(latch: FaultLatch) -> None:
    latch.raise_fault("jam", "head.1")
    latch.raise_fault("jam", "head.2")
    latch.clear("H02", "operator", where="head.1")
    assert [fault.where for fault in latch.active] == ["head.2"]
    latch.raise_fault("jam", "head.1")
    latch.clear("H02", "operator")
    assert latch.active == ()


def test_who_may_not_clear_is_told_who_may(latch: FaultLatch) -> None:
    latch.raise_fault("E01")
    with pytest.raises(ClearRefused, match=r"^E01 may be cleared by operator, referee, technician, not by player$"):
        latch.clear("E01", "player:2")
    with pytest.raises(ClearRefused, match="not by nobody"):
        latch.clear("E01", "")
    assert latch.stopped


def test_what_does_not_stand_cannot_be_cleared(latch: FaultLatch) -> None:
    latch.raise_fault("E01")
    with pytest.raises(ClearRefused, match=r"^fault H02 does not stand; standing: E01$"):
        latch.clear("H02", "referee")


def test_nothing_is_cleared_while_its_cause_is_there(latch: FaultLatch) -> None:
    pressed = True
    said = Refusal("words", text="the button is still pressed")
    latch.add_obstacle(lambda fault: said if fault.code == "E01" and pressed else None)
    latch.raise_fault("E01")
    with pytest.raises(ClearRefused, match=r"^E01 cannot be cleared yet: the button is still pressed$"):
        latch.clear("E01", "referee")
    pressed = False
    latch.clear("E01", "referee")
    assert latch.active == ()


def test_a_reader_recovers_by_itself_an_actuator_never(latch: FaultLatch, heard: Heard) -> None:
    fault = latch.raise_fault("reader_lost", "reader.hand")
    latch.recover("reader_lost", "reader.hand")
    assert heard[-1] == FaultCleared(fault, "")
    latch.recover("reader_lost", "reader.hand")  # does not stand: nothing happens
    assert len(heard) == 2
    latch.raise_fault("jam", "head.0")
    with pytest.raises(ValueError, match="H02 never ends by itself"):
        latch.recover("jam", "head.0")
    assert latch.stopped


# --- words


def test_a_fault_in_words_says_what_where_why_and_what_next(latch: FaultLatch) -> None:
    fault = latch.raise_fault("jam", "head.1", "12 of 36 tiles stacked")
    assert in_words(fault) == (
        "H02 at head.1: A head is jammed: 12 of 36 tiles stacked. Usual causes: two tiles crooked on each other; tile "
        "of a wrong size; the pusher did not return. Next: Switch off, take out the tiles that are stuck, then clear "
        "the fault."
    )
    assert fault.text("zh").title == "机头卡牌"
    assert fault.text("zh").where == "head.1"


def test_a_device_error_says_what_was_expected_and_what_to_do() -> None:
    error = DeviceError("reader.hand", "/dev/ttyUSB0", "no answer in 200 ms", "an inventory", "Check the cable.")
    assert str(error) == "reader.hand on /dev/ttyUSB0: no answer in 200 ms; expected an inventory. Check the cable."
    assert str(DeviceError("lamp", "", "is dark")) == "lamp: is dark"
