"""How often interactions are reported that are not there, and how often those that are.

``python -m benchmarks.interaction_levels [TABLES] [DESIGN ...]`` prints a row for each design and number of bins: means
over so many seeded tables, 300 by default. Large designs have a tenth of them, as a table takes seconds. If TABLES is
0, there are 300, and they are not shuffled. The statistic is the gain, with 99 shuffles, within strata if the design
has them. Columns are listed

- whose adjusted p is at most 0.05,
- by a false discovery rate of 0.1, from the shuffles,
- by the same rate, from contrast columns.

"tuples" and "columns" are the shares of tables in which any false tuple or column has an adjusted p of at most 0.05,
"false share" is the share of false columns in a list, and "found" the share of the true columns that are in it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bitsieve.counts.packed import PackedSource
from bitsieve.methods.by_counts.interactions import Search

LEVEL = 0.05
RATE = 0.1
N_SHUFFLES = 99
N_TABLES = 300
FLIPPED = 0.25  # the share of the classes of a parity that are replaced by the other class


class Shares(NamedTuple):
    """What is reported in one table: shares, or 0 and 1. NaN if the table has no true columns, or nothing was drawn."""

    has_false_tuple: float
    has_false_column: float
    false_by_rate: float
    found_by_p: float
    found_by_rate: float
    false_by_contrasts: float
    found_by_contrasts: float


HEADINGS = (  # of the fields of Shares
    "tuples",
    "columns",
    "false share",
    "found, p",
    "found, rate",
    "false share, contrasts",
    "found, contrasts",
)


class Sample(NamedTuple):
    """A table drawn at random."""

    values: NDArray[np.float64]
    classes: NDArray[np.int64]
    true_columns: list[int]  # those that the class depends on
    strata: NDArray[np.int64] | None = None


def noise(random: np.random.Generator, n_rows: int, n_columns: int) -> Sample:
    return Sample(random.normal(size=(n_rows, n_columns)), random.permutation(n_rows) % 2, [])


def correlated(random: np.random.Generator, n_rows: int, n_columns: int) -> Sample:
    """Groups of ten columns that share 60 % of their variance."""
    sample = noise(random, n_rows, n_columns)
    shared = np.repeat(random.normal(size=(n_rows, -(-n_columns // 10))), 10, axis=1)[:, :n_columns]
    return sample._replace(values=np.sqrt(0.4) * sample.values + np.sqrt(0.6) * shared)


def skewed(random: np.random.Generator, n_rows: int, n_columns: int) -> Sample:
    """Classes of 95 % and 5 %."""
    sample = noise(random, n_rows, n_columns)
    return sample._replace(classes=(random.permutation(n_rows) < n_rows // 20).astype(np.int64))


def rare(random: np.random.Generator, n_rows: int, n_columns: int) -> Sample:
    """Values of which one occurs in 2 to 40 % of the rows."""
    sample = noise(random, n_rows, n_columns)
    is_rare_value = random.random(sample.values.shape) < random.uniform(0.02, 0.4, n_columns)
    return sample._replace(values=is_rare_value.astype(float))


def parity(order: int) -> Callable[[np.random.Generator, int, int], Sample]:
    """The class is whether an even number of ``order`` columns is above 0, flipped in a quarter of the rows."""

    def make(random: np.random.Generator, n_rows: int, n_columns: int) -> Sample:
        sample = noise(random, n_rows, n_columns)
        parities = (sample.values[:, :order] > 0).sum(axis=1) % 2
        classes = parities ^ (random.random(n_rows) < FLIPPED)
        return sample._replace(classes=classes.astype(np.int64), true_columns=list(range(order)))

    return make


def confounded(random: np.random.Generator, n_rows: int, n_columns: int) -> Sample:
    """The stratum is the exclusive or of two columns, and the class is the stratum in three quarters of the rows."""
    sample = parity(2)(random, n_rows, n_columns)
    strata = (sample.values[:, :2] > 0).sum(axis=1) % 2
    return sample._replace(true_columns=[], strata=strata)


def one_strong_column(random: np.random.Generator, n_rows: int, n_columns: int) -> Sample:
    """One column is informative alone, in three quarters of the rows; all others are noise."""
    return parity(1)(random, n_rows, n_columns)


class Design(NamedTuple):
    name: str
    make: Callable[[np.random.Generator, int, int], Sample]
    order: int  # of the tuples that are searched
    n_rows: int
    n_columns: int
    bins: tuple[int, ...] = (2, 3)
    share: float = 1.0  # of the tables


DESIGNS = (
    Design("noise, pairs of 200", noise, 2, 500, 200),
    Design("correlated noise, pairs of 200", correlated, 2, 500, 200),
    Design("classes 95:5, pairs of 200", skewed, 2, 500, 200),
    Design("rare values, pairs of 200", rare, 2, 500, 200, (2,)),
    Design("beside a strong column, pairs of 200", one_strong_column, 2, 500, 200),
    Design("exclusive or among 200", parity(2), 2, 500, 200, (2, 3, 4, 5)),
    Design("an exclusive or that is the stratum, among 200", confounded, 2, 500, 200),
    Design("noise, triples of 60", noise, 3, 500, 60),
    Design("parity of three among 60", parity(3), 3, 500, 60, (2, 3, 4)),
    Design("exclusive or among 2,000", parity(2), 2, 500, 2000, (2, 3), 0.1),
    Design("parity of three among 200", parity(3), 3, 1000, 200, (2, 3), 0.1),
    Design("noise, triples of 200", noise, 3, 500, 200, (3,), 0.1),
)


def equal_frequency_codes(values: NDArray[np.float64], bins: int) -> NDArray[np.uint8]:
    codes = []
    for column in values.T:
        cuts = np.unique(np.quantile(column, np.arange(1, bins) / bins, method="lower"))
        codes.append(np.searchsorted(cuts, column, side="left"))
    return np.stack(codes, axis=1).astype(np.uint8)


def printed_row(design: Design, bins: int, n_tables: int, shuffled: bool) -> str:
    shares = [shares_in_table(design, bins, seed, shuffled) for seed in range(n_tables)]
    cells = ["-" if np.isnan(mean) else f"{mean:.3f}" for mean in np.mean(shares, axis=0)]
    return f"| {design.name} | {design.n_rows} | {bins} | {n_tables} | {' | '.join(cells)} |"


def shares_in_table(design: Design, bins: int, seed: int, shuffled: bool) -> Shares:
    """Draw one table, search it, and compare what is listed with the true columns."""
    random = np.random.default_rng([seed, design.n_rows, design.n_columns, design.order])
    sample = design.make(random, design.n_rows, design.n_columns)
    source = PackedSource(equal_frequency_codes(sample.values, bins), sample.classes)
    search = Search(design.order, "gain", 50)
    strongest = search.strongest(source)
    shares = Shares(*[np.nan] * len(Shares._fields))
    if shuffled:
        strata_by_class = None
        if sample.strata is not None:
            strata_by_class = sample.strata[np.argsort(sample.classes, kind="stable")]
        chance = search.after_shuffles(source, N_SHUFFLES, seed, strata_by_class)
        tuples = strongest.columns[chance.of_tuples(strongest.values) <= LEVEL]
        by_p = np.flatnonzero(chance.of_columns(strongest.best) <= LEVEL)
        by_rate = np.flatnonzero(chance.false_discovery(strongest.best) <= RATE)
        is_false_tuple = (~np.isin(tuples, sample.true_columns)).all(axis=1)
        shares = shares._replace(
            has_false_tuple=float(is_false_tuple.any()),
            has_false_column=float(share_false(by_p, sample) > 0),
            false_by_rate=share_false(by_rate, sample),
            found_by_p=share_found(by_p, sample),
            found_by_rate=share_found(by_rate, sample),
        )
    if sample.strata is None:
        by_contrasts = np.flatnonzero(search.contrast_rates(source, strongest, seed) <= RATE)
        shares = shares._replace(
            false_by_contrasts=share_false(by_contrasts, sample),
            found_by_contrasts=share_found(by_contrasts, sample),
        )
    return shares


def share_found(columns: NDArray[np.intp], sample: Sample) -> float:
    """The share of the true columns that are listed."""
    if not sample.true_columns:
        return np.nan
    return float(np.isin(sample.true_columns, columns).mean())


def share_false(columns: NDArray[np.intp], sample: Sample) -> float:
    """The share of false columns among those listed; 0 if none is listed."""
    return np.setdiff1d(columns, sample.true_columns).size / max(1, columns.size)


def main(arguments: list[str]) -> None:
    """Print the table."""
    n_tables = int(arguments[0]) if arguments else N_TABLES
    shuffled = n_tables > 0
    names = arguments[1:]
    print(f"| design | rows | bins | tables | {' | '.join(HEADINGS)} |")
    print("|---" * (4 + len(HEADINGS)) + "|", flush=True)
    for design in DESIGNS:
        if names and design.name not in names:
            continue
        n_of_design = max(5, round((n_tables or N_TABLES) * design.share))
        for bins in design.bins:
            print(printed_row(design, bins, n_of_design, shuffled), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
