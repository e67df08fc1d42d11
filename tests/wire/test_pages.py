"""What the server shows to those who come by: people with a browser, programs, and readers of its OpenAPI."""

import asyncio
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from urllib.parse import urljoin

import httpx
import jsonschema
import pytest

from quantum_circuit_env.server.about import readme, without_front_matter
from quantum_circuit_env.server.app import create_app
from quantum_circuit_env.server.arguments import ALLOWED
from quantum_circuit_env.server.settings import Settings
from support.bad_input import BAD_ACTIONS

BROWSER = {"accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
PROXIED = {
    "host": "someone-circuits.hf.space",
    "x-forwarded-proto": "https",
    "x-forwarded-for": "203.0.113.1",
}
PAGES = ("/", "/web", "/web/")
FILES = files("quantum_circuit_env.server") / "web"
LOADED = {f"web/{file.name}" for file in FILES.iterdir() if file.is_file()}


@pytest.fixture(scope="module")
def http(server_url: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server_url, trust_env=False, timeout=60) as client:
        yield client


class Links(HTMLParser):
    """Collects the tags of a page and the addresses that it links to."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.found += [value or "" for name, value in attrs if name in ("href", "src", "action")]


@pytest.mark.parametrize("path", PAGES)
def test_a_browser_gets_a_page_whose_links_work(http: httpx.Client, path: str) -> None:
    answer = http.get(path, headers=BROWSER)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    links = Links(answer.text).found
    assert {urljoin(path, link) for link in links} >= {
        "/docs",
        "/schema",
        "/metadata",
        "/health",
        *(f"/{name}" for name in LOADED),
    }
    for link in links:
        assert not urljoin("x:", link).startswith(("http", "/")), link
        assert http.get(urljoin(path, link)).status_code == 200


@pytest.mark.parametrize("path", PAGES)
def test_the_page_works_behind_a_path_prefix(http: httpx.Client, path: str) -> None:
    links = Links(http.get(path, headers=BROWSER).text).found
    assert {urljoin(f"https://host/prefix{path}", link) for link in links if "#" not in link} == {
        f"https://host/prefix/{name}"
        for name in ("docs", "schema", "metadata", "health", "quantum_circuit_env/splits", *LOADED)
    }


@pytest.mark.parametrize(
    "accept",
    [
        None,
        "*/*",
        "application/json",
        "application/json, text/html;q=0.5",
        "text/html;q=0.5, application/json",
        "text/html;q=0.5;level=1, application/json;q=0.6",
        "text/html;q=0",
        "text/htmlx, ;;q=, ,,;q=2",
        "",
    ],
)
def test_a_program_gets_json_at_the_root(http: httpx.Client, accept: str | None) -> None:
    answer = http.get("/", headers={} if accept is None else {"accept": accept})
    assert answer.json()["play"] == "/ws"
    assert answer.headers["vary"] == "Accept"


@pytest.mark.parametrize(
    "accept",
    [
        "text/html",
        "TEXT/HTML; q=1.0",
        "text/html;level=1, application/json",
        "application/json;q=0.9,text/html",
        "text/html;q=0.001",
    ],
)
def test_whoever_prefers_html_gets_the_page(http: httpx.Client, accept: str) -> None:
    assert http.get("/", headers={"accept": accept}).headers["content-type"].startswith("text/html")


@pytest.mark.parametrize("path", [*PAGES, "/web/main.js"])
def test_without_the_web_interface_there_is_no_page(path: str) -> None:
    async def get() -> httpx.Response:
        transport = httpx.ASGITransport(create_app(Settings(web=False)))
        async with httpx.AsyncClient(transport=transport, base_url="http://here") as client:
            return await client.get(path, headers=BROWSER)

    answer = asyncio.run(get())
    if path == "/":
        assert answer.json()["play"] == "/ws"
    else:
        assert answer.status_code == 404
        assert "ENABLE_WEB_INTERFACE=true" in answer.json()["detail"]


@pytest.mark.parametrize("path", [*PAGES, "/docs", "/redoc", "/openapi.json"])
def test_behind_a_tls_proxy_nothing_links_to_plain_http(http: httpx.Client, path: str) -> None:
    for accept in (BROWSER, {"accept": "*/*"}):
        answer = http.get(path, headers={**PROXIED, **accept})
        assert answer.status_code == 200
        assert "http:" not in answer.text
        assert "http:" not in str(answer.headers)


@pytest.mark.parametrize("accept", ["text/html", "*/*"])
@pytest.mark.parametrize(
    "path", [*PAGES, "/health", "/metadata", "/schema", "/state", "/docs", "/nowhere", "/reset"]
)
def test_head_is_answered_as_get_is(http: httpx.Client, path: str, accept: str) -> None:
    """As probes and load balancers send it, on one connection with what comes next."""
    got, head = (http.request(method, path, headers={"accept": accept}) for method in ("GET", "HEAD"))
    del got.headers["date"], head.headers["date"]
    assert (head.status_code, head.headers, head.content) == (got.status_code, got.headers, b"")


@pytest.mark.parametrize("path", ["/reset/", "/docs/", "/health/", "/metadata/", "/ws/", "/web//", "/web/x"])
def test_no_path_redirects(http: httpx.Client, path: str) -> None:
    for method in ("GET", "POST"):
        answer = http.request(method, path, headers=PROXIED, follow_redirects=False)
        assert answer.status_code in (404, 405)
        assert "location" not in answer.headers


def test_the_metadata_has_the_readme_without_its_front_matter(http: httpx.Client) -> None:
    told = http.get("/metadata").raise_for_status().json()
    source = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    assert told["readme_content"] == readme()
    assert told["readme_content"].startswith("# Quantum Circuit Optimizer")
    assert source.endswith(told["readme_content"])
    assert re.fullmatch(r"\d+\.\d+\.\d+", told["version"])


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("---\ntitle: x\n---\n\n# Head\n\n---\nrule\n", "# Head\n\n---\nrule\n"),
        ("---\n---\n# Head\n", "# Head\n"),
        ("# Head\n---\na: 1\n---\n", "# Head\n---\na: 1\n---\n"),
        ("---\ntitle: never closed\n", "---\ntitle: never closed\n"),
        ("---\na: b---c\n--- \n---\nx", "x"),
        ("", ""),
    ],
)
def test_front_matter_is_what_stands_between_the_first_lines_of_dashes(text: str, left: str) -> None:
    assert without_front_matter(text) == left


def test_the_openapi_document_says_what_reset_and_step_answer(http: httpx.Client) -> None:
    paths = http.get("/openapi.json").json()["paths"]
    assert set(paths["/reset"]["post"]["responses"]) == {"200", "413", "422"}
    assert set(paths["/step"]["post"]["responses"]) == {"409", "413", "422"}
    for question in ("tasks", "num_tasks", "task", "task_range"):
        responses = paths[f"/{{env_name}}/{question}"]["post"]["responses"]
        assert set(responses) == {"200", "400", "404", "413", "422"}
    reset = paths["/reset"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert set(reset["properties"]) == set(ALLOWED)
    for example in reset["examples"]:
        jsonschema.validate(example, reset)
        assert http.post("/reset", json=example).status_code == 200


def test_the_openapi_document_describes_an_action_as_strictly_as_it_is_read(http: httpx.Client) -> None:
    document = http.get("/openapi.json").json()
    body = document["paths"]["/step"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    whole = jsonschema.Draft202012Validator({**body, "components": document["components"]})
    whole.validate({"action": {"target_index": 0, "action_type": 1}})
    for name in ("a negative index", "no type", "type 5", "an unknown key", "an index as text"):
        assert not whole.is_valid({"action": BAD_ACTIONS[name]}), name


def test_every_reference_in_the_openapi_document_leads_somewhere(http: httpx.Client) -> None:
    answer = http.get("/openapi.json")
    schemas = answer.json()["components"]["schemas"]
    assert {*re.findall(r'"#/components/schemas/([^"]+)"', answer.text)} <= set(schemas)
    assert "$defs" not in answer.text
