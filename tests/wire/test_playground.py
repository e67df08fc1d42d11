"""The playground as the server gives it: its page, its files, its drawings and its recorded episodes."""

import json
import re
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urljoin
from xml.etree import ElementTree

import httpx
import pytest

from qrewrite.circuits import circuit_from_json
from qrewrite.circuits.svg import columns_within, draw_svg
from qrewrite.game import STEP_LIMIT, Action, Episode
from qrewrite.rules import RULES, ActionResult
from qrewrite.solver import solve
from qrewrite.tasks import GAME_VERSION, SPLITS, TIERS, generate
from quantum_circuit_env.evals.recordings import recording
from quantum_circuit_env.server.graders import score
from support.sockets import session

WEB = files("quantum_circuit_env.server") / "web"
RECORDINGS = sorted(file.name for file in (WEB / "episodes").iterdir())
PAGES = ("/web", "/web/")
MOST = 150_000
"""Bytes that opening the page may transfer."""


@pytest.fixture(scope="module")
def http(server_url: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server_url, trust_env=False, timeout=60) as client:
        yield client


def drawn(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)  # noqa: S314


def game_of(page: str) -> Any:
    return json.loads(page.partition('id="game">')[2].partition("</script>")[0])


@pytest.mark.parametrize("path", PAGES)
def test_the_page_runs_and_loads_nothing_but_its_files(http: httpx.Client, path: str) -> None:
    answer = http.get(path)
    style = drawn(http.post("/web/drawing", json=DRAWN).text).findtext("{*}style") or ""
    digest = b64encode(sha256(style.encode()).digest()).decode()
    policy = dict(part.split(" ", 1) for part in answer.headers["content-security-policy"].split("; "))
    assert policy == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": f"'self' 'sha256-{digest}'",
        "connect-src": "'self'",
        "img-src": "'self' data:",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'self' https://huggingface.co https://*.hf.space",
    }
    assert not re.search(r'\sstyle="|\son[a-z]+="|javascript:', answer.text)
    assert "<script>" not in answer.text
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_opening_the_page_transfers_little(http: httpx.Client) -> None:
    """Page, every module that its modules import, style, icon, and the drawing of the largest circuit."""
    sizes = {"/web": len(http.get("/web").content)}
    found = ["/web/main.js", "/web/style.css", "/web/icon.svg"]
    while found:
        path = found.pop()
        if path not in sizes:
            text = http.get(path).raise_for_status().text
            sizes[path] = len(text.encode())
            if path.endswith(".js"):
                found += [urljoin(path, name) for name in re.findall(r'from "(\./[a-z]+\.js)"', text)]
    hard = {"circuit": generate("hard", 0).records(), "num_qubits": 6, "width": 1500}
    drawing = http.post("/web/drawing", json=hard).content
    assert {path for path in sizes if path.endswith(".js")} == {
        f"/web/{file.name}" for file in WEB.iterdir() if file.name.endswith(".js")
    }
    assert sum(sizes.values()) + len(drawing) < MOST


def test_the_page_knows_the_game_from_its_one_place(http: httpx.Client) -> None:
    game = game_of(http.get("/web").text)
    assert (game["game_version"], game["step_limit"]) == (GAME_VERSION, STEP_LIMIT)
    assert [task["name"] for task in game["tasks"]] == list(TIERS)
    for told, rule in zip(game["rules"], RULES.values(), strict=True):
        assert told == {name: getattr(rule, name) for name in told}
    rule_words = {rule.refused for rule in RULES.values()} | {rule.accepted for rule in RULES.values()}
    assert set(ActionResult) - rule_words - {ActionResult.RESET} <= set(game["words"])


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("main.js", "text/javascript"),
        ("style.css", "text/css"),
        ("icon.svg", "image/svg+xml"),
        ("episodes/hard-108.json", "application/json"),
    ],
)
def test_a_file_of_the_page_says_what_it_is_and_is_sent_once(
    http: httpx.Client, name: str, kind: str
) -> None:
    answer = http.get(f"/web/{name}")
    assert answer.headers["content-type"].partition(";")[0] == kind
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-cache"
    again = http.get(f"/web/{name}", headers={"if-none-match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.parametrize(
    "path",
    ["x", "../page.html", "%2e%2e/page.html", "..%2fpages.py", "episodes", "episodes/", "//etc/passwd"],
)
def test_nothing_but_the_files_of_the_page_is_served(http: httpx.Client, path: str) -> None:
    assert http.get(f"/web/{path}").status_code == 404


DRAWN: dict[str, Any] = {
    "circuit": [{"name": "H", "target_qubits": [0]}, {"name": "CNOT", "target_qubits": [0, 2]}],
    "num_qubits": 3,
}


@pytest.mark.parametrize("width", [None, 0, 1, 390, 10**9])
def test_a_circuit_is_drawn_as_the_library_draws_it(http: httpx.Client, width: int | None) -> None:
    answer = http.post("/web/drawing", json={**DRAWN, "width": width})
    assert answer.headers["content-type"] == "image/svg+xml"
    columns = None if width is None else columns_within(width, 3)
    assert answer.text == draw_svg(circuit_from_json(json.dumps(DRAWN)), columns=columns)


@pytest.mark.parametrize("width", [200, 358, 700, 1500])
def test_a_drawing_is_as_wide_as_asked_at_most(width: int) -> None:
    for task in TIERS:
        circuit = generate(task, 1)
        svg = draw_svg(circuit, columns=columns_within(width, circuit.num_qubits))
        assert int(drawn(svg).attrib["width"]) <= width


HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("", "circuit and num_qubits"),
        ("{", "not JSON"),
        ("[]", "circuit and num_qubits"),
        (json.dumps({**DRAWN, "columns": 3}), "circuit and num_qubits"),
        (json.dumps({**DRAWN, "width": True}), "width"),
        (json.dumps({**DRAWN, "width": -1}), "width"),
        (json.dumps({**DRAWN, "num_qubits": 1}), "qubit"),
        (json.dumps({**DRAWN, "num_qubits": "3"}), "num_qubits"),
        (json.dumps({**DRAWN, "circuit": "H 0"}), "list of at most"),
        (json.dumps({**DRAWN, "circuit": [None] * 2001}), "list of at most"),
        (json.dumps({**DRAWN, "circuit": [{"name": HOSTILE, "target_qubits": [0]}]}), "H, X, Y, Z"),
        (json.dumps({**DRAWN, "circuit": [None]}), "gate"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_words(http: httpx.Client, body: str, told: str) -> None:
    answer = http.post("/web/drawing", content=body)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/json"
    assert told in str(answer.json()["detail"])


def test_recorded_episodes_are_the_optimum_of_seeds_in_no_split() -> None:
    assert {name.partition("-")[0] for name in RECORDINGS} == set(TIERS)
    for name in RECORDINGS:
        told = json.loads((WEB / "episodes" / name).read_text(encoding="utf-8"))
        assert told == recording(told["task"], told["seed"], "optimal")
        assert not any(told["seed"] in split.seeds for split in SPLITS.values())
        circuit = generate(told["task"], told["seed"])
        episode = Episode(circuit, par=TIERS[told["task"]].par)
        for index, action_type in told["actions"]:
            episode.play(action_type, index)
        best = solve(circuit)
        assert best.proved
        assert (episode.done, episode.gate_count) == (True, best.best.left)
        scoring = TIERS[told["task"]].scoring
        graded = score(scoring, len(circuit), episode.gate_count, episode.used_advanced_actions)
        assert told["score"] == graded


@pytest.mark.parametrize("name", RECORDINGS)
def test_a_recorded_episode_ends_on_the_server_as_recorded(
    http: httpx.Client, server_url: str, name: str
) -> None:
    told = http.get(f"/web/episodes/{name}").json()
    with session(server_url) as one:
        observation = one.reset(task=told["task"], seed=told["seed"], hints=True)
        for index, action_type in told["actions"]:
            assert not observation["done"]
            observation = one.step(*Action(index, action_type))
    assert observation["done"]
    assert observation["observation"]["metadata"]["score"] == told["score"]


def test_the_page_has_the_recorded_episodes(http: httpx.Client) -> None:
    for told in game_of(http.get("/web").text)["recordings"]:
        found = http.get(f"/web/{told['file']}").json()
        assert told == {"file": told["file"], "steps": len(found["actions"])} | {
            name: found[name] for name in ("task", "seed", "player", "score")
        }


def test_the_wheel_has_all_files_of_the_page() -> None:
    """`include-package-data` is off, so that each kind of file has to be named."""
    folder = Path(str(WEB))
    patterns = ("*.js", "*.css", "*.svg", "episodes/*.json")
    assert {file for file in folder.rglob("*") if file.is_file()} == {
        file for pattern in patterns for file in folder.glob(pattern)
    }
