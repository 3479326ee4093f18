"""How a quantity is best counted: estimates of I(X;Y) beside the truth, and real columns beside noise.

``python -m benchmarks.quantities [SETS [SAMPLES ...]]`` prints two tables, over so many seeded sets (10) a row. The
first is of eight families of two numbers whose information is known by quadrature, each at ten strengths: the rank
correlation of the estimates with the truth over all 80 pairs, in how many of the comparisons a column of noise scores
higher than a real one (ties count half), and the milliseconds a column. The second has the share of the real columns
among as many as rank first, of 120. They are in ``docs/project/measured_numeric_targets.md``.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from scipy.special import gammaln

import bitsieve
from bitsieve.dataset.quantity import number_of_classes

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

SAMPLES = 100, 400, 1_600, 6_400, 25_600, 100_000
STRENGTHS = np.geomspace(0.12, 2.0, 10)
HEAVY = stats.t(1.5)
MAX_SAMPLES_OF_GRID = 6_400  # with more samples it takes too long
MAX_SAMPLES_OF_NEIGHBOURS = 6_400


@dataclass(frozen=True)
class Family:
    """``Y = a(s, X) + b(s, X) E`` of strength s; ``shown`` is a monotone function of it."""

    x: Callable[[Floats], Floats]  # quantiles of X
    location: Callable[[float, Floats], Floats]
    scale: Callable[[float, Floats], Floats] = lambda s, x: np.ones_like(x)
    noise: stats.rv_continuous = stats.norm
    shown: Callable[[Floats], Floats] = lambda y: y

    def draw(self, strength: float, n_samples: int, random: np.random.Generator) -> tuple[Floats, Floats]:
        """Seeded samples of X and Y."""
        x = self.x(random.uniform(size=n_samples))
        noise = self.noise.ppf(random.uniform(size=n_samples))
        return x, self.shown(self.location(strength, x) + self.scale(strength, x) * noise)

    def information(self, strength: float, n_x: int = 800, n_y: int = 6_000) -> float:
        """I(X;Y) in bits, by quadrature."""
        x, weight = np.unique(self.x((np.arange(n_x) + 0.5) / n_x), return_counts=True)
        u = np.linspace(-13, 13, n_y)
        y = np.sinh(u)
        width = np.cosh(u) * (u[1] - u[0])
        scale = self.scale(strength, x)[:, None]
        density_given_x = self.noise.pdf((y - self.location(strength, x)[:, None]) / scale) / scale
        weight = weight / n_x
        ratio = density_given_x / np.maximum(weight @ density_given_x, 1e-300)
        integrand = np.where(density_given_x > 0, density_given_x * np.log2(np.maximum(ratio, 1e-300)), 0)
        return float(weight @ (integrand @ width))


FAMILIES = {
    "linear": Family(stats.norm.ppf, lambda s, x: s * x),
    "quadratic": Family(stats.norm.ppf, lambda s, x: s * (x**2 - 1) / 2**0.5),
    "sine": Family(lambda u: u, lambda s, x: s * 2**0.5 * np.sin(4 * np.pi * x)),
    "step": Family(stats.norm.ppf, lambda s, x: s * np.sign(x - 0.5)),
    "only the spread": Family(stats.norm.ppf, lambda s, x: 0 * x, lambda s, x: np.exp(s * x)),
    "multiplicative": Family(lambda u: u, lambda s, x: 2 * s * np.log(x + 0.05), shown=np.exp),
    "heavy tails": Family(stats.norm.ppf, lambda s, x: 2 * s * x, noise=HEAVY),
    "discrete x": Family(lambda u: np.floor(4 * u), lambda s, x: s * (x - 1.5)),
}


@cache
def truths() -> dict[str, list[float]]:
    """I(X;Y) of every family at every strength."""
    return {name: [family.information(s) for s in STRENGTHS] for name, family in FAMILIES.items()}


def classes(values: Floats, n_classes: int) -> Integers:
    """Classes of equal frequency; a value has one class."""
    edges = np.sort(values)[(np.arange(1, n_classes) * len(values)) // n_classes - 1]
    return np.searchsorted(np.unique(edges), values, side="left")


def table_of(x: Integers, y: Integers) -> Integers:
    """The number of samples with each pair of codes."""
    shape = x.max() + 1, y.max() + 1
    return np.bincount(x * shape[1] + y, minlength=shape[0] * shape[1]).reshape(shape)


def information(table: Integers, *, corrected: bool = False) -> float:
    """The plug-in information of a table in bits; if ``corrected``, less the bias of Miller and Madow."""
    n_samples = table.sum()
    rows = table.sum(axis=1, keepdims=True)
    columns = table.sum(axis=0, keepdims=True)
    is_positive = table > 0
    ratio = table[is_positive] * n_samples / (rows * columns)[is_positive]
    bits = (table[is_positive] * np.log2(ratio)).sum() / n_samples
    freedom = ((rows > 0).sum() - 1) * ((columns > 0).sum() - 1)
    return float(bits - corrected * freedom / (2 * n_samples * np.log(2)))


def by_classes(n_classes: Callable[[int], int], *, corrected: bool = False) -> Callable[[Floats, Floats], float]:
    """Estimate by m classes of y and m + 1 bins of x, both of equal frequency."""

    def estimate(x: Floats, y: Floats) -> float:
        m = n_classes(len(y))
        return information(table_of(classes(x, m + 1), classes(y, m)), corrected=corrected)

    return estimate


def dyadic(x: Floats, y: Floats) -> float:
    """The information of 2 x 2, 4 x 4 and 8 x 8 tables, each in units of its spread by chance, added up."""
    scales = [2**level for level in (1, 2, 3)]
    tables = [table_of(classes(x, scale), classes(y, scale)) for scale in scales]
    pairs = zip(scales, tables, strict=True)
    return sum(information(table, corrected=True) / (2 * (scale - 1) ** 2) ** 0.5 for scale, table in pairs)


def by_description(n_classes: int) -> Callable[[Floats, Floats], float]:
    """Classes of y, and x cut against them by description length."""

    def estimate(x: Floats, y: Floats) -> float:
        bits = bitsieve.mutual_information(x[:, None], classes(y, n_classes).astype(np.int32), binning="mdl")
        return float(bits[0])

    return estimate


def optimal_grid(x: Floats, y: Floats, n_start: int = 16) -> float:
    """The bits a sample that the best grid saves, from a fine one by merging neighbours (Boulle, Hue)."""
    start = min(n_start, max(2, int(len(x) ** 0.5)))
    table = table_of(classes(x, start), classes(y, start))
    nothing = best = grid_cost(table)
    while table.size > 1:
        merged = [np.add.reduceat(table, np.delete(np.arange(n), j + 1), axis) for axis, n, j in merges(table.shape)]
        costs = [grid_cost(grid) for grid in merged]
        table = merged[int(np.argmin(costs))]
        best = min(best, min(costs))
        nothing = grid_cost(table)  # in the end that of one cell
    return (nothing - best) / (len(x) * np.log(2))


def merges(shape: tuple[int, ...]) -> Iterator[tuple[int, int, int]]:
    """Every pair of neighbouring rows or columns of a grid: the axis, its length, and the index of the first."""
    return ((axis, n, j) for axis, n in enumerate(shape) for j in range(n - 1))


def grid_cost(table: Integers) -> float:
    """-log of the probability of a grid and of the ranks in it (Boulle, Hue 2006)."""
    n, (rows, columns) = table.sum(), table.shape
    in_rows = table.sum(axis=1)
    in_columns = table.sum(axis=0)

    def log_choose(a: NDArray | int, b: NDArray | int) -> Floats:
        return gammaln(a + 1.0) - gammaln(b + 1.0) - gammaln(np.subtract(a, b) + 1.0)

    prior = 2 * np.log(n) + log_choose(n + rows - 1, rows - 1) + log_choose(in_rows + columns - 1, columns - 1).sum()
    likelihood = gammaln(in_rows + 1.0).sum() - gammaln(table + 1.0).sum() + gammaln(in_columns + 1.0).sum()
    return float(prior + likelihood)


def neighbours(x: Floats, y: Floats) -> float:
    """The estimate without bins, of the ranks of y."""
    return float(bitsieve.mutual_information(x[:, None], stats.rankdata(y) + 0.5, estimator="ksg")[0])


CHOICES: dict[str, Callable[[Floats, Floats], float]] = {
    "classes and bins": by_classes(number_of_classes),
    "the same, Miller-Madow": by_classes(number_of_classes, corrected=True),
    "3 classes, 4 bins": by_classes(lambda n: 3),
    "5 classes, 6 bins": by_classes(lambda n: 5),
    "N^(1/3) classes": by_classes(lambda n: max(3, round(n ** (1 / 3)))),
    "dyadic": dyadic,
    "5 classes, mdl": by_description(5),
    "3 classes, mdl": by_description(3),
    "optimal grid": optimal_grid,
    "nearest neighbours": neighbours,
    "correlation": lambda x, y: abs(stats.pearsonr(x, y).statistic),
    "rank correlation": lambda x, y: abs(stats.spearmanr(x, y).statistic),
}


def choices_at(n_samples: int) -> list[str]:
    """The choices that such tables are not too long for."""
    limits = {"optimal grid": MAX_SAMPLES_OF_GRID, "nearest neighbours": MAX_SAMPLES_OF_NEIGHBOURS}
    return [name for name in CHOICES if n_samples <= limits.get(name, n_samples)]


def agreement(n_samples: int, n_sets: int) -> dict[str, tuple[float, float, float]]:
    """Of every choice the rank correlation with the truth, the share of noise ahead, and milliseconds a column."""
    true = np.concatenate([truths()[name] for name in FAMILIES])
    results = {}
    for choice in choices_at(n_samples):
        estimate = CHOICES[choice]
        correlations = []
        ahead = []
        start = time.perf_counter()
        for seed in range(n_sets):
            random = np.random.default_rng([seed, n_samples])
            pairs = [family.draw(s, n_samples, random) for family in FAMILIES.values() for s in STRENGTHS]
            real = np.array([estimate(x, y) for x, y in pairs])
            noise = np.array([estimate(x, random.permutation(y)) for x, y in pairs])
            correlations.append(stats.spearmanr(real, true).statistic)
            differences = noise[None, :] - real[:, None]
            ahead.append((differences > 0).mean() + (differences == 0).mean() / 2)
        cost = 1e3 * (time.perf_counter() - start) / (2 * len(true) * n_sets)
        results[choice] = float(np.mean(correlations)), float(np.mean(ahead)), cost
    return results


def _sum_of(n_real: int, part: Callable[[Floats], Floats]) -> Callable[..., Floats]:
    return lambda x, e: part(x[:, :n_real]).sum(axis=1) + e


#: Designs with this many real columns, whose y is a function of all columns, the real ones first, and of noise.
DESIGNS: dict[str, tuple[int, Callable[[Floats, Floats], Floats]]] = {
    "linear": (10, lambda x, e: x[:, :10] @ np.linspace(1, 0.4, 10) + e),
    "Friedman 1": (
        5,
        lambda x, e: (
            10 * np.sin(np.pi * (u := stats.norm.cdf(x[:, :5]))[:, 0] * u[:, 1])
            + 20 * (u[:, 2] - 0.5) ** 2
            + u[:, 3:] @ [10, 5]
            + e
        ),
    ),
    "squares": (4, _sum_of(4, np.square)),
    "sine": (4, lambda x, e: np.sin(2 * x[:, :4]).sum(axis=1) + e / 2),
    "only the spread": (3, lambda x, e: np.exp(0.7 * x[:, :3].sum(axis=1)) * e),
    "heavy tails": (5, lambda x, e: x[:, :5].sum(axis=1) + HEAVY.ppf(stats.norm.cdf(e))),
    "steps": (5, lambda x, e: (x[:, :5] > 0).sum(axis=1) + 0.7 * e),
    "multiplicative": (4, lambda x, e: np.exp(x[:, :4].sum(axis=1) / 2 + 0.8 * e)),
    "four values": (5, lambda x, e: np.floor(4 * stats.norm.cdf(x[:, :5])).sum(axis=1) + 2 * e),
}


def shares(n_samples: int, n_sets: int, n_columns: int = 120) -> dict[str, dict[str, float]]:
    """Of every choice and design the share of the real columns among as many as rank first."""
    share_by_choice: dict[str, dict[str, float]] = {choice: {} for choice in choices_at(n_samples)}
    for design, (n_real, response) in DESIGNS.items():
        for choice, share_by_design in share_by_choice.items():
            total = 0
            for seed in range(n_sets):
                random = np.random.default_rng([seed, n_samples, len(design)])
                x = random.normal(size=(n_samples, n_columns))
                y = response(x, random.normal(size=n_samples))
                if design == "four values":
                    x = np.floor(4 * stats.norm.cdf(x))
                scores = np.array([CHOICES[choice](column, y) for column in x.T])
                first = np.lexsort((random.permutation(n_columns), -scores))[:n_real]
                total += (first < n_real).sum()
            share_by_design[design] = total / (n_real * n_sets)
    return share_by_choice


def main(arguments: list[str]) -> None:
    """Print both tables."""
    n_sets = int(arguments[0]) if arguments else 10
    samples = [int(n) for n in arguments[1:]] or SAMPLES
    print("| samples | choice | rank correlation | noise ahead | ms a column |\n|---|---|---|---|---|")
    for n_samples in samples:
        for choice, (correlation, ahead, cost) in agreement(n_samples, n_sets).items():
            print(f"| {n_samples:,} | {choice} | {correlation:.3f} | {ahead:.1%} | {cost:.2f} |", flush=True)
    print(f"\n| samples | choice | mean | {' | '.join(DESIGNS)} |\n|---|---|---|{'---|' * len(DESIGNS)}")
    for n_samples in samples:
        for choice, share_by_design in shares(n_samples, n_sets).items():
            cells = " | ".join(f"{share:.2f}" for share in share_by_design.values())
            print(f"| {n_samples:,} | {choice} | {np.mean(list(share_by_design.values())):.3f} | {cells} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
