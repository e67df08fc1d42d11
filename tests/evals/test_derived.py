"""What lies beside a run's records is derived from them, and nothing of them is lost in the table."""

import json
import sys
from pathlib import Path

import pyarrow.parquet
import pytest

from quantum_circuit_env.agents.vocabulary import ErrorClass
from quantum_circuit_env.evals.derived import PARQUET, SUMMARY, write_derived
from quantum_circuit_env.evals.metrics import METRICS
from quantum_circuit_env.evals.store import EPISODES
from quantum_circuit_env.evals.summary import summary
from support.compared import run_of

SCORES = {"null": {"easy": [[0.1, 0.3], [None, 0.2]]}, "optimal": {"easy": [[1.0, 1.0], [1.0, 0.5]]}}


def test_the_table_has_every_field_of_every_record(tmp_path: Path) -> None:
    run = run_of(tmp_path / "r", SCORES)
    before = (run.path / EPISODES).read_bytes()
    assert list(write_derived(run)) == []
    rows = pyarrow.parquet.read_table(run.path / PARQUET).to_pylist()
    for row, episode in zip(rows, run.episodes(), strict=True):
        for kind in ErrorClass:
            assert row.pop(f"n_{kind.value}") == episode.classes.get(kind, 0)
        row["actions"] = [list(action.values()) for action in row["actions"]]
        stored = json.loads(episode.to_json())
        del stored["classes"]
        assert row == stored
    assert (run.path / EPISODES).read_bytes() == before


def test_tables_of_runs_have_one_schema_whatever_is_null_in_them(tmp_path: Path) -> None:
    runs = [
        run_of(tmp_path / "r", SCORES),
        run_of(tmp_path / "s", {"null": {"easy": [[None]]}}, split="test", first=3_000_000),
    ]
    for run in runs:
        assert list(write_derived(run)) == []
    first, second = (pyarrow.parquet.read_schema(run.path / PARQUET) for run in runs)
    assert first == second


def test_the_summary_is_that_of_the_records(tmp_path: Path) -> None:
    run = run_of(tmp_path / "r", SCORES)
    list(write_derived(run))
    told = json.loads((run.path / SUMMARY).read_text("utf-8"))
    assert told["intervals"] == {"level": 0.95, "target": "population"}
    for row, expected in zip(told["rows"], summary(run.episodes()), strict=True):
        assert (row["tier"], row["agent_id"]) == (expected.tier, expected.agent_id)
        assert (row["planned"], row["complete"]) == (4, expected.n)
        assert row["metrics"].keys() == METRICS.keys()
        assert expected.score.interval is not None
        assert row["metrics"]["score"]["mean"] == expected.score.mean
        assert row["metrics"]["score"]["low"] == expected.score.interval.low


def test_without_pyarrow_the_table_is_left_out_with_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = run_of(tmp_path / "r", SCORES)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (told,) = write_derived(run)
    assert told.startswith(f"{PARQUET} is left out: pyarrow is not installed: pip install")
    assert (run.path / SUMMARY).exists()
    assert not (run.path / PARQUET).exists()
