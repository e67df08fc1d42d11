"""What a run says about itself: enough to tell evaluators and agents apart, and never a credential."""

import doctest
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from qrewrite.game import Scoring, episode
from qrewrite.tasks import TIERS
from quantum_circuit_env.agents import llm
from quantum_circuit_env.agents.endpoint import Endpoint
from quantum_circuit_env.agents.masking import WITHHELD
from quantum_circuit_env.evals import circumstances, optima, revision
from quantum_circuit_env.evals.circumstances import address_of, sitting
from quantum_circuit_env.evals.credentials import suspicious
from quantum_circuit_env.evals.provenance import (
    CredentialError,
    InfoError,
    RunInfo,
    evaluator_revision,
    fingerprint,
)
from quantum_circuit_env.evals.revision import Difference, Revision
from support.runs import run_info

ROOT = Path(__file__).parents[2]
KEY = "local-Zq81-is-the-key"
ENDPOINT = Endpoint(f"https://user:{KEY}@llm.example:8443/v1?token={KEY}", "llama", KEY, "API_KEY")

CREDENTIALS = [
    "sk-proj-0123456789abcdefXYZ",
    "sk-ant-api03-abcdefghijklmnop",
    "hf_abcdefghijklmnopqrstuvwx",
    "ghp_0123456789abcdefghij",
    "AKIAIOSFODNN7EXAMPLE",
    "https://user:pw@host/v1",
    "ws://pw@host",
    "http://host/?api_key=x",
    "Authorization: Basic x",
    "bearer x",
    "api-key=1",
    "PASSWORD=1",
]


@pytest.fixture(autouse=True)
def _fresh_digests() -> Iterator[None]:
    _forget()
    yield
    _forget()


def _forget() -> None:
    for digest in (revision.prompt_digest, revision.golden_digest, optima.table_digest):
        digest.cache_clear()


def test_a_revision_is_a_version_and_a_digest_of_its_parts() -> None:
    made = evaluator_revision(turns=15)
    assert re.fullmatch(r"\d+\.\d+\.\d+\+[0-9a-f]{12}", str(made))
    assert made == evaluator_revision(turns=15)
    assert str(made) == str(Revision(made.version, dict(reversed(made.parts.items()))))
    assert list(made.parts) == [
        "game_version",
        "golden_digest",
        "grader_source",
        "scoring",
        "optima",
        "parser_version",
        "prompt_template",
        "turns",
        "step_limit",
        "invalid_streak",
    ]


@pytest.mark.parametrize("hash_seed", ["0", "12345"])
def test_a_revision_is_the_same_in_another_process(hash_seed: str, tmp_path: Path) -> None:
    code = (
        "from quantum_circuit_env.evals.provenance import evaluator_revision; import sys\n"
        "assert 'openenv' not in sys.modules; print(evaluator_revision(turns=15))"
    )
    told = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout == f"{evaluator_revision(turns=15)}\n"


def _other_scoring(patch: pytest.MonkeyPatch) -> None:
    tiers = {name: replace(tier, scoring=Scoring(bonus=0.16)) for name, tier in TIERS.items()}
    patch.setattr(revision, "TIERS", tiers)


def _other_text(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(llm, "SYSTEM", "Play.")


def _other_table(patch: pytest.MonkeyPatch) -> None:
    text = optima._text().replace("easy\t2000000\t20\t4", "easy\t2000000\t20\t2")
    patch.setattr(optima, "_text", lambda: text)


def _other_rewards(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(episode, "INVALID_REWARD", -0.2)


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        (lambda patch: patch.setattr(revision, "GAME_VERSION", "1.0.1"), {"game_version"}),
        (lambda patch: patch.setattr(revision, "PARSER_VERSION", "2"), {"parser_version"}),
        (lambda patch: patch.setattr(revision, "STEP_LIMIT", 151), {"step_limit"}),
        (lambda patch: patch.setattr(revision, "INVALID_STREAK", 6), {"invalid_streak"}),
        (lambda patch: patch.setattr(revision, "EVALUATOR_VERSION", "9.0.0"), {"evaluator_version"}),
        # The prompt tells the scoring.
        (_other_scoring, {"scoring", "prompt_template"}),
        (_other_text, {"prompt_template"}),
        (_other_table, {"optima"}),
        (_other_rewards, {"golden_digest"}),
    ],
)
def test_a_revision_changes_with_each_of_its_parts_and_names_it(
    monkeypatch: pytest.MonkeyPatch, change: Any, parts: set[str]
) -> None:
    before = evaluator_revision(turns=15)
    change(monkeypatch)
    _forget()
    after = evaluator_revision(turns=15)
    assert {each.part for each in before.differences(after)} == parts
    assert str(after) != str(before)


def test_turns_are_part_of_a_revision() -> None:
    one, other = evaluator_revision(turns=15), evaluator_revision(turns=150)
    assert one.differences(other) == [Difference("turns", 15, 150)]
    assert one.differences(other)[0].told() == "turns: 15 here, 150 there"
    assert one.differences(one) == []


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_digests_do_not_depend_on_line_ends(monkeypatch: pytest.MonkeyPatch, newline: str) -> None:
    before = optima.table_digest()
    text = optima._text().replace("\n", newline)
    monkeypatch.setattr(optima, "_text", lambda: text)
    optima.table_digest.cache_clear()
    assert optima.table_digest() == before


def test_the_fingerprint_of_a_scripted_agent_is_its_spec() -> None:
    made = fingerprint("beam:width=8")
    assert (made.agent_id, made.model, made.endpoint, made.sent) == ("beam:width=8", None, None, {})
    assert made.digest == fingerprint("beam:width=8").digest != fingerprint("beam:width=9").digest


def test_the_fingerprint_of_a_model_has_what_was_sent_and_what_was_not() -> None:
    made = fingerprint("llm:model=llama", ENDPOINT, {"temperature": 0.2, "max_completion_tokens": 100})
    assert (made.model, made.endpoint, made.parser) == ("llama", "llm.example", "1")
    assert made.sent == {
        "temperature": 0.2,
        "top_p": "not sent",
        "max_tokens": "not sent",
        "seed": "not sent",
        "reasoning_effort": "not sent",
        "max_completion_tokens": 100,
    }
    assert made.prompt == revision.prompt_digest()
    other = fingerprint("llm:model=llama", ENDPOINT, {"temperature": 0.3})
    assert other.digest != made.digest


@pytest.mark.parametrize("text", CREDENTIALS)
def test_what_looks_like_a_credential_is_refused_wherever_it_stands(text: str) -> None:
    assert suspicious(text)
    hostile: list[Any] = [
        lambda: fingerprint(f"llm:model={text}"),
        lambda: fingerprint("llm", replace(ENDPOINT, model=text)),
        lambda: fingerprint("llm", ENDPOINT, {"stop": text}),
        lambda: fingerprint("llm", ENDPOINT, {text: 1}),
        lambda: run_info(run_id=f"x {text}").to_json(),
        lambda: run_info(split=text).to_json(),
    ]
    for make in hostile:
        with pytest.raises(CredentialError, match="seems to hold a credential") as error:
            make()
        assert text not in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        "llm:max_tokens=2048,model=meta-llama/Llama-3.1-8B-Instruct,temperature=0.7",
        "llm:model=Skywork/Skywork-o1-Open-Llama-3.1-8B",
        "llm:model=hf-internal-testing/tiny-random-gpt2",
        "llm:model=risk-averse-language-model-7b",
        "best-of:k=20",
        "Linux-6.18.44-x86_64-with-glibc2.36",
        "2026-11-30T12:00:00+00:00",
    ],
)
def test_what_is_no_credential_is_stored(text: str) -> None:
    assert not suspicious(text)


def test_a_known_key_is_refused_whatever_it_looks_like(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CredentialError):
        fingerprint(f"llm:model=x-{KEY}", ENDPOINT)
    info = run_info(run_id=KEY)
    assert KEY in info.to_json()
    monkeypatch.setenv("HF_TOKEN", KEY)
    with pytest.raises(CredentialError, match=r"run\.run_id") as error:
        info.to_json()
    assert KEY not in str(error.value)


def test_nothing_of_an_endpoint_but_its_host_is_stored() -> None:
    agent = fingerprint("llm:model=llama", ENDPOINT, {"temperature": 0.2})
    server = f"wss://me:{KEY}@play.example:8443/ws?token={KEY}#{KEY}"
    info = replace(run_info(server=server), agents=(agent,))
    text = info.to_json()
    assert KEY not in text
    assert "user" not in text
    assert info.sittings[0].server == "play.example:8443"
    assert info.transport == "ws"


def test_models_that_a_service_names_are_stored_unless_they_are_credentials(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("API_KEY", KEY)
    named = ["llama-3.1\n", f"echo {KEY}", CREDENTIALS[0], "x" * 1000]
    done = run_info().finished({"null": named}, {"null": {"temperature": 0.2}})
    text = done.to_json()
    assert KEY not in text
    assert CREDENTIALS[0] not in text
    assert done.sittings[-1].returned_models == {"null": (WITHHELD, "llama-3.1", "x" * 200)}
    assert RunInfo.from_json(text) == done


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://127.0.0.1:8000", "127.0.0.1:8000"),
        ("wss://u:p@Example.org/ws?k=v", "example.org"),
        ("localhost:8000", "localhost:8000"),
        ("ws://[::1]:80/", "[::1]:80"),
        ("", "unknown"),
        ("http://", "unknown"),
        ("http://host:port:port", "unknown"),
        ("http://[", "unknown"),
    ],
)
def test_of_a_url_host_and_port_are_kept(url: str, address: str) -> None:
    assert address_of(url) == address


def test_the_example_runs() -> None:
    assert doctest.testmod(circumstances) == (0, 1)


def test_run_json_is_read_back() -> None:
    info = run_info()
    assert RunInfo.from_json(info.to_json()) == info
    told = json.loads(info.to_json())
    assert told["seeds"] == [3_000_000, 3_000_001, 3_000_002]
    assert told["sittings"][0]["packages"]["numpy"]


@pytest.mark.parametrize(
    ("text", "said"), [("", "^Invalid JSON"), ("[]", "^Input should be an object"), ("{}", "run_id: ")]
)
def test_what_is_no_run_json_is_refused(text: str, said: str) -> None:
    with pytest.raises(InfoError, match=said):
        RunInfo.from_json(text)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"key": "x"}, "key: Unexpected keyword"),
        ({"schema": 2}, "schema"),
        ({"samples": "2"}, "samples: Input should be a valid integer"),
        ({"samples": 0}, "samples must be 1 or more"),
        ({"seeds": [2, 1]}, "seeds must be ascending"),
        ({"seeds": [1]}, "those of their digest"),
        (
            {"samples": 400_000},
            "2 agents × 1 tier × 3 seeds × 400000 samples are 2400000 episodes; a run has",
        ),
        ({"run_id": "\x1b[2J"}, "run_id: String should match pattern"),
        ({"run_id": "run\n"}, "run_id: String should match pattern"),
        ({"run_id": ""}, "run_id: String should match pattern"),
        ({"rescored_from": "\u202e"}, "rescored_from.* String should match pattern"),
        ({"tiers": []}, "tiers must be at least one"),
        ({"tiers": ["easy", "easy"]}, "each once"),
        ({"revision": "1.0.0+000000000000"}, r"revision is 1\.0\.0\+000000000000, that of its parts is"),
        ({"evaluator": {"version": "1.0.0", "parts": {}}}, "how many turns"),
    ],
)
def test_a_run_json_that_was_changed_into_none_is_refused(changes: dict[str, object], said: str) -> None:
    text = json.dumps({**json.loads(run_info().to_json()), **changes})
    with pytest.raises(InfoError, match=said) as error:
        RunInfo.from_json(text)
    assert len(str(error.value)) < 600


def test_a_run_of_nothing_is_refused() -> None:
    with pytest.raises(InfoError, match="seeds must be at least one"):
        run_info(seeds=[])
    with pytest.raises(InfoError, match="agents must be at least one, each once"):
        run_info(agents=("null", "null"))


def test_runs_have_names_of_their_own() -> None:
    one, other = run_info(run_id=None), run_info(run_id=None)
    assert one.run_id != other.run_id
    assert one.differences(other) == []


def test_an_agent_that_is_another_under_the_same_name_is_told() -> None:
    def asking(**sent: float) -> RunInfo:
        return replace(run_info(), agents=(fingerprint("llm:model=llama", ENDPOINT, sent),))

    found = asking(temperature=0.2).differences(asking(top_p=0.9))
    assert [each.told("then", "now") for each in found] == [
        "llm:model=llama temperature: 0.2 then, not sent now",
        "llm:model=llama top_p: not sent then, 0.9 now",
    ]


def test_a_checkout_is_known_by_its_commit_and_whether_it_was_changed(tmp_path: Path) -> None:
    def git(*command: str) -> str:
        who = ("-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false")
        ended = subprocess.run(
            ["git", "-C", tmp_path, *who, *command], capture_output=True, text=True, check=True
        )
        return ended.stdout.strip()

    def told() -> tuple[str | None, bool | None]:
        here = sitting(root=tmp_path)
        return here.git_sha, here.git_dirty

    assert told() == (None, None)
    git("init", "-q")
    assert told() == (None, False)
    (tmp_path / "file").touch()
    git("add", "file")
    git("commit", "-q", "-m", "x")
    sha = git("rev-parse", "HEAD")
    assert told() == (sha, False)
    (tmp_path / "untracked").touch()
    assert told() == (sha, False)
    (tmp_path / "file").write_text("x")
    assert told() == (sha, True)
    (tmp_path / "inside").mkdir()
    assert sitting(root=tmp_path / "inside").git_sha is None


def test_a_machine_without_git_is_no_obstacle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert (sitting(root=ROOT).git_sha, sitting(root=ROOT).git_dirty) == (None, None)


def test_a_broken_git_is_no_obstacle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "git").write_text("not a program")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert sitting(root=ROOT).git_sha is None


@pytest.mark.parametrize(
    ("value", "kept"),
    [(f"sha256:{'0a' * 32}", True), ("", False), (KEY, False), (f"x@sha256:{'0a' * 32}", False)],
)
def test_an_image_is_known_by_a_digest_or_not_at_all(value: str, kept: bool) -> None:
    assert sitting(environ={"IMAGE_DIGEST": value}).image == (value if kept else None)


def test_the_host_has_no_name() -> None:
    told = json.dumps(asdict(sitting()))
    assert os.uname().nodename not in told
    assert re.fullmatch(r"[0-9a-f]{12}", sitting().host)
