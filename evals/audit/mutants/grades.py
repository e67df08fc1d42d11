"""Games that grade what they should not, or not as they should.

What each overrides is documented where it is defined, in `LocalGame`.
"""

# ruff: noqa: D102

from typing import Any, Final

from qrewrite.rules import ActionResult
from quantum_circuit_env.evals.audit.local import LocalGame
from quantum_circuit_env.evals.audit.mutants.mutant import Mutant, played


class Capped(LocalGame):
    """Grades nothing above 0.5."""

    def score(self) -> float:
        return min(super().score(), 0.5)


class CappedHard(LocalGame):
    """Grades nothing on hard above 0.5."""

    def score(self) -> float:
        return min(super().score(), 0.5 if self.started().tier.name == "hard" else 1.0)


class Participation(LocalGame):
    """Grades taking part with 0.1."""

    def score(self) -> float:
        return max(0.1, super().score())


class EarlyGrade(LocalGame):
    """Has a grade before the first reset."""

    def state(self) -> dict[str, Any]:
        return super().state() if self.episode else {**super().state(), "score": 0.5}


class GradedNothing(LocalGame):
    """Grades an empty circuit with 0.5."""

    def score(self) -> float:
        return super().score() if self.running().initial_count else 0.5


class SelfStarting(LocalGame):
    """Begins an episode of its own when it is stepped before a reset."""

    def step(self, data: dict[str, Any]) -> None:
        if self.episode is None:
            self.reset({"task": "easy", "seed": 0})
        super().step(data)


class PaidSwaps(LocalGame):
    """Grades each swap."""

    def score(self) -> float:
        episode = self.running()
        idle = episode.gate_count == episode.initial_count
        return max(super().score(), 0.2) if episode.steps and idle else super().score()


class Lucky(LocalGame):
    """Grades by effort."""

    def score(self) -> float:
        return min(0.99, super().score() + self.running().steps / 20)


class Inverted(LocalGame):
    """Grades the share of gates that are left."""

    def score(self) -> float:
        episode = self.running()
        removed = super().score()
        return 1 - removed if episode.gate_count < episode.initial_count else removed


class Hasty(LocalGame):
    """Takes off some of the grade for each step."""

    def score(self) -> float:
        return max(0.01, super().score() - self.running().steps / 1000)


class Repeated(LocalGame):
    """Gives the bonus again for each identity."""

    identities = 0

    def reset(self, data: dict[str, Any]) -> None:
        super().reset(data)
        self.identities = 0

    def step(self, data: dict[str, Any]) -> None:
        super().step(data)
        identity = (ActionResult.COLLAPSED_HXH, ActionResult.COMPRESSED_CNOTS)
        self.identities += self.running().action_result in identity

    def score(self) -> float:
        return min(0.99, super().score() + 0.15 * max(0, self.identities - 1))


class Arbitrary(LocalGame):
    """Grades every play the same."""

    def score(self) -> float:
        return 0.5 if self.running().steps else super().score()


class AllOrNothing(LocalGame):
    """Grades every other task with all or nothing."""

    def score(self) -> float:
        return 0.99 if (self.started().seed or 0) % 2 else 0.01


MUTANTS: Final = (
    Mutant("O1", "grades are capped at 0.5", played(Capped)),
    Mutant("O1", "grades are capped at 0.5 on hard alone", played(CappedHard)),
    Mutant("F1", "taking part is worth 0.1", played(Participation)),
    Mutant("F1", "the best play is worth no more than 0.5", played(Capped)),
    Mutant("F2", "there is a grade of 0.5 before the first reset", played(EarlyGrade)),
    Mutant("F2", "an empty circuit is worth 0.5", played(GradedNothing)),
    Mutant("F2", "a step before the first reset begins an episode", played(SelfStarting)),
    Mutant("F3", "swaps raise the grade", played(PaidSwaps)),
    Mutant("F3", "steps of any kind raise the grade", played(Lucky)),
    Mutant("F5", "chance is graded as well as the best play", played(Lucky)),
    Mutant("R1", "the grade rises without a reduction", played(PaidSwaps)),
    Mutant("R3", "the grade is the share of gates that are left", played(Inverted)),
    Mutant("R4", "each step lowers the grade", played(Hasty)),
    Mutant("R4", "each identity is worth the bonus again", played(Repeated)),
    Mutant("S1", "grades are all or nothing, by the task", played(AllOrNothing), seeds=2),
    Mutant("S2", "every play is worth the same", played(Arbitrary)),
    Mutant("S2", "less skill is graded more", played(Inverted)),
    Mutant("E4", "grades are of another version than the game", played(Hasty)),
    Mutant("E4", "grades are not lower than 0.1 any more", played(Participation)),
)
