"""The rubric: the reward of a step as a tree of its parts, for whoever looks into it while training.

The parts are the four rules and the invalid action, and add up to the reward exactly, since an action has one
result and each result belongs to one part; of a plan each part is the sum over its actions, rounded once.
Numbers and results are those of `qrewrite.rules`.
"""

from collections.abc import Callable, Mapping, Sequence
from math import fsum
from typing import Any, Final

from openenv.core.rubrics import Rubric

from qrewrite.rules import INVALID_REWARD, RULES, ActionResult
from quantum_circuit_env.models import ObservationMetadata

PARTS: Final[Mapping[str, Mapping[ActionResult, float]]] = {
    **{rule.name: {rule.accepted: rule.reward} for rule in RULES.values()},
    "invalid": dict.fromkeys(
        [ActionResult.INVALID_INDEX, *(rule.refused for rule in RULES.values())], INVALID_REWARD
    ),
}
"""Name of a part → what it pays for which result of an action; nothing for all others."""

_WHOLE: Final = {result: reward for part in PARTS.values() for result, reward in part.items()}


class _Seen:
    """What the whole tree knows: the results that were scored last, and whether a hook wants to hear."""

    __slots__ = ("hooked", "results")

    def __init__(self) -> None:
        self.results: Sequence[ActionResult] = ()
        self.hooked = False


class Part(Rubric):
    """One part of a step's reward.

    Its score is looked up in what the tree has seen last when somebody asks for it, so that a step costs next
    to nothing.
    """

    def __init__(self, rewards: Mapping[ActionResult, float], seen: _Seen) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._rewards = rewards
        self._seen = seen

    @property
    def last_score(self) -> float:
        """This part of the last step's reward; 0.0 after a reset."""
        rewards, results = self._rewards, self._seen.results
        if len(results) == 1:
            return rewards.get(results[0], 0.0)
        return fsum([rewards.get(result, 0.0) for result in results])

    @last_score.setter
    def last_score(self, _score: float | None) -> None:
        """Keep to what the last result is worth, which is what OpenEnv would write here."""

    def forward(self, _action: Any, observation: Any) -> float:
        """Return this part of the reward of the step that led to the observation."""
        self.see(observation.metadata)
        return self.last_score

    def see(self, metadata: ObservationMetadata) -> None:
        """Note what a step's observation says of it."""
        if "plan" in metadata:
            self._seen.results = [each["action_result"] for each in metadata["plan"]]
        else:
            self._seen.results = (metadata["action_result"],)

    def register_forward_hook(self, hook: Callable[..., None]) -> None:
        """Have `hook(rubric, action, observation, score)` called after each step."""
        self._seen.hooked = True
        super().register_forward_hook(hook)

    def register_forward_pre_hook(self, hook: Callable[..., None]) -> None:
        """Have `hook(rubric, action, observation)` called before each step is scored."""
        self._seen.hooked = True
        super().register_forward_pre_hook(hook)

    def reset(self) -> None:
        """Forget the last step."""
        self._seen.results = ()


class StepReward(Part):
    """The reward of a step: the root, with one child for each entry of PARTS."""

    def __init__(self) -> None:
        seen = _Seen()
        super().__init__(_WHOLE, seen)
        for name, rewards in PARTS.items():
            setattr(self, name, Part(rewards, seen))

    @property
    def hooked(self) -> bool:
        """Whether somebody wants to be called for each step."""
        return self._seen.hooked

    def __call__(self, action: Any, observation: Any) -> float:
        """Score a step; OpenEnv's own way there, for the sake of hooks, is taken only when there are some."""
        if self._seen.hooked:
            score: float = super().__call__(action, observation)
            return score
        return self.forward(action, observation)

    def forward(self, action: Any, observation: Any) -> float:
        """Return the reward of the step that led to the observation."""
        if self._seen.hooked:
            for part in self.children():
                part(action, observation)
        return super().forward(action, observation)
