"""What is no result at all, or hostile, is refused in one line that no terminal obeys."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from quantum_circuit_env.evals.ingest.batch import Options
from quantum_circuit_env.evals.ingest.errors import IngestError
from quantum_circuit_env.evals.ingest.fields import LARGEST_FILE
from quantum_circuit_env.evals.ingest.formats import FORMATS, ingest
from support.commands import run_wide
from support.inspect_logs import ZSTANDARD, write_log, write_zip
from support.samples import FIXTURES, OPTIONS

FILES = {
    "arena": ("results_1.json",),
    "qbe": ("a.json", "a_attempts.json"),
    "qceval": ("a.json", "a.jsonl"),
    "humaneval": ("a_results.jsonl",),
    "evalplus": ("eval_results.json",),
    "inspect": ("a.json", "a.eval"),
    "lm-eval": ("samples_t_2026-01-01T00-00-00.jsonl",),
    "verifiers": ("results.jsonl", "traces.jsonl"),
    "openenv-collect": ("results.jsonl",),
    "table": ("a.csv", "a.jsonl", "a.parquet"),
}
HOSTILE = "\x1b[2J<b>\n\u202e\ud800"
GARBAGE = {
    "empty": b"",
    "zeros": bytes(1000),
    "random": random.Random(0).randbytes(5000),
    "utf16": "[]".encode("utf-16"),
    "null": b"null",
    "number": b"1" * 5000,
    "deep": b"[" * 100_000,
    "deeper": b'{"a":' * 100_000,
    "zip": b"PK\x03\x04" + bytes(100),
    "parquet": b"PAR1" + bytes(100) + b"PAR1",
    "hostile": json.dumps({HOSTILE: HOSTILE}).encode(),
    "list": json.dumps([{HOSTILE: HOSTILE}]).encode(),
}


def refused(path: Path, name: str, options: Options) -> str:
    with pytest.raises(IngestError) as raised:
        ingest(path, name, options)
    message = str(raised.value)
    assert message.isprintable()
    return message


@pytest.mark.parametrize("garbage", GARBAGE.values(), ids=GARBAGE)
@pytest.mark.parametrize("name", FILES)
def test_garbage_is_refused(tmp_path: Path, name: str, garbage: bytes) -> None:
    pytest.importorskip("pyarrow")
    for file in FILES[name]:
        (tmp_path / file).write_bytes(garbage)
        (tmp_path / "metadata.json").write_bytes(garbage)
        assert len(refused(tmp_path / file, name, Options(agent="a", suite="s"))) < 600


def test_every_format_is_tried() -> None:
    assert set(FILES) == set(FORMATS)


def told(path: Path, name: str) -> str | None:
    """Return what is wrong with files, or None if they are read."""
    try:
        ingest(path, name, OPTIONS[name])
    except IngestError as error:
        return str(error)
    return None


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*path, key)
        yield from places(inner, (*path, key))


@pytest.mark.parametrize("name", FORMATS)
def test_fixtures_with_something_else_in_them_are_read_or_refused(tmp_path: Path, name: str) -> None:
    folder = Path(copytree(FIXTURES / name, tmp_path / "copy"))
    rng = random.Random(name)
    for file in sorted(folder.rglob("*.json*")):
        whole = file.read_text()
        lines = file.suffix == ".jsonl"
        for path in rng.sample(found := list(places(_parsed(whole, lines))), min(12, len(found))):
            document = _parsed(whole, lines)
            holder = document
            for key in path[:-1]:
                holder = holder[key]
            holder[path[-1]] = rng.choice([None, True, -1, "", HOSTILE, [], {}, [1], float("nan"), 10**30])
            file.write_text("\n".join(map(json.dumps, document)) if lines else json.dumps(document))
            message = told(folder, name)
            assert message is None or message.isprintable()
        file.write_text(whole)


def _parsed(text: str, lines: bool) -> Any:
    return [json.loads(line) for line in text.splitlines() if line.strip()] if lines else json.loads(text)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    file = tmp_path / "results_1.json"
    with file.open("wb") as sparse:
        sparse.truncate(LARGEST_FILE + 1)
    assert f"{LARGEST_FILE + 1} bytes are too many" in refused(file, "arena", Options())


def test_folders_and_links(tmp_path: Path) -> None:
    (tmp_path / "results_0.json").mkdir()
    assert "no file in it is called results_*.json" in refused(tmp_path, "arena", Options())
    (tmp_path / "results_1.json").symlink_to(tmp_path / "nowhere")
    (tmp_path / "results_2.json").symlink_to(tmp_path / "results_2.json")
    (tmp_path / "loop").symlink_to(tmp_path)
    assert "no file in it is called results_*.json" in refused(tmp_path, "arena", Options())
    run = FIXTURES / "arena" / "m-a" / "toy_suite" / "results_20260101.json"
    (tmp_path / "results_3.json").symlink_to(run)
    assert len(ingest(tmp_path, "arena", Options()).records) == 6
    (tmp_path / "results_4.json").symlink_to(run)
    assert "is there, and in results_3.json" in refused(tmp_path, "arena", Options())


def test_tables_of_every_dialect_of_csv(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_bytes('\ufefftask,"passed",note\r\n"a ""b"", c",TRUE,"two\r\nlines"\r\nd,false,\r\n'.encode())
    read = ingest(file, "table", Options(suite="s", agent="a")).records
    assert [(one.task, one.passed) for one in read] == [('a "b", c', True), ("d", False)]


def test_nested_columns_of_parquet(tmp_path: Path) -> None:
    pyarrow: Any = pytest.importorskip("pyarrow")
    parquet: Any = pytest.importorskip("pyarrow.parquet")
    file = tmp_path / "t.parquet"
    row = {"task": "t", "passed": True, "extra": {"deep": [{"x": [1]}]}, "calls": [[1], [2, 3]]}
    parquet.write_table(pyarrow.Table.from_pylist([row]), file)
    assert ingest(file, "table", Options(suite="s", agent="a")).records[0].passed is True
    for column, value in (("task", {"id": 1}), ("passed", [True]), ("passed", 1)):
        parquet.write_table(pyarrow.Table.from_pylist([row | {column: value}]), file)
        assert f"row 1: `{column}` must be" in refused(file, "table", Options(suite="s", agent="a"))


def test_damaged_logs_of_inspect(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    file = tmp_path / "a.eval"
    write_log(file, ZSTANDARD)
    whole = file.read_bytes()
    frame = whole.index(b"\x28\xb5\x2f\xfd", whole.index(b"header.json"))
    file.write_bytes(whole[: frame + 20] + b"\x00\x01\x02\x03" + whole[frame + 24 :])
    assert "is no .eval file that can be read: header.json" in refused(file, "inspect", Options())
    file.write_bytes(whole[: len(whole) // 2])
    assert "is no .eval file that can be read" in refused(file, "inspect", Options())
    write_zip(file, {"header.json": b"{}", "samples/1_epoch_1.json": b"\xff"}, ZSTANDARD)
    assert "a.eval:samples/1_epoch_1.json, byte 0: is no UTF-8" in refused(file, "inspect", Options())


def test_hostile_names_come_out_as_text(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    name = "[red]a[/red]:boom:<b>\x1b[2J"
    rows = [{"task": task, "agent_id": name, "passed": task == "t"} for task in ("t", "\x1b[31mu\r")]
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, rows)))
    told = ["--suite", "s", "--format", "table", "--out", tmp_path / "run"]
    assert run_wide(monkeypatch, "ingest", tmp_path / "t.jsonl", *told) == 0
    page = tmp_path / "suites.html"
    assert run_wide(monkeypatch, "suites", tmp_path / "run", "--html", page) == 0
    printed = capsys.readouterr().out
    assert "[red]a[/red]:boom:<b>\\x1b[2J" in printed
    assert "\x1b[2J" not in printed
    assert "[red]a[/red]:boom:&lt;b&gt;\\x1b[2J" in page.read_text()


def test_hostile_names_in_refusals_are_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    row = {"task": HOSTILE, "agent_id": HOSTILE, "passed": True, "sample": 0, "suite": HOSTILE}
    file = tmp_path / "\x1b[2Jt.jsonl"
    file.write_text("\n".join([json.dumps(row)] * 2))
    assert run_wide(monkeypatch, "ingest", file, "--format", "table", "--out", tmp_path / "run") == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.isprintable()
    assert "sample=0 is twice" in line
    file.write_text(json.dumps(row))
    (tmp_path / "u.jsonl").write_text(json.dumps(row | {"agent_id": "b"}))
    assert run_wide(monkeypatch, "ingest", tmp_path, "--format", "table", "--out", tmp_path / "run") == 0
    capsys.readouterr()
    assert run_wide(monkeypatch, "suites", tmp_path / "run") == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.isprintable()
    assert "2 files that do not say which evaluator" in line
