"""An episode and the naive rules side by side: after every action both must show the same circuit."""

from random import Random

from qrewrite.circuits import Circuit
from qrewrite.game import Episode
from support import naive_rules
from support.circuits import plain


class Lockstep:
    """Plays each action on an episode and on a plain list, and compares all that can be seen."""

    def __init__(self, circuit: Circuit, *, par: int | None = None) -> None:
        self.episode = Episode(circuit, par=par)
        self.gates = plain(circuit)
        self.rewards: list[float] = []

    def play(self, action_type: int, index: int) -> bool:
        """Play one action on both sides, compare its outcome, and say whether it was accepted."""
        episode, before = self.episode, self.episode.circuit()
        answer = naive_rules.answer(self.gates, action_type, index)
        accepted = answer == naive_rules.OK
        self.rewards.append(episode.play(action_type, index))
        assert self.rewards[-1] == episode.reward
        if accepted:
            self.gates = naive_rules.rewrite(self.gates, action_type, index)
            assert episode.action_result == naive_rules.ACCEPTED[action_type]
            assert episode.reward == naive_rules.REWARDS[action_type]
        else:
            assert episode.action_result == answer
            assert episode.reward == naive_rules.INVALID_REWARD
            assert episode.circuit() == before
        assert plain(episode.circuit()) == self.gates
        return accepted

    def legal(self) -> list[tuple[int, int]]:
        """All legal (action_type, index), as the naive rules have them."""
        return list(naive_rules.legal_actions(self.gates))

    def random_action(self, rng: Random) -> tuple[int, int]:
        """Draw an action: at times any one, else a legal one, reductions and swaps as often as each other."""
        legal = self.legal()
        if not legal or rng.random() < 0.1:
            return rng.randint(1, 4), rng.randrange(len(self.gates) + 2)
        swaps = [action for action in legal if action[0] == 2]
        reductions = [action for action in legal if action[0] != 2]
        return rng.choice(rng.choice([kind for kind in (swaps, reductions) if kind]))
