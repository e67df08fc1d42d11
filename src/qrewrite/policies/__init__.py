"""Ways to play that need no learning."""
