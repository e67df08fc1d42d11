"""The task API: which tasks there are, by split and index; `reset(split=…, index=…)` plays one."""

from typing import Any, Final

from typing_extensions import TypedDict

from qrewrite.circuits import SplitError
from qrewrite.circuits.errors import shown
from qrewrite.tasks import GAME_VERSION, SPLITS, TIERS, Split, split_named

LISTED: Final = 200
"""Tasks of each tier that `list_tasks` returns: all of validation and test, a preview of train."""


class TaskSpec(TypedDict):
    """One task: what is known of it before it is played.

    Keys:
        id: `split/index`, never used for another task.
        split, index: the arguments of `reset` that play it.
        task, seed: the same, as every observation reports them.
        num_qubits: wires of the circuit.
        gate_count: gates at the start.
        par: bound on the gates that must remain.
        game_version: version of circuits, rules, rewards and graders.
    """

    id: str
    split: str
    index: int
    task: str
    seed: int
    num_qubits: int
    gate_count: int
    par: int
    game_version: str


class TaskApi:
    """OpenEnv's task discovery, as a part of the environment; needs no episode.

    SplitError, which is an IndexError, for an unknown split and for an index outside it.
    """

    def list_splits(self) -> list[dict[str, Any]]:
        """Return each split's name, type and number of tasks."""
        return [{"name": name, "type": name, "num_tasks": len(split)} for name, split in SPLITS.items()]

    def num_tasks(self, split: str) -> int:
        """Return how many tasks a split has."""
        return len(split_named(split))

    def list_tasks(self, split: str) -> list[TaskSpec]:
        """Return the first LISTED tasks of each tier: all of validation and test, a preview of train."""
        found = split_named(split)
        return [
            _spec(found, index)
            for first in range(0, len(found), found.per_tier)
            for index in range(first, first + min(LISTED, found.per_tier))
        ]

    def get_task(self, split: str, index: int) -> TaskSpec:
        """Return one task."""
        return _spec(split_named(split), index)

    def get_task_range(self, split: str, start: int | None = None, stop: int | None = None) -> list[TaskSpec]:
        """Return the tasks from `start` (default 0) up to but not with `stop` (default: the split's end).

        A stop beyond the end means the end, as in a slice. SplitError for negative bounds and for a start
        after the stop.
        """
        found = split_named(split)
        return [_spec(found, index) for index in range_of(found, start, stop)]


def range_of(split: Split, start: int | None, stop: int | None) -> range:
    """Return the indices that a range of tasks has, or raise a SplitError."""
    low, high = _bound("start", start, 0), _bound("stop", stop, len(split))
    if low > min(high, len(split)):
        raise SplitError(
            f"start must be at most stop and {len(split)}, the number of tasks of {split.name}, "
            f"got start {shown(low)} and stop {shown(high)}"
        )
    return range(low, min(high, len(split)))


def _spec(split: Split, index: int) -> TaskSpec:
    task, seed = split.task_at(index)
    tier = TIERS[task]
    return {
        "id": f"{split.name}/{index}",
        "split": split.name,
        "index": index,
        "task": task,
        "seed": seed,
        "num_qubits": tier.num_qubits,
        "gate_count": tier.gate_count,
        "par": tier.par,
        "game_version": GAME_VERSION,
    }


def _bound(name: str, value: int | None, default: int) -> int:
    if value is None:
        return default
    if type(value) is not int or value < 0:
        raise SplitError(f"{name} must be null or an integer from 0, got {shown(value)}")
    return value
