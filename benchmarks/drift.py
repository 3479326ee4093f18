"""The level of the tests of drift, and what a look for drift costs.

``python -m benchmarks.drift [RUNS] [levels] [cost]`` prints two tables, or the one that is named:

* the share of columns with p of at most 0.05 where nothing drifts, in RUNS (default: 500) seeded tables, p of each
  column alone; and the share of tables with any column that drifts by the rule of :func:`bitsieve.drift`; then the
  shares of small p in tables whose rows belong to groups, with ``groups=`` and without;
* the processor time of a look at 20 columns of 10^6 rows, with and without a target.
"""

from __future__ import annotations

import sys
import time
from statistics import median
from typing import NamedTuple

import numpy as np
import pandas as pd

import bitsieve
from bitsieve.counts.packed import PackedSource
from bitsieve.information.drift import Combinations, drift_of_columns, drift_of_table
from bitsieve.information.drift_of_groups import drift_of_groups

LEVEL = 0.05
N_COLUMNS = 20
TABLES = ("levels", "cost")


class Design(NamedTuple):
    """Tables without drift."""

    n_rows: int
    n_periods: int
    n_codes: int


DESIGNS = {
    "2 periods, 10 codes, 200 rows": Design(200, 2, 10),
    "2 periods, 10 codes, 2,000 rows": Design(2_000, 2, 10),
    "12 periods, 10 codes, 2,000 rows": Design(2_000, 12, 10),
    "12 periods, 3 codes, 600 rows": Design(600, 12, 3),
}


class Sample(NamedTuple):
    """Columns that follow the target and not the period, whose mix of classes changes from period to period."""

    X: np.ndarray
    y: np.ndarray
    period: np.ndarray


def without_drift(random: np.random.Generator, design: Design) -> Sample:
    """One table of a design: the columns have the same distribution within the classes in every period."""
    period = random.integers(0, design.n_periods, design.n_rows)
    y = (random.random(design.n_rows) < 0.3 + 0.4 * period / design.n_periods).astype(int)
    X = random.integers(0, design.n_codes, (design.n_rows, N_COLUMNS))
    follows = random.random(X.shape) < 0.2
    return Sample(np.where(follows, y[:, None], X), y, period)


class GroupedDesign(NamedTuple):
    """Tables without drift whose rows, 1 to 7 of each group, are alike within the groups."""

    n_groups: int
    n_periods: int
    n_codes: int
    is_group_in_one_period: bool  # and of one class; else every row has its own period and class


GROUPED_DESIGNS = {
    "80 groups of one of 3 periods each, 5 codes": GroupedDesign(80, 3, 5, True),
    "20 groups of one of 2 periods each, 3 codes": GroupedDesign(20, 2, 3, True),
    "80 groups in all of 3 periods, 5 codes": GroupedDesign(80, 3, 5, False),
}


def shares_of_small_p(design: Design, seed: int) -> tuple[float, bool]:
    """The share of columns with a small p within the classes, and whether any column drifts by the rule."""
    sample = without_drift(np.random.default_rng(seed), design)
    combined = sample.period * 2 + sample.y
    period, label = np.divmod(np.arange(2 * design.n_periods), 2)
    combinations = Combinations(period=period, label=label, stratum=np.zeros(len(period), np.int64))
    source = PackedSource(sample.X.astype(np.uint8), combined, n_classes=len(period))
    relations = drift_of_columns(source, combinations, np.arange(N_COLUMNS)).relations
    assert relations is not None  # there are two classes
    table = pd.DataFrame(sample.X).add_prefix("x").assign(period=sample.period, y=sample.y)
    drifting = bitsieve.drift(table, "period", "y", binning="none").drifting
    return float((relations.shift_within_classes.log_p <= np.log(LEVEL)).mean()), len(drifting) > 0


def shares_of_small_p_in_groups(design: GroupedDesign, seed: int) -> tuple[float, float]:
    """The share of columns with a small p of their shift, with whole groups and as if the rows were independent."""
    random = np.random.default_rng(seed)
    groups = np.repeat(np.arange(design.n_groups), random.integers(1, 8, design.n_groups))
    n_rows = len(groups)
    period = random.integers(0, design.n_periods, n_rows)
    y = random.integers(0, 2, n_rows)
    if design.is_group_in_one_period:
        period = period[groups]
        y = y[groups]
    X = random.integers(0, design.n_codes, (n_rows, N_COLUMNS))
    is_of_group = random.random(X.shape) < 0.9
    X = np.where(is_of_group, X[groups], X)
    combined = period * 2 + y
    order = np.argsort(combined, kind="stable")
    period_of, label_of = np.divmod(np.arange(2 * design.n_periods), 2)
    combinations = Combinations(period=period_of, label=label_of, stratum=np.zeros_like(label_of))
    source = PackedSource(X[order].astype(np.uint8), combined[order], n_classes=2 * design.n_periods)
    by_rows = drift_of_table(source, combinations, np.arange(N_COLUMNS))
    by_groups = drift_of_groups(source, combinations, np.arange(N_COLUMNS), groups[order], by_rows)
    shares = [float((drift.columns.shift.log_p <= np.log(LEVEL)).mean()) for drift in (by_groups, by_rows)]
    return shares[0], shares[1]


def print_levels_of_groups(n_runs: int) -> None:
    """How often a column without drift has a small p where rows belong together."""
    print("\n| design | tables | p of at most 0.05 with `groups=` | without |\n|---|---|---|---|")
    for name, design in GROUPED_DESIGNS.items():
        runs = [shares_of_small_p_in_groups(design, seed) for seed in range(n_runs)]
        with_groups, without = np.mean(runs, axis=0)
        print(f"| {name} | {n_runs} | {100 * with_groups:.1f} % | {100 * without:.1f} % |", flush=True)


def print_levels(n_runs: int) -> None:
    """How often a column without drift has a small p, and how often one is said to drift."""
    print("| design | tables | columns with p of at most 0.05 | tables with a drifting column |\n|---|---|---|---|")
    for name, design in DESIGNS.items():
        shares, has_drifting = zip(*[shares_of_small_p(design, seed) for seed in range(n_runs)], strict=True)
        cells = f"{100 * np.mean(shares):.1f} % | {100 * np.mean(has_drifting):.1f} %"
        print(f"| {name} | {n_runs} | {cells} |", flush=True)


def seconds_of_drift(table: pd.DataFrame, target: str | None) -> float:
    """The processor time of a look for drift, on one thread."""
    start = time.process_time()
    bitsieve.drift(table, "period", target, binning="none", n_jobs=1)
    return time.process_time() - start


def print_cost(n_runs: int, n_rows: int = 1_000_000) -> None:
    """Medians of interleaved runs."""
    sample = without_drift(np.random.default_rng(0), Design(n_rows, 12, 10))
    table = pd.DataFrame(sample.X.astype(np.int8)).add_prefix("x").assign(period=sample.period, y=sample.y)
    print(f"| {n_rows:,} rows, {N_COLUMNS} columns, 12 periods | processor seconds |\n|---|---|")
    runs = [[seconds_of_drift(table, target) for target in (None, "y")] for _ in range(n_runs)]
    for name, times in zip(("without a target", "with two classes"), zip(*runs, strict=True), strict=True):
        print(f"| {name} | {median(times):.2f} |", flush=True)


def main(arguments: list[str]) -> None:
    """Print the tables."""
    n_runs = next((int(argument) for argument in arguments if argument.isdecimal()), 500)
    names = [argument for argument in arguments if argument in TABLES] or TABLES
    if "levels" in names:
        print_levels(n_runs)
        print_levels_of_groups(n_runs)
    if "cost" in names:
        print_cost(max(3, n_runs // 100))


if __name__ == "__main__":
    main(sys.argv[1:])
