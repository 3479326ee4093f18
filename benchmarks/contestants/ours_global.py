"""bitsieve's global methods: QPFS given its matrix and as users call it, SpecCMI whole and approximated."""

from __future__ import annotations

import numpy as np
from scipy.stats import spearmanr

import bitsieve
from benchmarks import engine
from benchmarks.contestants.problems import Quadratic
from benchmarks.memory import Peak


def qpfs(redundancy, relevance, shift, **_):
    """The weights of QPFS given its matrix, made convex before."""
    problem = Quadratic.of(redundancy, relevance, shift)

    def run():
        weights = engine.minimize_quadratic(problem.matrix, problem.relevance, problem.alpha)
        return {"relative_gap": problem.relative_gap(weights), "support": int(np.count_nonzero(weights))}

    return run


def qpfs_fit(codes, classes, **_):
    """QPFS as users call it: counting, the proof that the matrix is convex, the solution."""

    def run():
        bitsieve.QPFS(1, convexify="shift", binning="none", n_jobs=1).fit(codes, classes)

    return run


def convexity(redundancy, **_):
    """The proof that the matrix is convex, or the shift that makes it so."""
    return lambda: {"shift": engine.convex_shift(redundancy)}


def speccmi(codes, classes):
    """SpecCMI whole, by landmarks (means over the draws), or within a limit of memory, beside the whole one."""
    cache = {}

    def fitted(seed=0, memory=None, rate=None, variant="extension", **parameters):
        if memory is not None:
            parameters["memory"] = memory
        if rate is not None:
            parameters["approximation"] = bitsieve.Nystrom(rate, random_state=seed, variant=variant)
        return bitsieve.SpecCMI(binning="none", **parameters).fit(codes, classes)

    def run(n_features_to_select, n_jobs, draws=1, compare=True, **setting):
        common = {"n_features_to_select": n_features_to_select, "n_jobs": n_jobs}
        if compare and "exact" not in cache:
            cache["exact"] = fitted(**common)
        with Peak() as peak:
            fits = [fitted(**common, **setting)]
        report = {"seconds": peak.seconds, **({} if "rate" in setting else peak.told())}
        fits += [fitted(seed, **common, **setting) for seed in range(1, draws)]
        agreed = [agree(selector, cache["exact"]) for selector in fits] if compare else [{}]
        return report | {key: float(np.mean([agreement[key] for agreement in agreed])) for key in agreed[0]}

    return run


def agree(fitted, exact):
    """Rank correlation of the weights, the share of the exact selection that was found, its objective over theirs."""
    return {
        "rank_correlation": spearmanr(fitted.weights_, exact.weights_).statistic,
        "share_of_selection": len(set(fitted.selected_) & set(exact.selected_)) / len(exact.selected_),
        "objective_over_exact": fitted.objective_ / exact.objective_,
    }
