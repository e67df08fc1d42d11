"""Comparisons for people: one HTML file that needs nothing else, and Markdown tables."""

from quantum_circuit_env.evals.report.html import render_html
from quantum_circuit_env.evals.report.markdown import render_markdown

__all__ = ["render_html", "render_markdown"]
