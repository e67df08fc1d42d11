"""How many of the choices on the way to the optimum are choices at all."""

from qrewrite.circuits import Circuit
from qrewrite.game import Position
from qrewrite.game.gather import actions_for
from qrewrite.rules import RULES, Rule
from qrewrite.solver.relaxation import SearchLimitError
from qrewrite.solver.search import ExactSearch
from qrewrite.solver.solution import Solution


def choices_that_matter(
    circuit: Circuit, solution: Solution, *, max_effort: int = 100_000
) -> tuple[int, int]:
    """Return at how many steps of the best plan another reduction would lose the optimum, and of how many
    steps.

    Swaps are no steps here. An alternative that the search cannot finish counts as one that loses nothing.
    """
    search = ExactSearch(max_effort)
    position = Position(circuit)
    matter = steps = 0
    for action in solution.best.actions:
        rule = RULES[action.action_type]
        if rule.removes:
            steps += 1
            matter += any(_loses(position, *other, solution.left, search) for other in position.reductions())
        position.play(rule, action.target_index)
    return matter, steps


def _loses(position: Position, rule: Rule, index: int, optimum: int, search: ExactSearch) -> bool:
    after = Position(position.wired.circuit())
    for action in actions_for(after, rule, index):
        after.play(RULES[action.action_type], action.target_index)
    try:
        front, _ = search.front(after.wired.listed())
    except SearchLimitError:
        return False
    return front[0].left > optimum
