"""How good the subsets of the global methods are: x'Qx of each, beside each other's, the bound, and the optimum.

    python -m benchmarks.global_quality [--quick]

A test case is a table and a number k of features to select. Tables: scikit-learn's digits, breast cancer and wine,
random halves of the digits' pixels, and seeded tables. Up to `EXHAUSTIVE` subsets the optimum is found by trying all.
Methods that the installed bitsieve does not have are left out. Objectives within 1e-9 bits are equal.
"""

from __future__ import annotations

from itertools import combinations
from math import comb
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

from benchmarks.data import Shape, make_codes
from benchmarks.harness import parser, print_table, significant, write_result
from bitsieve import list_methods, make_selector
from bitsieve.selectors.counted import Counted, count_columns
from bitsieve.table.columns import read_columns
from bitsieve.table.target import read_target

if TYPE_CHECKING:
    from collections.abc import Iterator

CONTESTANTS = {
    "speccmi": ("speccmi", {}),
    "speccmi + swap": ("speccmi", {"refine": "swap"}),
    "sdpcmi": ("sdpcmi", {}),
    "sdpcmi + swap": ("sdpcmi", {"refine": "swap"}),
    "jmi": ("jmi", {}),
}
PAIRS = (
    ("sdpcmi", "speccmi"),
    ("speccmi + swap", "speccmi"),
    ("speccmi + swap", "sdpcmi"),
    ("sdpcmi + swap", "speccmi + swap"),
    ("speccmi + swap", "jmi"),
)
PAPER = "sdpcmi other than speccmi in 63 of 442 cases, better in 46 of these (Vinh et al. 2014)"
K = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40)
EXHAUSTIVE = 200_000
SAME = 1e-9
HALVES = 4
SEEDED = tuple(Shape(samples, 30, bins, classes) for samples in (100, 1000) for bins, classes in ((3, 2), (5, 4)))


def main() -> None:
    arguments = parser(__doc__, rounds=1).parse_args()
    known = {info.name for info in list_methods()}
    contestants = {name: setting for name, setting in CONTESTANTS.items() if setting[0] in known}
    cases = [case for table in tables(arguments.quick) for case in measure(*table, contestants)]
    pairs = [compare(cases, *pair) for pair in PAIRS if set(pair) <= set(contestants)]
    quality = {name: standing(cases, name) for name in contestants}
    show(pairs, quality, len(cases))
    claim = "The objective of the global methods' subsets, beside each other's, the bound and the optimum"
    kept = [{key: value for key, value in case.items() if key != "selected"} for case in cases]
    content = {"claim": claim, "paper": PAPER, "pairs": pairs, "quality": quality, "cases": kept}
    write_result("global_quality", content, quick=arguments.quick)


def tables(quick: bool) -> Iterator[tuple[str, Any, Any, str]]:
    """Name, data, target and binning of every table."""
    yield ("wine", *load_wine(return_X_y=True), "mdl")
    if quick:
        return
    yield ("breast cancer", *load_breast_cancer(return_X_y=True), "mdl")
    X, y = load_digits(return_X_y=True)
    yield "digits", X, y, "none"
    for seed in range(HALVES):
        half = np.sort(np.random.default_rng(seed).choice(64, 32, replace=False))
        yield f"digits, half {seed}", X[:, half], y, "none"
    for shape in SEEDED:
        for seed in range(2):
            table = make_codes(shape, seed)
            yield f"{shape.name} seed {seed}", table.codes, table.classes, "none"


def measure(
    name: str, X: Any, y: Any, binning: str, contestants: dict[str, tuple[str, dict[str, Any]]]
) -> Iterator[dict[str, Any]]:
    """The objective of every contestant for every k that leaves a choice."""
    counted = count_columns(read_columns(BaseEstimator(), X, reset=True), read_target(y), binning)
    q = counted.information.conditional_mutual_information_matrix(symmetric=True)
    varying = np.flatnonzero(counted.information.varies)
    for k in (k for k in K if k < len(varying)):
        chosen = {name: select(counted, k, *setting) for name, setting in contestants.items()}
        yield {
            "table": name,
            "features": len(varying),
            "k": k,
            "objective": {name: significant(objective(q, c["selected"]), 12) for name, c in chosen.items()},
            "selected": {name: sorted(c["selected"]) for name, c in chosen.items()},
            "upper_bound": significant(min(c["bound"] for c in chosen.values() if c["bound"] is not None), 12),
            "optimum": optimum(q[np.ix_(varying, varying)], k),
        }


def select(counted: Counted, k: int, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
    """The features one contestant selects, and its bound where it has one."""
    fitted = make_selector(method, k, **parameters).fit_counted(counted)
    return {"selected": fitted.selected_.tolist(), "bound": getattr(fitted, "upper_bound_", None)}


def objective(q: np.ndarray, members: list[int]) -> float:
    return float(q[np.ix_(members, members)].sum())


def optimum(q: np.ndarray, k: int) -> float | None:
    """The best objective of all subsets, where these are not too many."""
    n = len(q)
    if comb(n, k) > EXHAUSTIVE:
        return None
    best = -np.inf
    subsets = np.array(list(combinations(range(n), k)), np.intp)
    for part in np.array_split(subsets, max(1, len(subsets) * k * k // 1_000_000)):
        best = max(best, float(q[part[:, :, None], part[:, None, :]].sum(axis=(1, 2)).max()))
    return significant(best, 12)


def compare(cases: list[dict[str, Any]], one: str, other: str) -> dict[str, Any]:
    """In how many cases the two select otherwise, and which of them is then better, by how much."""
    differ = [case["objective"] for case in cases if case["selected"][one] != case["selected"][other]]
    better = [o[one] / o[other] - 1 for o in differ if o[one] > o[other] + SAME]
    worse = [1 - o[one] / o[other] for o in differ if o[one] < o[other] - SAME]
    return {
        "one": one,
        "other": other,
        "cases": len(cases),
        "differ": len(differ),
        "better": len(better),
        "worse": len(worse),
        "median_gain": significant(median(better)) if better else None,
        "largest_gain": significant(max(better)) if better else None,
        "largest_loss": significant(max(worse)) if worse else None,
    }


def standing(cases: list[dict[str, Any]], name: str) -> dict[str, Any]:
    """A contestant beside the bound in all cases, and beside the optimum where that is known."""
    gaps = [1 - case["objective"][name] / case["upper_bound"] for case in cases]
    known = [1 - case["objective"][name] / case["optimum"] for case in cases if case["optimum"]]
    return {
        "median_gap": significant(max(median(gaps), 0.0)),
        "largest_gap": significant(max(gaps)),
        "known_optima": len(known),
        "optimal": sum(loss * 1e6 < 1 for loss in known),
        "median_loss": significant(max(median(known), 0.0)),
        "largest_loss": significant(max(known)),
    }


def show(pairs: list[dict[str, Any]], quality: dict[str, dict[str, Any]], n_cases: int) -> None:
    """Two tables: in pairs, and beside bound and optimum."""
    columns = ("differ", "better", "worse", "median_gain", "largest_gain", "largest_loss")
    rows = [[f"{p['one']} v. {p['other']}", *(p[key] for key in columns)] for p in pairs]
    print_table(f"{n_cases} test cases: the first beside the second", ["pair", *columns], rows)
    print(f"paper: {PAPER}")
    columns = ("median_gap", "largest_gap", "known_optima", "optimal", "median_loss", "largest_loss")
    rows = [[name, *(q[key] for key in columns)] for name, q in quality.items()]
    print_table("Gap to the upper bound, and loss to the optimum where it is known", ["method", *columns], rows)


if __name__ == "__main__":
    main()
