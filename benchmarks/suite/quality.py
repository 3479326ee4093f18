"""How good the answers of the global methods are, without a clock.

A test case of the subsets is a table and a number k of features to select; up to `EXHAUSTIVE` subsets the optimum is
found by trying all. Objectives within 1e-9 bits are equal. The paper counts SDPCMI other than SPECCMI in 63 of 442
cases, better in 46 of these (Vinh et al. 2014).
"""

from __future__ import annotations

from itertools import combinations
from math import comb
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import spearmanr
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

import bitsieve
from benchmarks.data import Shape, make_codes
from benchmarks.rounds import significant

if TYPE_CHECKING:
    from collections.abc import Iterator

CONTESTANTS: dict[str, dict[str, str | None]] = {
    "speccmi": {"method": "speccmi"},
    "speccmi + swap": {"method": "speccmi", "refine": "swap"},
    "sdpcmi": {"method": "sdpcmi", "refine": None},
    "sdpcmi + swap": {"method": "sdpcmi"},
    "jmi": {"method": "jmi", "estimator": "plug-in"},
}
PAIRS = (
    ("sdpcmi", "speccmi"),
    ("speccmi + swap", "speccmi"),
    ("speccmi + swap", "sdpcmi"),
    ("sdpcmi + swap", "speccmi + swap"),
    ("speccmi + swap", "jmi"),
)
K = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40)
EXHAUSTIVE = 200_000
SAME = 1e-9
SEEDED = [Shape(samples, 30, bins, classes) for samples in (100, 1000) for bins, classes in ((3, 2), (5, 4))]
DRAWS = 30
RATES = (0.5, 0.2, 0.1)
Details = dict[str, Any]


def quality_of_weights(quick: bool) -> list[Details]:
    """QPFS under Nystrom beside the exact solution: for both variants and all rates, means over the draws."""
    loaders = {"wine": load_wine, "breast cancer": load_breast_cancer, "digits": load_digits}
    tables = [(name, *load(return_X_y=True), "mdl") for name, load in loaders.items()]
    if not quick:
        table = make_codes(Shape(2000, 500, 3, 5))
        tables.append(("2,000 seeded samples", table.codes, table.classes, "none"))
    return [{"job": name, "details": _nystrom(*table, 3 if quick else DRAWS)} for name, *table in tables]


def _nystrom(X: Any, y: Any, binning: str, draws: int) -> Details:
    exact = bitsieve.QPFS(1, convexify="shift", binning=binning).fit(X, y)
    relevance = bitsieve.mutual_information(X, y, binning=binning)
    matrix = bitsieve.mutual_information_matrix(X, y, binning=binning)
    varies = np.flatnonzero(matrix.diagonal())
    alpha = float(exact.alpha_)

    def objective(weights: np.ndarray) -> float:
        return float((1 - alpha) / 2 * weights @ matrix @ weights - alpha * relevance @ weights)

    worst = objective((matrix.diagonal() > 0) / len(varies))
    best = objective(exact.weights_)
    details = {"exact": {"features": len(varies), "alpha": significant(alpha)}}
    for variant, rate in ((variant, rate) for variant in (None, "paper") for rate in RATES):
        shares = []
        ranks = []
        for seed in range(draws):
            nystrom = bitsieve.Nystrom(rate, random_state=seed, variant=variant)
            approximate = bitsieve.QPFS(1, alpha=alpha, approximation=nystrom, binning=binning).fit(X, y)
            shares.append((objective(approximate.weights_) - worst) / (best - worst))
            ranks.append(spearmanr(exact.ranking_[varies], approximate.ranking_[varies]).statistic)
        means = {"objective": float(np.mean(shares)), "ranking": float(np.mean(ranks))}
        details[f"{variant or 'default'} {rate:g}"] = {name: significant(mean, 2) for name, mean in means.items()}
    return details


def quality_of_subsets(quick: bool) -> list[Details]:
    """The methods in pairs, and each beside bound and optimum, over all test cases."""
    cases = [case for table in _tables(quick) for case in _cases(*table)]
    pairs = {f"{name} v. {other}": _compare(cases, name, other) for name, other in PAIRS}
    return [
        {"job": f"{len(cases)} cases, the first beside the second", "details": pairs},
        {"job": "gap to the bound, loss to the optimum", "details": {n: _standing(cases, n) for n in CONTESTANTS}},
    ]


def _tables(quick: bool) -> Iterator[tuple[Any, Any, str]]:
    """Data, target and binning of every table; of the digits also random halves of the pixels."""
    yield (*load_wine(return_X_y=True), "mdl")
    if quick:
        return
    yield (*load_breast_cancer(return_X_y=True), "mdl")
    X, y = load_digits(return_X_y=True)
    yield X, y, "none"
    for seed in range(4):
        yield X[:, np.sort(np.random.default_rng(seed).choice(64, 32, replace=False))], y, "none"
    for table in (make_codes(shape, seed) for shape in SEEDED for seed in range(2)):
        yield table.codes, table.classes, "none"


def _cases(X: Any, y: Any, binning: str) -> Iterator[Details]:
    """The objective of every contestant for every k that leaves a choice."""
    q = bitsieve.conditional_mutual_information_matrix(X, y, binning=binning)
    q = (q + q.T) / 2
    varying = np.flatnonzero(bitsieve.mutual_information_matrix(X, y, binning=binning).diagonal())
    for k in (k for k in K if k < len(varying)):
        selectors = {
            name: bitsieve.make_selector(n_features_to_select=k, binning=binning, **setting)
            for name, setting in CONTESTANTS.items()
        }
        chosen = {name: selector.fit(X, y).selected_ for name, selector in selectors.items()}
        yield {
            "selected": {name: set(columns) for name, columns in chosen.items()},
            "objective": {name: float(q[np.ix_(columns, columns)].sum()) for name, columns in chosen.items()},
            "upper_bound": min(s.upper_bound_ for s in selectors.values() if hasattr(s, "upper_bound_")),
            "optimum": _optimum(q[np.ix_(varying, varying)], k),
        }


def _optimum(q: np.ndarray, k: int) -> float | None:
    """The best objective of all subsets, where these are not too many."""
    if comb(len(q), k) > EXHAUSTIVE:
        return None
    subsets = np.array(list(combinations(range(len(q)), k)), np.intp)
    parts = np.array_split(subsets, max(1, len(subsets) * k * k // 1_000_000))
    return max(float(q[part[:, :, None], part[:, None, :]].sum(axis=(1, 2)).max()) for part in parts)


def _compare(cases: list[Details], name: str, other: str) -> Details:
    """In how many cases the two select otherwise, and which of them is then better, by how much."""
    differ = [case["objective"] for case in cases if case["selected"][name] != case["selected"][other]]
    better = [o[name] / o[other] - 1 for o in differ if o[name] > o[other] + SAME]
    worse = [1 - o[name] / o[other] for o in differ if o[name] < o[other] - SAME]
    counts = {"differ": len(differ), "better": len(better), "worse": len(worse)}
    gains = {"median_gain": significant(median(better)), "largest_gain": significant(max(better))} if better else {}
    return counts | gains | ({"largest_loss": significant(max(worse))} if worse else {})


def _standing(cases: list[Details], name: str) -> Details:
    """A contestant beside the bound in all cases, and beside the optimum where that is known."""
    gaps = [1 - case["objective"][name] / case["upper_bound"] for case in cases]
    losses = [1 - case["objective"][name] / case["optimum"] for case in cases if case["optimum"]]
    return {
        "median_gap": significant(max(median(gaps), 0.0)),
        "largest_gap": significant(max(gaps)),
        "known_optima": len(losses),
        "optimal": sum(loss * 1e6 < 1 for loss in losses),
        "median_loss": significant(max(median(losses), 0.0)),
        "largest_loss": significant(max(losses)),
    }
