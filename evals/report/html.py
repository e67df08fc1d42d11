"""A comparison as one HTML file: no network, no script, readable on a phone, light and dark."""

from importlib.resources import files
from typing import Final

from quantum_circuit_env.agents.vocabulary import ErrorClass
from quantum_circuit_env.evals.comparison import Comparison
from quantum_circuit_env.evals.metrics import METRICS
from quantum_circuit_env.evals.report import plots, words
from quantum_circuit_env.evals.report.tables import agreements, incomplete, tables_of
from quantum_circuit_env.evals.stats.extras import require

_TEMPLATE: Final = "comparison.html.j2"


def render_html(comparison: Comparison, title: str = "Comparison of agents") -> str:
    """Return the page; all text in it is escaped.

    Raises:
        MissingExtraError: if Jinja2 is not installed.
    """
    jinja2 = require("jinja2", extra="eval")
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    template = environment.from_string((files(__package__) / _TEMPLATE).read_text("utf-8"))
    page: str = template.render(
        title=title,
        comparison=comparison,
        metric=METRICS[comparison.metric].title,
        target=words.target(comparison),
        tiers=[
            {
                "tier": tier,
                "tables": list(tables_of(tier, comparison)),
                "intervals": plots.intervals(tier),
                "profile": plots.profile(tier),
                "profile_ticks": plots.profile_ticks(tier),
                "differences": plots.differences(tier),
                "classes": plots.classes(tier),
            }
            for tier in comparison.tiers
        ],
        extras=[table for table in (agreements(comparison), incomplete(comparison)) if table is not None],
        width=plots.WIDTH,
        row=plots.ROW,
        kinds=[kind.value for kind in ErrorClass],
    )
    return page
