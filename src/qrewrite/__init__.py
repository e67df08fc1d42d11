"""The game of Quantum Circuit Optimizer: circuits, rewrite rules, episodes, tasks, solver and policies.

Standard library and NumPy only; every part is importable on its own (`qrewrite.circuits`, `qrewrite.rules`,
…).
"""
