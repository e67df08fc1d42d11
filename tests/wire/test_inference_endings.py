"""inference.py when servers die, time runs out or somebody interrupts: every episode has its end."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import urlsplit

import pytest
from websockets.http11 import Request, Response
from websockets.sync.server import ServerConnection, serve

from support import relay as relay_module
from support.inference_runs import SCRIPT, SETTINGS, Running, libraries_that_print, run
from support.relay import relay
from support.scripted_llm import Answer, says, scripted_llm
from support.servers import free_port
from support.transcripts import assert_replays, read


def until(condition: Callable[[], object], within: float = 60.0) -> None:
    """Return when the condition holds."""
    deadline = time.monotonic() + within
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


def test_a_dead_server_leaves_nine_closed_episodes(tmp_path: Path) -> None:
    variables = {"ENV_BASE_URL": f"http://user:secret@127.0.0.1:{free_port()}"}
    ended = run(tmp_path, ["--server-wait", "0.2"], variables)
    assert "secret" not in ended.stderr
    assert ended.status == 0
    assert [(each.steps, each.success, each.score) for each in ended.episodes] == [([], False, 0.01)] * 9
    assert "no environment server answers" in ended.stderr
    assert "ends: incomplete 9" in ended.stderr


def test_a_server_that_is_not_ours_leaves_closed_episodes(tmp_path: Path) -> None:
    class Healthy(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path == "/health" else 404)
            self.end_headers()

        def log_message(self, *_args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Healthy)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        ended = run(tmp_path, (), {"ENV_BASE_URL": f"http://127.0.0.1:{server.server_port}/"})
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    assert ended.status == 0
    assert [episode.steps for episode in ended.episodes] == [[]] * 9
    assert "server: reset: ConnectionError" in ended.stderr


NONSENSE = (
    "[]",
    "5",
    "no JSON",
    b"\x00",
    "{}",
    '{"type": "observation"}',
    '{"type": "observation", "data": []}',
    '{"type": "observation", "data": {"observation": 1, "reward": 0.0, "done": false}}',
    '{"type": "observation", "data": {"observation": {}, "reward": 0.0, "done": false}}',
    '{"type": "error"}',
    '{"type": "error", "data": {"message": "no\\n[END] success=true", "code": "X"}}',
    "[" * 100_000,
)


def test_a_server_that_talks_nonsense_leaves_closed_episodes(tmp_path: Path) -> None:
    frames = iter(NONSENSE)

    def healthy(connection: ServerConnection, request: Request) -> Response | None:
        return connection.respond(200, "") if request.path == "/health" else None

    def babble(connection: ServerConnection) -> None:
        for message in connection:
            if "reset" in str(message):
                connection.send(next(frames))

    with serve(babble, "127.0.0.1", 0, process_request=healthy) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        url = f"ws://127.0.0.1:{server.socket.getsockname()[1]}"
        ended = run(tmp_path, ["--tasks", "hard", "--seeds", f"1-{len(NONSENSE)}"], {"ENV_BASE_URL": url})
        server.shutdown()
        thread.join()
    assert ended.status == 0, ended.stderr
    assert [episode.steps for episode in ended.episodes] == [[]] * len(NONSENSE)
    assert next(frames, None) is None
    assert "\n[END]" not in ended.stderr
    assert f"ends: incomplete {len(NONSENSE)}" in ended.stderr


def test_a_server_that_dies_on_the_way_leaves_the_score_so_far(tmp_path: Path, server_url: str) -> None:
    with relay(urlsplit(server_url).port or 0) as server:
        script = [None, None, None, Answer(says("no").status, says("no").body, before=server.cut)]
        with scripted_llm(*script) as llm:
            variables = {
                "API_KEY": "k",
                "API_BASE_URL": llm.url,
                "ENV_BASE_URL": f"http://127.0.0.1:{server.port}",
            }
            ended = run(tmp_path, ["--tasks", "easy", "--seeds", "1-3"], variables)
    assert ended.status == 0
    broken, *others = ended.episodes
    again = assert_replays(broken, 1)
    assert len(broken.steps) == 3
    assert broken.score == round(max(0.01, 1 - again.gate_count / again.initial_count), 3)
    assert [(episode.steps, episode.success) for episode in (broken, *others)][1:] == [([], False)] * 2
    assert not broken.success
    assert "ends: incomplete 3" in ended.stderr


def test_no_time_leaves_nine_closed_episodes(tmp_path: Path, server_url: str) -> None:
    with scripted_llm() as llm:
        variables = {"API_KEY": "k", "API_BASE_URL": llm.url, "ENV_BASE_URL": server_url}
        ended = run(tmp_path, ["--run-budget", "0"], variables)
    assert ended.status == 0
    assert [episode.steps for episode in ended.episodes] == [[]] * 9
    assert "ends: run_budget 9" in ended.stderr
    assert llm.requests == []


def test_time_that_runs_out_ends_even_a_model_that_never_answers(tmp_path: Path, server_url: str) -> None:
    with scripted_llm(None, None, Answer(wait=300)) as llm:
        variables = {"API_KEY": "k", "API_BASE_URL": llm.url, "ENV_BASE_URL": server_url}
        ended = run(tmp_path, ["--run-budget", "8"], variables)
    assert ended.status == 0
    assert len(ended.episodes) == 9
    assert_replays(ended.episodes[0], 42)
    assert [episode.steps for episode in ended.episodes[1:]] == [[]] * 8
    assert "ends: run_budget 9" in ended.stderr
    assert len(llm.requests) <= 3


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_episode_is_closed(tmp_path: Path, server_url: str, number: signal.Signals) -> None:
    with scripted_llm(None, Answer(wait=300)) as llm:
        variables = {"API_KEY": "k", "API_BASE_URL": llm.url, "ENV_BASE_URL": server_url}
        running = Running(tmp_path, (), variables)
        until(lambda: len(llm.requests) == 2)
        os.kill(running.pid, number)
        ended = running.ended()
    assert ended.status == 128 + number
    assert len(ended.episode.steps) == 1
    assert not ended.episode.success
    assert "Traceback" not in ended.stderr


def test_what_libraries_print_stays_off_standard_output(tmp_path: Path, server_url: str) -> None:
    variables = {"ENV_BASE_URL": server_url}
    ended = run(tmp_path, ["--tasks", "easy", "--seeds", "1"], variables, libraries_that_print)
    assert ended.status == 0
    assert_replays(ended.episode, 1)
    assert all(noise in ended.stderr for noise in ("noise of a child", "[STEP] noise", "[END] success=true"))


def _run_without_time(folder: Path, *before: str, **streams: int) -> subprocess.CompletedProcess[str]:
    """Run inference.py with no time for any episode, in a process that shares no stream with this one."""
    return subprocess.run(
        [*before, sys.executable, str(SCRIPT), "--run-budget", "0"],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if name not in SETTINGS}
        | {"ENV_BASE_URL": "http://127.0.0.1:1"},
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams},
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def broken_pipe() -> Iterator[int]:
    reading, writing = os.pipe()
    os.close(reading)
    yield writing
    os.close(writing)


def test_nobody_reads_standard_output(tmp_path: Path, broken_pipe: int) -> None:
    done = _run_without_time(tmp_path, stdout=broken_pipe)
    assert done.returncode == 1
    assert "nobody reads standard output any more" in done.stderr
    assert "Traceback" not in done.stderr


def test_standard_output_is_closed(tmp_path: Path) -> None:
    done = _run_without_time(tmp_path, "sh", "-c", 'exec "$0" "$@" >&-')
    assert (done.returncode, done.stderr) == (1, "error: standard output is closed\n")


def test_nobody_reads_standard_error(tmp_path: Path, broken_pipe: int) -> None:
    done = _run_without_time(tmp_path, stderr=broken_pipe)
    assert done.returncode == 0
    assert [each.steps for each in read(done.stdout)] == [[]] * 9


def _stand_in_docker(folder: Path, on_run: str) -> dict[str, str]:
    """Return variables with which `docker` is a script that writes down how it is called."""
    docker = folder / "bin" / "docker"
    docker.parent.mkdir()
    docker.write_text(
        f"""#!{sys.executable}
import os, signal, subprocess, sys
with open({str(folder / "calls")!r}, "a") as calls:
    print(*sys.argv[1:], file=calls)
if sys.argv[1] == "run":
    {on_run}
if sys.argv[1] == "stop":
    os.kill(int(sys.argv[-1]), signal.SIGTERM)
if sys.argv[1] == "inspect":
    print(os.path.exists("/proc/" + sys.argv[-1]) and "true" or "false")
"""
    )
    docker.chmod(0o755)
    return {"IMAGE_NAME": "quantum_env", "PATH": f"{docker.parent}{os.pathsep}{os.environ['PATH']}"}


def _calls(folder: Path) -> list[str]:
    return [call for call in (folder / "calls").read_text().splitlines() if not call.startswith("inspect")]


def test_an_image_is_run_and_stopped(tmp_path: Path, server_url: str) -> None:
    """`docker` is a stand-in here that relays the published port to the tests' server."""
    relay = (
        'port = sys.argv[sys.argv.index("-p") + 1].partition(":")[0]; '
        f'command = [sys.executable, {relay_module.__file__!r}, "{urlsplit(server_url).port}", port]; '
        "quiet = dict(stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL); "
        "print(subprocess.Popen(command, start_new_session=True, **quiet).pid)"
    )
    ended = run(tmp_path, ["--tasks", "easy", "--seeds", "1"], _stand_in_docker(tmp_path, relay))
    assert ended.status == 0, ended.stderr
    assert_replays(ended.episode, 1)
    assert ended.episode.success
    calls = _calls(tmp_path)
    assert [call.split()[0] for call in calls] == ["version", "run", "stop", "rm"]
    assert calls[1].endswith(" quantum_env")


def test_a_container_that_ends_at_once_is_told_and_removed(tmp_path: Path) -> None:
    ended = run(tmp_path, ["--tasks", "easy"], _stand_in_docker(tmp_path, 'print("4194305")'))
    assert ended.status == 0, ended.stderr
    assert [episode.steps for episode in ended.episodes] == [[]] * 3
    assert "cannot run the Docker image quantum_env: its container has ended" in ended.stderr
    assert [call.split()[0] for call in _calls(tmp_path)] == ["version", "run", "stop", "rm"]


def test_an_image_without_docker_leaves_closed_episodes(tmp_path: Path) -> None:
    ended = run(tmp_path, (), {"LOCAL_IMAGE_NAME": "quantum_env", "PATH": str(tmp_path)})
    assert ended.status == 0
    assert [episode.steps for episode in ended.episodes] == [[]] * 9
    assert "there is no docker command" in ended.stderr


def test_the_local_server_ends_with_its_parent() -> None:
    command = [sys.executable, "-m", "quantum_circuit_env.agents.local_server"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        assert int(server.stdout.readline()) > 0
        server.stdin.close()
        assert server.wait(timeout=60) == -signal.SIGTERM


def test_from_a_checkout_with_nothing_set(tmp_path: Path) -> None:
    """The whole of it as a user starts it: own server, own process, a pipe to the end of which is read."""
    environ = {name: value for name, value in os.environ.items() if name not in SETTINGS}
    done = subprocess.run(
        [sys.executable, str(SCRIPT)],
        cwd=tmp_path,
        env=environ,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    episodes = read(done.stdout)
    assert [(episode.task, episode.success) for episode in episodes] == [
        (task, True) for task in ("easy", "medium", "hard") for _ in range(3)
    ]
    assert "Results of builtin-greedy" in done.stderr
