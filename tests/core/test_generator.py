"""Generated circuits: their shape, their promises, and that they are the same everywhere."""

import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from qrewrite.circuits import Circuit, TaskError
from qrewrite.game import Episode, Position
from qrewrite.policies import play, random_order
from qrewrite.solver import solve
from qrewrite.tasks import MAX_SEED, TIERS, Dials, Gadget, Tier, generate, grow, tier_of
from support.golden_circuits import SEEDS, digest

ROOT = Path(__file__).parents[2]
GOLDEN = json.loads((ROOT / "tests/golden/circuits.json").read_text())


@pytest.mark.parametrize(
    ("task", "gates", "qubits", "par"), [("easy", 20, 2, 4), ("medium", 32, 4, 8), ("hard", 70, 6, 20)]
)
def test_shape_of_the_tiers(task: str, gates: int, qubits: int, par: int) -> None:
    assert TIERS[task].par == par
    for seed in SEEDS:
        circuit = generate(task, seed)
        assert (len(circuit), circuit.num_qubits) == (gates, qubits)
        used = {gate.name for gate in circuit.gates if len(gate.qubits) == 2}
        assert used <= set(TIERS[task].two_qubit_gates)


def test_easy_has_no_two_qubit_gates_and_the_others_have_every_kind() -> None:
    assert not TIERS["easy"].two_qubit_gates
    for task in ("medium", "hard"):
        names = {gate.name for seed in SEEDS for gate in generate(task, seed).gates}
        assert names == {"H", "X", "Y", "Z", "CNOT", "CZ", "SWAP"}


@pytest.mark.parametrize("task", TIERS)
def test_golden_circuits(task: str) -> None:
    assert [digest(task, seed) for seed in SEEDS] == GOLDEN[task]


def test_circuits_differ_between_seeds_and_tiers() -> None:
    found = [digest for task in TIERS for digest in GOLDEN[task]]
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("hash_seed", ["0", "1", "12345"])
def test_same_circuits_under_any_hash_seed(hash_seed: str) -> None:
    assert _digests_of(sys.executable, PYTHONHASHSEED=hash_seed) == GOLDEN


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_same_circuits_under_any_python(version: str) -> None:
    uv = shutil.which("uv")
    if uv is None:
        pytest.skip("uv, which finds the installed Pythons, is not on the path")
    found = subprocess.run(
        [uv, "python", "find", "--no-project", "--no-python-downloads", version],
        capture_output=True,
        text=True,
        check=False,
    )
    if found.returncode:
        pytest.skip(f"Python {version} is not installed")
    assert _digests_of(found.stdout.strip()) == GOLDEN


def _digests_of(python: str, **environ: str) -> object:
    script = [python, str(ROOT / "tests/support/golden_circuits.py")]
    environ = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONDONTWRITEBYTECODE": "1", **environ}
    run = subprocess.run(script, env=environ, capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def test_same_circuits_in_sixteen_threads_at_once() -> None:
    wanted = [(task, seed) for seed in range(16) for task in TIERS]
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(lambda asked: digest(*asked), wanted))
    assert found == [GOLDEN[task][seed] for task, seed in wanted]


@pytest.mark.parametrize("task", TIERS)
def test_par_is_within_reach_and_the_optimum_is_proved(task: str) -> None:
    for seed in range(25):
        circuit = generate(task, seed)
        solution = solve(circuit)
        assert solution.proved
        assert solution.left <= TIERS[task].par < len(circuit)


@pytest.mark.parametrize(("task", "wanted"), [("easy", {3}), ("medium", {3, 4}), ("hard", {3, 4})])
def test_identities_are_within_reach(task: str, wanted: set[int]) -> None:
    for seed in SEEDS:
        circuit, rng = generate(task, seed), Random(seed)
        reached: set[int] = set()
        for _ in range(200):
            played = play(Episode(circuit), random_order, rng)
            reached |= {action.action_type for action in played}
            if wanted <= reached:
                break
        assert wanted <= reached, (task, seed)


def test_nothing_is_reducible_in_a_core() -> None:
    bare = Dials(expansions=(), gadgets=(), nesting=0.0, splitting=0.0, two_qubit_share=0.5)
    for tier in TIERS.values():
        core = grow(
            replace(tier, pairs=0, dials=replace(bare, two_qubit_share=tier.dials.two_qubit_share)), Random(1)
        )
        assert len(core) == tier.noise
        assert not Position(core).reducible


def test_dials_make_another_tier() -> None:
    gentle = replace(
        TIERS["hard"], dials=replace(TIERS["hard"].dials, gadgets=(Gadget("wire", 8),), nesting=0.0)
    )
    circuits = {str(grow(gentle, Random(seed))) for seed in range(5)}
    assert len(circuits) == 5
    assert all(text.count("\n") == 69 for text in circuits)


def test_dials_that_take_too_many_moves_are_refused() -> None:
    greedy = replace(TIERS["easy"].dials, gadgets=(Gadget("wire", 30),))
    with pytest.raises(TaskError, match=r"16 moves; its circuits grow by 8"):
        replace(TIERS["easy"], dials=greedy)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"nesting": -0.1}, "nesting must be a number in 0..1, got -0.1"),
        ({"splitting": 1.5}, "splitting must be a number in 0..1, got 1.5"),
        ({"two_qubit_share": float("nan")}, "two_qubit_share must be a number in 0..1, got nan"),
        ({"expansions": (("X", 1),)}, "Z and SWAP, each once at most, got ['X']"),
        ({"expansions": (("Z", 1), ("Z", 1))}, "each once at most, got ['Z', 'Z']"),
        ({"expansions": (("Z", -1),)}, "expansions of Z must be an integer in 0..10000, got -1"),
    ],
)
def test_dials_outside_their_ranges_are_refused(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(TaskError, match=re.escape(said)):
        replace(TIERS["hard"].dials, **wrong)


@pytest.mark.parametrize(
    ("kind", "length", "strength", "said"),
    [
        ("ring", 6, 0, "one of wire, pair, got 'ring'"),
        ("wire", 7, 0, "must be even, got 7"),
        ("wire", 0, 0, "length must be an integer in 2..10000, got 0"),
        ("wire", 8, -1, "strength must be an integer in 0..16, got -1"),
    ],
)
def test_gadgets_that_are_none_are_refused(kind: str, length: int, strength: int, said: str) -> None:
    with pytest.raises(TaskError, match=re.escape(said)):
        Gadget(kind, length, strength)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"num_qubits": 1}, "num_qubits must be an integer in 2..64, got 1"),
        ({"noise": -1}, "noise must be an integer in 0..10000, got -1"),
        ({"pairs": 4_999}, "pairs must be an integer in 0..4990, got 4999"),
        ({"two_qubit_gates": ("CNOT", "H")}, "must name such gates, got ('CNOT', 'H')"),
        ({"two_qubit_gates": ()}, "needs two_qubit_gates to draw from"),
    ],
)
def test_tiers_that_are_none_are_refused(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(TaskError, match=re.escape(said)):
        replace(TIERS["hard"], **wrong)


@pytest.mark.parametrize(
    ("tier", "said"),
    [
        (
            replace(TIERS["easy"], dials=replace(TIERS["easy"].dials, expansions=(("SWAP", 1),))),
            "4 gates with 1 SWAP to expand",
        ),
        (
            replace(
                TIERS["medium"],
                num_qubits=2,
                two_qubit_gates=("CZ",),
                dials=replace(TIERS["medium"].dials, expansions=(), two_qubit_share=1.0),
            ),
            "no irreducible core of 8 gates",
        ),
        (
            replace(TIERS["hard"], dials=replace(TIERS["hard"].dials, gadgets=(Gadget("wire", 12, 1),))),
            "no word of kind 'wire' and length 12",
        ),
    ],
)
def test_dials_that_ask_for_what_there_is_not_are_refused(tier: Tier, said: str) -> None:
    with pytest.raises(TaskError, match=re.escape(said)):
        grow(tier, Random(0))


@pytest.mark.parametrize(
    "seed", [-1, MAX_SEED + 1, True, 1.0, "1", None, float("nan"), pytest.param(10**5000, id="huge")]
)
def test_seeds_outside_the_domain_are_refused(seed: object) -> None:
    with pytest.raises(TaskError, match=r"seed must be an integer in 0\.\.4294967295") as error:
        generate("easy", seed)  # type: ignore[arg-type]
    assert len(str(error.value)) < 200


@pytest.mark.parametrize("seed", [-1, None, True])
def test_only_a_seed_chooses_a_tier(seed: object) -> None:
    with pytest.raises(TaskError, match="seed must be an integer"):
        tier_of("random", seed)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", [0, MAX_SEED])
def test_the_ends_of_the_seed_domain_are_seeds(seed: int) -> None:
    assert isinstance(generate("random", seed), Circuit)


@pytest.mark.parametrize(
    "task", ["", "Easy", "medium ", None, 3, ["easy"], pytest.param("x" * 10_000, id="long")]
)
def test_unknown_tasks_are_refused_with_what_is_allowed(task: object) -> None:
    with pytest.raises(TaskError, match="easy, medium, hard and random") as error:
        generate(task, 0)  # type: ignore[arg-type]
    assert len(str(error.value)) < 200


def test_random_lets_the_seed_choose_and_keeps_its_circuit() -> None:
    chosen = [tier_of("random", seed).name for seed in range(300)]
    assert {task: chosen.count(task) // 50 for task in TIERS} == {"easy": 2, "medium": 2, "hard": 2} or all(
        60 < chosen.count(task) < 140 for task in TIERS
    )
    for seed in range(10):
        assert generate("random", seed) == generate(chosen[seed], seed)
