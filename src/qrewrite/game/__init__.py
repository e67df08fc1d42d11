"""Episode state, play and the view of it that an agent gets."""

from qrewrite.game.episode import STEP_LIMIT, Action, Episode, Termination
from qrewrite.game.position import Position
from qrewrite.game.scoring import Scoring

__all__ = ["STEP_LIMIT", "Action", "Episode", "Position", "Scoring", "Termination"]
