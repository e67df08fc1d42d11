"""Many episodes at once, in NumPy arrays: the same game as `qrewrite.game`, for training.

>>> import numpy as np
>>> episodes = Episodes(generated("easy", range(100)), 4, np.random.default_rng(0))
>>> episodes.positions.legal.shape  # episodes, gates, action types
(4, 20, 4)
>>> episodes.step([0, 0, 0, 99], [2, 2, 2, 1]).reward.shape
(4,)
"""

from qrewrite.batch.episodes import Episodes, Step
from qrewrite.batch.grades import Grade
from qrewrite.batch.outcomes import ACTION_RESULTS, TERMINATIONS
from qrewrite.batch.positions import Positions
from qrewrite.batch.starts import Starts, generated

__all__ = ["ACTION_RESULTS", "TERMINATIONS", "Episodes", "Grade", "Positions", "Starts", "Step", "generated"]
