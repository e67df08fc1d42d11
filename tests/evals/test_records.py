"""Records: what is written comes back exactly, and whatever else a line may be is refused."""

import json
import math
import re
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qrewrite.circuits import Circuit
from qrewrite.tasks import generate
from quantum_circuit_env.agents.loop import SUCCESS_SCORE
from quantum_circuit_env.evals.records import Episode, EpisodeKey, RecordError, digest_of, digest_of_actions
from support.fake_provider import FakeProvider
from support.golden_circuits import digest
from support.units import FIRST, LLM, SCRIPTED, played

RECORD = played("random-legal")
LINE: dict[str, Any] = json.loads(RECORD.to_json())
NULLABLE = {
    *("split", "norm_score", "compression", "score_without_bonus", "legacy_success"),
    *("success_t1", "success_t50", "tokens_in", "tokens_out", "error"),
}
"""Keys at which a complete episode may have null."""


@pytest.mark.parametrize("agent", SCRIPTED)
def test_what_is_played_comes_back(agent: str) -> None:
    episode = played(agent)
    text = episode.to_json()
    assert "\n" not in text
    again = Episode.from_json(text)
    assert again == episode
    assert again.to_json() == text


def test_an_incomplete_episode_comes_back_without_a_result() -> None:
    episode = played(LLM, provider=FakeProvider([(401, "no")]))
    assert Episode.from_json(episode.to_json()) == episode
    assert not episode.complete


@given(score=st.floats(0, 1), latency=st.floats(0, allow_infinity=False))
def test_numbers_come_back_to_the_last_bit(score: float, latency: float) -> None:
    episode = replace(RECORD, score=score, legacy_success=score >= SUCCESS_SCORE, latency_s=latency)
    assert Episode.from_json(episode.to_json()) == episode


def test_the_key_names_the_episode() -> None:
    assert RECORD.key == EpisodeKey("random-legal", "easy", FIRST, 0)


def test_the_json_key_of_the_return_is_return() -> None:
    assert LINE["return"] == RECORD.episode_return
    assert "episode_return" not in LINE


@pytest.mark.parametrize("key", LINE)
def test_no_key_can_be_missing_of_another_type_or_misspelt(key: str) -> None:
    others = {name: value for name, value in LINE.items() if name != key}
    with pytest.raises(RecordError, match=f"^{key}: Field required"):
        Episode.from_json(json.dumps(others))
    for wrong in ([{}], {"a": []}, math.nan, math.inf, *([] if key in NULLABLE else [None])):
        with pytest.raises(RecordError):
            Episode.from_json(json.dumps(others | {key: wrong}))
    with pytest.raises(RecordError):
        Episode.from_json(json.dumps(others | {f"{key}_": LINE[key]}))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("schema", 2),
        ("seed", "1"),
        ("seed", True),
        ("seed", 1.0),
        ("seed", -1),
        ("bonus", 0),
        ("score", "0.5"),
        ("score", 1.1),
        ("score", None),
        ("status", "incomplete"),
        ("status", "done"),
        ("end_reason", "solved"),
        ("classes", {"ok": 0}),
        ("classes", {"fine": 1}),
        ("turns", 1),
        ("rewards", []),
        ("actions", [[0, 5, "ok"]] * RECORD.turns),
        ("actions", [[0, 1]] * RECORD.turns),
        ("instance_digest", "xyz"),
        ("tier", 7),
    ],
)
def test_values_that_no_episode_has_are_refused(key: str, value: object) -> None:
    with pytest.raises(RecordError):
        Episode.from_json(json.dumps(LINE | {key: value}))


def changed_class() -> dict[str, object]:
    (index, action_type, kind), *others = LINE["actions"]
    other = "ok" if kind != "ok" else "pattern_absent"
    return {"actions": [[index, action_type, other], *others]}


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"return": 1e6}, "return is 1000000.0, from the other facts follows"),
        ({"rewards": [9.5, *LINE["rewards"][1:]]}, "return is"),
        ({"valid_outputs": 10**6}, "valid_outputs is 1000000"),
        ({"strict_outputs": 10**6}, "strict_outputs is 1000000, valid_outputs only"),
        ({"legal_actions": LINE["legal_actions"] + 1}, "legal_actions is"),
        ({"replies": LINE["replies"] - 1}, "replies is"),
        (changed_class(), "classes is"),
        ({"classes": {"ok": LINE["turns"] + 1}}, "classes is"),
        ({"g": LINE["g0"] + 1}, "no episode adds gates"),
        ({"g": LINE["g"] - 1}, "norm_score is"),
        ({"g_best": LINE["g_best"] + 1}, "norm_score is"),
        ({"g_best": LINE["g0"] + 1}, "no episode adds gates"),
        ({"g0": 0, "g": 0, "g_best": 0}, "g0 is 0"),
        ({"norm_score": None}, "norm_score is null, from the other facts follows"),
        ({"norm_score": 0.123}, "norm_score is 0.123"),
        ({"compression": 0.123}, "compression is 0.123"),
        ({"success_t1": not LINE["success_t1"]}, "success_t1 is"),
        ({"success_t50": not LINE["success_t50"]}, "success_t50 is"),
        ({"legacy_success": not LINE["legacy_success"]}, "legacy_success is"),
    ],
)
def test_facts_that_contradict_each_other_are_refused(changes: dict[str, object], says: str) -> None:
    with pytest.raises(RecordError, match=re.escape(says)):
        Episode.from_json(json.dumps(LINE | changes))


def test_what_was_broken_off_has_no_result() -> None:
    line = json.loads(RECORD.broken_off("gone").to_json())
    for name in ("norm_score", "compression", "success_t1", "success_t50", "score_without_bonus"):
        with pytest.raises(RecordError, match=f"^{name} is .*, from the other facts follows null"):
            Episode.from_json(json.dumps(line | {name: LINE[name]}))


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", "7", '"schema"', "{}", "[" * 100_000, RECORD.to_json()[:-1], "\ud800", "\0"],
)
def test_what_is_no_record_is_refused(text: str) -> None:
    with pytest.raises(RecordError):
        Episode.from_json(text)


def test_repeated_keys_are_refused() -> None:
    with pytest.raises(RecordError, match="repeated"):
        Episode.from_json(RECORD.to_json().replace('"g":', '"g":0,"g":'))


def test_a_circuit_has_the_digest_of_the_golden_files() -> None:
    assert digest_of(generate("hard", 5)) == digest("hard", 5)
    assert digest_of(Circuit(2, ())) != digest_of(Circuit(3, ()))


def test_the_digest_of_actions_tells_them_apart() -> None:
    lists: list[list[tuple[int, int]]] = [[], [(1, 2)], [(12, 1)], [(1, 2), (1, 2)], [(1, 1)], [(2, 1)]]
    assert len({digest_of_actions(actions) for actions in lists}) == len(lists)
