"""How often ``n_features_to_select="auto"`` takes a column of noise, and how many real ones it finds.

``python -m benchmarks.levels [RUNS] [DESIGN ...]`` prints a line a design and rule: the share of runs that took any
column of noise (at most the level, but for chance: 0.05, and for "fdr" 0.1 where all is noise), the mean share of noise
in a list, the real columns found, and the seconds of a run. The table of all designs is kept in the results.
"""

from __future__ import annotations

import sys
import time
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from benchmarks import results
from bitsieve import ForwardSelector, MDLBinner

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Data = tuple[NDArray, NDArray]

ESTIMATOR = "plug-in"  # its order puts noise of many values first; rules test plug-in information whatever the order
RULES = ("significance", "permutation", "fdr")  # "auto" takes the first
RULES_FOR_GROUPS = ("significance", "fdr")


class Design(NamedTuple):
    """Seeded tables, whose first columns are real and the others noise, and the options of the selection."""

    make: Callable[[np.random.Generator], tuple[NDArray, ...]]  # returns columns, class and, if rows have them, groups
    n_real: int
    binning: Any
    criterion: str


def normal(n_samples: int, n_features: int) -> Callable:
    """Normal noise and a fair coin."""
    return lambda random: (random.normal(size=(n_samples, n_features)), random.integers(0, 2, n_samples))


def codes(n_samples: int, n_features: int, n_codes: int, n_classes: int) -> Callable:
    """Codes and classes, each equally frequent."""
    return lambda random: (
        random.integers(0, n_codes, (n_samples, n_features)),
        random.integers(0, n_classes, n_samples),
    )


def sparse(n_samples: int, n_features: int) -> Callable:
    """Columns with 5 % ones, and a class with 10 % ones."""
    return lambda random: (
        (random.random((n_samples, n_features)) < 0.05).astype(int),
        np.r_[0, 1, random.random(n_samples - 2) < 0.1].astype(int),
    )


def five_real_normal(random: np.random.Generator, n_samples: int, n_features: int) -> Data:
    """Normal columns; the class is whether the sum of the first five, and noise, is above its mean."""
    table = random.normal(size=(n_samples, n_features))
    noisy_sum = table[:, :5].sum(axis=1) + random.normal(size=n_samples)
    return table, (noisy_sum > 0).astype(int)


def five_real_codes(random: np.random.Generator, n_samples: int, n_features: int) -> Data:
    """Columns of the codes 0, 1, 2; the class is whether the sum of the first five, and noise, is above its mean."""
    table = random.integers(0, 3, (n_samples, n_features))
    noisy_sum = table[:, :5].sum(axis=1) + random.normal(size=n_samples)
    return table, (noisy_sum > 5).astype(int)


def mixed(random: np.random.Generator, n_samples: int, n_noise: int, agree: tuple[float, ...] = ()) -> Data:
    """Binary columns that agree with a fair coin in the shares ``agree`` of the rows, and noise of 2 to 50 codes."""
    label = random.integers(0, 2, n_samples)
    real = [np.where(random.random(n_samples) < share, label, 1 - label) for share in agree]
    noise = [random.integers(0, codes, n_samples) for codes in np.linspace(2, 50, n_noise).round().astype(int)]
    return np.column_stack([*real, *noise]), label


def rows_of_zeros(random: np.random.Generator) -> Data:
    """Counts of words of 100 texts, and 100 texts without any; the class is a fair coin."""
    table = random.poisson(0.3, (200, 100))
    table[random.permutation(200)[:100]] = 0
    return table, random.integers(0, 2, 200)


def unbalanced(random: np.random.Generator) -> Data:
    """95 : 5 classes, normal noise."""
    return random.normal(size=(400, 100)), (random.permutation(400) < 20).astype(int)


def eight_classes(random: np.random.Generator) -> Data:
    """Three codes and eight classes."""
    return random.integers(0, 3, (200, 100)), random.integers(0, 8, 200)


def with_missing(random: np.random.Generator) -> Data:
    """Normal noise, a fifth of it missing, in some columns less and in others more."""
    table = random.normal(size=(200, 60))
    table[random.random(table.shape) < np.linspace(0, 0.4, 60)] = np.nan
    return table, random.integers(0, 2, 200)


def alike(random: np.random.Generator) -> Data:
    """Normal noise; half of the variance of each column is common to all."""
    return random.normal(size=(200, 1)) + random.normal(size=(200, 100)), random.integers(0, 2, 200)


def rounded(random: np.random.Generator) -> Data:
    """Amounts with a long tail, rounded: many equal values."""
    return random.lognormal(size=(200, 100)).round(), random.integers(0, 3, 200)


def few_rows(random: np.random.Generator) -> Data:
    """30 rows of words with 2 to 15 values."""
    return np.column_stack([random.integers(0, 2 + j % 14, 30) for j in range(56)]), random.integers(0, 2, 30)


DESIGNS = {
    "MDL, noise, 200 x 200": Design(normal(200, 200), 0, "mdl", "mim"),
    "MDL, noise, 200 x 1,000": Design(normal(200, 1000), 0, "mdl", "mim"),
    "MDL, noise, 72 x 2,000": Design(normal(72, 2000), 0, "mdl", "mim"),
    "ten codes, five classes, noise, 100 x 20": Design(codes(100, 20, 10, 5), 0, "none", "mim"),
    "sparse binary, noise, 200 x 500": Design(sparse(200, 500), 0, "none", "mim"),
    "three codes, 5 real + 95 noise, 1,000 rows, cmi": Design(
        partial(five_real_codes, n_samples=1000, n_features=100), 5, "none", "cmi"
    ),
    "MDL, 5 real + 95 noise, 1,000 rows, cmi": Design(
        partial(five_real_normal, n_samples=1000, n_features=100), 5, "mdl", "cmi"
    ),
    "MDL, 5 real + 45 noise, 300 rows, jmi": Design(
        partial(five_real_normal, n_samples=300, n_features=50), 5, "mdl", "jmi"
    ),
    "2 to 50 codes, noise, 200 x 50": Design(partial(mixed, n_samples=200, n_noise=50), 0, "none", "jmi"),
    "2 to 50 codes, 1 real + 50 noise, 200 rows": Design(
        partial(mixed, n_samples=200, n_noise=50, agree=(0.7,)), 1, "none", "jmi"
    ),
    "2 to 50 codes, 8 real + 492 noise, 500 rows": Design(
        partial(mixed, n_samples=500, n_noise=492, agree=(0.65,) * 8), 8, "none", "jmi"
    ),
    "rows of zeros, noise, 200 x 100": Design(rows_of_zeros, 0, "none", "jmi"),
    "95 : 5 classes, MDL, noise, 400 x 100": Design(unbalanced, 0, "mdl", "jmi"),
    "eight classes, noise, 200 x 100": Design(eight_classes, 0, "none", "jmi"),
    "missing as a code, MDL, noise, 200 x 60": Design(with_missing, 0, MDLBinner(missing="bin"), "jmi"),
    "noise that is alike, MDL, 200 x 100": Design(alike, 0, "mdl", "jmi"),
    "rounded amounts, three classes, MDL, noise, 200 x 100": Design(rounded, 0, "mdl", "jmi"),
    "2 to 15 codes, noise, 30 x 56": Design(few_rows, 0, "none", "jmi"),
}


def subjects(
    random: np.random.Generator,
    *,
    sizes: tuple[int, ...] = (10,),
    row_share: float = 0.3,
    agree: tuple[float, ...] = (),
    codes: tuple[int, ...] = (),
    within: bool = False,
) -> tuple[NDArray, NDArray, NDArray]:
    """Rows of 30 subjects, half of each class, with columns of traits.

    A trait is the same in all rows of a subject, except for noise with standard deviation ``row_share``. ``sizes`` are
    the rows of a subject of class 0, 1; ``agree`` the shares of subjects whose first traits are their class; ``codes``
    the numbers of codes of traits without that noise. If ``within``, the class is drawn for each row, at the rate of
    its subject.
    """
    label = random.permutation(np.arange(30) % 2)
    groups = np.repeat(np.arange(30), np.array(sizes)[label % len(sizes)])
    real = [np.where(random.random(30) < share, label, 1 - label) for share in agree]
    noise = [random.integers(0, n_codes, 30) for n_codes in codes] or list(random.normal(size=(50, 30)))
    X = np.column_stack([*real, *noise])[groups].astype(float)
    if not codes:
        X[:, len(agree) :] += row_share * random.normal(size=(len(groups), 50))
    often = random.random(30)[groups]
    return X, (random.random(len(groups)) < often).astype(int) if within else label[groups], groups


def series(random: np.random.Generator, *, within: bool, block: int = 40) -> tuple[NDArray, NDArray, NDArray]:
    """1,200 rows of autoregressive columns; the class is that of a block or, ``within``, the sign of such a column."""
    rows = random.normal(size=(1200, 51))
    for i in range(1, 1200):
        rows[i] = 0.9 * rows[i - 1] + np.sqrt(1 - 0.81) * rows[i]
    groups = np.arange(1200) // block
    label = (rows[:, 50] > 0).astype(int) if within else random.permutation(np.arange(1200 // block) % 2)[groups]
    return rows[:, :50], label, groups


GROUPED_DESIGNS = {
    "30 subjects x 10, traits, MDL": Design(subjects, 0, "mdl", "jmi"),
    "30 subjects x 10, traits, quantile": Design(subjects, 0, "quantile", "jmi"),
    "30 subjects x 10, traits of 2 to 10 codes": Design(
        partial(subjects, codes=tuple(np.linspace(2, 10, 50).round().astype(int))), 0, "none", "jmi"
    ),
    "30 subjects x 10, half trait and half row, MDL": Design(partial(subjects, row_share=1.0), 0, "mdl", "jmi"),
    "30 subjects, 5 rows of one class and 20 of the other, MDL": Design(
        partial(subjects, sizes=(5, 20)), 0, "mdl", "jmi"
    ),
    "30 subjects x 10, 1 real + 50 traits, quantile": Design(partial(subjects, agree=(0.9,)), 1, "quantile", "jmi"),
    "30 subjects x 10, class within subjects, MDL": Design(partial(subjects, within=True), 0, "mdl", "jmi"),
    "series in blocks of 40, class of a block, MDL": Design(partial(series, within=False), 0, "mdl", "jmi"),
    "series in blocks of 40, class in runs, MDL": Design(partial(series, within=True), 0, "mdl", "jmi"),
}


class Outcome(NamedTuple):
    """The outcome of all runs of a design and a rule."""

    n_wrong: int  # runs that selected noise
    noise_share: float  # of a selection, mean over the runs
    n_real_found: int  # over all runs
    seconds: float  # of a run


def measure(design: Design, rule: str, n_runs: int, *, grouped: bool = True) -> Outcome:
    """Select from seeded tables of a design. If not ``grouped``, the selection is not told of the groups of rows."""
    n_wrong = 0
    noise_share = 0.0
    n_real_found = 0
    start = time.perf_counter()
    for seed in range(n_runs):
        X, y, *groups = design.make(np.random.default_rng(seed))
        selector = ForwardSelector(
            "auto", criterion=design.criterion, stopping=rule, binning=design.binning, estimator=ESTIMATOR
        )
        chosen = selector.fit(X, y, groups=groups[0] if groups and grouped else None).selected_
        is_noise = chosen >= design.n_real
        if is_noise.any():
            n_wrong += 1
            noise_share += is_noise.mean()
        n_real_found += int((~is_noise).sum())
    seconds = time.perf_counter() - start
    return Outcome(n_wrong, noise_share / n_runs, n_real_found, seconds / n_runs)


def main(arguments: list[str]) -> None:
    """Print the table."""
    n_runs = int(arguments[0]) if arguments else 200
    claim = (
        'How often lists of `n_features_to_select="auto"` hold a column of noise. Where all columns are noise the '
        "level is 5 % (`fdr`: 10 %); where some are real, each choice has that level, and `fdr` limits the share "
        "of noise to 0.1."
    )
    header = ("design", "rule", "runs", "took noise", "share of noise", "real columns found", "seconds a run")
    table = results.StudyTable("levels", claim, header)
    all_designs = DESIGNS | GROUPED_DESIGNS
    for name in arguments[1:] or all_designs:
        design = all_designs[name]
        for rule in RULES if name in DESIGNS else RULES_FOR_GROUPS:
            outcome = measure(design, rule, n_runs)
            real = f"{outcome.n_real_found / n_runs:.2f} of {design.n_real}" if design.n_real else "-"
            cells = (
                f"{100 * outcome.n_wrong / n_runs:.1f} %",
                f"{outcome.noise_share:.3f}",
                real,
                f"{outcome.seconds:.2f}",
            )
            table.add(name, rule, str(n_runs), *cells)
        results.write(table.document(), keep=not arguments[1:])


if __name__ == "__main__":
    main(sys.argv[1:])
