"""Games that pay, rewrite or end otherwise than the rules say.

What each overrides is documented where it is defined, in `LocalGame`.
"""

# ruff: noqa: D102

from typing import Any, Final

from qrewrite.game import Episode, Termination
from qrewrite.rules import CANCEL, SWAP, ActionResult
from quantum_circuit_env.evals.audit.local import LocalGame
from quantum_circuit_env.evals.audit.mutants.mutant import Mutant, played


class Generous(LocalGame):
    """Shows fewer gates than are left."""

    def records(self) -> list[Any]:
        episode = self.running()
        return super().records()[: 1 if episode.gate_count < episode.initial_count else None]


class GenerousInTheEnd(LocalGame):
    """Shows a single gate when an episode is over."""

    def records(self) -> list[Any]:
        return super().records()[: 1 if self.running().done else None]


class RewardedSwaps(LocalGame):
    """Pays for swaps."""

    def reward(self) -> Any:
        return 0.05 if self.running().action_result is ActionResult.SWAPPED else super().reward()


class DearSwaps(LocalGame):
    """Pays as much for a swap as for a reduction."""

    def reward(self) -> Any:
        return 1.0 if self.running().action_result is ActionResult.SWAPPED else super().reward()


class Excess(LocalGame):
    """Pays a hundred times as much for reductions."""

    def reward(self) -> Any:
        return super().reward() * (100 if super().reward() > 0 else 1)


class PaidWaste(LocalGame):
    """Pays for what does nothing and charges for reductions."""

    def reward(self) -> Any:
        return -super().reward()


class PaidRefusals(LocalGame):
    """Pays for refused actions."""

    def reward(self) -> Any:
        return 0.1 if super().reward() == -0.1 else super().reward()


class WrongRewrite(LocalGame):
    """Shows the first gate as another one once something has been swapped."""

    def records(self) -> list[Any]:
        records = super().records()
        if records and self.running().action_result is ActionResult.SWAPPED:
            records[0] = {"name": "Y", "target_qubits": records[0]["target_qubits"][:1]}
        return records


class LostSwap(LocalGame):
    """Leaves nothing of three CNOTs."""

    def records(self) -> list[Any]:
        records = super().records()
        if self.running().action_result is ActionResult.COMPRESSED_CNOTS:
            records.remove(next(record for record in records if record["name"] == "SWAP"))
        return records


class CostlyRefusal(LocalGame):
    """Moves gates about when an action is refused."""

    def play(self, episode: Episode, index: int, kind: int) -> None:
        before = episode.gate_count
        super().play(episode, index, kind)
        refused = episode.reward < SWAP.reward and episode.gate_count == before
        if refused and not episode.done:
            any(episode.position.play(SWAP, place) for place in range(before))


class FlaggedRefusal(LocalGame):
    """Takes a refused action for an identity."""

    def play(self, episode: Episode, index: int, kind: int) -> None:
        super().play(episode, index, kind)
        episode.used_advanced_actions |= episode.reward < SWAP.reward


class Literal(LocalGame):
    """Compares symmetric gates as they were written."""

    def play(self, episode: Episode, index: int, kind: int) -> None:
        gates = episode.circuit().gates
        if kind == CANCEL.action_type and index < len(gates) and gates[index].name in ("CZ", "SWAP"):
            episode.steps += 1
            episode.action_result, episode.reward = CANCEL.refused, -0.1
        else:
            super().play(episode, index, kind)


class NoCompression(LocalGame):
    """Refuses three CNOTs wherever they are."""

    def play(self, episode: Episode, index: int, kind: int) -> None:
        super().play(episode, episode.gate_count if kind == 4 else index, kind)


class Short(LocalGame):
    """Ends an episode after five steps."""

    limit = 5

    def play(self, episode: Episode, index: int, kind: int) -> None:
        super().play(episode, index, kind)
        if episode.steps >= self.limit and not episode.done:
            episode.termination = Termination.STEP_LIMIT


class Shorter(Short):
    """Ends an episode after a hundred steps."""

    limit = 100


class Endless(LocalGame):
    """Plays on after the end."""

    def play(self, episode: Episode, index: int, kind: int) -> None:
        ended, episode.termination = episode.termination, None
        super().play(episode, index, kind)
        episode.termination = episode.termination or ended


class EndlessDeadEnd(LocalGame):
    """Counts the steps that are played after a dead end."""

    def play(self, episode: Episode, index: int, kind: int) -> None:
        episode.steps += episode.termination is Termination.DEAD_END
        super().play(episode, index, kind)


class PaidAfterTheEnd(LocalGame):
    """Pays for steps after the end."""

    def reward(self) -> Any:
        return 1.0 if self.running().action_result is ActionResult.EPISODE_OVER else super().reward()


class Resigned(LocalGame):
    """Takes an episode for over when nothing cancels."""

    def _resign(self) -> None:
        episode = self.running()
        if all(rule is not CANCEL for rule, _ in episode.position.reductions()) and not episode.done:
            episode.termination = Termination.DEAD_END

    def reset(self, data: dict[str, Any]) -> None:
        super().reset(data)
        self._resign()

    def play(self, episode: Episode, index: int, kind: int) -> None:
        super().play(episode, index, kind)
        self._resign()


class NotANumber(LocalGame):
    """Pays NaN after a few steps."""

    def reward(self) -> Any:
        return float("nan") if self.running().steps > 3 else super().reward()


class YesOrNo(LocalGame):
    """Pays true for what it likes."""

    def reward(self) -> Any:
        return True if super().reward() == 1 else super().reward()


class Unexplained(LocalGame):
    """Calls every action cancelled."""

    def metadata(self) -> dict[str, Any]:
        return super().metadata() | {"action_result": "cancelled"}


class Unaccounted(LocalGame):
    """Has a part of its reward in no part of the rubric."""

    def parts(self) -> dict[str, float]:
        return {"reward": self.running().reward - 0.5}


MUTANTS: Final = (
    Mutant("O1", "an episode ends after five steps", played(Short)),
    Mutant("O2", "gates vanish that no rule removes", played(Generous)),
    Mutant("O2", "the last circuit of an episode lacks most of its gates", played(GenerousInTheEnd)),
    Mutant("F3", "refused actions are paid", played(PaidRefusals)),
    Mutant("R1", "swaps are paid", played(RewardedSwaps)),
    Mutant("R2", "a loop of swaps pays", played(RewardedSwaps)),
    Mutant("R2", "more is paid than there are gates", played(Excess)),
    Mutant("R5", "rewards have the wrong sign", played(PaidWaste)),
    Mutant("R5", "a swap pays as much as a reduction", played(DearSwaps)),
    Mutant("U1", "a swap changes a gate", played(WrongRewrite)),
    Mutant("U1", "three CNOTs leave nothing", played(LostSwap)),
    Mutant("U2", "a refused action moves gates", played(CostlyRefusal)),
    Mutant("U2", "a refused action counts as an identity", played(FlaggedRefusal)),
    Mutant("U3", "SWAP(0,1) and SWAP(1,0) are taken for different", played(Literal)),
    Mutant("U3", "three CNOTs are refused", played(NoCompression)),
    Mutant("T1", "steps after the end are played", played(Endless)),
    Mutant("T1", "steps after a dead end count", played(EndlessDeadEnd)),
    Mutant("T1", "steps after the end are paid", played(PaidAfterTheEnd)),
    Mutant("T2", "an episode is over when nothing cancels", played(Resigned)),
    Mutant("T2", "an episode is over after a hundred steps", played(Shorter)),
    Mutant("H1", "rewards become NaN", played(NotANumber)),
    Mutant("H1", "a reward is true", played(YesOrNo)),
    Mutant("H1", "rewards are beyond the declared range", played(Excess)),
    Mutant("H2", "every action is called cancelled", played(Unexplained)),
    Mutant("H2", "the parts of a reward do not add up to it", played(Unaccounted)),
)
