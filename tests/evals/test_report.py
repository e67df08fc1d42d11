"""The report: one file that needs nothing, whatever the agents are called; and tables of Markdown."""

import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from quantum_circuit_env.evals.compare import compare
from quantum_circuit_env.evals.comparison import Comparison
from quantum_circuit_env.evals.report import render_html, render_markdown, words
from quantum_circuit_env.evals.report.figures import EDGE, WIDTH, differences, intervals
from quantum_circuit_env.evals.report.tables import together
from support.compared import FIRST, run_of

NULL = [[0.1 * (seed % 3), 0.0] for seed in range(8)]
BEST = [[1.0, 0.9] for _ in range(8)]
HOSTILE = (
    "<script>alert(1)</script>",
    "\"><img src=x onerror='alert(1)'>",
    "</title></svg><style>*{display:none}",
    "{{ 7 * 7 }}{% raw %}",
    "a|b\n| c | `d` [e](http://f) **g** ![h](http://i)",
)
VOID = {"meta", "line", "circle", "rect", "polyline", "path"}


class Reader(HTMLParser):
    """Notes all elements, their attributes and the text; fails where tags are not closed in turn."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID or not (self.get_starttag_text() or "").endswith("/>"):
            self.open += [tag] if tag != "meta" else []

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    return reader


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Comparison:
    scores = {"null": {"easy": NULL, "hard": NULL}, "optimal": {"easy": BEST, "hard": NULL[::-1]}}
    return compare([run_of(tmp_path_factory.mktemp("runs") / "r", scores)])


def named(found: Comparison, name: str) -> Comparison:
    """The comparison with another name for one agent, in all its places."""
    text = found.tiers[0]
    tiers = tuple(
        replace(
            tier,
            standings=tuple(
                replace(own, agent=name) if own.agent == "null" else own for own in tier.standings
            ),
            pairs=tuple(
                replace(pair, a=name if pair.a == "null" else pair.a, b=name if pair.b == "null" else pair.b)
                for pair in tier.pairs
            ),
            tied=tuple(tuple(name if one == "null" else one for one in group) for group in tier.tied),
            profile={name if one == "null" else one: shares for one, shares in tier.profile.items()},
        )
        for tier in found.tiers
    )
    assert text in found.tiers
    return replace(found, tiers=tiers, warnings=(f"{name} is watched",), runs=(name,), suites=(name,))


def test_the_page_is_whole_and_needs_nothing_else(found: Comparison) -> None:
    page = render_html(found)
    reader = read(page)
    tags = {tag for tag, _ in reader.tags}
    assert not tags & {"script", "link", "img", "iframe", "object", "image", "use"}
    assert not re.search(r"https?:|url\(|@import|://", page)
    assert not any(name in attributes for _, attributes in reader.tags for name in ("src", "style", "onload"))
    ids = [attributes["id"] for _, attributes in reader.tags if "id" in attributes]
    assert len(set(ids)) == len(ids)
    assert [own["href"] for tag, own in reader.tags if tag == "a"] == ["#tier-1", "#tier-2"]
    referred = [own.get("aria-labelledby") or "" for _, own in reader.tags]
    assert set(" ".join(referred).split()) <= set(ids)
    assert ("meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"}) in reader.tags
    assert "prefers-color-scheme: dark" in page
    text = " ".join(reader.words)
    for told in ("norm", "other seeds of the same tier", "Spearman", "easy: pairs on shared seeds", "tied"):
        assert told in text
    for svg in re.findall(r"<svg.*?</svg>", page, flags=re.S):
        ElementTree.fromstring(svg)  # noqa: S314 our own text


def test_the_policy_allows_the_page_its_own_style_and_nothing_else(found: Comparison) -> None:
    page = render_html(found)
    (style,) = re.findall(r"<style>(.*?)</style>", page, flags=re.S)
    (policy,) = (
        own["content"] or "" for tag, own in read(page).tags if own.get("http-equiv") and tag == "meta"
    )
    allowed = b64encode(sha256(style.encode()).digest()).decode()
    assert policy.split("; ") == [
        "default-src 'none'",
        f"style-src 'sha256-{allowed}'",
        "base-uri 'none'",
        "form-action 'none'",
    ]


def test_what_a_plot_shows_stands_there_as_text(found: Comparison) -> None:
    page = render_html(found)
    for svg in re.findall(r"<svg.*?</svg>", page, flags=re.S):
        tree = ElementTree.fromstring(svg)  # noqa: S314 our own text
        assert tree.get("aria-hidden") == "true" or tree[0].tag == "title"
    text = " ".join(" ".join(read(page).words).split())
    assert "0.950 [0.950, 0.950]" in text
    assert "8 seeds: the first is better on 8, the second on 0; at most 0.950 on seed" in text
    assert "100.0 % above 0.5, 50.0 % above 0.9" in text
    assert "the band its interval, one of the 95 % intervals for other seeds of the same tier" in text


@pytest.mark.parametrize("name", HOSTILE)
def test_names_stay_text_whatever_is_in_them(found: Comparison, name: str) -> None:
    plain, hostile = read(render_html(found)), read(render_html(named(found, name)))
    hostile_tags = [tag for tag, _ in hostile.tags]
    added = hostile_tags.count("li") - [tag for tag, _ in plain.tags].count("li")
    assert [tag for tag in hostile_tags if tag != "li"] == [tag for tag, _ in plain.tags if tag != "li"]
    assert added == 1 - len(found.warnings)
    assert not any(key.startswith("on") for _, attributes in hostile.tags for key in attributes)
    assert name in hostile.words


@pytest.mark.parametrize("name", HOSTILE)
def test_markdown_names_break_no_table(found: Comparison, name: str) -> None:
    text = render_markdown(named(found, name))
    for block in re.findall(r"(?:^\|.*\n)+", text, flags=re.M):
        counts = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
        assert len(counts) == 1
    assert not re.search(r"(?<!\\)[<\[`]", re.sub(r"\*\*.*\*\*", "", text))


def test_the_tables_tell_the_numbers(found: Comparison) -> None:
    text = render_markdown(found)
    (row,) = (line for line in text.splitlines() if line.startswith("| optimal | 1 (1 to 1)"))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[:4] == ["optimal", "1 (1 to 1)", "a", r"0.950 \[0.950, 0.950\]"]
    (pair,) = (line for line in text.splitlines() if line.startswith(r"| optimal | null | 0.9"))
    assert "| 0.0078 | 0.0078 |" in pair
    assert "95 % intervals for other seeds of the same tier" in text


def test_plots_show_what_was_measured(found: Comparison) -> None:
    tier = found.tiers[0]
    first, second = intervals(tier).marks
    assert (first.label, second.label) == ("optimal", "null")
    assert first.x == pytest.approx(EDGE + 0.95 * (WIDTH - 2 * EDGE), abs=0.1)
    assert second.low is not None
    assert second.high is not None
    assert second.low < second.x < second.high
    (dots,) = differences(tier)
    places = [float(x) for x in re.findall(r"M(\S+) \S+h0", dots.path)]
    assert len(places) == 8
    assert places == sorted(places)
    assert dots.zero < dots.mean <= places[-1]
    assert f"0.950 on seed {FIRST + 6}" in dots.seeds


def test_axes_have_round_numbers(found: Comparison) -> None:
    tier = replace(found.tiers[0], taus=())
    labels = [tick.label for tick in intervals(found.tiers[0]).ticks]
    assert labels == [
        "0.0",
        "0.2",
        "0.4",
        "0.6",
        "0.8",
        "1.0",
    ]
    for tick in intervals(tier).ticks:
        assert EDGE <= tick.x <= WIDTH - EDGE
        assert re.fullmatch(r"−?\d\.\d\d?", tick.label)


def test_two_agents_together_stand_in_a_matrix(found: Comparison) -> None:
    run = found.tiers[0]
    table = together(run)
    assert table is not None
    (pair,) = run.pairs
    assert pair.union is not None
    assert table.columns == ("agent", "with 1", "with 2")
    assert [row[0] for row in table.rows] == ["1. optimal", "2. null"]
    assert table.rows[0][2] == words.percent(pair.union.union)
    assert table.rows[1][1] == words.percent(pair.union.matched_union)
    assert together(replace(run, pairs=())) is None


def test_runs_side_by_side_are_neither_ranked_nor_tested(tmp_path: Path) -> None:
    run = run_of(tmp_path / "r", {"null": {"easy": NULL}})
    other = run_of(tmp_path / "s", {"null": {"easy": BEST}}, turns=16)
    found = compare([run, other], side_by_side=True)
    for text in (render_html(found), render_markdown(found)):
        assert not re.search(r"Holm|Spearman|\brank\b", text)
        assert "side by side" in text.lower()


def test_a_run_without_results_has_a_page(tmp_path: Path) -> None:
    run = run_of(tmp_path / "r", {"null": {"easy": [[None], [None]]}})
    text = " ".join(read(render_html(compare([run]))).words)
    assert "Incomplete episodes" in text
    assert "the service was away" in text
