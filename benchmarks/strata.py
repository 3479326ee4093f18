"""Selections within strata: the level of stopping rules, the true columns found, and the cost.

``python -m benchmarks.strata [RUNS] [levels] [found] [cost]`` prints three tables, or those that are named, from RUNS
(default: 100) seeded tables of a design:

* how often ``n_features_to_select="auto"`` takes any column, where columns follow the batch, and the class follows the
  batch and nothing else: at most 0.05, and for "fdr" 0.1;
* the share of the five true columns among the first five of 45, 20 of which follow the batch;
* the processor time of a selection with one stratum and with ten, over that without.
"""

from __future__ import annotations

import sys
import time
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bitsieve import ForwardSelector

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

RULES = ("significance", "permutation", "fdr")
CRITERIA = ("mim", "mrmr", "jmi", "cmim", "cmim2")
N_TRUE = 5
TABLES = ("levels", "found", "cost")


class Sample(NamedTuple):
    """A table whose first columns are the true ones."""

    X: NDArray
    y: NDArray
    strata: NDArray


def following_the_batch(
    random: np.random.Generator,
    *,
    n_rows: int = 400,
    n_batches: int = 8,
    n_codes: int = 4,
    n_noise: int = 20,
    is_numeric: bool = False,
) -> Sample:
    """No true column: 20 columns follow the batch, and so does the class."""
    batch = random.integers(0, n_batches, n_rows)
    y = (random.random(n_rows) < 0.1 + 0.8 * batch / (n_batches - 1)).astype(int)
    if is_numeric:
        of_batch = batch[:, None] + random.normal(size=(n_rows, 20))
        return Sample(np.column_stack([of_batch, random.normal(size=(n_rows, n_noise))]), y, batch)
    follows = random.random((n_rows, 20)) < 0.9
    of_batch = np.where(follows, batch[:, None] % n_codes, random.integers(0, n_codes, (n_rows, 20)))
    return Sample(np.column_stack([of_batch, random.integers(0, n_codes, (n_rows, n_noise))]), y, batch)


def with_true_columns(random: np.random.Generator, *, true_follow_batch: bool) -> Sample:
    """Five true columns, 20 that follow the batch, 20 of noise; the true ones may follow the batch, too."""
    n_rows = 400
    batch = random.integers(0, 8, n_rows)
    effects = random.integers(0, 4, (n_rows, N_TRUE))
    of_rows = effects.sum(axis=1) + 2 * random.normal(size=n_rows)
    y = (of_rows + 1.5 * (batch - 3.5) > 7.5).astype(int)
    true_columns = (effects + batch[:, None]) % 8 if true_follow_batch else effects
    follows = random.random((n_rows, 20)) < 0.9
    of_batch = np.where(follows, batch[:, None], random.integers(0, 8, (n_rows, 20)))
    return Sample(np.column_stack([true_columns, of_batch, random.integers(0, 4, (n_rows, 20))]), y, batch)


class Design(NamedTuple):
    """Seeded tables without a true column, and how their numbers are cut."""

    make: Callable[[np.random.Generator], Sample]
    binning: str


DESIGNS = {
    "8 batches, 40 columns of 4 codes, 400 rows": Design(following_the_batch, "none"),
    "8 batches, 40 numeric columns, MDL, 400 rows": Design(partial(following_the_batch, is_numeric=True), "mdl"),
    "40 batches, 40 columns of 4 codes, 400 rows": Design(partial(following_the_batch, n_batches=40), "none"),
}


def takes_any(design: Design, rule: str, seed: int) -> bool:
    """Whether a rule takes a column of one table, each of which is false."""
    sample = design.make(np.random.default_rng(seed))
    selector = ForwardSelector("auto", criterion="jmi", stopping=rule, binning=design.binning, target_kind="classes")
    return len(selector.fit(sample.X, sample.y, strata=sample.strata).selected_) > 0


def share_found(criterion: str, seed: int, *, true_follow_batch: bool, within: bool) -> float:
    """The share of the true columns among the first."""
    sample = with_true_columns(np.random.default_rng(seed), true_follow_batch=true_follow_batch)
    selector = ForwardSelector(N_TRUE, criterion=criterion, binning="none", target_kind="classes")
    selector.fit(sample.X, sample.y, strata=sample.strata if within else None)
    return float((selector.selected_ < N_TRUE).mean())


def print_levels(n_runs: int) -> None:
    """How often a column is taken where all are false."""
    print(f"| design | tables | {' | '.join(RULES)} |\n|---|---|---|---|---|")
    for name, design in DESIGNS.items():
        shares = [np.mean([takes_any(design, rule, seed) for seed in range(n_runs)]) for rule in RULES]
        print(f"| {name} | {n_runs} | {' | '.join(f'{100 * share:.1f} %' for share in shares)} |", flush=True)


def print_found(n_runs: int) -> None:
    """The true columns among the first five."""
    print(f"| true columns | strata | {' | '.join(CRITERIA)} |\n|---|---|{'---|' * len(CRITERIA)}")
    for true_follow_batch in (True, False):
        what = "follow the batch, too" if true_follow_batch else "are free of the batch"
        for within in (False, True):
            find = partial(share_found, true_follow_batch=true_follow_batch, within=within)
            shares = [np.mean([find(criterion, seed) for seed in range(n_runs)]) for criterion in CRITERIA]
            cells = " | ".join(f"{share:.2f}" for share in shares)
            print(f"| {what} | {'within' if within else 'none'} | {cells} |", flush=True)


def seconds(X: NDArray, y: NDArray, strata: NDArray | None, criterion: str) -> float:
    """The processor time of a selection of 50 columns."""
    selector = ForwardSelector(50, criterion=criterion, binning="none", target_kind="classes", n_jobs=1)
    start = time.process_time()
    selector.fit(X, y, strata=strata)
    return time.process_time() - start


def print_cost(n_runs: int) -> None:
    """Medians of interleaved runs, as multiples of the time without strata."""
    random = np.random.default_rng(0)
    n_rows = 20_000
    X = random.integers(0, 4, (n_rows, 400)).astype(np.uint8)
    y = (X[:, :6].sum(axis=1) + random.integers(0, 8, n_rows) > 12).astype(int)
    strata = (None, np.zeros(n_rows, int), random.integers(0, 10, n_rows))
    print("| criterion | one stratum | ten batches |\n|---|---|---|")
    for criterion in CRITERIA:
        runs = [[seconds(X, y, strata_of_rows, criterion) for strata_of_rows in strata] for _ in range(n_runs)]
        none, one, ten = (median(times) for times in zip(*runs, strict=True))
        print(f"| {criterion} | {one / none:.2f} | {ten / none:.2f} |", flush=True)


def main(arguments: list[str]) -> None:
    """Print the tables."""
    n_runs = next((int(argument) for argument in arguments if argument.isdecimal()), 100)
    names = [argument for argument in arguments if argument in TABLES] or TABLES
    if "levels" in names:
        print_levels(n_runs)
    if "found" in names:
        print_found(n_runs)
    if "cost" in names:
        print_cost(max(3, n_runs // 10))


if __name__ == "__main__":
    main(sys.argv[1:])
