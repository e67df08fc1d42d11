"""Raw replies: kept word for word, whatever kills the writer, and read again when the parser has changed."""

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from quantum_circuit_env.agents import replies as parser
from quantum_circuit_env.agents.agent import Decision
from quantum_circuit_env.agents.replies import Reply
from quantum_circuit_env.agents.vocabulary import EndReason, ErrorClass
from quantum_circuit_env.cli import app
from quantum_circuit_env.evals import evaluate as evaluation
from quantum_circuit_env.evals import rereading
from quantum_circuit_env.evals.configuration import Config, EvaluateError
from quantum_circuit_env.evals.evaluate import evaluate
from quantum_circuit_env.evals.frames import Frames, FramesError, whole_pieces
from quantum_circuit_env.evals.raw_replies import TURNS, RawRepliesError, read_raw_replies
from quantum_circuit_env.evals.rescore import RescoreError, rescore
from quantum_circuit_env.evals.revision import Revision
from quantum_circuit_env.evals.stats.extras import MissingExtraError
from quantum_circuit_env.evals.store import INFO, RunFolder
from support.evaluations import config, results
from support.fake_provider import TOKENS_IN, TOKENS_OUT, FakeProvider, completion
from support.units import LLM

KEY = "zz-a-secret-of-this-test"
ACTION = '{"target_index": 0, "action_type": 1}'
PROSE = f"I think that I play {ACTION} here."
NONE = "I do not know."


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Config]:
    """What makes an evaluation of a model that says what it is given."""

    def make(says: Iterable[tuple[int, str]], *agents: str, **changes: object) -> Config:
        script = FakeProvider(says, key=KEY)
        monkeypatch.setattr(evaluation, "provider_from", lambda *_asked, **_how: script)
        options = {"seeds": 2, "tiers": ("easy",), "turns": 3, "workers": 1, "raw_replies": True, **changes}
        return config(LLM, *agents, **options)

    return make


def test_every_reply_is_kept_word_for_word(asked: Callable[..., Config], tmp_path: Path) -> None:
    said = [PROSE, f"naïve \ud800 {KEY}\n{ACTION}", ""]
    script = [completion(text, "length" if not text else "stop") for text in said]
    run = evaluate(asked(script, "null"), tmp_path / "run")
    found = read_raw_replies(run.path)
    assert {key.agent_id for key in found} == {str(asked(script).models[0])}
    assert len(found) == 2
    for key, replies in found.items():
        (episode,) = (each for each in run.episodes() if each.key == key)
        assert [reply.turn for reply in replies] == [0, 1, 2] == list(range(episode.replies))
        assert [reply.text for reply in replies] == [text.replace(KEY, "(withheld)") for text in said]
        assert [reply.finish_reason for reply in replies] == ["stop", "stop", "length"]
        assert {(reply.tokens_in, reply.tokens_out, reply.model) for reply in replies} == {
            (TOKENS_IN, TOKENS_OUT, "served")
        }
        assert len({reply.prompt for reply in replies}) == 3
        assert sum(reply.latency_s for reply in replies) <= episode.latency_s
    for path in run.path.iterdir():
        assert KEY.encode() not in path.read_bytes()
    assert KEY not in b"".join(whole_pieces(run.path / TURNS)).decode()


def test_every_tool_that_reads_zst_reads_the_file(asked: Callable[..., Config], tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    run = evaluate(asked([completion(PROSE)]), tmp_path / "run")
    with pyarrow.CompressedInputStream(pyarrow.OSFile(str(run.path / TURNS)), "zstd") as stream:
        lines = stream.read().decode().splitlines()
    assert [json.loads(line)["turn"] for line in lines] == [0, 1, 2] * 2


def test_without_being_asked_for_nothing_is_kept(asked: Callable[..., Config], tmp_path: Path) -> None:
    run = evaluate(asked([completion(PROSE)], raw_replies=False), tmp_path / "run")
    assert not (run.path / TURNS).exists()
    assert read_raw_replies(run.path) == {}
    with pytest.raises(EvaluateError, match="rate and raw replies are for agents that ask a model"):
        config("null", raw_replies=True)
    with pytest.raises(EvaluateError, match="rate and raw replies are for agents that ask a model"):
        config("null", rate=60)
    with pytest.raises(EvaluateError, match=r"rate must be above 0 .*, got 0"):
        config(LLM, rate=0)


def test_an_episode_that_was_played_again_has_its_last_replies(
    asked: Callable[..., Config], tmp_path: Path
) -> None:
    broken = [completion("first"), (401, "no more")]
    assert len(evaluate(asked(broken), tmp_path / "run").missing()) == 2
    (replies,) = read_raw_replies(tmp_path / "run").values()
    assert [reply.text for reply in replies] == ["first"]
    # Resumed, a run goes on to keep what it has kept.
    evaluate(asked([completion(PROSE)], raw_replies=False), tmp_path / "run", resume=True)
    for replies in read_raw_replies(tmp_path / "run").values():
        assert [reply.text for reply in replies] == [PROSE] * 3


def test_a_torn_last_piece_does_not_count_and_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "pieces.zst"
    assert list(whole_pieces(path)) == []
    for piece in (b"one\n" * 100, b"two\n"):
        file = Frames(path)
        file.append(piece)
        file.close()
    whole = path.read_bytes()
    first = len(whole) - len(whole) // 3
    for length in range(first, len(whole)):
        path.write_bytes(whole[:length])
        assert list(whole_pieces(path)) == [b"one\n" * 100][: length >= first]
    file = Frames(path)
    file.append(b"three\n")
    file.close()
    assert list(whole_pieces(path)) == [b"one\n" * 100, b"three\n"]


def test_a_file_that_has_been_changed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / TURNS
    file = Frames(path)
    file.append(b'{"turn": 0}\n')
    file.close()
    with pytest.raises(RawRepliesError, match="cannot be read"):
        read_raw_replies(tmp_path)
    whole = path.read_bytes()
    path.write_bytes(whole[:-6] + b"\0" * 6)
    with pytest.raises((FramesError, RawRepliesError)):
        read_raw_replies(tmp_path)
    path.write_bytes(b"x" + whole[1:])
    with pytest.raises(FramesError, match="no piece begins here"):
        Frames(path)


def test_without_pyarrow_no_run_is_begun(
    asked: Callable[..., Config], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"\[eval\]"):
        evaluate(asked([completion(PROSE)]), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def by_an_older_parser(run: RunFolder) -> RunFolder:
    """The run as if a parser of another version had read its replies."""
    evaluator = Revision(run.info.evaluator.version, {**run.info.evaluator.parts, "parser_version": "0"})
    agents = tuple(agent if agent.parser is None else replace(agent, parser="0") for agent in run.info.agents)
    info = replace(run.info, evaluator=evaluator, revision=str(evaluator), agents=agents)
    (run.path / INFO).write_text(info.to_json(), "utf-8")
    path = run.path / "episodes.jsonl"
    path.write_text(path.read_text("utf-8").replace(run.info.revision, info.revision), "utf-8")
    return RunFolder.open(run.path)


def test_replies_that_are_read_as_before_come_to_the_same(
    asked: Callable[..., Config], tmp_path: Path
) -> None:
    said = [completion(PROSE), completion(NONE)]
    before = evaluate(asked(said, "random-legal", turns=15), tmp_path / "run")
    played = results(before)
    old = by_an_older_parser(before)
    table = rescore(old, tmp_path / "again")
    again = RunFolder.open(tmp_path / "again")
    assert table.changes == ()
    assert table.reread is not None
    replies = sum(len(found) for found in read_raw_replies(old.path).values())
    assert (table.reread.episodes, table.reread.replies) == (2, replies)
    assert (table.reread.otherwise, table.reread.unknown) == (0, 0)
    assert results(again) == {
        key: replace(episode, evaluator_revision=again.info.revision) for key, episode in played.items()
    }
    assert {agent.parser for agent in again.info.agents} == {None, parser.PARSER_VERSION}


def strict(reply: Reply) -> Decision:
    """A parser that takes no prose."""
    found = parser.read_reply(reply)
    return found if found.strict else Decision(None, found.error or ErrorClass.UNPARSEABLE)


def test_a_reply_that_is_read_otherwise_ends_what_is_known(
    asked: Callable[..., Config], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = [completion(ACTION), completion(PROSE), completion(ACTION)]
    run = by_an_older_parser(evaluate(asked(said), tmp_path / "run"))
    monkeypatch.setattr(rereading, "read_reply", strict)
    done = CliRunner().invoke(app, ["rescore", str(run.path), "--out", str(tmp_path / "again")])
    assert done.exit_code == 0, done.output
    told = " ".join(done.output.split())
    assert "again, 2 in another way; 2 episodes not known from there on, for the next reply" in told
    flips = json.loads((tmp_path / "again" / "flips.json").read_text("utf-8"))
    assert flips["reread"] == {"episodes": 2, "replies": 4, "otherwise": 2, "unknown": 2}
    for episode in RunFolder.open(tmp_path / "again").episodes():
        assert not episode.complete
        assert episode.error is not None
        assert episode.error.endswith("turn 3 asks what nobody answered")


def test_a_last_reply_that_is_read_otherwise_is_known(
    asked: Callable[..., Config], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = [completion(ACTION), completion(ACTION), completion(PROSE)]
    run = by_an_older_parser(evaluate(asked(said), tmp_path / "run"))
    monkeypatch.setattr(rereading, "read_reply", strict)
    table = rescore(run, tmp_path / "again")
    assert table.reread is not None
    assert (table.reread.otherwise, table.reread.unknown) == (2, 0)
    for before, after in zip(run.episodes(), RunFolder.open(tmp_path / "again").episodes(), strict=True):
        assert after.end_reason is EndReason.TURN_BUDGET
        assert after.actions[:2] == before.actions[:2]
        assert after.actions[2].turn_class is ErrorClass.UNPARSEABLE
        assert (before.valid_outputs, after.valid_outputs) == (3, 2)


def test_replies_that_were_not_all_kept_are_told(asked: Callable[..., Config], tmp_path: Path) -> None:
    run = by_an_older_parser(evaluate(asked([completion(PROSE)]), tmp_path / "run"))
    pieces = list(whole_pieces(run.path / TURNS))
    (run.path / TURNS).unlink()
    file = Frames(run.path / TURNS)
    file.append(pieces[0])
    file.close()
    with pytest.raises(RescoreError, match="raw replies of 1 episode, or some of them, were not kept"):
        rescore(run, tmp_path / "again")
    (run.path / TURNS).unlink()
    with pytest.raises(RescoreError, match="parser_version: 0 when it was played"):
        rescore(run, tmp_path / "again")
    assert not (tmp_path / "again").exists()


@pytest.mark.parametrize(
    ("seeds", "says"), [(5, ["cannot be significant", "fewer than 20"]), (6, ["fewer than 20"]), (20, [])]
)
def test_few_seeds_are_told(tmp_path: Path, seeds: int, says: list[str]) -> None:
    options = ["--agent", "null", "--tiers", "easy", "--seeds", str(seeds), "--executor", "async"]
    done = CliRunner().invoke(app, ["evaluate", *options, "--out", str(tmp_path / "run")])
    assert done.exit_code == 0, done.output
    found = [line for line in done.stderr.splitlines() if line.startswith("note: ")]
    assert len(found) == len(says)
    assert all(word in line for word, line in zip(says, found, strict=True))
