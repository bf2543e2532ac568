"""The core as a service of systemd, as a real process: ready, alive, stopped, killed, hung, failed. Whatever ends it,
the motors are off afterwards, and when it comes back nothing moves by itself."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hardware_rig import load_model
from service_manager import DEADMAN, RELAYS, Level, Manager

from tablectl.base.clock import HandClock
from tablectl.base.journal import Journal
from tablectl.drivers.hardware_deadman import SURPRISES_S

#: seconds from the signal to the last output at its safe value (measured: a busy machine may take longer, so the best
#: of some attempts counts)
SAFE_S = 0.05
ATTEMPTS = 5


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[Manager]:
    manager = Manager(tmp_path)
    yield manager
    manager.close()


def facts(manager: Manager) -> list[str]:
    with Journal(manager.folder / "journal.sqlite", HandClock(), read_only=True) as journal:
        assert journal.verify() == []
        return [fact.type for fact in journal.facts() if fact.type in ("begun", "ended")]


def test_ready_alive_and_stopped_in_order(manager: Manager) -> None:
    took = []
    for _ in range(ATTEMPTS):
        manager.start()
        assert any(line.startswith("STATUS=一号桌, competition, machine ") for line in manager.heard)
        manager.until(lambda line: line == "WATCHDOG=1")
        manager.until_a_motor_runs()
        begun = manager.signal(signal.SIGTERM)
        manager.until(lambda line: line == "STOPPING=1")
        assert manager.ended() == 0
        assert "Traceback" not in manager.err
        assert "info: tablectl.core.running: stopping: SIGTERM" in manager.err.splitlines()
        took.append(max(level.t for level in _off_after(manager, begun)) - begun)
        assert manager.motors_on() == set()
        if took[-1] <= SAFE_S:
            break
    assert min(took) <= SAFE_S, took
    assert facts(manager) == ["begun", "ended"] * len(took)
    assert not manager.restarts(0)
    assert manager.stop_post == (0, "16 outputs are safe\n")


def without_supply_after(manager: Manager, begun: float) -> float:
    """Seconds from a moment until K1 has no current: the dead-man circuit falls so long after the last edge of its
    line."""
    last = max(level.t for level in manager.levels(DEADMAN))
    _, wiring = load_model("six-relay")
    return last + wiring.file.deadman.drops_after_ms / 1e3 - begun


def _off_after(manager: Manager, begun: float) -> list[Level]:
    """For each relay, the first time after a moment at which it was driven off."""
    first = {}
    for level in manager.levels():
        if level.t >= begun and level.pin in RELAYS and level.level:
            first.setdefault(level.pin, level)
    assert len(first) == len(RELAYS)
    return list(first.values())


def test_killed_with_a_motor_on(manager: Manager) -> None:
    manager.start()
    manager.until_a_motor_runs()
    killed = manager.signal(signal.SIGKILL)
    assert manager.process is not None
    manager.process.wait()
    assert manager.motors_on() != set()  # nobody switched it off: that is what ExecStopPost is for
    assert without_supply_after(manager, killed) <= SAFE_S  # … and the dead-man circuit before that
    code = manager.ended()
    assert manager.stop_post == (0, "16 outputs are safe\n")
    assert manager.motors_on() == set()
    assert manager.restarts(code)
    # it comes back, says so, and nothing moves before a person asks for it
    before = len(manager.levels())
    manager.start()
    for _ in range(3):
        manager.until(lambda line: line == "WATCHDOG=1")
    assert [level for level in manager.levels()[before:] if level.pin in RELAYS and not level.level] == []
    manager.signal(signal.SIGTERM)
    assert manager.ended() == 0
    assert "interrupted" in manager.err
    assert facts(manager) == ["begun", "begun", "ended"]


def test_a_loop_that_hangs(manager: Manager) -> None:
    took = []
    for _ in range(ATTEMPTS):
        manager.start()
        manager.until_a_motor_runs()
        hung = manager.signal(signal.SIGUSR2)
        manager.watch()
        code = manager.ended()
        assert code == -signal.SIGABRT
        assert "_hang" in manager.err  # where every thread stood
        took.append(without_supply_after(manager, hung))
        assert manager.motors_on() == set()
        assert manager.stop_post[0] == 0
        assert manager.restarts(code)
        if took[-1] <= SAFE_S:
            break
    assert 0 < min(took) <= SAFE_S, took


def test_a_program_that_is_stopped_for_a_while(manager: Manager) -> None:
    """Its motors do not go on by themselves when it goes on."""
    manager.start()
    manager.until_a_motor_runs()
    stopped = manager.signal(signal.SIGSTOP)
    manager.silent_for(2 * SURPRISES_S)
    assert without_supply_after(manager, stopped) <= SAFE_S
    edges = len(manager.levels(DEADMAN))
    manager.signal(signal.SIGCONT)
    manager.until(lambda line: line == "WATCHDOG=1" and not manager.motors_on())
    assert len(manager.levels(DEADMAN)) == edges
    manager.signal(signal.SIGTERM)
    assert manager.ended() == 0
    assert "E02 at program" in manager.err


def test_an_exception_that_nobody_expects(manager: Manager) -> None:
    manager.start()
    manager.until_a_motor_runs()
    manager.signal(signal.SIGUSR1)
    code = manager.ended()
    assert code not in (0, 2)
    assert manager.restarts(code)
    assert "ZeroDivisionError" in manager.err
    assert manager.motors_on() == set()
    assert facts(manager) == ["begun"]  # not in order: the next one waits for a person


def test_a_configuration_that_cannot_be_used_is_not_tried_again(manager: Manager) -> None:
    path = manager.folder / "table.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("competition", "compettion"), encoding="utf-8")
    manager.begin()
    code = manager.ended()
    assert code == 2
    assert not manager.restarts(code)
    assert "did you mean 'competition'?" in manager.err
    assert manager.heard == []
