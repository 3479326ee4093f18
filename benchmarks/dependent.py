"""How many false columns rules list that hold for dependent columns, and how many relevant ones they find.

``python -m benchmarks.dependent [SETS] [DESIGN or RULE ...]`` draws seeded tables of 500 rows and 60 columns, of which
20 are relevant: the class follows the sum of their codes, each with a sign drawn at random, by a logistic law. A column
is false if the class does not depend on it given all others. It prints a line for every design and rule: the mean share
of false columns in a list (the false discovery rate, promised to be at most 0.1), its standard error, the relevant
columns found, and the seconds of a set. Programs of others run where they are installed (``knockpy``, ``hidimstat``,
``mdfs``). ``--peers SETS`` says on how many tables, by default on 50.

``--into FILE`` adds every list to a file as it is made; the same command takes up where an earlier one ended, and with
0 sets it prints the table of what the file holds.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
import warnings
from contextlib import nullcontext
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from benchmarks import results
from benchmarks.false_discoveries import knockoffs as knockpy
from benchmarks.false_discoveries import mdfs
from bitsieve import (
    ConditionalStopping,
    EqualFrequencyBinner,
    FalseDiscoveryStopping,
    ForwardSelector,
    KnockoffStopping,
    chow_liu_tree,
    conditional_test,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    Codes = NDArray[np.int64]
    Table = NDArray[np.float64] | NDArray[np.int64]

RATE = 0.1
AT_ONCE = 20
N_ROWS = 500
N_COLUMNS = 60
N_RELEVANT = 20


class Data(NamedTuple):
    """A table, its class, the relevant columns, and another table of the same columns without a class."""

    X: Table
    y: Codes
    relevant: NDArray[np.intp]
    other: Table


def forest(agree: float, parent: Callable[[np.random.Generator, int], int]) -> Callable:
    """Three codes; a column repeats its parent (-1: none) in such a share of the rows, and is drawn anew in others."""

    def make(random: np.random.Generator, parents: list[int]) -> Codes:
        X = random.integers(0, 3, (N_ROWS, N_COLUMNS))
        for column, parent_column in enumerate(parents):
            if parent_column >= 0:
                X[:, column] = np.where(random.random(N_ROWS) < agree, X[:, parent_column], X[:, column])
        return X

    def two(random: np.random.Generator) -> tuple[Codes, Codes]:
        parents = [parent(random, column) for column in range(N_COLUMNS)]
        return make(random, parents), make(random, parents)

    return two


def chain(agree: float) -> Callable:
    """Each column repeats the one before."""
    return forest(agree, lambda random, column: column - 1)


def genotypes(random: np.random.Generator) -> tuple[Codes, Codes]:
    """Minor alleles on two chromosomes, each a chain in blocks of ten: no chain of three codes, but near to one."""
    share = random.uniform(0.2, 0.5, N_COLUMNS)

    def make() -> Codes:
        X = np.zeros((N_ROWS, N_COLUMNS), np.int64)
        for _ in range(2):
            allele = (random.random((N_ROWS, N_COLUMNS)) < share).astype(np.int64)
            for column in range(N_COLUMNS):
                if column % 10:
                    is_linked = random.random(N_ROWS) < 0.8
                    allele[:, column] = np.where(is_linked, allele[:, column - 1], allele[:, column])
            X += allele
        return X

    return make(), make()


def copula(random: np.random.Generator) -> tuple[Codes, Codes]:
    """Normal columns with three common factors, a third of the variance, cut to three codes: no tree."""
    loading = random.normal(size=(3, N_COLUMNS)) / 3**0.5
    made = [
        np.sqrt(2 / 3) * random.normal(size=(N_ROWS, N_COLUMNS))
        + np.sqrt(1 / 3) * random.normal(size=(N_ROWS, 3)) @ loading
        for _ in range(2)
    ]
    return cut(made[0]), cut(made[1])


def cut(X: NDArray[np.float64]) -> Codes:
    """Three codes, alike often."""
    return (np.quantile(X, 1 / 3, axis=0) < X).astype(np.int64) + (np.quantile(X, 2 / 3, axis=0) < X)


def continuous(random: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Normal columns, each correlated by 0.6 with the one before."""
    made = random.normal(size=(2, N_ROWS, N_COLUMNS))
    for column in range(1, N_COLUMNS):
        made[:, :, column] = 0.6 * made[:, :, column - 1] + 0.8 * made[:, :, column]
    return made[0], made[1]


class Design(NamedTuple):
    """Tables without a class, whether 95 : 5 classes are drawn, and how the columns are cut."""

    make: Callable[[np.random.Generator], tuple[Table, Table]]
    rare: bool = False
    binning: str | EqualFrequencyBinner = "none"

    def data(self, seed: int) -> Data:
        """The table of a seed."""
        random = np.random.default_rng([seed, 1])
        X, other = self.make(random)
        relevant = np.sort(random.choice(N_COLUMNS, N_RELEVANT, replace=False))
        score = (X[:, relevant] - X[:, relevant].mean(axis=0)) @ random.choice([-1.0, 1.0], N_RELEVANT)
        noisy = score + random.logistic(size=N_ROWS)
        limit = np.quantile(noisy, 0.95) if self.rare else 0.0
        return Data(X, (noisy > limit).astype(np.int64), relevant, other)


DESIGNS = {
    "independent": Design(chain(0.0)),
    "chain, 0.3": Design(chain(0.3)),
    "chain, 0.6": Design(chain(0.6)),
    "chain, 0.9": Design(chain(0.9)),
    "blocks of 5, 0.7": Design(forest(0.7, lambda random, column: column - column % 5 if column % 5 else -1)),
    "tree, 0.7": Design(forest(0.7, lambda random, column: int(random.integers(0, column)) if column else -1)),
    "genotypes in linkage": Design(genotypes),
    "no tree: three factors": Design(copula),
    "chain, 0.3, classes 95 : 5": Design(chain(0.3), rare=True),
    "normal chain, three quantile bins": Design(continuous, binning=EqualFrequencyBinner(n_bins=3)),
    "normal chain, mdl": Design(continuous, binning="mdl"),
}


def by_rule(rule: object) -> Callable[[Data, Design, int], NDArray[np.intp]]:
    """A rule that ends a greedy selection."""
    return lambda data, design, seed: (
        ForwardSelector("auto", criterion="mim", stopping=rule, binning=design.binning).fit(data.X, data.y).selected_
    )


def by_split(data: Data, design: Design, seed: int) -> NDArray[np.intp]:
    """The conditional test with a tree learned on other rows, as many."""
    binning = EqualFrequencyBinner(n_bins=3) if design.binning == "mdl" else design.binning
    tree = chow_liu_tree(data.other, binning=binning)
    return conditional_test(data.X, data.y, tree=tree, binning=design.binning).selected


def hidimstat() -> Callable:
    """Gaussian model-X knockoffs with the coefficients of a lasso."""
    from hidimstat import ModelXKnockoff

    def run(data: Data, seed: int) -> NDArray[np.intp]:
        knockoff = ModelXKnockoff(random_state=seed)
        knockoff.fit_importance(np.array(data[0], np.float64), data[1].astype(np.float64))
        return np.flatnonzero(knockoff.fdr_selection(fdr=RATE))

    return run


def of_peer(make: Callable) -> Callable[[Data, Design, int], NDArray[np.intp]]:
    """A program of others, which takes numbers and a class."""
    run = make()
    return lambda data, design, seed: run((data.X.astype(np.float64), data.y), seed)


OURS: dict[str, Callable[[Data, Design, int], NDArray[np.intp]]] = {
    "conditional": by_rule(ConditionalStopping(RATE)),
    "conditional, tree of other rows": by_split,
    "conditional, Benjamini-Yekutieli": by_rule(ConditionalStopping(RATE, "benjamini-yekutieli")),
    "conditional, Holm": by_rule(ConditionalStopping(RATE, "holm")),
    "knockoffs, 10 draws": by_rule(KnockoffStopping(RATE, n_draws=10)),
    "knockoffs, 1 draw": by_rule(KnockoffStopping(RATE)),
    "fdr": by_rule(FalseDiscoveryStopping(RATE)),
    "fdr, Benjamini-Yekutieli": by_rule(FalseDiscoveryStopping(RATE, "benjamini-yekutieli")),
}
PEERS = {"knockpy": knockpy, "hidimstat": hidimstat, "mdfs": lambda: mdfs(1, "fdr_bh")}


def rules(n_sets: int, n_of_peers: int) -> Iterator[tuple[str, Callable, int]]:
    """Name, function and number of tables of every rule that can be run."""
    for name, rule in OURS.items():
        yield name, rule, n_sets
    for name, make in PEERS.items():
        if n_of_peers and find_spec(name) is not None:
            yield name, of_peer(make), n_of_peers


class Outcome(NamedTuple):
    """The number of columns of a list, how many of them are relevant, and the seconds it took."""

    n_selected: int
    n_relevant: int
    seconds: float


def run_rule(data: Data, design: Design, rule: Callable, seed: int) -> Outcome:
    """The list of a rule for a table."""
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        columns = rule(data, design, seed)
    seconds = time.perf_counter() - start
    return Outcome(len(columns), int(np.isin(columns, data.relevant).sum()), seconds)


def shares(outcomes: Sequence[Outcome]) -> NDArray[np.float64]:
    """The share of false columns of every list; 0 of an empty one."""
    n_selected = np.array([outcome.n_selected for outcome in outcomes])
    n_relevant = np.array([outcome.n_relevant for outcome in outcomes])
    return (n_selected - n_relevant) / np.maximum(n_selected, 1)


def cells(outcomes: Sequence[Outcome]) -> tuple[str, ...]:
    """The cells of a row of the table."""
    n = len(outcomes)
    false_shares = shares(outcomes)
    n_relevant = np.mean([outcome.n_relevant for outcome in outcomes])
    seconds = np.mean([outcome.seconds for outcome in outcomes])
    rate = f"{false_shares.mean():.3f} ± {false_shares.std() / np.sqrt(n):.3f}"
    return str(n), rate, f"{n_relevant:.2f} of {N_RELEVANT}", f"{seconds:.2f}"


def read(path: Path | None) -> dict[tuple[str, str, int], Outcome]:
    """The lists of a file, by design, rule and seed."""
    if path is None or not path.exists():
        return {}
    with path.open(newline="") as file:
        return {
            (design, rule, int(seed)): Outcome(int(n_selected), int(n_relevant), float(seconds))
            for design, rule, seed, n_selected, n_relevant, seconds in csv.reader(file)
        }


def run(runs: list[tuple[str, str, Callable, int]], outcomes: dict[tuple[str, str, int], Outcome], file: Any) -> None:
    """Make the lists of a design, a rule and a number of tables that are not known, 20 tables of all at a time."""
    writer = None if file is None else csv.writer(file)
    for first in range(0, max((n for *_, n in runs), default=0), AT_ONCE):
        for design, name, rule, n in runs:
            for seed in range(first, min(first + AT_ONCE, n)):
                key = design, name, seed
                if key not in outcomes:
                    outcomes[key] = run_rule(DESIGNS[design].data(seed), DESIGNS[design], rule, seed)
                    if writer is not None:
                        writer.writerow([*key, *outcomes[key]])
                        file.flush()


def main(arguments: list[str]) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.dependent")
    parser.add_argument("sets", nargs="?", type=int, default=1000)
    parser.add_argument(
        "names", nargs="*", choices=[*DESIGNS, *OURS, *PEERS, []], help="designs and rules; all if none"
    )
    parser.add_argument("--peers", type=int, default=50)
    parser.add_argument("--into", type=Path)
    options = parser.parse_intermixed_args(arguments)
    if unknown := [name for name in options.names if name not in {*DESIGNS, *OURS, *PEERS}]:
        parser.error(f"no design or rule is named {unknown[0]!r}: {', '.join([*DESIGNS, *OURS, *PEERS])}")
    designs = [name for name in options.names if name in DESIGNS] or [*DESIGNS]
    labels = [name for name in options.names if name not in DESIGNS] or [*OURS, *PEERS]
    runs = []
    for design in designs:
        for label, rule, n in rules(options.sets, options.peers):
            # Knockoffs refuse bins that were made with a look at the class.
            is_refused = label.startswith("knockoffs") and DESIGNS[design].binning == "mdl"
            if label in labels and not is_refused:
                runs.append((design, label, rule, n))
    outcomes = read(options.into)
    with nullcontext() if options.into is None else options.into.open("a", newline="") as file:
        run(runs, outcomes, file)
    claim = (
        f"Lists for dependent columns hold at most a share of {RATE} of columns that are irrelevant given all others."
    )
    header = ("design", "rule", "sets", "false discovery rate", "relevant columns found", "seconds a set")
    table = results.StudyTable("dependent", claim, header)
    grouped: dict[tuple[str, str], list[Outcome]] = {}
    for (design, rule, _), outcome in outcomes.items():
        grouped.setdefault((design, rule), []).append(outcome)
    for (design, rule), group in grouped.items():
        table.add(design, rule, *cells(group))
    if not options.names:
        results.write(table.document(), keep=True)


if __name__ == "__main__":
    main(sys.argv[1:])
