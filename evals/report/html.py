"""A comparison as one HTML file: no network, no script, readable on a phone, light, dark and printed."""

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from typing import Final

from quantum_circuit_env.evals.comparison import Comparison
from quantum_circuit_env.evals.metrics import METRICS
from quantum_circuit_env.evals.report import figures, words
from quantum_circuit_env.evals.report.names import named
from quantum_circuit_env.evals.report.tables import agreements, incomplete, overall, tables_of, together
from quantum_circuit_env.evals.stats.extras import require

_TEMPLATE: Final = "comparison.html.j2"


def render_html(comparison: Comparison, title: str = "Comparison of agents") -> str:
    """Return the page; all text in it is escaped.

    Raises:
        MissingExtraError: if Jinja2 is not installed.
    """
    comparison, labels = named(comparison)
    jinja2 = require("jinja2", extra="eval")
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["csp_hash"] = _csp_hash
    template = environment.from_string((files(__package__) / _TEMPLATE).read_text("utf-8"))
    page: str = template.render(
        title=title,
        comparison=comparison,
        metric=METRICS[comparison.metric].title,
        target=words.target(comparison),
        full_names=labels,
        baselines=words.BASELINES if comparison.baselines else "",
        tiers=[
            {
                "tier": tier,
                "tables": list(tables_of(tier, comparison)),
                "together": together(tier),
                "intervals": figures.intervals(tier),
                "profile": figures.profile(tier),
                "differences": figures.differences(tier),
                "classes": figures.classes(tier),
            }
            for tier in comparison.tiers
        ],
        extras=[table for made in (overall, agreements, incomplete) if (table := made(comparison))],
        width=figures.WIDTH,
        edge=figures.EDGE,
        profile_height=figures.PROFILE_HEIGHT,
        dots_height=figures.DOTS_HEIGHT,
    )
    return page


def _csp_hash(text: str) -> str:
    """Return what a Content-Security-Policy calls a style sheet of that text."""
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
