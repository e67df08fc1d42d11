"""L: nothing that is told gives a solution away."""

import json
import re
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any, Final

from qrewrite.solver import Plan
from qrewrite.tasks import TIERS
from quantum_circuit_env.evals.audit.play import Shown
from quantum_circuit_env.evals.audit.probe import Probe, Seen, Severity
from quantum_circuit_env.evals.audit.subject import Audit, best_plan

# What may be told, written down here and not taken from the server's models: a key that is added there must
# be added here by somebody who has asked himself what it gives away.
_OBSERVATION: Final = frozenset({"circuit", "gate_count", "num_qubits", "prompt", "metadata"})
_METADATA: Final = frozenset(
    {
        "task",
        "initial_count",
        "step",
        "seed",
        "used_advanced_actions",
        "action_result",
        "termination",
        "score",
        "par",
        "game_version",
        "legality",
    }
)
_STATE: Final = frozenset(
    {
        "episode_id",
        "step_count",
        "task",
        "seed",
        "gate_count",
        "initial_count",
        "used_advanced_actions",
        "score",
        "game_version",
    }
)
_TASK: Final = frozenset(
    {"id", "split", "index", "task", "seed", "num_qubits", "gate_count", "par", "game_version"}
)
_GATE: Final = frozenset({"name", "target_qubits"})
_ACTION: Final = frozenset({"target_index", "action_type", "then", "metadata"})
_ENVELOPE: Final = frozenset({"done", "reward"})
_TELLTALES: Final = re.compile(r"graders?\.py|solver|\w+\.py\b|planted|optimum|oracle", re.IGNORECASE)
"""Words that stand in no prompt, no schema and no list of tasks, paths of files among them."""

_SHOWN_OTHERWISE: Final = ("seed", "par")
"""What metadata tell of a task and not of a caller's own circuit, both by design."""

_TOLD_BY_PLANS: Final = 8
"""Actions of a plan that are looked for: so many in a row are no coincidence."""


def _nothing_of_the_solution(audit: Audit) -> Seen:
    problems, forms = [], set[str]()
    watched = audit.evaluator.log
    with audit.session() as play, (watched or _unseen)() as log:
        for tier, seed in audit.tasks():
            shown = play.reset(task=tier, seed=seed)
            state = dict(play.state())
            problems += _unknown_keys(shown, state)
            plan = best_plan(tier, shown.circuit)[0]
            forms |= _forms(plan)
            told = json.dumps([shown.data["observation"], state])
            problems += [f"{tier}, seed {seed}: {what}" for what in _telling(told, _forms(plan))]
            # The same gates without a history: how they were made must not show in anything.
            gates = [{"name": name, "target_qubits": list(qubits)} for name, qubits in shown.gates]
            bare = play.reset(task=tier, circuit=gates, num_qubits=shown.observation["num_qubits"])
            if _without_history(bare) != _without_history(shown):
                problems.append(f"{tier}, seed {seed}: the same circuit from a caller is shown otherwise")
        pages = audit.evaluator.pages()
        logged = log()
    problems += [f"{page}: {what}" for page, text in pages.items() for what in _telling_page(text, forms)]
    problems += [f"the log: {what}" for what in _telling_log(logged, forms)]
    evidence = ["par is published by design; the seed is, too, so scores are of splits with hidden use."]
    if watched is None:
        evidence.append("What the server logs cannot be seen from here: name its file with --server-log.")
    measured = {"tasks": len(TIERS) * len(audit.seeds), "pages": list(pages)}
    return Seen(measured | {"logged": None if watched is None else len(logged)}, problems, evidence)


def _unseen() -> nullcontext[Any]:
    """Stand for a log that nobody can read."""
    return nullcontext(str)


def _without_history(shown: Shown) -> str:
    """Return all that is shown but what tells a task from a caller's circuit by design."""
    facts = {name: value for name, value in shown.facts.items() if name not in _SHOWN_OTHERWISE}
    return json.dumps(
        [dict(shown.observation) | {"metadata": facts}, shown.reward, shown.done], sort_keys=True
    )


def _forms(plan: Plan) -> set[str]:
    """Return patterns of a plan as it could be written down: its indices, its actions, its words."""
    actions = plan.actions[:_TOLD_BY_PLANS]
    indices = r"[^0-9]+".join(str(action.target_index) for action in actions)
    pairs = r"[^0-9]+".join(f"{action.target_index}[^0-9]+{action.action_type}" for action in actions)
    words = r"\W+".join(re.escape(action.text) for action in actions)
    return {rf"(?<![0-9]){indices}(?![0-9])", rf"(?<![0-9]){pairs}(?![0-9])", words}


def _telling(text: str, forms: set[str]) -> Iterator[str]:
    """Yield what a text tells that it must not."""
    yield from sorted({f"{found[0]!r} is told" for found in _TELLTALES.finditer(text)})
    if any(re.search(form, text) for form in forms):
        yield "a plan is told"


def _telling_page(text: str, forms: set[str]) -> Iterator[str]:
    yield from _telling(text, forms)
    try:
        document = json.loads(text)
    except ValueError:
        return
    if isinstance(document, dict) and isinstance(tasks := document.get("tasks"), list):
        unknown = {key for task in tasks for key in task} - _TASK
        yield from (f"a task tells {key}" for key in sorted(unknown))
    known = _OBSERVATION | _METADATA | _STATE | _GATE | _ACTION | _ENVELOPE
    for name, properties in _schemas(document):
        if name.startswith("QuantumCircuit") and (unknown := properties - known):
            yield f"{name} has {', '.join(sorted(unknown))}"


def _schemas(document: Any) -> Iterator[tuple[str, set[str]]]:
    """Yield title and properties of each type of object that a JSON document describes."""
    if isinstance(document, dict):
        if isinstance(properties := document.get("properties"), dict):
            yield str(document.get("title", "")), set(properties)
        for inner in document.values():
            yield from _schemas(inner)
    elif isinstance(document, list):
        for inner in document:
            yield from _schemas(inner)


def _telling_log(text: str, forms: set[str]) -> Iterator[str]:
    """Yield what a log tells: it may name files of the server, which are no secret, but no way to win."""
    if any(re.search(form, text) for form in forms):
        yield "a plan is told"
    yield from sorted(
        {f"{found[0]!r} is told" for found in re.finditer(r"planted|optimum|graders\.py", text)}
    )


def _unknown_keys(shown: Shown, state: dict[str, Any]) -> list[str]:
    told = [
        ("the observation", set(shown.observation) - _OBSERVATION),
        ("its metadata", set(shown.facts) - _METADATA),
        ("the state", set(state) - _STATE),
    ]
    problems = [f"{what} tells {', '.join(sorted(unknown))}" for what, unknown in told if unknown]
    if shown.facts["legality"] is not None:
        problems.append("legality is told though no hints were asked for")
    return problems


PROBES: Final = (
    Probe(
        "L1",
        "Observations, states, schemas, task lists and logs tell nothing of how circuits are made or solved.",
        ("semantic.no_solution_leakage",),
        Severity.FAIL,
        _nothing_of_the_solution,
    ),
)
