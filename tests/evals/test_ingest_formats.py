"""What each format's fixture says, written down by hand."""

import json
import zipfile
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from quantum_circuit_env.evals.ingest.batch import Options
from quantum_circuit_env.evals.ingest.formats import FORMATS, ingest
from quantum_circuit_env.evals.ingest.records import SampleRecord
from support.samples import FIXTURES, OPTIONS, fixture


def rows(records: tuple[SampleRecord, ...], *names: str) -> list[tuple[object, ...]]:
    return [tuple(getattr(record, name) for name in names) for record in records]


def test_every_format_has_a_fixture() -> None:
    assert {folder.name for folder in FIXTURES.iterdir()} == set(FORMATS) == set(OPTIONS)


@pytest.mark.parametrize("name", FORMATS)
def test_digests_are_those_of_the_files(name: str) -> None:
    digests = {sha256(file.read_bytes()).hexdigest() for file in FIXTURES.joinpath(name).rglob("*.*")}
    read = fixture(name)
    assert {record.source_sha256 for record in read.records} == {source.sha256 for source, _ in read.sources}
    assert {source.sha256 for source, _ in read.sources} | {file.sha256 for file in read.sidecars} == digests


def test_arena() -> None:
    executed = [record for record in fixture("arena").records if record.suite == "toy_suite"]
    fields = ("agent_id", "task", "sample", "passed", "valid", "error_class", "evaluator_revision", "flags")
    assert rows(tuple(executed), *fields) == [
        ("m-a", "toy/0", 0, True, True, None, "unknown", ()),
        ("m-a", "toy/0", 1, True, True, None, "unknown", ()),
        ("m-a", "toy/0", 2, False, True, "failed", "unknown", ()),
        ("m-a", "toy/1", 0, False, False, "unparseable", "unknown", ()),
        ("m-a", "toy/1", 1, False, True, "runtime_error", "unknown", ()),
        ("m-a", "toy/1", 2, True, True, None, "unknown", ()),
        ("m-b", "toy/0", 0, False, True, "failed", "unknown", ()),
        ("m-b", "toy/0", 1, False, None, "failed", "unknown", ()),
        ("m-b", "toy/0", 2, False, None, "failed", "unknown", ()),
        ("m-b", "toy/1", 0, True, None, None, "unknown", ()),
        ("m-b", "toy/1", 1, True, None, None, "unknown", ()),
        ("m-b", "toy/1", 2, True, None, None, "unknown", ()),
    ]


def test_judged_attempts_of_the_arena_are_sequential() -> None:
    judged = [record for record in fixture("arena").records if record.suite == "toy_judged"]
    fields = ("agent_id", "task", "sample", "passed", "valid", "error_class", "evaluator_revision", "flags")
    assert rows(tuple(judged), *fields) == [
        ("m-a", "Q1", 0, False, False, "empty_output", "judge=judge-1", ("llm_judged", "non_iid")),
        ("m-a", "Q1", 1, True, None, None, "judge=judge-1", ("llm_judged", "non_iid")),
    ]


def test_a_benchmark_of_several_sizes_is_several_suites(tmp_path: Path) -> None:
    run = {"benchmark": "quanbench", "assistant": "a", "raw_task_results": {"01": [{"passed": True}]}}
    (tmp_path / "results_1.json").write_text(json.dumps(run))
    assert ingest(tmp_path, "arena", Options()).records[0].suite == "quanbench-1"


def test_humaneval() -> None:
    read = fixture("humaneval").records
    assert {(record.suite, record.agent_id, record.evaluator_revision) for record in read} == {
        ("Toy", "m-a", "unknown")
    }
    # Samples are not numbered in the file, so which of a task's two is first is of no meaning.
    assert sorted(rows(read, "task", "passed", "valid", "error_class"), key=repr) == [
        ("Toy/0", False, False, "empty_output"),
        ("Toy/0", True, None, None),
        ("Toy/1", False, None, "failed"),
        ("Toy/1", False, None, "timeout"),
    ]
    assert sorted(rows(read, "task", "sample")) == [("Toy/0", 0), ("Toy/0", 1), ("Toy/1", 0), ("Toy/1", 1)]


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("plus", [(True, None), (False, "failed"), (False, "timeout"), (False, "failed")]),
        ("base", [(True, None), (True, None), (False, "timeout"), (False, "failed")]),
    ],
)
def test_evalplus(metric: str, expected: list[tuple[object, ...]]) -> None:
    read = fixture("evalplus", Options(agent="m-a", metric=metric)).records
    assert rows(read, "passed", "error_class") == expected
    assert {(record.suite, record.evaluator_revision) for record in read} == {
        (f"Toy {metric}", "evalplus dataset=0123abcd")
    }


INSPECT = [
    ("1", 0, True, None, None),
    ("1", 1, False, None, "budget_exhausted"),
    ("two", 0, False, None, "failed"),
    ("two", 1, True, None, None),
]


def test_inspect() -> None:
    read = fixture("inspect").records
    assert rows(read, "task", "sample", "passed", "score", "error_class") == INSPECT
    assert {(record.suite, record.agent_id, record.evaluator_revision) for record in read} == {
        ("toy", "org/m-a", "commit=abc1234 task_version=3 inspect_ai=0.3.285")
    }


def test_inspect_zip_says_the_same(tmp_path: Path) -> None:
    log = json.loads((FIXTURES / "inspect" / "log.json").read_text())
    samples = log.pop("samples")
    with zipfile.ZipFile(tmp_path / "log.eval", "w") as archive:
        archive.writestr("header.json", json.dumps(log))
        archive.writestr("summaries.json", "[]")
        for sample in samples:
            archive.writestr(f"samples/{sample['id']}_epoch_{sample['epoch']}.json", json.dumps(sample))
    read = ingest(tmp_path / "log.eval", "inspect", Options()).records
    assert rows(read, "task", "sample", "passed", "score", "error_class") == INSPECT


def test_partial_grades_of_inspect_make_scores_of_all(tmp_path: Path) -> None:
    log = json.loads((FIXTURES / "inspect" / "log.json").read_text())
    log["samples"][3]["scores"]["match"]["value"] = "P"
    (tmp_path / "log.json").write_text(json.dumps(log))
    read = ingest(tmp_path, "inspect", Options()).records
    assert rows(read, "passed", "score") == [(None, 1.0), (None, 0.0), (None, 0.0), (None, 0.5)]


def test_a_dirty_tree_is_no_known_evaluator(tmp_path: Path) -> None:
    log = json.loads((FIXTURES / "inspect" / "log.json").read_text())
    log["eval"]["revision"]["dirty"] = True
    (tmp_path / "log.json").write_text(json.dumps(log))
    read = ingest(tmp_path, "inspect", Options())
    assert {record.evaluator_revision for record in read.records} == {"unknown"}
    said = ingest(tmp_path, "inspect", Options(evaluator="mine-1"))
    assert {record.evaluator_revision for record in said.records} == {"mine-1"}


@pytest.mark.parametrize(("metric", "scores"), [("strict", [1.0, 0.0]), ("loose", [1.0, 1.0])])
def test_lm_eval(metric: str, scores: list[float]) -> None:
    read = fixture("lm-eval", Options(metric=f"exact_match,{metric}")).records
    fields = ("suite", "agent_id", "task", "sample", "passed", "score", "evaluator_revision")
    assert rows(read, *fields) == [
        ("toy_task", "org__m-a", str(task), 0, None, score, "lm-eval commit=beef123 task_version=1.0")
        for task, score in enumerate(scores)
    ]


def test_verifiers() -> None:
    read = fixture("verifiers").records
    assert sorted(rows(read, "task", "score", "error_class")) == [
        ("0", 0.25, "budget_exhausted"),
        ("0", 1.0, None),
        ("1", 0.0, None),
        ("1", 0.5, None),
    ]
    assert {(record.suite, record.agent_id, record.evaluator_revision) for record in read} == {
        ("toy-env", "org/m-a", "vf_version=0.4.0 vf_commit=c0ffee env_version=1.2")
    }
    other = fixture("verifiers", Options(metric="format")).records
    assert sorted(record.score for record in other) == [0.0, 0.5, 1.0, 1.0]


def test_openenv_collect() -> None:
    read = fixture("openenv-collect").records
    fields = ("suite", "agent_id", "task", "sample", "score", "evaluator_revision")
    assert rows(read, *fields) == [
        ("toy_env", "openai/m-a", "ep-000000", 0, 1.0, "unknown"),
        ("toy_env", "openai/m-a", "ep-000001", 0, -1.0, "unknown"),
    ]


def test_tasks_of_openenv_collect_group_its_episodes(tmp_path: Path) -> None:
    for name in ("results.jsonl", "metadata.json"):
        text = (FIXTURES / "openenv-collect" / name).read_text()
        (tmp_path / name).write_text(text.replace('"task": null', '"task": {"seed": 1, "a": "x"}'))
    read = ingest(tmp_path, "openenv-collect", Options()).records
    assert rows(read, "task", "sample") == [('{"a":"x","seed":1}', 0), ('{"a":"x","seed":1}', 1)]


TABLE = [
    ("m-a", "p1", 0, True, True),
    ("m-a", "p1", 1, False, None),
    ("m-a", "p2", 0, False, False),
    ("m-a", "p2", 1, True, True),
]


def test_table() -> None:
    assert rows(fixture("table").records, "agent_id", "task", "sample", "passed", "valid") == TABLE


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_tables_of_other_kinds_say_the_same(suffix: str, tmp_path: Path) -> None:
    table = [
        {"problem": task, "try": sample, "model": agent, "passed": passed, "valid": valid, "note": [1]}
        for agent, task, sample, passed, valid in TABLE
    ]
    if suffix == "jsonl":
        (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, table)))
    else:
        pyarrow = pytest.importorskip("pyarrow")
        parquet = pytest.importorskip("pyarrow.parquet")
        parquet.write_table(pyarrow.Table.from_pylist(table), tmp_path / "t.parquet")
    read = ingest(tmp_path, "table", OPTIONS["table"]).records
    assert rows(read, "agent_id", "task", "sample", "passed", "valid") == TABLE


def test_a_table_without_numbers_numbers_the_samples_of_each_agent(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(
        "suite,task,agent_id,score\ns,p,a,0.5\ns,p,a,1e-1\ns,p,b,.25\ns,p,b,0.5\n"
    )
    read = ingest(tmp_path, "table", Options()).records
    assert sorted(rows(read, "agent_id", "sample")) == [("a", 0), ("a", 1), ("b", 0), ("b", 1)]
    assert sorted(rows(read, "agent_id", "score")) == [("a", 0.1), ("a", 0.5), ("b", 0.25), ("b", 0.5)]


def test_what_is_said_beats_the_file_and_all_samples_can_be_called_sequential() -> None:
    read = fixture("verifiers", replace(OPTIONS["verifiers"], agent="x", suite="y", sequential=True)).records
    assert {(r.agent_id, r.suite, r.flags) for r in read} == {("x", "y", ("non_iid",))}
