"""The splits: disjoint, complete, and one index for each of their tasks."""

import pytest

from qrewrite.circuits import SplitError, TaskError
from qrewrite.tasks import (
    MAX_SEED,
    PUBLISHED_SEEDS,
    SPLITS,
    TIERS,
    Split,
    generate,
    split_named,
    task_at,
)

COUNTS = {"train": 30_000, "validation": 600, "test": 600}


def test_the_splits_are_these_and_have_this_many_tasks() -> None:
    assert {name: len(split) for name, split in SPLITS.items()} == COUNTS
    assert {name: split.seeds for name, split in SPLITS.items()} == {
        "train": range(1_000_000, 1_010_000),
        "validation": range(2_000_000, 2_000_200),
        "test": range(3_000_000, 3_000_200),
    }


def test_no_seed_belongs_to_two_splits_and_none_is_published() -> None:
    everything = [seed for split in SPLITS.values() for seed in split.seeds]
    assert len(everything) == len(set(everything)) == sum(COUNTS.values()) // len(TIERS)
    assert not set(PUBLISHED_SEEDS.values()) & set(everything)


def test_every_tier_has_a_published_seed() -> None:
    assert list(PUBLISHED_SEEDS) == list(TIERS)
    assert PUBLISHED_SEEDS == {"easy": 42, "medium": 7, "hard": 13}


@pytest.mark.parametrize("split", SPLITS)
def test_a_split_has_every_tier_with_each_of_its_seeds_once(split: str) -> None:
    tasks = [task_at(split, index) for index in range(len(SPLITS[split]))]
    assert tasks == [(task, seed) for task in TIERS for seed in SPLITS[split].seeds]


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("index", [-1, None, "0", 0.0, True, [0], 10**900])
def test_an_index_that_is_none_is_refused_with_what_is_allowed(split: str, index: object) -> None:
    with pytest.raises(SplitError, match=rf"index must be an integer in 0\.\.{COUNTS[split] - 1}") as caught:
        task_at(split, index)  # type: ignore[arg-type]
    assert isinstance(caught.value, IndexError)
    assert isinstance(caught.value, TaskError)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("split", SPLITS)
def test_the_index_after_the_last_is_refused(split: str) -> None:
    assert task_at(split, COUNTS[split] - 1) == (list(TIERS)[-1], SPLITS[split].seeds[-1])
    with pytest.raises(SplitError):
        task_at(split, COUNTS[split])


@pytest.mark.parametrize("split", ["", "TEST", "dev", None, 0, ["test"], "x" * 1_000])
def test_an_unknown_split_is_refused_with_the_names_of_all(split: str) -> None:
    for asked in (split_named, lambda name: task_at(name, 0)):
        with pytest.raises(SplitError, match="the splits are train, validation, test") as caught:
            asked(split)
        assert len(str(caught.value)) < 200


@pytest.mark.parametrize(("first", "per_tier"), [(-1, 5), (0, 0), (MAX_SEED, 2), (MAX_SEED + 1, 1)])
def test_a_split_of_seeds_that_do_not_exist_cannot_be_made(first: int, per_tier: int) -> None:
    assert Split("x", MAX_SEED, 1).seeds == range(MAX_SEED, MAX_SEED + 1)
    with pytest.raises(TaskError, match="must have seeds in"):
        Split("x", first, per_tier)


def test_the_tasks_of_the_last_word_all_differ() -> None:
    split = SPLITS["test"]
    circuits = [str(generate(*split.task_at(index))) for index in range(0, len(split), 3)]
    assert len(circuits) == len(set(circuits)) == 200
