"""The splits: disjoint, complete, and one index for each of their tasks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qrewrite.circuits import SplitError, TaskError
from qrewrite.tasks import MAX_SEED, SPLITS, TIERS, Split, generate, seeds, split_named, split_of, task_at

SHOWN = (42, 7, 13)
"""Seeds that `inference.py` and the examples play."""

COUNTS = {"train": 30_000, "validation": 600, "test": 600}


def test_the_splits_are_these_and_have_this_many_tasks() -> None:
    assert {name: len(split) for name, split in SPLITS.items()} == COUNTS


def test_no_seed_belongs_to_two_splits_and_none_is_shown_in_an_example() -> None:
    everything = [seed for name in SPLITS for seed in seeds(name)]
    assert len(everything) == len(set(everything)) == sum(COUNTS.values()) // len(TIERS)
    assert not set(SHOWN) & set(everything)
    assert {split_of(seed) for seed in SHOWN} == {None}


@pytest.mark.parametrize("split", SPLITS)
def test_a_split_has_every_tier_with_each_of_its_seeds_once(split: str) -> None:
    tasks = [task_at(split, index) for index in range(len(SPLITS[split]))]
    assert tasks == [(task, seed) for task in TIERS for seed in seeds(split)]


@given(st.sampled_from(list(SPLITS)), st.data())
def test_an_index_and_its_task_lead_to_each_other(split: str, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(SPLITS[split]) - 1))
    task, seed = task_at(split, index)
    assert SPLITS[split].index_of(task, seed) == index
    assert split_of(seed) == split
    assert seed in seeds(split)


@given(st.integers(0, MAX_SEED))
def test_a_seed_belongs_to_the_split_that_has_it(seed: int) -> None:
    assert [split_of(seed)] == [name for name in SPLITS if seed in seeds(name)] or split_of(seed) is None


@pytest.mark.parametrize("split", SPLITS)
def test_the_seeds_at_the_ends_are_of_the_split_and_those_beside_are_not(split: str) -> None:
    first, last = seeds(split)[0], seeds(split)[-1]
    assert [split_of(seed) for seed in (first - 1, first, last, last + 1)] == [None, split, split, None]


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
    assert task_at(split, COUNTS[split] - 1) == (list(TIERS)[-1], seeds(split)[-1])
    with pytest.raises(SplitError):
        task_at(split, COUNTS[split])


@pytest.mark.parametrize("split", ["", "TEST", "dev", None, 0, ["test"], "x" * 1_000])
def test_an_unknown_split_is_refused_with_the_names_of_all(split: str) -> None:
    for asked in (split_named, seeds, lambda name: task_at(name, 0)):
        with pytest.raises(SplitError, match="the splits are train, validation, test") as caught:
            asked(split)
        assert len(str(caught.value)) < 200


def test_a_task_of_no_split_has_no_index() -> None:
    for task, seed in [("easy", 42), ("random", 3_000_000), ("easy", 1_000_000)]:
        with pytest.raises(SplitError, match=r"easy, medium, hard with seeds 3000000\.\.3000199"):
            SPLITS["test"].index_of(task, seed)


@pytest.mark.parametrize(("first", "per_tier"), [(-1, 5), (0, 0), (MAX_SEED, 2), (MAX_SEED + 1, 1)])
def test_a_split_of_seeds_that_do_not_exist_cannot_be_made(first: int, per_tier: int) -> None:
    assert Split("x", MAX_SEED, 1).seeds == range(MAX_SEED, MAX_SEED + 1)
    with pytest.raises(TaskError, match="must have seeds in"):
        Split("x", first, per_tier)


def test_the_tasks_of_the_last_word_all_differ() -> None:
    split = SPLITS["test"]
    circuits = [str(generate(*split.task_at(index))) for index in range(0, len(split), 3)]
    assert len(circuits) == len(set(circuits)) == 200
