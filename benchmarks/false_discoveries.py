"""How many false columns lists hold that promise at most a tenth, and how many real ones they find.

``python -m benchmarks.false_discoveries [RUNS] [DESIGN ...]`` draws seeded tables, of which the first columns are real,
and prints a line for every design and method: the mean share of false columns in a list (the false discovery rate, at
most 0.1 but for chance), its standard error, the real columns found, and the seconds of a run. Methods of others run
where they are installed: MDFS (``mdfs``) and model-X knockoffs (``knockpy``).
"""

from __future__ import annotations

import sys
import time
import warnings
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchmarks import results
from benchmarks.levels import mixed
from bitsieve import FalseDiscoveryStopping, ForwardSelector

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Columns = NDArray[np.intp]
    Data = tuple[NDArray[np.float64], NDArray[np.int64]]

RATE = 0.1


class Design(NamedTuple):
    """Seeded tables of which the first columns are real."""

    make: Callable[[np.random.Generator], Data]
    n_real: int


def independent(n_samples: int, n_features: int, n_real: int) -> Callable[[np.random.Generator], Data]:
    """Independent normal columns; the class follows the sum of the real ones, with noise."""

    def make(random: np.random.Generator) -> Data:
        X = random.normal(size=(n_samples, n_features))
        return X, (X[:, :n_real].sum(axis=1) + random.normal(size=n_samples) > 0).astype(np.int64)

    return make


def copied(n_samples: int, n_features: int, n_real: int) -> Callable[[np.random.Generator], Data]:
    """The same, but as many columns as are real are copies of these with noise: the class depends on them alone."""
    original = independent(n_samples, n_features, n_real)

    def make(random: np.random.Generator) -> Data:
        X, y = original(random)
        X[:, n_real : 2 * n_real] = 0.8 * X[:, :n_real] + 0.6 * X[:, n_real : 2 * n_real]
        return X, y

    return make


def chained(n_samples: int, n_features: int) -> Callable[[np.random.Generator], Data]:
    """Five chains of four columns of three codes, each a noisy copy of the one before; the first of each are real."""

    def make(random: np.random.Generator) -> Data:
        X = random.integers(0, 3, (n_samples, n_features))
        for column in range(5, 20):
            X[:, column] = np.where(random.random(n_samples) < 0.8, X[:, column - 5], X[:, column])
        return X, (X[:, :5].sum(axis=1) + random.normal(size=n_samples) > 5).astype(np.int64)

    return make


def mixed_codes(n_samples: int, n_noise: int, n_real: int, agree: float) -> Callable[[np.random.Generator], Data]:
    """Binary columns that agree with the class in such a share of the samples, among noise of 2 to 50 codes."""
    return lambda random: mixed(random, n_samples, n_noise, (agree,) * n_real)


DESIGNS = {
    "10 real + 90 noise, 500 rows": Design(independent(500, 100, 10), 10),
    "5 real + 195 noise, 200 rows": Design(independent(200, 200, 5), 5),
    "5 real + 5 noisy copies + 90 noise, 500 rows": Design(copied(500, 100, 5), 5),
    "5 real, each at the head of a chain of 4, + 80 noise, 500 rows": Design(chained(500, 100), 5),
    "1 real + 50 noise of 2 to 50 codes, 200 rows": Design(mixed_codes(200, 50, 1, 0.7), 1),
    "8 real + 492 noise of 2 to 50 codes, 500 rows": Design(mixed_codes(500, 492, 8, 0.62), 8),
}


def ours(adjust: str, criterion: str, **binning: object) -> Callable[[Data, int], Columns]:
    """``stopping="fdr"``."""
    from bitsieve.discretization.transformers import EqualFrequencyBinner, MDLBinner

    binner = EqualFrequencyBinner(**binning) if binning else MDLBinner()
    rule = FalseDiscoveryStopping(level=RATE, adjust=adjust)

    def run(data: Data, seed: int) -> Columns:
        binning = "none" if data[0].dtype.kind == "i" else binner
        return ForwardSelector("auto", criterion=criterion, stopping=rule, binning=binning).fit(*data).selected_

    return run


def chi_squared() -> Callable[[Data, int], Columns]:
    """Pearson's test of every column, cut at its quartiles, with Benjamini and Hochberg's adjustment."""
    from scipy.stats import chi2_contingency, false_discovery_control

    def run(data: Data, seed: int) -> Columns:
        codes = coded(data[0])
        classes = data[1]
        tables = [np.unique(np.column_stack([column, classes]), axis=0, return_counts=True) for column in codes.T]
        p = []
        for pairs, counts in tables:
            rows, columns = (np.unique(values, return_inverse=True)[1] for values in pairs.T)
            table = np.zeros((rows.max() + 1, columns.max() + 1))
            table[rows, columns] = counts
            p.append(chi2_contingency(table, correction=False).pvalue if min(table.shape) > 1 else 1.0)
        return np.flatnonzero(false_discovery_control(p) <= RATE)

    return run


def coded(X: NDArray[np.float64]) -> NDArray[np.int64]:
    """Whole numbers as they are, others by their quartiles."""
    if X.dtype.kind == "i":
        return X
    return np.column_stack([np.searchsorted(np.quantile(column, [0.25, 0.5, 0.75]), column) for column in X.T])


def mdfs(dimensions: int, adjust: str) -> Callable[[Data, int], Columns]:
    """MDFS with 30 contrast columns."""
    from mdfs import run as run_mdfs

    def run(data: Data, seed: int) -> Columns:
        X = np.asfortranarray(data[0])
        y = data[1].astype(np.int32)
        result = run_mdfs(X, y, n_contrast=30, dimensions=dimensions, seed=seed + 1, p_adjust_method=adjust, level=RATE)
        return np.asarray(result["relevant_variables"], np.intp)

    return run


def knockoffs() -> Callable[[Data, int], Columns]:
    """Gaussian model-X knockoffs with the coefficients of a logistic lasso."""
    from knockpy import KnockoffFilter

    def run(data: Data, seed: int) -> Columns:
        np.random.seed(seed)
        chosen = KnockoffFilter(ksampler="gaussian", fstat="lasso").forward(*map(np.copy, data), fdr=RATE)
        return np.flatnonzero(chosen)

    return run


METHODS: dict[str, Callable[[], Callable[[Data, int], Columns]]] = {
    "fdr, 4 quantile bins, jmi": lambda: ours("benjamini-hochberg", "jmi", n_bins=4),
    "fdr (Yekutieli), 4 quantile bins, jmi": lambda: ours("benjamini-yekutieli", "jmi", n_bins=4),
    "fdr, mdl, jmi": lambda: ours("benjamini-hochberg", "jmi"),
    "chi-squared, Benjamini-Hochberg": chi_squared,
    "MDFS 1-D, Benjamini-Hochberg": lambda: mdfs(1, "fdr_bh"),
    "MDFS 2-D, Benjamini-Hochberg": lambda: mdfs(2, "fdr_bh"),
    "knockpy, gaussian, lasso": knockoffs,
}
NEEDS = {"MDFS": "mdfs", "knockpy": "knockpy"}


class Outcome(NamedTuple):
    """Shares of false columns, real columns found, of every run, and the seconds of one."""

    shares: NDArray[np.float64]
    n_real_found: NDArray[np.int64]
    seconds: float


def measure(design: Design, method: Callable[[Data, int], Columns], seeds: range) -> Outcome:
    """Select from seeded tables of a design."""
    shares = np.zeros(len(seeds))
    n_real = np.zeros(len(seeds), np.int64)
    start = time.perf_counter()
    for i, seed in enumerate(seeds):
        chosen = method(design.make(np.random.default_rng(seed)), seed)
        n_real[i] = (chosen < design.n_real).sum()
        shares[i] = 1 - n_real[i] / len(chosen) if len(chosen) else 0.0
    return Outcome(shares, n_real, (time.perf_counter() - start) / len(seeds))


def main(arguments: list[str]) -> None:
    """Print the table."""
    seeds = range(int(arguments[0]) if arguments else 1000)
    claim = f"Lists of a false discovery rate of {RATE} hold at most that share of false columns."
    header = ("design", "method", "sets", "false discovery rate", "real columns found", "seconds a set")
    table = results.StudyTable("false_discoveries", claim, header)
    for name in arguments[1:] or DESIGNS:
        for label, make in METHODS.items():
            package = next((needed for start, needed in NEEDS.items() if label.startswith(start)), None)
            if package is not None and find_spec(package) is None:
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                outcome = measure(DESIGNS[name], make(), seeds)
            share = outcome.shares.mean()
            error = outcome.shares.std() / np.sqrt(len(seeds))
            real_found = f"{outcome.n_real_found.mean():.2f} of {DESIGNS[name].n_real}"
            table.add(name, label, str(len(seeds)), f"{share:.3f} ± {error:.3f}", real_found, f"{outcome.seconds:.2f}")
        results.write(table.document(), keep=not arguments[1:])


if __name__ == "__main__":
    main(sys.argv[1:])
