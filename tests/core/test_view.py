"""What an agent may see: the prompt, the records and the legality table, and nothing else.

The prompts under tests/golden/prompt are of hand-made circuits. A test run never writes them; this does:

    PYTHONPATH=tests python tests/core/test_view.py
"""

import json
import re
from dataclasses import fields, replace
from itertools import product
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import support.profiles  # noqa: F401
from qrewrite.circuits import Circuit
from qrewrite.game import STEP_LIMIT, Episode, Scoring
from qrewrite.game.view import circuit_records, legality, prompt, prompt_from_observation, prompt_json
from qrewrite.rules import INVALID_REWARD, RULES
from qrewrite.tasks import TIERS, generate
from support import naive_rules
from support.circuits import circuits, plain, random_circuit

GOLDEN = Path(__file__).parents[1] / "golden" / "prompt"

CIRCUITS = {
    "easy": "H 0; X 1; X 0; H 0; Z 1; Y 1",
    "medium": "CNOT 0 1; H 3; CNOT 1 0; X 3; CNOT 0 1; H 3; CZ 2 0; SWAP 3 1",
    "hard": "CZ 5 4; CNOT 3 0; CNOT 0 3; SWAP 2 1; CNOT 3 0; SWAP 1 2; Y 5",
}
every_task = pytest.mark.parametrize("task", TIERS)


@pytest.mark.parametrize("size", [0, 1, 128, 129])
@every_task
def test_the_prompt_in_json_is_the_prompt(task: str, size: int) -> None:
    episode, scoring = Episode(random_circuit(Random(size), 6, size)), TIERS[task].scoring
    for _ in range(3):
        assert prompt_json(episode, scoring) == json.dumps(prompt(episode, scoring))
        episode.play(2, 0)


def golden_prompt(task: str) -> str:
    """The prompt of a small circuit of this task after one refused action."""
    tier = TIERS[task]
    episode = Episode(Circuit.parse(CIRCUITS[task], num_qubits=tier.num_qubits))
    episode.play(1, 99)
    return prompt(episode, tier.scoring) + "\n"


@every_task
def test_prompt_is_word_for_word_the_golden_one(task: str) -> None:
    assert golden_prompt(task) == (GOLDEN / f"{task}.txt").read_text(encoding="utf-8")


def test_golden_prompts_are_those_of_the_tasks() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == set(TIERS) == set(CIRCUITS)


def circuit_part(text: str) -> str:
    return text.partition("acts first):")[2]


@every_task
def test_prompt_has_the_rules_rewards_and_numbers_of_the_scoring(task: str) -> None:
    scoring = TIERS[task].scoring
    text = prompt(Episode(generate(task, 0)), scoring)
    for rule in RULES.values():
        (line,) = [line for line in text.splitlines() if line.startswith(f"{rule.action_type} {rule.name}")]
        assert rule.condition in line
        assert rule.effect in line
        assert line.endswith(f" Reward {rule.reward:+.2f}.")
    assert f"{INVALID_REWARD:+.2f}" in text
    grading = next(line for line in text.splitlines() if line.startswith("Grade: "))
    shown = {float(number) for number in re.findall(r"\d+\.\d+", grading)}
    assert shown == {number for field in fields(scoring) if (number := getattr(scoring, field.name))}


@pytest.mark.parametrize("field", [field.name for field in fields(Scoring)])
def test_prompt_follows_each_number_of_the_scoring(field: str) -> None:
    episode, scoring = Episode(Circuit.parse("X 0; X 0", num_qubits=1)), Scoring(bonus=0.15, gate=0.05)
    assert "0.37" not in prompt(episode, scoring)
    assert "0.37" in prompt(episode, replace(scoring, **{field: 0.37}))


@given(circuits())
def test_prompt_lists_the_circuit_with_its_indices(circuit: Circuit) -> None:
    text = circuit_part(prompt(Episode(circuit), Scoring()))
    expected = [f"{index}: {gate}" for index, gate in enumerate(circuit.gates)]
    assert text == ("".join(f"\n{line}" for line in expected) or " empty")


def test_prompt_of_a_long_circuit_lists_every_gate() -> None:
    circuit = random_circuit(Random(1), 64, 1000)
    lines = circuit_part(prompt(Episode(circuit), Scoring())).split("\n")[1:]
    assert lines == [f"{index}: {gate}" for index, gate in enumerate(circuit.gates)]


def test_prompt_counts_down_steps_and_turns() -> None:
    episode = Episode(Circuit.parse("X 0; X 0", num_qubits=1))
    scoring = Scoring()
    assert f"Steps left: {STEP_LIMIT}. Gates: 2 now, 2 at the start. Qubits: 1." in prompt(episode, scoring)
    assert "Steps left: 15." in prompt(episode, scoring, turn_budget=15)
    for _ in range(140):
        episode.play(2, 0)
    assert "Steps left: 10." in prompt(episode, scoring)
    assert "Steps left: 10." in prompt(episode, scoring, turn_budget=15)
    assert "Steps left: 0." in prompt(episode, scoring, turn_budget=0)


def test_prompt_tells_whether_the_bonus_is_earned_where_there_is_one() -> None:
    episode = Episode(Circuit.parse("H 0; X 0; H 0; X 0; X 0", num_qubits=1))
    assert "Bonus: not yet earned." in prompt(episode, TIERS["medium"].scoring)
    episode.play(3, 0)
    assert "Bonus: earned." in prompt(episode, TIERS["medium"].scoring)
    assert "Bonus" not in prompt(episode, TIERS["hard"].scoring)


@pytest.mark.parametrize("seed", range(20))
def test_prompt_of_a_hard_circuit_is_short(seed: int) -> None:
    for circuit in (generate("hard", seed), random_circuit(Random(seed), 6, 70)):
        assert len(prompt(Episode(circuit), TIERS["hard"].scoring)) < 4800
    two_qubit_gates_only = Circuit.parse("CNOT 4 5; SWAP 4 5;" * 35, num_qubits=6)
    assert len(prompt(Episode(two_qubit_gates_only), TIERS["hard"].scoring)) < 4800


@given(circuit=circuits(), seed=st.integers(0, 2**32 - 1))
def test_view_shows_the_circuit_and_the_counters_and_nothing_of_the_past(circuit: Circuit, seed: int) -> None:
    """Played to or made afresh, with whatever par: the same circuit and counters look the same."""
    rng, played = Random(seed), Episode(circuit, par=3)
    for _ in range(10):
        played.play(rng.choice((1, 2, 3, 4)), rng.randrange(len(circuit) + 1))
    now, scoring = played.circuit(), TIERS["medium"].scoring
    afresh = Episode(now)
    afresh.steps, afresh.initial_count = played.steps, played.initial_count
    afresh.used_advanced_actions = played.used_advanced_actions
    assert prompt(played, scoring) == prompt(afresh, scoring)
    assert legality(played) == legality(afresh)
    assert circuit_records(played) == circuit_records(afresh) == now.records()
    from_outside = prompt_from_observation(
        now,
        scoring,
        initial_count=played.initial_count,
        steps=played.steps,
        used_advanced_actions=played.used_advanced_actions,
        turn_budget=9,
    )
    assert from_outside == prompt(played, scoring, turn_budget=9)


@given(circuits())
def test_records_are_a_name_and_qubits_each(circuit: Circuit) -> None:
    records = circuit_records(Episode(circuit))
    assert records == [{"name": name, "target_qubits": qubits} for name, qubits in plain(circuit)]


def test_a_view_is_not_a_door_to_the_episode() -> None:
    episode = Episode(Circuit.parse("X 0; X 0", num_qubits=1))
    before = prompt(episode, Scoring())
    circuit_records(episode).clear()
    legality(episode)[0].clear()
    assert len(legality(episode)[0]) == 4
    assert len(circuit_records(episode)) == 2
    assert prompt(episode, Scoring()) == before


def check_legality(circuit: Circuit) -> None:
    """Play every action on an episode of its own and compare with the table."""
    table = legality(Episode(circuit))
    assert len(table) == len(circuit)
    for index, action_type in product(range(len(circuit)), RULES):
        episode = Episode(circuit)
        entry = table[index][action_type - 1]
        assert entry == naive_rules.answer(plain(circuit), action_type, index)
        if episode.done:
            continue
        episode.play(action_type, index)
        accepted = entry == "ok"
        assert episode.action_result == (naive_rules.ACCEPTED[action_type] if accepted else entry)
        assert (episode.circuit() != circuit) == accepted or (accepted and action_type == 2)


@given(circuits())
def test_legality_is_what_playing_every_action_answers(circuit: Circuit) -> None:
    check_legality(circuit)


@every_task
def test_legality_of_a_task_is_what_playing_every_action_answers(task: str) -> None:
    check_legality(generate(task, 0))


if __name__ == "__main__":
    GOLDEN.mkdir(parents=True, exist_ok=True)
    for name in TIERS:
        (GOLDEN / f"{name}.txt").write_text(golden_prompt(name), encoding="utf-8")
