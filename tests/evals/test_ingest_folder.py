"""Run folders of ingested samples: what is written is read back, and the order of lines is of no meaning."""

import json
import random
import re
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quantum_circuit_env.evals.ingest import folder
from quantum_circuit_env.evals.ingest.batch import Options
from quantum_circuit_env.evals.ingest.errors import IngestError
from quantum_circuit_env.evals.ingest.formats import FORMATS, Ingested, ingest
from quantum_circuit_env.evals.ingest.records import FLAGS, RecordError, SampleError, SampleRecord
from support.samples import FIXTURES, OPTIONS, fixture

texts = st.text(min_size=1).filter(str.strip)
scores = st.none() | st.floats(allow_nan=False, allow_infinity=False)


@st.composite
def samples(draw: st.DrawFn) -> SampleRecord:
    score = draw(scores)
    return SampleRecord(
        suite=draw(texts),
        task=draw(texts),
        sample=draw(st.integers(0, 2**70)),
        agent_id=draw(texts),
        passed=draw(st.booleans() if score is None else st.none() | st.booleans()),
        score=score,
        valid=draw(st.none() | st.booleans()),
        error_class=draw(st.none() | st.sampled_from([str(error) for error in SampleError])),
        source_sha256=draw(st.text("0123456789abcdef", min_size=64, max_size=64)),
        evaluator_revision=draw(texts),
        flags=tuple(sorted(draw(st.sets(st.sampled_from(sorted(FLAGS)))))),
    )


@given(samples())
def test_a_record_is_read_back_from_its_line(record: SampleRecord) -> None:
    line = record.to_json()
    assert "\n" not in line
    assert SampleRecord.from_json(line) == record


@settings(deadline=None, max_examples=30)
@given(st.lists(samples(), min_size=1, max_size=5))
def test_what_is_written_is_read_back(records: list[SampleRecord]) -> None:
    with TemporaryDirectory() as name:
        folder.write(Path(name), "table", Options(), Ingested(tuple(records), (), (), ()))
        assert folder.read(Path(name)) == tuple(records)


@pytest.mark.parametrize("name", ["humaneval", "lm-eval", "verifiers", "openenv-collect", "table"])
@settings(deadline=None, max_examples=10)
@given(seed=st.integers(0, 2**32))
def test_the_order_of_lines_is_of_no_meaning(name: str, seed: int) -> None:
    with TemporaryDirectory() as copy:
        for file in FIXTURES.joinpath(name).rglob("*.*"):
            target = Path(copy) / file.relative_to(FIXTURES / name)
            target.parent.mkdir(parents=True, exist_ok=True)
            header, lines = [], file.read_text().splitlines(keepends=True)
            if file.suffix == ".csv":
                header, lines = lines[:1], lines[1:]
            if file.suffix != ".json":
                random.Random(seed).shuffle(lines)
            target.write_text("".join(header + lines))
        read = ingest(Path(copy), name, OPTIONS[name]).records
    nameless = [replace(record, source_sha256="0" * 64) for record in read]
    assert nameless == [replace(record, source_sha256="0" * 64) for record in fixture(name).records]


@pytest.mark.parametrize("name", FORMATS)
def test_a_run_folder_says_where_its_samples_come_from(name: str, tmp_path: Path) -> None:
    read = fixture(name)
    folder.write(tmp_path / "run", name, OPTIONS[name], read)
    assert folder.is_ingested(tmp_path / "run")
    assert folder.read(tmp_path / "run") == read.records
    text = (tmp_path / "run" / "ingest.json").read_text()
    run = json.loads(text)
    assert run["format"] == name
    assert {file["name"] for file in run["files"]} == {
        path.relative_to(FIXTURES / name).as_posix() for path in FIXTURES.joinpath(name).rglob("*.*")
    }
    assert sum(file["samples"] for file in run["files"]) == len(read.records)
    assert str(FIXTURES) not in text


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("x")
    with pytest.raises(IngestError, match="the folder has something in it"):
        folder.write(tmp_path, "table", Options(), fixture("table"))
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
    with pytest.raises(IngestError, match="cannot be written"):
        folder.write(tmp_path / "mine" / "run", "table", Options(), fixture("table"))


@pytest.mark.parametrize("file", ["samples.jsonl", "ingest.json"])
def test_a_changed_run_folder_is_refused(file: str, tmp_path: Path) -> None:
    run = tmp_path / "run"
    folder.write(run, "table", OPTIONS["table"], fixture("table"))
    changed = (run / file).read_text().replace('"passed":true', '"passed":false').replace('"ingest"', '"x"')
    (run / file).write_text(changed)
    with pytest.raises(IngestError):
        folder.read(run)
    (run / file).unlink()
    told = {
        "samples.jsonl": "samples.jsonl: cannot be read",
        "ingest.json": f"{run}: holds no ingested samples",
    }
    with pytest.raises(IngestError, match=re.escape(told[file])):
        folder.read(run)


def test_a_folder_without_samples_is_named_and_told_what_it_is(tmp_path: Path) -> None:
    nothing = tmp_path / "nothing"
    with pytest.raises(IngestError, match=re.escape(f"{nothing}: there is no such folder")):
        folder.read(nothing)
    (tmp_path / "run.json").write_text("{}")
    with pytest.raises(
        IngestError, match="is a run of `evaluate`, whose agents `quantum-circuit-env compare`"
    ):
        folder.read(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"passed": 1}, "`passed` must be true, false or null"),
        ({"valid": 0}, "`valid` must be true, false or null"),
        ({"passed": None}, "`passed` or `score` must be there"),
        ({"score": 1}, "`score` must be a finite number"),
        ({"score": True}, "`score` must be a finite number"),
        ({"score": "1"}, "`score` must be a finite number"),
        ({"sample": True}, "`sample` must be an integer"),
        ({"sample": -1}, "`sample` must be an integer"),
        ({"suite": " "}, "`suite` must be text"),
        ({"task": 3}, "`task` must be text"),
        ({"error_class": "odd"}, "`error_class` must be one of"),
        ({"error_class": []}, "`error_class` must be one of"),
        ({"flags": ["odd"]}, "`flags` must be sorted and of"),
        ({"flags": ["non_iid", "llm_judged"]}, "`flags` must be sorted and of"),
        ({"flags": "non_iid"}, "`flags` must be a list"),
        ({"source_sha256": "0"}, "`source_sha256` must be 64"),
        ({"source_sha256": None}, "`source_sha256` must be"),
        ({"more": 1}, "a record is an object with the keys"),
    ],
)
def test_lines_that_are_no_record_are_refused(change: dict[str, Any], message: str) -> None:
    values = json.loads(fixture("table").records[0].to_json()) | change
    with pytest.raises(RecordError, match=message):
        SampleRecord.from_json(json.dumps(values))


@pytest.mark.parametrize("line", ["", "[]", "{", '{"suite": NaN}', "[" * 100_000])
def test_other_lines_are_refused(line: str) -> None:
    with pytest.raises(RecordError):
        SampleRecord.from_json(line)
