"""How often ``n_features_to_select="auto"`` takes a column of noise, and how many real ones it finds.

``python -m benchmarks.levels [RUNS] [DESIGN ...]`` prints a line a design and rule: the share of runs that took any
column of noise (at most the level, 0.05, but for chance), the real columns found, and the seconds of a run.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bitsieve import ForwardSelector

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

LEVEL = 0.05
RULES = "significance", "permutation"  # "auto" takes the first


class Design(NamedTuple):
    """Seeded tables of which the first columns are real and the others noise, and how they are selected from."""

    make: Callable[[np.random.Generator], tuple[NDArray, NDArray]]
    n_real: int
    binning: str
    criterion: str


def normal(n_samples: int, n_features: int) -> Callable:
    """Normal noise and a fair coin."""
    return lambda random: (random.normal(size=(n_samples, n_features)), random.integers(0, 2, n_samples))


def codes(n_samples: int, n_features: int, n_codes: int, n_classes: int) -> Callable:
    """Codes and classes, each drawn alike often."""
    return lambda random: (
        random.integers(0, n_codes, (n_samples, n_features)),
        random.integers(0, n_classes, n_samples),
    )


def sparse(n_samples: int, n_features: int) -> Callable:
    """Columns with 5 % of ones, and a class of 10 %."""
    return lambda random: (
        (random.random((n_samples, n_features)) < 0.05).astype(int),
        np.r_[0, 1, random.random(n_samples - 2) < 0.1].astype(int),
    )


def five_real(n_samples: int, n_features: int, *, cut: bool) -> Callable:
    """The class follows the sum of the first five columns, of three codes each or normal."""

    def make(random: np.random.Generator) -> tuple[NDArray, NDArray]:
        if cut:
            table = random.normal(size=(n_samples, n_features))
            return table, (table[:, :5].sum(axis=1) + random.normal(size=n_samples) > 0).astype(int)
        table = random.integers(0, 3, (n_samples, n_features))
        return table, (table[:, :5].sum(axis=1) + random.normal(size=n_samples) > 5).astype(int)

    return make


DESIGNS = {
    "MDL, noise, 200 x 200": Design(normal(200, 200), 0, "mdl", "mim"),
    "MDL, noise, 200 x 1,000": Design(normal(200, 1000), 0, "mdl", "mim"),
    "MDL, noise, 72 x 2,000": Design(normal(72, 2000), 0, "mdl", "mim"),
    "ten codes, five classes, noise, 100 x 20": Design(codes(100, 20, 10, 5), 0, "none", "mim"),
    "sparse binary, noise, 200 x 500": Design(sparse(200, 500), 0, "none", "mim"),
    "three codes, 5 real + 95 noise, 1,000 rows, cmi": Design(five_real(1000, 100, cut=False), 5, "none", "cmi"),
    "MDL, 5 real + 95 noise, 1,000 rows, cmi": Design(five_real(1000, 100, cut=True), 5, "mdl", "cmi"),
    "MDL, 5 real + 45 noise, 300 rows, jmi": Design(five_real(300, 50, cut=True), 5, "mdl", "jmi"),
}


class Outcome(NamedTuple):
    """Runs that took noise, real columns found over all runs, and seconds of a run."""

    wrong: int
    found: int
    seconds: float


def measure(design: Design, rule: str, n_runs: int) -> Outcome:
    """Select from seeded tables of a design."""
    wrong = found = 0
    start = time.perf_counter()
    for seed in range(n_runs):
        X, y = design.make(np.random.default_rng(seed))
        selector = ForwardSelector("auto", criterion=design.criterion, stopping=rule, binning=design.binning)
        chosen = selector.fit(X, y).selected_
        wrong += bool((chosen >= design.n_real).any())
        found += int((chosen < design.n_real).sum())
    return Outcome(wrong, found, (time.perf_counter() - start) / n_runs)


def main(arguments: list[str]) -> None:
    """Print the table."""
    n_runs = int(arguments[0]) if arguments else 200
    print("| design | rule | runs | took noise | real columns found | seconds a run |\n|---|---|---|---|---|---|")
    for name in arguments[1:] or DESIGNS:
        design = DESIGNS[name]
        for rule in RULES:
            outcome = measure(design, rule, n_runs)
            real = f"{outcome.found / n_runs:.2f} of {design.n_real}" if design.n_real else "-"
            share = f"{100 * outcome.wrong / n_runs:.1f} %"
            print(f"| {name} | {rule} | {n_runs} | {share} | {real} | {outcome.seconds:.2f} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
