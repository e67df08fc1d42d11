"""`/metrics`: what the server has counted, in the text format of Prometheus."""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from fastapi import Request
from fastapi.responses import PlainTextResponse, Response
from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from qrewrite.tasks import GAME_VERSION
from quantum_circuit_env.server.about import facts
from quantum_circuit_env.server.tally import LAYOUT, Counted, Series, Tally

if TYPE_CHECKING:
    from fastapi import FastAPI

PREFIX: Final = "quantum_circuit_"
_COUNTERS: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "sessions_opened": ("Sessions that have begun.", ()),
    "sessions_refused": ("Sessions that were not opened.", ("reason",)),
    "sessions_closed": ("Sessions that have ended.", ("reason",)),
    "steps": ("Actions played on sockets, by what became of them.", ("result",)),
    "resets": ("Episodes begun, by the task that grades them.", ("task", "transport")),
    "errors": ("Answers that tell of an error.", ("transport", "code")),
}
"""Name of a counter without prefix and unit → help and names of the labels."""


def add_metrics(app: "FastAPI", tally: Tally, sessions: int) -> None:
    """Add `/metrics` to the application.

    Args:
        app: the application.
        tally: what it counts.
        sessions: how many sessions a worker serves at a time.
    """
    registry = CollectorRegistry()
    registry.register(_Game(tally, sessions))
    registry.register(_Processes(tally))

    @app.get(
        "/metrics",
        tags=["Health"],
        summary="Counts for Prometheus",
        description="What this server has counted since it started, all workers together, in the text format "
        "of Prometheus; tells nothing of what a session plays.",
        response_class=PlainTextResponse,
    )
    async def metrics(request: Request) -> Response:
        encode, media_type = choose_encoder(request.headers.get("accept", ""))
        return Response(encode(registry), headers={"Content-Type": media_type, "Cache-Control": "no-store"})


class _Game(Collector):
    """The tally's counts as metrics."""

    def __init__(self, tally: Tally, sessions: int) -> None:
        self._tally, self._sessions = tally, sessions

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics, each summed over all workers."""
        processes = list(self._tally.processes())
        living = _sum([one for one in processes if one.alive])
        number = sum(one.alive for one in processes)
        yield GaugeMetricFamily(
            f"{PREFIX}sessions",
            "Sessions that are open now.",
            value=_of(living, "sessions_opened") - _of(living, "sessions_closed"),
        )
        yield GaugeMetricFamily(
            f"{PREFIX}sessions_max", "Sessions that may be open at once.", value=number * self._sessions
        )
        yield GaugeMetricFamily(f"{PREFIX}workers", "Processes that serve.", value=number)
        info = GaugeMetricFamily(
            f"{PREFIX}build_info", "Versions of the server, always 1.", labels=("version", "game_version")
        )
        info.add_metric((facts().version, GAME_VERSION), 1)
        yield info
        counts = _sum(processes)
        for name, (text, labels) in _COUNTERS.items():
            counter = CounterMetricFamily(f"{PREFIX}{name}", text, labels=labels)
            for series, count in zip(LAYOUT, counts, strict=True):
                if series.name == name:
                    counter.add_metric(series.labels, count)
            yield counter
        yield _latency(counts)


class _Processes(Collector):
    """Memory and CPU time of each worker, as far as the system tells; labelled where there are several."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally

    def collect(self) -> Iterator[Metric]:
        """Yield the library's process metrics."""
        if self._tally.folder is None:
            yield from ProcessCollector(registry=None).collect()
            return
        merged: dict[str, Metric] = {}
        for pid in [one.pid for one in self._tally.processes() if one.alive]:
            for metric in ProcessCollector(pid=str(pid).__str__, registry=None).collect():
                whole = merged.setdefault(metric.name, Metric(metric.name, metric.documentation, metric.type))
                for sample in metric.samples:
                    whole.add_sample(sample.name, {"pid": str(pid)}, sample.value)
        yield from merged.values()


def _sum(processes: Sequence[Counted]) -> list[int]:
    return [sum(column) for column in zip([0] * len(LAYOUT), *(one.counts for one in processes), strict=True)]


def _of(counts: Sequence[int], name: str) -> int:
    return sum(count for series, count in zip(LAYOUT, counts, strict=True) if series.name == name)


def _latency(counts: Sequence[int]) -> HistogramMetricFamily:
    found = [
        (one.labels[0], count) for one, count in zip(LAYOUT, counts, strict=True) if one.name == "latency"
    ]
    bounds, numbers = zip(*found, strict=True)
    return HistogramMetricFamily(
        f"{PREFIX}step_duration_seconds",
        "Time from a step's frame to its reply, a whole plan being one step.",
        buckets=list(zip(bounds, accumulate(numbers), strict=True)),
        sum_value=counts[LAYOUT.index(Series("latency_ns"))] / 1e9,
    )
