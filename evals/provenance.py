"""`run.json`: what a run is an evaluation of, and under which circumstances it was played.

Never a key and never a URL with credentials: of addresses only the host is kept, and a run whose texts look
as if they held a credential is refused.
"""

import os
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from functools import cache
from math import prod
from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from quantum_circuit_env.agents.endpoint import KEYS
from quantum_circuit_env.evals.circumstances import Sitting, now, sitting
from quantum_circuit_env.evals.counting import counted
from quantum_circuit_env.evals.credentials import CredentialError, refuse_credentials, withheld
from quantum_circuit_env.evals.fingerprints import NAME_PATTERN, Fingerprint, fingerprint
from quantum_circuit_env.evals.playing import SUITE
from quantum_circuit_env.evals.records import EpisodeKey
from quantum_circuit_env.evals.revision import (
    Difference,
    Revision,
    canonical,
    differences,
    digest,
    evaluator_revision,
)

__all__ = [
    "CredentialError",
    "Fingerprint",
    "InfoError",
    "RunInfo",
    "evaluator_revision",
    "fingerprint",
    "new_run",
    "seeds_digest",
]

Transport: TypeAlias = Literal["in-process", "ws"]
Named: TypeAlias = Annotated[str, Field(pattern=NAME_PATTERN)]
"""What tables and terminals show as it is."""

MOST_EPISODES: Final = 1_000_000
"""Episodes of a run; all their keys are held at once."""


class InfoError(ValueError):
    """Raised for what is no `run.json`; says what is wrong with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunInfo:
    """What `run.json` says: a name, a configuration that a resume must not change, and the sittings.

    Attributes:
        schema: version of the file; raised when a field is added, dropped or read in another way.
        run_id: name of the run, in each of its records; printable ASCII.
        suite: environment and game version.
        revision: revision of the evaluator, as records carry it.
        evaluator: what that revision stands for, the turns of an episode among it.
        agents: who plays.
        tiers: what is played.
        split: the split that the seeds are of, or null.
        seeds: seeds of each tier, ascending.
        seeds_digest: short text by which lists of seeds are told apart.
        samples: episodes of an agent on a task.
        transport: whether a server was asked.
        iid: whether the samples of a task are independent: nothing of one episode is known in another.
        rescored_from: the run whose actions were graded again; null for one that was played.
        overall: whether it was declared, before anything was played, that its tiers are averaged.
        sittings: the processes that have played it, first one first.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(strict=True, extra="forbid")

    schema: Literal[1]
    run_id: Named
    suite: str
    revision: str
    evaluator: Revision
    agents: tuple[Fingerprint, ...]
    tiers: tuple[str, ...]
    split: str | None
    seeds: tuple[int, ...]
    seeds_digest: str
    samples: int
    transport: Transport
    iid: bool
    rescored_from: Named | None
    sittings: tuple[Sitting, ...]
    overall: bool = False

    def __post_init__(self) -> None:
        for what, values in (("agents", self._names), ("tiers", self.tiers), ("seeds", self.seeds)):
            if not values or len(set(values)) < len(values):
                raise InfoError(f"{what} must be at least one, each once, got {list(values)}"[:300])
        if list(self.seeds) != sorted(self.seeds) or self.seeds_digest != seeds_digest(self.seeds):
            raise InfoError("seeds must be ascending and those of their digest")
        if self.samples < 1 or type(self.evaluator.parts.get("turns")) is not int:
            raise InfoError("samples must be 1 or more, and the evaluator's parts must say how many turns")
        self._check_size()
        if self.revision != str(self.evaluator):
            raise InfoError(f"revision is {self.revision}, that of its parts is {self.evaluator}")

    def _check_size(self) -> None:
        """Raise an InfoError if there are too many episodes to list."""
        sizes = (len(self.agents), len(self.tiers), len(self.seeds), self.samples)
        if prod(sizes) > MOST_EPISODES:
            told = " × ".join(map(counted, sizes, ("agent", "tier", "seed", "sample")))
            raise InfoError(f"{told} are {prod(sizes)} episodes; a run has at most {MOST_EPISODES}")

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(agent.agent_id for agent in self.agents)

    @property
    def turns(self) -> int:
        """Turns that an agent has for an episode."""
        return int(self.evaluator.parts["turns"])

    def keys(self) -> Iterator[EpisodeKey]:
        """Yield each episode of the run: agent by agent, tier by tier, seed by seed, sample by sample."""
        for agent_id in self._names:
            for tier in self.tiers:
                for seed in self.seeds:
                    yield from (EpisodeKey(agent_id, tier, seed, sample) for sample in range(self.samples))

    def differences(self, other: "RunInfo") -> list[Difference]:
        """Return in what another run's configuration is not the same; empty if it could go on with this."""
        shared = set(self._names) & set(other._names)
        return self.evaluator.differences(other.evaluator) + differences(
            _configuration(self, shared), _configuration(other, shared)
        )

    def sat_down(self, sitting: Sitting) -> "RunInfo":
        """Return the run with one more sitting."""
        return replace(self, sittings=(*self.sittings, sitting))

    def finished(
        self,
        returned_models: Mapping[str, Iterable[str]],
        sent: Mapping[str, Mapping[str, int | float | str]],
    ) -> "RunInfo":
        """Return the run with the end of its last sitting, which is now."""
        known = _known_keys()
        last = replace(
            self.sittings[-1],
            finished_at=now(),
            returned_models={
                agent: tuple(sorted({withheld(model, known) for model in models}))
                for agent, models in returned_models.items()
            },
            sent={agent: dict(values) for agent, values in sent.items()},
        )
        return replace(self, sittings=(*self.sittings[:-1], last))

    def to_json(self) -> str:
        """Return the text of `run.json`; CredentialError if anything in it seems to be a credential."""
        refuse_credentials("run", asdict(self), _known_keys())
        return f"{_adapter().dump_json(self, indent=2).decode()}\n"

    @classmethod
    def from_json(cls, text: str) -> "RunInfo":
        """Read what `to_json` has written; InfoError for anything else."""
        try:
            return _adapter().validate_json(text)
        except ValidationError as error:
            raise InfoError("; ".join(_told(each) for each in error.errors()[:3])) from None


def new_run(
    *,
    agents: Sequence[Fingerprint],
    tiers: Sequence[str],
    seeds: Iterable[int],
    split: str | None = None,
    samples: int = 1,
    turns: int,
    server: str | None = None,
    iid: bool = True,
    run_id: str | None = None,
    rescored_from: str | None = None,
    overall: bool = False,
) -> RunInfo:
    """Return what is to be evaluated, and the first sitting, which begins now.

    Args:
        agents, tiers, split, samples, turns, iid, rescored_from, overall: as in RunInfo.
        seeds: in any order.
        server: URL of the server; None to play in process.
        run_id: name of the run; None for one of its own.

    Raises:
        InfoError: if there is nothing to evaluate, or something twice.
    """
    evaluator = evaluator_revision(turns=turns)
    ascending = tuple(sorted(seeds))
    return RunInfo(
        schema=1,
        run_id=run_id or f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(4)}",
        suite=SUITE,
        revision=str(evaluator),
        evaluator=evaluator,
        agents=tuple(agents),
        tiers=tuple(tiers),
        split=split,
        seeds=ascending,
        seeds_digest=seeds_digest(ascending),
        samples=samples,
        transport="in-process" if server is None else "ws",
        iid=iid,
        rescored_from=rescored_from,
        sittings=(sitting(server=server),),
        overall=overall,
    )


def seeds_digest(seeds: Iterable[int]) -> str:
    """Return a short text that is the same for the same seeds in the same order only."""
    return digest(canonical(list(seeds)))


def _configuration(info: RunInfo, shared: set[str]) -> dict[str, object]:
    """Return what a resume must not change, the evaluator left aside; of the agents only those named."""
    told: dict[str, object] = {
        "suite": info.suite,
        "agents": " ".join(sorted(info._names)),
        "tiers": ",".join(info.tiers),
        "split": info.split,
        "seeds": f"{len(info.seeds)} in {info.seeds[0]}..{info.seeds[-1]} ({info.seeds_digest})",
        "samples": info.samples,
        "transport": info.transport,
        "iid": info.iid,
        "rescored_from": info.rescored_from,
        "overall": info.overall,
    }
    for agent in info.agents:
        if agent.agent_id in shared:
            values = asdict(agent)
            settings = {**values.pop("sent"), **values}
            told |= {f"{agent.agent_id} {name}": value for name, value in settings.items()}
    return told


def _known_keys() -> list[str]:
    return [os.environ[name] for name in KEYS if os.environ.get(name)]


def _told(error: Any) -> str:
    return ": ".join(filter(None, (".".join(map(str, error["loc"])), error["msg"])))


@cache
def _adapter() -> TypeAdapter[RunInfo]:
    return TypeAdapter(RunInfo)
