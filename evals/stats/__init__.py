"""Statistics of evaluations: pure functions on arrays, which know nothing of this project's records.

Scores of one agent on one tier have the shape (n_seeds, n_samples): rows are seeds, in an order that all
agents share; columns are the samples, independent episodes of one seed. Unscored episodes are left out,
never zero. NumPy suffices to import; SciPy and statsmodels, the extra `eval`, are imported by the functions
that use them.
"""

from quantum_circuit_env.evals.stats.clusters import cluster_standard_error, standard_error, t_interval
from quantum_circuit_env.evals.stats.coverage import (
    OracleUnion,
    observed_coverage,
    oracle_union,
    solved_by_none,
    union_of_all,
)
from quantum_circuit_env.evals.stats.extras import MissingExtraError
from quantum_circuit_env.evals.stats.families import sign_flips
from quantum_circuit_env.evals.stats.intervals import LEVEL, RESAMPLES, Statistic, percentile_interval
from quantum_circuit_env.evals.stats.multiplicity import benjamini_hochberg, holm, needed_flips
from quantum_circuit_env.evals.stats.paired import (
    Discordance,
    SignFlip,
    fewest_seeds,
    mcnemar,
    mcnemar_p,
    seed_differences,
    sign_flip,
    sign_flip_of,
    smallest_p,
)
from quantum_circuit_env.evals.stats.passes import (
    pass_at_k,
    pass_at_k_by_seed,
    pass_hat_k,
    pass_hat_k_by_seed,
    sequential_at_k,
)
from quantum_circuit_env.evals.stats.planning import (
    ALPHA,
    POWER,
    Pilot,
    mde,
    needed_seeds,
    needed_seeds_normal,
    needed_seeds_sampled,
    paired_power,
    pilot,
)
from quantum_circuit_env.evals.stats.ranks import (
    Agreement,
    PairCounts,
    Rank,
    kendall,
    pair_counts,
    rank_intervals,
    spearman,
    tied_groups,
)
from quantum_circuit_env.evals.stats.rates import TurnRates, clopper_pearson, turn_rates, wilson
from quantum_circuit_env.evals.stats.rerun_differences import fixed_seed_difference
from quantum_circuit_env.evals.stats.reruns import (
    bca_interval,
    fixed_seed_bootstrap,
    hierarchical_bootstrap,
    macro_average,
)
from quantum_circuit_env.evals.stats.resampling import SeedBootstrap
from quantum_circuit_env.evals.stats.robust import (
    improvement_by_seed,
    iqm,
    iqm_of_each,
    mean_profile,
    median_of_seed_means,
    optimality_gap,
    performance_profile,
    probability_of_improvement,
)
from quantum_circuit_env.evals.stats.scores import normalised_score, success
from quantum_circuit_env.evals.stats.values import (
    Estimate,
    Flag,
    Interval,
    StatsError,
    Target,
    data_flags,
    seed_means,
)

__all__ = [
    "ALPHA",
    "LEVEL",
    "POWER",
    "RESAMPLES",
    "Agreement",
    "Discordance",
    "Estimate",
    "Flag",
    "Interval",
    "MissingExtraError",
    "OracleUnion",
    "PairCounts",
    "Pilot",
    "Rank",
    "SeedBootstrap",
    "SignFlip",
    "Statistic",
    "StatsError",
    "Target",
    "TurnRates",
    "bca_interval",
    "benjamini_hochberg",
    "clopper_pearson",
    "cluster_standard_error",
    "data_flags",
    "fewest_seeds",
    "fixed_seed_bootstrap",
    "fixed_seed_difference",
    "hierarchical_bootstrap",
    "holm",
    "improvement_by_seed",
    "iqm",
    "iqm_of_each",
    "kendall",
    "macro_average",
    "mcnemar",
    "mcnemar_p",
    "mde",
    "mean_profile",
    "median_of_seed_means",
    "needed_flips",
    "needed_seeds",
    "needed_seeds_normal",
    "needed_seeds_sampled",
    "normalised_score",
    "observed_coverage",
    "optimality_gap",
    "oracle_union",
    "pair_counts",
    "paired_power",
    "pass_at_k",
    "pass_at_k_by_seed",
    "pass_hat_k",
    "pass_hat_k_by_seed",
    "percentile_interval",
    "performance_profile",
    "pilot",
    "probability_of_improvement",
    "rank_intervals",
    "seed_differences",
    "seed_means",
    "sequential_at_k",
    "sign_flip",
    "sign_flip_of",
    "sign_flips",
    "smallest_p",
    "solved_by_none",
    "spearman",
    "standard_error",
    "success",
    "t_interval",
    "tied_groups",
    "turn_rates",
    "union_of_all",
    "wilson",
]
