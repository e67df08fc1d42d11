"""The statistics of suites as one HTML file: no network, no script, readable on a phone, light and dark."""

from collections.abc import Sequence
from importlib.resources import files
from typing import Final

from quantum_circuit_env.evals.report.tables import Table
from quantum_circuit_env.evals.stats.extras import require

_TEMPLATE: Final = "suites.html.j2"


def render_suites(tables: Sequence[Table], title: str = "Comparison on suites") -> str:
    """Return the page; all text in it is escaped.

    Raises:
        MissingExtraError: if Jinja2 is not installed.
    """
    jinja2 = require("jinja2", extra="eval")
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    source = (files("quantum_circuit_env.evals.report") / _TEMPLATE).read_text("utf-8")
    page: str = environment.from_string(source).render(title=title, tables=tables)
    return page
