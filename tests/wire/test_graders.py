"""The graders: known values, and an answer to whatever they are given."""

import math
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qrewrite.tasks import TIERS
from quantum_circuit_env.server.graders import GRADERS, grade, grade_easy, grade_hard, grade_medium, score

ROOT = Path(__file__).parents[2]
ALL = [*GRADERS.values(), grade]


def played(initial: object, final: object, used: object = False, **more: object) -> dict[str, object]:
    return {"initial_count": initial, "gate_count": final, "used_advanced_actions": used, **more}


@pytest.mark.parametrize(
    ("task", "initial", "final", "used", "expected"),
    [
        ("easy", 20, 4, False, 0.8),
        ("easy", 20, 4, True, 0.8),
        ("easy", 20, 20, True, 0.01),
        ("easy", 20, 0, False, 0.99),
        ("medium", 32, 8, False, 0.75),
        ("medium", 32, 8, True, 0.9),
        ("medium", 32, 0, True, 0.99),
        ("medium", 32, 30, True, 0.2125),
        ("hard", 70, 20, False, 50 / 70),
        ("hard", 70, 20, True, 50 / 70),
        ("hard", 70, 68, True, 0.01),
        ("hard", 70, 66, False, 4 / 70),
        ("hard", 40, 38, False, 0.05),
        ("hard", 400, 381, False, 0.01),
    ],
)
def test_known_grades(task: str, initial: int, final: int, used: bool, expected: float) -> None:
    episode = played(initial, final, used)
    assert GRADERS[task](episode) == pytest.approx(expected, abs=1e-12)
    assert grade({**episode, "task": task}) == GRADERS[task](episode)
    assert score(TIERS[task].scoring, initial, final, used) == GRADERS[task](episode)


@pytest.mark.parametrize("grader", ALL)
def test_a_cold_call_gives_the_floor(grader: Any) -> None:
    assert grader() == 0.01
    assert grader(None) == 0.01


NOTHING_OF_AN_EPISODE: list[object] = [
    *(math.nan, math.inf, -1, 0, True, "", "easy", b"x", [], [1, 2], {}, set(), object(), int, np.zeros(3)),
    *(
        {"metadata": None},
        {"metadata": {}},
        {"metadata": "x"},
        {"initial_count": 20},
        {"gate_count": 4},
        {1: 2},
    ),
    {"observation": {"metadata": {"initial_count": 20}}},
    SimpleNamespace(metadata=None, gate_count=4),
]


@pytest.mark.parametrize("grader", ALL)
@pytest.mark.parametrize("episode", NOTHING_OF_AN_EPISODE)
def test_what_is_no_episode_gives_the_floor(grader: Any, episode: object) -> None:
    assert grader(episode) == 0.01


NO_COUNT: list[object] = [
    *(None, math.nan, math.inf, -math.inf, "20", b"20", True, False, -1, -(10**400), 20.0, 2.5),
    *([20], {"a": 1}, 1j),
]


@pytest.mark.parametrize("grader", ALL)
@pytest.mark.parametrize("count", NO_COUNT)
def test_what_is_no_count_gives_the_floor(grader: Any, count: object) -> None:
    assert grader(played(count, 4, True, task="medium")) == 0.01
    assert grader(played(20, count, True, task="medium")) == 0.01


@pytest.mark.parametrize("grader", ALL)
@pytest.mark.parametrize(("initial", "final"), [(0, 0), (4, 20), (0, 10**400), (20, 20)])
def test_counts_that_no_episode_has_give_the_floor(grader: Any, initial: int, final: int) -> None:
    assert grader(played(initial, final, True, task="medium")) == 0.01


@pytest.mark.parametrize("flag", [1, "true", "yes", [True], math.nan, 1.0])
def test_only_true_itself_earns_the_bonus(flag: object) -> None:
    assert grade_medium(played(32, 16, flag)) == 0.5


@pytest.mark.parametrize("task", [None, "extreme", "EASY", 1, ["easy"], True])
def test_an_episode_of_no_known_task_gives_the_floor(task: object) -> None:
    assert grade(played(20, 4, task=task)) == 0.01


def test_counts_of_any_integer_type_are_counts() -> None:
    assert grade_easy(played(np.int64(20), np.int32(4))) == 0.8
    assert 0.01 <= grade_easy(played(10**5000, 1)) <= 0.99


def test_an_episode_is_found_wherever_it_is_carried() -> None:
    facts = {"initial_count": 32, "used_advanced_actions": True, "task": "medium"}
    observation = {"gate_count": 8, "metadata": facts}
    carried: list[object] = [
        played(32, 8, True, task="medium"),
        {"initial_count": 32, "final_count": 8, "used_advanced_actions": True, "task": "medium"},
        observation,
        {"observation": observation, "reward": 1.0, "done": True},
        SimpleNamespace(**observation),
        SimpleNamespace(observation=SimpleNamespace(**observation)),
        SimpleNamespace(state=SimpleNamespace(**played(32, 8, True, task="medium"))),
    ]
    for episode in carried:
        assert grade(episode) == grade_medium(episode) == pytest.approx(0.9)
        assert grade_hard(episode) == 0.75


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "metadata",
                    "observation",
                    "state",
                    "task",
                    "gate_count",
                    "initial_count",
                    "used_advanced_actions",
                ]
            ),
            inner | st.integers(0, 80) | st.sampled_from([*TIERS]),
        )
    ),
)


@given(anything)
def test_every_grade_is_inside_its_bounds_and_stays_there_when_rounded(episode: object) -> None:
    for grader in ALL:
        given_grade = grader(episode)
        assert isinstance(given_grade, float)
        for digits in (2, 3, 17):
            assert 0.01 <= round(given_grade, digits) <= 0.99


@given(st.sampled_from([*TIERS]), st.integers(1, 10_000), st.booleans(), st.data())
def test_every_score_is_inside_its_bounds(task: str, initial: int, used: bool, data: st.DataObject) -> None:
    final = data.draw(st.integers(0, initial))
    value = score(TIERS[task].scoring, initial, final, used)
    assert all(0.01 <= round(value, digits) <= 0.99 for digits in (2, 3, 17))
    assert value <= score(TIERS[task].scoring, initial, max(final - 1, 0), True)


@pytest.mark.parametrize("name", ["quantum_circuit_env.server.graders", "server.graders"])
def test_graders_are_cheap_to_import_under_both_names(name: str) -> None:
    code = (
        f"import sys, {name} as graders\n"
        "heavy = {'openenv', 'fastapi', 'pydantic', 'uvicorn', 'numpy'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
        "assert graders.grade_easy() == 0.01\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")
