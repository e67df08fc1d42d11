"""What ingest refuses, and that it says where and what is allowed."""

import json
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from quantum_circuit_env.evals.ingest.batch import Options
from quantum_circuit_env.evals.ingest.errors import IngestError
from quantum_circuit_env.evals.ingest.formats import FORMATS, ingest
from support.samples import FIXTURES, OPTIONS

MAIN = {
    "arena": "m-a/toy_suite/results_20260101.json",
    "qbe": "results/qiskit/pass_at_2/org_m-a.json",
    "qceval": "run.json",
    "humaneval": "a_results.jsonl",
    "evalplus": "a_eval_results.json",
    "inspect": "log.json",
    "lm-eval": "org__m-a/samples_toy_task_2026-01-01T00-00-00.000000.jsonl",
    "verifiers": "results.jsonl",
    "openenv-collect": "results.jsonl",
    "table": "t.csv",
}


def refusal(folder: Path, name: str, options: Options | None = None) -> str:
    with pytest.raises(IngestError) as raised:
        ingest(folder, name, options or OPTIONS[name])
    return str(raised.value)


@pytest.fixture
def copy(tmp_path: Path) -> Callable[[str], Path]:
    def copied(name: str) -> Path:
        return Path(copytree(FIXTURES / name, tmp_path / name))

    return copied


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        (
            "arena",
            '"passed": true',
            '"passed": 1',
            "m-a/toy_suite/results_20260101.json, "
            "raw_task_results, toy/0[0]: `passed` must be true or false, got 1",
        ),
        ("arena", '"passed": true, ', "", "toy/0[0]: `passed` is missing"),
        ("arena", '"num_samples": 3', '"num_samples": 4', "3 samples of task 'toy/0' where 4 are declared"),
        ("arena", '"num_samples": 3', '"num_samples": 2', "3 samples of task 'toy/0' where 2 are declared"),
        ("arena", "raw_task_results", "tasks", "`raw_task_results` or `results` is missing"),
        ("arena", '"toy/1"', '"toy/0"', "the key 'toy/0' is there twice"),
        (
            "qbe",
            '"kl_bool": true',
            '"kl_bool": 1',
            "[0], versions[0]: `kl_bool` must be true or false, got 1",
        ),
        (
            "qbe",
            '"passed_versions": 1',
            '"passed_versions": 2',
            "`passed_versions` is 2, but 1 versions of task '01'",
        ),
        ("qbe", '"pass_k": 2', '"pass_k": 3', "2 versions of task '01' where 3 are declared"),
        ("qbe", '"version": 1', '"version": 0', "`version` must be an integer from 1, got 0"),
        ("qbe", '"version": 2', '"version": 1', "task='01', sample=0 is twice"),
        ("qbe", '"versions": [', '"tries": [', "`versions` or `evaluation` is missing"),
        ("qceval", ".run.v2", ".run.v1", "`schema_version` must be qceval.run.v2, got 'qceval.run.v1'"),
        ("qceval", '"total_tasks": 6', '"total_tasks": 7', "6 results where 7 are declared"),
        ("qceval", '"status": "failed"', '"status": "maybe"', "`status` must be one of passed, failed,"),
        (
            "qceval",
            '"passed": true',
            '"passed": false',
            "`passed` is false, but the result's `status` is passed",
        ),
        ("qceval", '"passed": true', '"passed": NaN', "evaluation: `passed` must be true or false, got nan"),
        (
            "qceval",
            '"status": "run_failed"',
            '"status": "infrastructure_error"',
            "results[4]: ended in an error of",
        ),
        (
            "qceval",
            '"max_attempts": 1',
            '"max_attempts": 2',
            "several samples and several attempts",
        ),
        ("arena", '"m-a"', '" "', "`assistant` must be text with something in it, got ' '"),
        (
            "humaneval",
            '"passed": true',
            '"passed": "true"',
            "a_results.jsonl, line 1: `passed` must be true or",
        ),
        ("humaneval", '"passed": true}', '"passed": true', "a_results.jsonl, line 1: no JSON: "),
        ("humaneval", '{"task_id": "Toy/0", "completion": "  return 1', '[{"', "line 1: no JSON"),
        (
            "humaneval",
            '"task_id": "Toy/1"',
            '"task_id": "Other/1"',
            "do not name the suite: say it with --suite",
        ),
        (
            "evalplus",
            '"base_status": "pass"',
            '"base_status": "ok"',
            "eval, Toy/0[0]: `base_status` must be one of",
        ),
        (
            "evalplus",
            '"plus_status": "pass"',
            '"plus_status": null',
            "`plus_status` must be one of pass, fail, timeout",
        ),
        (
            "inspect",
            '"value": "I"',
            '"value": NaN',
            "samples[1], scores, match: `value` is nan: the sample is not scored",
        ),
        (
            "inspect",
            '"value": "I"',
            '"value": "maybe"',
            "the value must be one of C, P, I, N, true, false or a number",
        ),
        ("inspect", '"value": "I"', '"value": {"a": 1}', "say --metric match.KEY with one of a"),
        (
            "inspect",
            '"match": {"value": "I"}',
            '"other": {"value": "I"}',
            "say with --metric which score is meant: match, other",
        ),
        (
            "inspect",
            '"epoch": 2',
            '"epoch": 1',
            "the sample suite='toy', agent_id='org/m-a', task='1', sample=0 is twice",
        ),
        ("inspect", '"epoch": 2', '"epoch": 0', "`epoch` must be an integer from 1"),
        ("inspect", '"epochs": 2', '"epochs": 3', "4 samples where 6 are declared"),
        ("inspect", '"status": "success"', '"status": "cancelled"', "the run's status is 'cancelled'"),
        (
            "inspect",
            '"limit": null',
            '"error": {"message": "x"}',
            "samples[0]: ended in an error and has no score",
        ),
        (
            "lm-eval",
            '"exact_match": 0.0',
            '"exact_match": Infinity',
            "line 2: `exact_match` must be a finite number",
        ),
        ("lm-eval", '"doc_id": 1', '"doc_id": 0', "task='0', sample=0 is twice"),
        (
            "verifiers",
            '"reward": 1.0',
            '"reward": NaN',
            "results.jsonl, line 1: `reward` must be a finite number, got nan",
        ),
        ("verifiers", '"reward": 1.0', '"reward": true', "`reward` must be a finite number, got True"),
        ("verifiers", '"reward": 1.0', f'"reward": 1{"0" * 400}', "`reward` must be a finite number"),
        ("verifiers", '"error": null', '"error": {"error": "x"}', "line 1: the rollout ended in an error"),
        (
            "openenv-collect",
            "ep-000001",
            "ep-000000",
            "line 2: the episode 'ep-000000' is there already, on line 1",
        ),
        ("openenv-collect", '"task": null', '"task": "t"', "line 2: `task` is null here and not elsewhere"),
        ("table", "p1,0,m-a,true", "p1,0,m-a,1", "t.csv, line 2: `passed` must be true or false, got '1'"),
        ("table", "p1,0,m-a,true", "p1,0,m-a,", "`passed` or `score` must be there"),
        ("table", "p1,0,m-a,true,true,", "p1,0,m-a,true,true,,", "line 2: 7 cells where the header has 6"),
        ("table", "p1,1,m-a", "p1,0,m-a", "task='p1', sample=0 is twice: keep one of them"),
        ("table", "p1,1,m-a", "p1,-1,m-a", "line 3: `sample` must be an integer from 0, got '-1'"),
        ("table", "p1,1,m-a,False,,\n", "", "m-a on toy has 1 samples of task 'p1' and 2 of others"),
        ("table", "try", "model", "line 1: the column 'model' is there twice"),
        ("table", '"with, comma"', '"with, comma', "no CSV: unexpected end of data"),
    ],
)
def test_a_broken_fixture_is_refused(
    copy: Callable[[str], Path], name: str, old: str, new: str, message: str
) -> None:
    folder = copy(name)
    file = folder / MAIN[name]
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))
    assert message in refusal(folder, name)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(
    ("data", "message"),
    [(b" \n", "the file is empty"), (b"\xff\xfe\x00", ""), (b"[1]", ""), (b"[" * 100_000, ""), (b"{}", "")],
)
def test_files_that_are_none_of_the_format_are_refused(
    copy: Callable[[str], Path], name: str, data: bytes, message: str
) -> None:
    folder = copy(name)
    (folder / MAIN[name]).write_bytes(data)
    assert message in refusal(folder, name)


@pytest.mark.parametrize("name", ["verifiers", "openenv-collect"])
def test_results_without_their_metadata_are_refused(copy: Callable[[str], Path], name: str) -> None:
    folder = copy(name)
    (folder / "metadata.json").unlink()
    assert "there is no metadata.json beside it" in refusal(folder, name)


def _drop_last_line(file: Path) -> None:
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:-1]))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("verifiers", "1 rollouts of example '1' where 2 are declared"),
        ("openenv-collect", "1 episodes where 2 are declared"),
        ("humaneval", "m-a on Toy has 1 samples of task 'Toy/1' and 2 of others"),
        ("table", "m-a on toy has 1 samples of task 'p2' and 2 of others"),
    ],
)
def test_missing_samples_are_refused_unless_stated(
    copy: Callable[[str], Path], name: str, message: str
) -> None:
    folder = copy(name)
    whole = len(ingest(folder, name, OPTIONS[name]).records)
    _drop_last_line(folder / MAIN[name])
    assert message in refusal(folder, name)
    read = ingest(folder, name, replace(OPTIONS[name], allow_missing=True))
    assert len(read.records) == whole - 1
    assert any(message in line for line in read.missing)
    flags = {flag for record in read.records for flag in record.flags}
    assert flags == ({"incomplete"} if "declared" in message else set())


def test_the_same_run_in_two_files_is_refused(copy: Callable[[str], Path]) -> None:
    folder = copy("arena")
    run = folder / MAIN["arena"]
    run.with_name("results_again.json").write_bytes(run.read_bytes())
    message = refusal(folder, "arena")
    assert "task='toy/0', sample=0 is there, and in m-a/toy_suite/results_20260101.json" in message


def test_a_suite_with_verdicts_of_some_samples_only_is_refused(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("task,passed,score\np,true,\nq,,0.5\n")
    message = refusal(tmp_path, "table", Options(suite="s", agent="a"))
    assert message == "s: some samples have `passed` and others do not: all or none must"


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("zip", Options(), "--format: must be one of arena, qbe, qceval, humaneval"),
        ("humaneval", Options(), "do not name the agent: say it with --agent"),
        (
            "arena",
            Options(metric="x"),
            "--metric: means something with evalplus, inspect, lm-eval, verifiers only",
        ),
        ("arena", Options(columns={"a": "task"}), "--map: means something with table only"),
        ("table", Options(columns={"a": "b"}), "--map: 'b' is no field: suite, task, sample"),
        (
            "table",
            Options(columns={"a": "task"}),
            "the column 'a' of --map is missing; there are problem, try",
        ),
        ("table", Options(columns={"problem": "task"}), "say it with --suite or a column `suite`"),
        ("evalplus", Options(agent="a", metric="x"), "--metric: must be one of base, plus, got 'x'"),
        ("lm-eval", Options(), "which score is meant: exact_match,loose; exact_match,strict"),
        ("lm-eval", Options(metric="f1"), "which score is meant: exact_match,loose; exact_match,strict"),
        ("verifiers", Options(metric="f1"), "`f1` is missing"),
    ],
)
def test_what_is_asked_for_wrongly_is_refused(name: str, options: Options, message: str) -> None:
    assert message in refusal(FIXTURES / (name if name in FORMATS else "table"), name, options)


def test_paths_without_a_file_of_the_format_are_refused(tmp_path: Path) -> None:
    assert "there is no such file or folder" in refusal(tmp_path / "no", "arena")
    assert "no file in it is called results_*.json" in refusal(tmp_path, "arena")
    other = tmp_path / "other.txt"
    other.write_text("x")
    assert "files of this format are called results_*.json" in refusal(other, "arena")
    renamed = tmp_path / "samples_x.jsonl"
    renamed.write_text("{}")
    assert "the name must be samples_TASK_" in refusal(renamed, "lm-eval")


def test_zips_that_are_no_log_are_refused(tmp_path: Path) -> None:
    log = tmp_path / "log.eval"
    log.write_bytes(b"PK no zip")
    assert "is no .eval file that can be read" in refusal(log, "inspect")
    with zipfile.ZipFile(log, "w") as archive:
        archive.writestr("samples/1_epoch_1.json", "{}")
    assert "there is no header.json: the run has not ended" in refusal(log, "inspect")
    with zipfile.ZipFile(log, "w") as archive:
        archive.writestr("header.json", "{}")
    assert "holds no samples" in refusal(log, "inspect")


def test_parquet_that_is_none_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    file = tmp_path / "t.parquet"
    file.write_bytes(b"PAR1 no parquet")
    assert "no Parquet: " in refusal(file, "table")


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_numbers_that_are_none_are_refused_in_every_kind_of_table(tmp_path: Path, value: float) -> None:
    pyarrow: Any = pytest.importorskip("pyarrow")
    parquet: Any = pytest.importorskip("pyarrow.parquet")
    row = {"task": "p", "score": value}
    (tmp_path / "t.jsonl").write_text(json.dumps(row))
    (tmp_path / "t.csv").write_text(f"task,score\np,{value}\n")
    parquet.write_table(pyarrow.Table.from_pylist([row]), tmp_path / "t.parquet")
    for name in ("t.jsonl", "t.csv", "t.parquet"):
        message = refusal(tmp_path / name, "table", Options(suite="s", agent="a"))
        assert "`score` must be a finite number" in message
