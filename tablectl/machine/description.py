"""What a table model is made of: outputs, inputs, interlocks and limits, read from its ``machine.yaml`` as data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from tablectl import documents
from tablectl.documents import DocumentError, Problem, Problems

SIDES: Final = range(4)


class MachineFileError(Exception):
    """A machine description is wrong; the message lists file, line, key and what was expected for every mistake:
    ``problems``, where they have a place."""

    def __init__(self, message: str, problems: Sequence[Problem] = ()) -> None:
        self.problems = tuple(problems)
        super().__init__(message)


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Interlock(_Strict):
    """A condition an output needs: ``output`` or ``input`` (a name of several means all of them) must be ``is``."""

    output: str | None = None
    input: str | None = None
    level: bool = Field(alias="is")

    @model_validator(mode="after")
    def _one_of(self) -> Interlock:
        if (self.output is None) == (self.input is None):
            raise ValueError("name one output or one input")
        return self


class OutputSpec(_Strict):
    """``safe``: its value when something is wrong, and at start. ``max_on_seconds``: None for what does not move."""

    each_side: bool = False
    safe: bool
    max_on_seconds: float | None = Field(default=None, gt=0)
    interlocks: tuple[Interlock, ...] = ()


class InputSpec(_Strict):
    """``joined``: of a group for each side that tells of all four at once: on while all of them are (in series), or
    while any is (in parallel)."""

    each_side: bool = False
    count: int | None = Field(default=None, ge=1)
    joined: Literal["all", "any"] | None = None

    @model_validator(mode="after")
    def _of_sides(self) -> InputSpec:
        if self.joined is not None and not self.each_side:
            raise ValueError("joined is for a group with each_side: true")
        return self


class Travel(_Strict):
    """Limits of one movement, in seconds (see machine.yaml)."""

    leave_seconds: float = Field(gt=0)
    soft_seconds: float = Field(gt=0)
    hard_seconds: float = Field(gt=0)
    soft_ratio: float = Field(gt=1)
    dwell_seconds: float = Field(ge=0)

    @model_validator(mode="after")
    def _in_order(self) -> Travel:
        if not self.leave_seconds < self.soft_seconds < self.hard_seconds:
            raise ValueError("expected leave_seconds < soft_seconds < hard_seconds")
        return self


class Travels(_Strict):
    dome: Travel
    tray: Travel


class Shuffle(_Strict):
    silent_seconds: float = Field(gt=0)
    soft_seconds: float = Field(gt=0)
    hard_seconds: float = Field(gt=0)
    blind_pairs: int = Field(ge=1)


class Recovery(_Strict):
    """What is tried before a person is asked, see machine.yaml."""

    tries: int = Field(ge=0, le=5)
    rest_seconds: float = Field(gt=0)
    reverse_seconds: float = Field(gt=0)
    silent_seconds: float = Field(gt=0)


class Maintenance(_Strict):
    """Something to be done every so many cycles, or hours that the outputs of ``group`` were on."""

    zh: str
    en: str
    every_cycles: int | None = Field(default=None, ge=1)
    every_hours: float | None = Field(default=None, gt=0)
    group: str | None = None

    @model_validator(mode="after")
    def _one_of(self) -> Maintenance:
        if (self.every_cycles is None) == (self.every_hours is None):
            raise ValueError("expected every_cycles or every_hours, one of the two")
        if (self.every_hours is None) != (self.group is None):
            raise ValueError("every_hours needs the group of outputs whose hours count")
        return self


class Keys(_Strict):
    """``stuck_seconds``: a key that is held longer is stuck and does not count."""

    both_seconds: float = Field(ge=0)
    stuck_seconds: float = Field(gt=0)


#: stacks of each side
Stacks = tuple[int, int, int, int]


class MachineSpec(_Strict):
    """A table model. ``outputs`` and ``inputs`` are keyed by group; see `output_names` and `input_names`."""

    model: str
    name_zh: str
    name_en: str
    outputs: dict[str, OutputSpec]
    inputs: dict[str, InputSpec]
    programmes: dict[int, Stacks]
    slot_stacks: int = Field(ge=1)
    travel: Travels
    shuffle: Shuffle
    recovery: Recovery
    maintenance: dict[str, Maintenance] = {}
    keys: Keys

    @model_validator(mode="after")
    def _complete(self) -> MachineSpec:
        wrong = [f"outputs.{name} is missing" for name in OUTPUTS if name not in self.outputs]
        wrong += [f"inputs.{name} is missing" for name in INPUTS if name not in self.inputs]
        for name, output in self.outputs.items():
            for lock in output.interlocks:
                if lock.output is not None and lock.output not in self.outputs:
                    wrong.append(f"outputs.{name}.interlocks names output {lock.output!r}, which does not exist")
                if lock.input is not None and lock.input not in self.inputs:
                    wrong.append(f"outputs.{name}.interlocks names input {lock.input!r}, which does not exist")
            moves = name.endswith("_motor")
            if moves and output.max_on_seconds is None:
                wrong.append(f"outputs.{name}.max_on_seconds is missing: every motor has a longest time on")
        wrong += list(self._wrong_programmes())
        for name, task in self.maintenance.items():
            if task.group is not None and task.group not in self.outputs:
                wrong.append(f"maintenance.{name}.group names {task.group!r}, which is no output")
        if self.travel.dome.hard_seconds > (self.outputs["dome_motor"].max_on_seconds or 0):
            wrong.append("travel.dome.hard_seconds is longer than outputs.dome_motor.max_on_seconds")
        if wrong:
            raise ValueError("; ".join(wrong))
        return self

    def _wrong_programmes(self) -> Iterator[str]:
        for tiles, stacks in self.programmes.items():
            if 2 * sum(stacks) != tiles:
                yield f"programmes.{tiles}: {list(stacks)} are {2 * sum(stacks)} tiles"
            if max(stacks) > self.slot_stacks:
                yield f"programmes.{tiles}: a side has {max(stacks)} stacks, a slot takes {self.slot_stacks}"

    def fits(self, stacks: Sequence[int]) -> str:
        """Why walls of so many stacks a side cannot be built here; empty where they can."""
        if len(stacks) != len(SIDES) or min(stacks) < 1:
            return f"expected stacks for {len(SIDES)} sides, found {list(stacks)}"
        if max(stacks) > self.slot_stacks:
            return f"a side of {max(stacks)} stacks; a slot of {self.model} takes {self.slot_stacks}"
        return ""

    def output_names(self) -> Iterator[tuple[str, OutputSpec]]:
        """Every single output with its specification: ``dome_motor``, ``tray_motor.0`` …"""
        for group, spec in self.outputs.items():
            for name in members(group, 4 if spec.each_side else None):
                yield name, spec

    def input_names(self) -> Iterator[str]:
        """Every single input: ``dome_down``, ``lift_key.0`` …"""
        for group, spec in self.inputs.items():
            yield from members(group, 4 if spec.each_side else spec.count)

    def joined_inputs(self) -> dict[str, str]:
        """Groups that tell of all sides at once, with how: ``all`` or ``any``."""
        return {group: spec.joined for group, spec in self.inputs.items() if spec.joined is not None}

    def vital_inputs(self) -> set[str]:
        """The inputs that an interlock hangs on."""
        groups = {lock.input for output in self.outputs.values() for lock in output.interlocks}
        return {name for name in self.input_names() if name in groups or name.partition(".")[0] in groups}


#: what the cycle of `machine.cycle` needs
OUTPUTS: Final = (
    "dome_motor",
    "tray_motor",
    "disc_motor",
    "ring_motor",
    "belt_motor",
    "head_motor",
    "ready_lamp",
)
#: what it can use where a table has it
REVERSE: Final = "disc_reverse"
INPUTS: Final = (
    "lift_key",
    "dome_down",
    "dome_up",
    "tray_home",
    "belt_full",
    "head_eye",
    "head_cam",
    "slot_loaded",
    "slot_full",
)


def members(group: str, count: int | None) -> tuple[str, ...]:
    """The single names of a group: ``tray_motor.0`` …, or the group itself."""
    return (group,) if count is None else tuple(f"{group}.{n}" for n in range(count))


def load_machine(path: Path) -> MachineSpec:
    """The description in a table model's ``machine.yaml``.

    Raises:
        MachineFileError: it cannot be read or a key is wrong; all mistakes at once.
    """
    problems = Problems(str(path))
    try:
        spec = documents.check(documents.load(path), MachineSpec, problems)
        problems.raise_if_any()
    except DocumentError as error:
        raise MachineFileError(str(error), error.problems) from error
    assert spec is not None
    return spec
