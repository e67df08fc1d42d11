"""The small parts that agents are made of: where keys go, how faults are sorted, words, lines, hosts."""

import errno
import json
import re
import socket
import subprocess
import sys
import time
from email.utils import formatdate
from io import BytesIO
from pathlib import Path
from threading import Event, Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qrewrite.game import Termination
from qrewrite.rules import RULES, ActionResult
from quantum_circuit_env.agents import hosting
from quantum_circuit_env.agents.clock import Deadline, within
from quantum_circuit_env.agents.endpoint import EndpointError, choose_endpoint, read_environment
from quantum_circuit_env.agents.faults import Remedy, body_fault, retry_after, status_fault
from quantum_circuit_env.agents.hosting import ContainerHost, HostError, RemoteHost, host
from quantum_circuit_env.agents.interrupts import Interrupts
from quantum_circuit_env.agents.transcript import Transcript, TranscriptError, plain
from quantum_circuit_env.agents.vocabulary import EndReason, ErrorClass, class_of
from support.transcripts import read

OPENAI = "https://api.openai.com/v1"
HF = "https://router.huggingface.co/v1"


@pytest.mark.parametrize(
    ("environ", "key", "base_url"),
    [
        ({"OPENAI_API_KEY": "o"}, "o", OPENAI),
        ({"HF_TOKEN": "h"}, "h", HF),
        ({"HF_TOKEN": "h", "OPENAI_API_KEY": "o"}, "o", OPENAI),
        (
            {"HF_TOKEN": "h", "OPENAI_API_KEY": "o", "API_KEY": "a", "API_BASE_URL": "http://x/v1"},
            "a",
            "http://x/v1",
        ),
        ({"HF_TOKEN": "h", "API_BASE_URL": "http://x/v1"}, "h", "http://x/v1"),
    ],
)
def test_the_first_key_goes_to_its_own_endpoint(environ: dict[str, str], key: str, base_url: str) -> None:
    endpoint = choose_endpoint(environ)
    assert endpoint is not None
    assert (endpoint.key, endpoint.base_url) == (key, base_url)
    assert key not in repr(endpoint).replace(endpoint.key_name, "").replace(base_url, "").split("'")


def test_no_key_is_no_endpoint_and_a_key_without_a_home_is_an_error() -> None:
    assert choose_endpoint({"API_BASE_URL": "http://x/v1", "MODEL_NAME": "m"}) is None
    with pytest.raises(EndpointError, match="set API_BASE_URL too"):
        choose_endpoint({"API_KEY": "a", "HF_TOKEN": "h"})


def test_the_model_is_named_by_the_caller_the_environment_or_the_endpoint() -> None:
    environ = {"OPENAI_API_KEY": "o", "MODEL_NAME": "m"}
    named = [
        choose_endpoint(environ, model="n"),
        choose_endpoint(environ),
        choose_endpoint({"HF_TOKEN": "h"}),
    ]
    assert [endpoint and endpoint.model for endpoint in named] == [
        "n",
        "m",
        "meta-llama/Llama-3.1-8B-Instruct",
    ]


def test_the_folders_file_is_beaten_by_the_process_variable_by_variable(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("A=1\nexport B='two'\nC=3\nD= \nE=pa$A${A}\n# F=6\n")
    merged = read_environment({"C": " x ", "B": "", "G": "7"}, tmp_path)
    assert merged == {"A": "1", "C": "x", "E": "pa$A${A}", "G": "7"}
    assert read_environment({}, tmp_path / "none") == {}


@pytest.mark.parametrize(
    ("status", "body", "remedy"),
    [
        (401, {}, Remedy.STOP),
        (403, "<html>", Remedy.STOP),
        (404, None, Remedy.STOP),
        (429, {"error": {"code": "insufficient_quota"}}, Remedy.STOP),
        (429, {"error": {"code": "rate_limit_exceeded"}}, Remedy.RETRY),
        (408, {}, Remedy.RETRY),
        (500, {"error": "no object"}, Remedy.RETRY),
        (529, [], Remedy.RETRY),
        (400, {"error": {"code": "context_length_exceeded"}}, Remedy.SHORTEN),
        (400, {"error": {"param": "temperature"}}, Remedy.ADAPT),
        (422, {"detail": "temperature"}, Remedy.ADAPT),
        (413, {}, Remedy.GIVE_UP),
    ],
)
def test_faults_are_sorted_by_what_helps(status: int, body: object, remedy: Remedy) -> None:
    assert status_fault(status, body).remedy is remedy


def test_a_success_with_an_error_inside_is_what_the_error_says() -> None:
    assert body_fault({"error": {"code": 401, "message": "m"}}).remedy is Remedy.STOP
    assert body_fault({"error": {"code": True}}).remedy is Remedy.RETRY
    assert body_fault({"error": None, "choices": []}).remedy is Remedy.RETRY


def test_retry_after_is_read_as_seconds_or_as_a_date() -> None:
    assert retry_after({"retry-after": "2.5"}) == 2.5
    asked = retry_after({"retry-after": formatdate(time.time() + 100, usegmt=True)})
    assert asked is not None
    assert 90 < asked <= 100
    for nonsense in ("", "soon", "nan", "inf", "-3", "0", "Wed, 99 Jan 2020", formatdate(0)):
        assert retry_after({"retry-after": nonsense}) is None
    assert retry_after({}) is None


def test_every_refusal_and_every_ending_has_its_word() -> None:
    assert {class_of(rule.accepted) for rule in RULES.values()} == {ErrorClass.OK}
    outcomes = set(ActionResult) - {ActionResult.RESET, ActionResult.EPISODE_OVER}
    assert {class_of(result) for result in outcomes} == {
        ErrorClass.OK,
        ErrorClass.OUT_OF_RANGE_INDEX,
        ErrorClass.ILLEGAL_SWAP,
        ErrorClass.PATTERN_ABSENT,
    }
    with pytest.raises(ValueError, match="not the result of a turn"):
        class_of(ActionResult.RESET)
    assert {each.value for each in Termination} < {each.value for each in EndReason}


@given(text=st.text())
def test_no_text_forges_a_line(text: str) -> None:
    stream = BytesIO()
    transcript = Transcript(stream, Interrupts())
    transcript.start(task="easy", model=text)
    transcript.step(1, action="none", reward=-0.1, done=False, error="unparseable")
    transcript.end(success=False, steps=1, score=0.01, rewards=[-0.1])
    (episode,) = read(stream.getvalue().decode())
    assert episode.model == plain(text)
    assert re.fullmatch(r"[^\s\[\]=]+", episode.model)


def test_a_line_that_cannot_be_written_is_an_error_that_says_why() -> None:
    class Full(BytesIO):
        def flush(self) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(TranscriptError, match="standard output cannot be written: No space left on device"):
        Transcript(Full(), Interrupts()).start(task="easy", model="m")


@pytest.mark.parametrize(
    "url", ["127.0.0.1:1", "http://127.0.0.1:1/", "ws://127.0.0.1:1", "https://127.0.0.1:1"]
)
def test_an_address_is_taken_in_any_spelling(url: str) -> None:
    secure = "s" if url.startswith("https") else ""
    with pytest.raises(Exception, match=f"no environment server answers at http{secure}://127.0.0.1:1$"):
        RemoteHost(url, 0.0).client()


def test_a_server_that_answers_byte_by_byte_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def drip() -> None:
        with listener.accept()[0] as connection:
            for byte in b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n":
                if given_up.wait(0.1):
                    return
                connection.send(bytes([byte]))

    monkeypatch.setattr(hosting, "_ANSWER_SECONDS", 0.5)
    given_up = Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = Thread(target=drip)
        thread.start()
        try:
            assert not hosting.answers(f"http://127.0.0.1:{listener.getsockname()[1]}")
        finally:
            given_up.set()
            thread.join()


def test_a_client_that_cannot_be_imported_is_no_server(
    server_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "quantum_circuit_env.client", None)
    with pytest.raises(HostError, match="the client cannot be imported: "):
        RemoteHost(server_url, 0.0).client()


def test_the_address_beats_the_image_and_the_image_a_server_of_our_own() -> None:
    settings = {"ENV_BASE_URL": "http://127.0.0.1:1", "IMAGE_NAME": "i", "LOCAL_IMAGE_NAME": "l"}
    with host(settings, {}, patience=0.0, interrupts=Interrupts()) as chosen:
        assert isinstance(chosen, RemoteHost)
    with host({"LOCAL_IMAGE_NAME": "l"}, {}, patience=0.0, interrupts=Interrupts()) as chosen:
        assert isinstance(chosen, ContainerHost)


def test_a_call_that_takes_too_long_is_left_to_itself() -> None:
    assert within(60.0, lambda: 1) == 1
    never = Event()
    assert within(0.01, never.wait) is None
    never.set()
    assert Deadline(0.0).over
    assert 0.0 < Deadline(60.0).left <= 60.0


def test_a_signal_waits_for_what_has_to_be_whole_and_only_the_first_counts() -> None:
    code = """
import os, signal, json
from quantum_circuit_env.agents.interrupts import Interrupts
interrupts = Interrupts()
interrupts.install()
seen = []
try:
    with interrupts.held():
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGINT)
        seen.append("whole")
    seen.append("not reached")
except SystemExit as end:
    seen.append(end.code)
try:
    with interrupts.held():
        seen.append("still whole")
except SystemExit as end:
    seen.append(end.code)
print(json.dumps(seen))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert json.loads(done.stdout) == ["whole", 143, "still whole", 143]
