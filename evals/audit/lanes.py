"""OpenEnv's two lanes: what an author runs, and what whoever hosts environments runs besides."""

from enum import StrEnum


class Lane(StrEnum):
    """Which checks a report has, by OpenEnv's names."""

    LOCAL = "local"
    """OpenEnv's own checks of its local lane, and nothing else."""
    HUB = "hub"
    """Those, `statistical.*` and `hub.*`, and our own `audit.*`."""
