"""Many episodes at once, in NumPy arrays: the same game as `qrewrite.game`, for training."""
