"""What each format's fixture says, written down by hand."""

import json
import zipfile
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from quantum_circuit_env.evals.ingest.batch import Options
from quantum_circuit_env.evals.ingest.errors import IngestError
from quantum_circuit_env.evals.ingest.formats import FORMATS, ingest
from quantum_circuit_env.evals.ingest.records import SampleRecord
from support.inspect_logs import ZSTANDARD, write_log
from support.samples import FIXTURES, OPTIONS, fixture


def rows(records: tuple[SampleRecord, ...], *names: str) -> list[tuple[object, ...]]:
    return [tuple(getattr(record, name) for name in names) for record in records]


def test_every_format_has_a_fixture() -> None:
    assert {folder.name for folder in FIXTURES.iterdir()} == set(FORMATS) == set(OPTIONS)


@pytest.mark.parametrize("name", FORMATS)
def test_digests_are_those_of_the_files(name: str) -> None:
    files = [file for file in FIXTURES.joinpath(name).rglob("*.*") if file.is_file()]
    digests = {sha256(file.read_bytes()).hexdigest() for file in files}
    read = fixture(name)
    holding = {source.sha256 for source, count in read.sources if count}
    assert {record.source_sha256 for record in read.records} == holding
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


def test_versions_of_quanbench_plus() -> None:
    read = [record for record in fixture("qbe").records if record.agent_id == "org_m-a"]
    assert rows(tuple(read), "suite", "task", "sample", "passed", "valid", "error_class", "flags") == [
        ("quanbench-plus qiskit v1", "01", 0, True, True, None, ()),
        ("quanbench-plus qiskit v1", "01", 1, False, True, "failed", ()),
        ("quanbench-plus qiskit v1", "02", 0, False, False, "failed", ()),
        ("quanbench-plus qiskit v1", "02", 1, True, True, None, ()),
    ]


def test_attempts_of_quanbench_plus_are_sequential_and_end_at_the_first_that_passes() -> None:
    read = fixture("qbe")
    attempts = [record for record in read.records if record.agent_id == "org/m-a"]
    assert rows(tuple(attempts), "suite", "task", "sample", "passed", "error_class", "flags") == [
        ("quanbench-plus cirq", "01", 0, False, "unparseable", ("non_iid",)),
        ("quanbench-plus cirq", "01", 1, False, "runtime_error", ("non_iid",)),
        ("quanbench-plus cirq", "02", 0, True, None, ("non_iid",)),
    ]
    assert read.missing == ()


def test_a_chain_of_attempts_that_ends_without_a_pass_misses_some(tmp_path: Path) -> None:
    name = "org_m-a_cirq_attempts.json"
    attempts = json.loads((FIXTURES / "qbe" / "feedback" / name).read_text())
    attempts[1]["evaluation"]["kl_div_bool"] = False
    (tmp_path / name).write_text(json.dumps(attempts))
    read = ingest(tmp_path, "qbe", Options(allow_missing=True))
    assert read.missing == ("org/m-a on quanbench-plus cirq has 1 samples of task '02' and 2 of others",)


QCEVAL = [
    ("01", 0, True, True, None),
    ("01", 1, False, True, "failed"),
    ("02", 0, False, False, "unparseable"),
    ("02", 1, False, False, "empty_output"),
    ("03", 0, False, True, "runtime_error"),
    ("03", 1, False, True, "timeout"),
]


def test_qceval() -> None:
    read = fixture("qceval").records
    assert rows(read, "task", "sample", "passed", "valid", "error_class") == QCEVAL
    assert {(record.suite, record.agent_id, record.evaluator_revision, record.flags) for record in read} == {
        ("qceval core qiskit", "org-m-a__effort-low", "qceval=0.1.0 commit=c0ffee", ())
    }


def test_lines_of_qceval_say_the_same(tmp_path: Path) -> None:
    run = json.loads((FIXTURES / "qceval" / "run.json").read_text())
    lines = [json.dumps({"kind": "result"} | result) for result in run.pop("results")]
    file = tmp_path / "run.jsonl"
    file.write_text("\n".join([*lines, json.dumps({"kind": "summary"} | run)]))
    read = ingest(file, "qceval", Options()).records
    assert rows(read, "task", "sample", "passed", "valid", "error_class") == QCEVAL
    file.write_text("\n".join(lines))
    cut = ingest(file, "qceval", Options(allow_missing=True))
    assert cut.missing == ("run.jsonl: there is no summary: the run has not ended",)
    assert {(record.agent_id, record.evaluator_revision) for record in cut.records} == {
        ("org/m-a", "unknown")
    }


def test_repairs_of_qceval_are_sequential(tmp_path: Path) -> None:
    run = json.loads((FIXTURES / "qceval" / "run.json").read_text())
    for result in run["results"]:
        result["attempt_index"], result["sample_index"] = result["sample_index"], 0
    run["qceval"]["dirty"] = True
    (tmp_path / "run.json").write_text(json.dumps(run))
    read = ingest(tmp_path, "qceval", Options()).records
    assert rows(read, "task", "sample", "passed", "valid", "error_class") == QCEVAL
    assert {(record.flags, record.evaluator_revision) for record in read} == {(("non_iid",), "unknown")}


def test_what_was_not_verified_did_not_pass(tmp_path: Path) -> None:
    text = (FIXTURES / "qceval" / "run.json").read_text()
    (tmp_path / "run.json").write_text(text.replace('"verified_pass"', '"unverified_pass"'))
    assert not any(record.passed for record in ingest(tmp_path, "qceval", Options()).records)


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


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, ZSTANDARD])
def test_inspect_zip_says_the_same(tmp_path: Path, method: int) -> None:
    if method == ZSTANDARD:
        pytest.importorskip("pyarrow")
    write_log(tmp_path / "log.eval", method)
    read = ingest(tmp_path / "log.eval", "inspect", Options()).records
    assert rows(read, "task", "sample", "passed", "score", "error_class") == INSPECT


def test_samples_that_inspect_left_unscored_are_missing(tmp_path: Path) -> None:
    log = json.loads((FIXTURES / "inspect" / "log.json").read_text())
    log["samples"][3]["scores"]["match"]["value"] = float("nan")
    (tmp_path / "log.json").write_text(json.dumps(log))
    read = ingest(tmp_path, "inspect", Options(allow_missing=True))
    assert rows(read.records, "task", "sample", "passed", "score", "error_class") == INSPECT[:3]
    assert read.missing[0].startswith("log.json, samples[3], scores, match: `value` is nan")


def test_a_choice_of_samples_is_a_whole_run_of_inspect(tmp_path: Path) -> None:
    log = json.loads((FIXTURES / "inspect" / "log.json").read_text())
    log["eval"]["dataset"] |= {"samples": 9}
    (tmp_path / "log.json").write_text(json.dumps(log))
    assert len(ingest(tmp_path, "inspect", Options()).records) == 4
    log["samples"].pop()
    (tmp_path / "log.json").write_text(json.dumps(log))
    cut = ingest(tmp_path, "inspect", Options(allow_missing=True))
    assert cut.missing[0] == "log.json: 3 samples where 4 are declared"


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
        ("toy_task", "org__m-a", str(task), 0, None, score, "lm-eval=0.4.13 commit=beef123 task_version=1.0")
        for task, score in enumerate(scores)
    ]


def test_verifiers() -> None:
    read = [record for record in fixture("verifiers").records if record.suite == "toy-env"]
    assert sorted(rows(tuple(read), "task", "score", "error_class")) == [
        ("0", 0.25, "budget_exhausted"),
        ("0", 1.0, None),
        ("1", 0.0, None),
        ("1", 0.5, None),
    ]
    assert {(record.agent_id, record.evaluator_revision) for record in read} == {
        ("org/m-a", "vf_version=0.1.11 vf_commit=c0ffee env_version=1.2")
    }


@pytest.mark.parametrize(
    ("metric", "scores"),
    [(None, [0.5, 1.0, 1.0, 2.5]), ("exact", [0.0, 0.25, 0.5, 1.0]), ("turns", [3.0] * 4)],
)
def test_traces_of_verifiers(metric: str | None, scores: list[float]) -> None:
    read = ingest(FIXTURES / "verifiers" / "traces", "verifiers", Options(metric=metric))
    assert sorted(record.score for record in read.records if record.score is not None) == scores
    assert {(record.suite, record.agent_id, record.evaluator_revision) for record in read.records} == {
        ("toy-traced", "org/m-b", "unknown")
    }
    assert sorted(rows(read.records, "task", "sample")) == [
        ("toy-0", 0),
        ("toy-0", 1),
        ("toy-1", 0),
        ("toy-1", 1),
    ]
    assert [record.task for record in read.records if record.error_class == "timeout"] == ["toy-0"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"ok": true', '"ok": false', "traces.jsonl, line 1: the rollout ended in an error"),
        ('{"score": 0.5, "weight": 2.0}', "null", "line 1, traces[0]: the reward is null"),
        ('"score": 0.5', '"score": NaN', "rewards, exact: `score` must be a finite number, got nan"),
        ('"traces": [', '"traces": [{}, ', "line 1: 2 agents took part, and a record is of one"),
        ('{"score": 0.5, "weight": 2.0}', "1", "rewards, exact: must be a JSON object, got 1"),
    ],
)
def test_broken_traces_are_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    text = (FIXTURES / "verifiers" / "traces" / "traces.jsonl").read_text()
    assert old in text
    (tmp_path / "traces.jsonl").write_text(text.replace(old, new, 1))
    with pytest.raises(IngestError) as raised:
        ingest(tmp_path, "verifiers", Options(agent="a"))
    assert message in str(raised.value)


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
    read = fixture("inspect", replace(OPTIONS["inspect"], agent="x", suite="y", sequential=True)).records
    assert {(r.agent_id, r.suite, r.flags) for r in read} == {("x", "y", ("non_iid",))}
