"""Run folders: what is written is read, torn lines do not count, and no two writers meet."""

import json
import os
from dataclasses import replace
from pathlib import Path
from shutil import rmtree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quantum_circuit_env.evals.provenance import CredentialError, fingerprint
from quantum_circuit_env.evals.records import Episode, EpisodeKey
from quantum_circuit_env.evals.store import EPISODES, INFO, ResumeError, RunFolder, StoreError
from support.runs import episode_of, run_info

INFO_1 = run_info()
KEYS = list(INFO_1.keys())


def text_of(run: RunFolder) -> str:
    return (run.path / EPISODES).read_text("utf-8")


def written(path: Path, *episodes: Episode) -> RunFolder:
    """A run that was left with these episodes."""
    with RunFolder.create(path, INFO_1) as run:
        for episode in episodes:
            run.append(episode)
    return RunFolder.open(path)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    episodes = [episode_of(INFO_1, key) for key in KEYS]
    run = written(tmp_path / "a" / "b", *episodes)
    assert run.info == INFO_1
    assert run.episodes() == episodes
    assert run.done == frozenset(KEYS)
    assert run.missing() == []
    assert text_of(run) == "".join(f"{episode.to_json()}\n" for episode in episodes)


def test_each_line_is_there_once_append_returns(tmp_path: Path) -> None:
    with RunFolder.create(tmp_path, INFO_1) as run:
        for count, key in enumerate(KEYS, start=1):
            run.append(episode_of(INFO_1, key))
            assert text_of(run).count("\n") == count
            assert run.done == RunFolder.open(tmp_path).done == frozenset(KEYS[:count])


def test_what_is_missing_is_told_in_the_order_of_the_plan(tmp_path: Path) -> None:
    run = written(tmp_path, *(episode_of(INFO_1, key) for key in KEYS[1::2]))
    assert run.missing() == KEYS[::2]
    assert len(KEYS) == 12


def test_an_incomplete_episode_is_missing_and_its_rerun_takes_its_place(tmp_path: Path) -> None:
    broken, played = episode_of(INFO_1, KEYS[0], complete=False), episode_of(INFO_1, KEYS[0])
    run = written(tmp_path, broken, broken)
    assert run.episodes() == [broken]
    assert run.missing() == KEYS
    with run.resume(INFO_1):
        run.append(played)
        assert run.episodes() == [played]
        assert run.missing() == KEYS[1:]
    assert text_of(run).count("\n") == 3


@pytest.mark.parametrize("again", [True, False])
def test_a_complete_episode_is_there_once(tmp_path: Path, again: bool) -> None:
    run = written(tmp_path, episode_of(INFO_1, KEYS[0]))
    second = episode_of(INFO_1, KEYS[0], complete=again)
    with run.resume(INFO_1), pytest.raises(StoreError, match="null on easy 3000000, sample 0, is complete"):
        run.append(second)
    assert run.episodes() == [episode_of(INFO_1, KEYS[0])]
    with (tmp_path / EPISODES).open("a") as file:
        file.write(f"{second.to_json()}\n")
    with pytest.raises(StoreError, match=r"line 2: null on easy 3000000, sample 0, is there a second time"):
        run.episodes()
    with pytest.raises(StoreError, match="a second time"):
        run.resume(INFO_1)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"run_id": "run-2"}, "an episode of run run-2, this is run-1"),
        ({"evaluator_revision": "0.9.0+000000000000"}, r"played by 0\.9\.0\+0{12}, this run by "),
        ({"agent_id": "optimal"}, "optimal on easy 3000000, sample 0, is not of this run"),
        ({"tier": "hard"}, "null on hard 3000000, sample 0, is not of this run"),
        ({"seed": 1}, "null on easy 1, sample 0, is not of this run"),
        ({"sample": 2}, "null on easy 3000000, sample 2, is not of this run"),
    ],
)
def test_episodes_of_another_run_are_neither_written_nor_read(
    tmp_path: Path, changes: dict[str, object], said: str
) -> None:
    stranger = replace(episode_of(INFO_1, KEYS[0]), **changes)  # type: ignore[arg-type]
    with RunFolder.create(tmp_path, INFO_1) as run, pytest.raises(StoreError, match=said):
        run.append(stranger)
    (tmp_path / EPISODES).write_text(f"{stranger.to_json()}\n")
    with pytest.raises(StoreError, match=f"line 1: {said}"):
        RunFolder.open(tmp_path).episodes()


@pytest.mark.parametrize("line", [b"{}", b"", b"\xff", b"\0" * 100, b"[" * 100_000, b"null"])
def test_a_whole_line_that_is_no_record_is_refused_with_its_number(tmp_path: Path, line: bytes) -> None:
    run = written(tmp_path, episode_of(INFO_1, KEYS[0]))
    with (tmp_path / EPISODES).open("ab") as file:
        file.write(line + b"\n")
    with pytest.raises(StoreError, match=rf"{EPISODES}, line 2: ") as error:
        run.episodes()
    assert len(str(error.value)) < 500


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(cut=st.integers(1, 2000))
def test_a_line_that_is_torn_anywhere_does_not_count_and_is_cut_off_when_resumed(
    tmp_path: Path, cut: int
) -> None:
    path = tmp_path / str(len(list(tmp_path.iterdir())))
    run = written(path, *(episode_of(INFO_1, key) for key in KEYS[:2]))
    data = (path / EPISODES).read_bytes()
    length = len(data) // 2
    torn = data[: len(data) - 1 - cut % length]
    (path / EPISODES).write_bytes(torn)
    assert run.episodes() == [episode_of(INFO_1, KEYS[0])]
    assert (path / EPISODES).read_bytes() == torn
    with run.resume(INFO_1):
        assert run.missing() == KEYS[1:]
        run.append(episode_of(INFO_1, KEYS[1]))
    assert (path / EPISODES).read_bytes() == data


def test_a_run_that_was_killed_before_its_first_episode_is_resumed(tmp_path: Path) -> None:
    run = written(tmp_path)
    (tmp_path / EPISODES).unlink()
    assert run.episodes() == []
    with run.resume(INFO_1):
        run.append(episode_of(INFO_1, KEYS[0]))
    assert run.done == {KEYS[0]}


def test_a_folder_whose_run_was_killed_before_it_began_is_free(tmp_path: Path) -> None:
    (tmp_path / "run.tmp").write_text("{")
    (tmp_path / "run.lock").touch()
    with pytest.raises(StoreError, match=r"holds no run: there is no run\.json in it"):
        RunFolder.open(tmp_path)
    assert written(tmp_path).missing() == KEYS


@pytest.mark.parametrize("name", [INFO, EPISODES])
def test_a_run_is_not_begun_over_another(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("precious")
    with pytest.raises(StoreError, match=rf"holds a run already \({name}\): resume it, or take another"):
        RunFolder.create(tmp_path, INFO_1)
    assert (tmp_path / name).read_text() == "precious"


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cannot be written"):
        RunFolder.create(tmp_path / "file" / "run", INFO_1)


@pytest.mark.parametrize("text", ["", "{}", "[]", "\x00", "{" * 10_000])
def test_what_is_no_run_json_is_told(tmp_path: Path, text: str) -> None:
    (tmp_path / INFO).write_text(text)
    with pytest.raises(StoreError, match=r"run\.json cannot be read: ") as error:
        RunFolder.open(tmp_path)
    assert len(str(error.value)) < 500


def test_a_run_that_is_open_for_reading_is_not_written(tmp_path: Path) -> None:
    run = written(tmp_path)
    with pytest.raises(StoreError, match="open for reading"):
        run.append(episode_of(INFO_1, KEYS[0]))
    assert text_of(run) == ""


def test_a_disk_that_takes_only_a_part_of_a_line_gets_none_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = os.write
    with RunFolder.create(tmp_path, INFO_1) as run:
        run.append(episode_of(INFO_1, KEYS[0]))
        monkeypatch.setattr(os, "write", lambda file, data: write(file, data[:100]))
        with pytest.raises(StoreError, match=r"cannot be written: 100 of \d+ bytes were taken"):
            run.append(episode_of(INFO_1, KEYS[1]))
        monkeypatch.undo()
        assert run.missing() == KEYS[1:]
        run.append(episode_of(INFO_1, KEYS[2]))
    assert RunFolder.open(tmp_path).done == {KEYS[0], KEYS[2]}


def test_episodes_for_a_folder_that_was_deleted_are_not_taken(tmp_path: Path) -> None:
    info = run_info()
    key, *_ = info.keys()
    with RunFolder.create(tmp_path / "run", info) as run:
        rmtree(tmp_path / "run")
        with pytest.raises(StoreError, match="deleted"):
            run.append(episode_of(info, key))
        assert run.done == frozenset()
        with pytest.raises(StoreError, match=r"run\.json cannot be written"):
            run.finish()


def test_actions_that_were_edited_are_told(tmp_path: Path) -> None:
    info = run_info()
    key, *_ = info.keys()
    with RunFolder.create(tmp_path, info) as run:
        run.append(episode_of(info, key))
    record = json.loads((tmp_path / EPISODES).read_text())
    record["actions"][0][0] += 1
    (tmp_path / EPISODES).write_text(json.dumps(record) + "\n")
    with pytest.raises(StoreError, match=r"line 1: .*digest of its actions is that of other actions"):
        RunFolder.open(tmp_path).episodes()


@pytest.mark.parametrize("name", ["", "two\nlines", "\x1b[2J", "\u202egreedy"])
def test_a_name_that_a_terminal_would_not_show_as_it_is_is_refused(tmp_path: Path, name: str) -> None:
    RunFolder.create(tmp_path, run_info()).close()
    stored = json.loads((tmp_path / INFO).read_text())
    stored["agents"][0]["agent_id"] = name
    (tmp_path / INFO).write_text(json.dumps(stored))
    with pytest.raises(StoreError, match="agent_id"):
        RunFolder.open(tmp_path)


def test_there_is_one_writer_at_a_time_in_a_process_too(tmp_path: Path) -> None:
    with RunFolder.create(tmp_path, INFO_1) as run:
        run.append(episode_of(INFO_1, KEYS[0]))
        for _ in range(2):
            with pytest.raises(StoreError, match="is being written by another process"):
                RunFolder.open(tmp_path).resume(INFO_1)
            with pytest.raises(StoreError, match="is being written by another process"):
                RunFolder.create(tmp_path, INFO_1)
        with pytest.raises(StoreError, match="open for writing already"):
            run.resume(INFO_1)
        run.append(episode_of(INFO_1, KEYS[1]))
    run.close()
    with RunFolder.open(tmp_path).resume(INFO_1) as run:
        assert run.missing() == KEYS[2:]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"turns": 16}, "turns: 15 when it was begun, 16 now"),
        ({"samples": 3}, "samples: 2 when it was begun, 3 now"),
        ({"tiers": ["easy", "hard"]}, "tiers: easy when it was begun, easy,hard now"),
        ({"split": None}, "split: test when it was begun, nothing now"),
        ({"seeds": [5]}, r"seeds: 3 in 3000000\.\.3000002 \(\w{12}\) when .*, 1 in 5\.\.5 \(\w{12}\) now"),
        ({"agents": ("null",)}, "agents: cancel-first null when it was begun, null now"),
        ({"server": "ws://127.0.0.1:1"}, "transport: in-process when it was begun, ws now"),
        ({"iid": False}, "iid: True when it was begun, False now"),
    ],
)
def test_a_changed_configuration_is_refused_by_name(
    tmp_path: Path, changes: dict[str, object], said: str
) -> None:
    run = written(tmp_path, episode_of(INFO_1, KEYS[0]))
    before = (tmp_path / INFO).read_text()
    with pytest.raises(ResumeError, match=said) as error:
        run.resume(run_info(**changes))  # type: ignore[arg-type]
    assert str(error.value).count(" now") == 1
    assert (tmp_path / INFO).read_text() == before
    with run.resume(INFO_1):
        assert run.done == {KEYS[0]}


def test_every_changed_part_is_named_at_once(tmp_path: Path) -> None:
    with pytest.raises(ResumeError, match=r"turns: 15 .* 1 now; samples: 2 .* 1 now"):
        written(tmp_path).resume(run_info(turns=1, samples=1))


def test_a_run_keeps_its_name_and_gets_a_sitting_when_it_is_resumed(tmp_path: Path) -> None:
    run = written(tmp_path)
    asked = run_info(run_id="run-2")
    with run.resume(asked):
        run.finish()
    found = RunFolder.open(tmp_path).info
    assert found.run_id == "run-1"
    assert len(found.sittings) == 2
    assert found.sittings[0] == INFO_1.sittings[0]
    assert found.sittings[0].finished_at is None
    assert found.sittings[1].finished_at is not None
    assert replace(found.sittings[1], finished_at=None) == asked.sittings[0]


def test_a_run_that_would_store_a_credential_leaves_nothing(tmp_path: Path) -> None:
    leaky = replace(INFO_1, agents=(replace(fingerprint("null"), agent_id="x:api_key=abc"),))
    with pytest.raises(CredentialError, match=r"run\.agents\[0\]\.agent_id seems to hold a credential"):
        RunFolder.create(tmp_path / "run", leaky)
    assert not (tmp_path / "run").exists()


def test_run_json_says_which_revision_its_parts_are(tmp_path: Path) -> None:
    run = written(tmp_path)
    told = json.loads((tmp_path / INFO).read_text())
    assert told["revision"] == INFO_1.revision
    assert told["evaluator"]["parts"]["turns"] == run.info.turns == 15
    assert next(run.info.keys()) == EpisodeKey("null", "easy", 3_000_000, 0)
