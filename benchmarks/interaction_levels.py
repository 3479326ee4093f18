"""How often interactions are reported that are not there, and how often those that are.

``python -m benchmarks.interaction_levels [RUNS] [DESIGN ...]`` prints a row a design and number of bins, over so many
seeded tables (300; a tenth of it for the large designs, whose tables take seconds). The statistic is the gain, with 99
shuffles, within strata where a design has them. "tuples" and "columns" are the shares of tables in which any false
tuple or column has an adjusted p of at most 0.05, "false share" is the mean share of false ones in the lists of a false
discovery rate of 0.1, by the shuffles and by contrast columns, and "found" the share of true columns in the lists of an
adjusted p of at most 0.05, and of either rate. RUNS of 0: by contrast columns alone, over 300 tables.
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
FLIPPED = 0.25  # the share of the classes of a parity that are replaced by the other class
HEADINGS = (
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


def of_strata(random: np.random.Generator, n_rows: int, n_columns: int) -> Sample:
    """An exclusive or is of the stratum, one of two, which the class is in three quarters of the rows."""
    sample = parity(2)(random, n_rows, n_columns)
    strata = (sample.values[:, :2] > 0).sum(axis=1) % 2
    return sample._replace(true_columns=[], strata=strata)


def beside_a_strong_one(random: np.random.Generator, n_rows: int, n_columns: int) -> Sample:
    """One column is informative alone, in three quarters of the rows; all others are noise."""
    return parity(1)(random, n_rows, n_columns)


class Design(NamedTuple):
    name: str
    make: Callable[[np.random.Generator, int, int], Sample]
    order: int
    n_rows: int
    n_columns: int
    bins: tuple[int, ...] = (2, 3)
    share: float = 1.0  # of the runs


DESIGNS = (
    Design("noise, pairs of 200", noise, 2, 500, 200),
    Design("correlated noise, pairs of 200", correlated, 2, 500, 200),
    Design("classes 95:5, pairs of 200", skewed, 2, 500, 200),
    Design("rare values, pairs of 200", rare, 2, 500, 200, (2,)),
    Design("beside a strong column, pairs of 200", beside_a_strong_one, 2, 500, 200),
    Design("exclusive or among 200", parity(2), 2, 500, 200, (2, 3, 4, 5)),
    Design("an exclusive or that is the stratum, among 200", of_strata, 2, 500, 200),
    Design("noise, triples of 60", noise, 3, 500, 60),
    Design("parity of three among 60", parity(3), 3, 500, 60, (2, 3, 4)),
    Design("exclusive or among 2,000", parity(2), 2, 500, 2000, (2, 3), 0.1),
    Design("parity of three among 200", parity(3), 3, 1000, 200, (2, 3), 0.1),
    Design("noise, triples of 200", noise, 3, 500, 200, (3,), 0.1),
)


def coded(values: NDArray[np.float64], bins: int) -> NDArray[np.uint8]:
    """Equal-frequency codes."""
    codes = []
    for column in values.T:
        cuts = np.unique(np.quantile(column, np.arange(1, bins) / bins, method="lower"))
        codes.append(np.searchsorted(cuts, column, side="left"))
    return np.stack(codes, axis=1).astype(np.uint8)


def row(design: Design, bins: int, n_runs: int, shuffled: bool) -> str:
    """One row of the table."""
    runs = [run(design, bins, seed, shuffled) for seed in range(n_runs)]
    cells = ["-" if np.isnan(number) else f"{number:.3f}" for number in np.mean(runs, axis=0)]
    return f"| {design.name} | {design.n_rows} | {bins} | {n_runs} | {' | '.join(cells)} |"


def run(design: Design, bins: int, seed: int, shuffled: bool) -> list[float]:
    """What is found in one table."""
    random = np.random.default_rng([seed, design.n_rows, design.n_columns, design.order])
    sample = design.make(random, design.n_rows, design.n_columns)
    true_columns = sample.true_columns
    source = PackedSource(coded(sample.values, bins), sample.classes)
    search = Search(design.order, "gain", 50)
    strongest = search.strongest(source)

    def share_found(columns: NDArray[np.intp]) -> float:
        return float(np.isin(true_columns, columns).mean()) if true_columns else np.nan

    def false_share(columns: NDArray[np.intp]) -> float:
        return np.setdiff1d(columns, true_columns).size / max(1, columns.size)

    shuffle_cells = [np.nan] * 5
    if shuffled:
        strata_by_class = None
        if sample.strata is not None:
            strata_by_class = sample.strata[np.argsort(sample.classes, kind="stable")]
        chance = search.after_shuffles(source, N_SHUFFLES, seed, strata_by_class)
        tuples = strongest.columns[chance.of_tuples(strongest.values) <= LEVEL]
        significant = np.flatnonzero(chance.of_columns(strongest.best) <= LEVEL)
        listed = np.flatnonzero(chance.false_discovery(strongest.best) <= RATE)
        shuffle_cells = [
            float((~np.isin(tuples, true_columns)).all(axis=1).any()),
            float(np.setdiff1d(significant, true_columns).size > 0),
            false_share(listed),
            share_found(significant),
            share_found(listed),
        ]

    contrast_cells = [np.nan] * 2
    if sample.strata is None:
        rates = search.contrast_rates(source, strongest, seed)
        listed = np.flatnonzero(rates <= RATE)
        contrast_cells = [false_share(listed), share_found(listed)]
    return [*shuffle_cells, *contrast_cells]


def main(arguments: list[str]) -> None:
    """Print the table."""
    n_runs = int(arguments[0]) if arguments else 300
    names = arguments[1:]
    print(f"| design | rows | bins | tables | {' | '.join(HEADINGS)} |")
    print("|---" * (4 + len(HEADINGS)) + "|", flush=True)
    for design in DESIGNS:
        if names and design.name not in names:
            continue
        n_tables = max(5, round((n_runs or 300) * design.share))
        for bins in design.bins:
            print(row(design, bins, n_tables, n_runs > 0), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
