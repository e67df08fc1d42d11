"""Evaluators with one defect each, family by family: what the zoo shows to the probes."""
