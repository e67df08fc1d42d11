"""A comparison as Markdown tables, for a README."""

import re
from collections.abc import Iterator
from typing import Final

from quantum_circuit_env.evals.comparison import Comparison
from quantum_circuit_env.evals.report import words
from quantum_circuit_env.evals.report.names import named
from quantum_circuit_env.evals.report.tables import Table, agreements, incomplete, overall, tables_of

_SPECIAL: Final = re.compile(r"([\\`*_{}\[\]<>#|!~&$])")
LISTED: Final = 20
"""Incomplete episodes that are listed; the JSON has them all."""


def render_markdown(comparison: Comparison) -> str:
    """Return the comparison as Markdown; the agents' names stay text whatever is in them."""
    return "\n".join(_lines(comparison))


def _lines(whole: Comparison) -> Iterator[str]:
    comparison, labels = named(whole)
    suites, revisions = ", ".join(comparison.suites), ", ".join(comparison.revisions)
    yield f"Suite {escape(suites)}, evaluator {escape(revisions)},"
    yield f"{', '.join(map(str, comparison.turns))} turns, runs {escape(', '.join(comparison.runs))}."
    yield ""
    if comparison.baselines:
        yield from (escape(words.BASELINES), "")
    for told in comparison.warnings:
        yield f"- {escape(told)}"
    for tier in comparison.tiers:
        for table in tables_of(tier, comparison):
            yield from markdown_table(table)
    for extra in (overall(comparison), agreements(comparison), incomplete(comparison)):
        if extra is not None:
            yield from markdown_table(extra._replace(rows=extra.rows[:LISTED]))
    if labels:
        yield from ("", "**Names in full**", "")
        yield from (f"- {escape(name)}: {escape(label)}" for name, label in labels.items())
    yield ""


def markdown_table(table: Table) -> Iterator[str]:
    """Yield the lines of one table, its title first."""
    yield from ("", f"**{escape(table.title)}**", "")
    if table.note:
        yield from (escape(table.note), "")
    last = len(table.columns) - 1
    texts = (number < table.names or (table.prose and number == last) for number in range(last + 1))
    rules = ("---" if left else "---:" for left in texts)
    for line in (tuple(map(escape, table.columns)), tuple(rules), *(map(escape, row) for row in table.rows)):
        yield f"| {' | '.join(line)} |"


def escape(text: str) -> str:
    """Return text that Markdown shows as it is, on one line; addresses become no links."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split())).replace("://", r":\//")
