"""What each rule promises: the false discovery rate and the power on designs that no rule was tuned to.

    python -m benchmarks.promises RESULTS [--sets 500] [--new 50] [--rows 400] [--rules fdr,dcrt] [--designs noise]

Each set is a seeded table of 40 columns, of which 8 or 20 are relevant: the class is the sum of these, each with a
random sign, and logistic noise, cut at its quantiles. A column is false if the class does not depend on it given all
others. The rules have the options that ``bitsieve select --stop`` gives them by default.

``RESULTS`` is a file with a line of JSON for each set and rule. A run adds the sets that the file lacks, the first sets
of all designs and rules before the next ones, so that it may be ended at any time and started again. ``--new 50`` ends
a run after 50 more sets of each, so that ten nights make 500; ``--sets 0`` prints the table only. A file holds results
of one version: begin another one after a rule has changed.

The table shows the false discovery rate with its standard error; the power, which is the share of the relevant columns
in the list; and in brackets the number of sets. ``docs/project/promises.md`` holds it.

The exit status is 1 if a rule exceeds its level by more than four standard errors in a design for which
``KNOWN_FAILURES`` does not say so.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray

from bitsieve import ForwardSelector
from bitsieve.methods.by_counts.stopping import STOPPING_RULES
from bitsieve.methods.by_counts.stopping.lists import ListStopping

Floats = NDArray[np.float64]

N_COLUMNS = 40
N_SUBJECTS = 80  # of the design in which rows lie in groups
RULES = tuple(name for name in STOPPING_RULES if name != "threshold")  # which has no level
RULES_FOR_GROUPS = ("significance", "permutation", "fdr")  # the others refuse groups
KNOWN_FAILURES = {
    "fdr": (
        *("AR(.5)", "AR(.7)", "AR(.9)", "blocks", "copies", "confounder"),
        *("AR(.5) (20 relevant)", "blocks (20 relevant)", "confounder (20 relevant)"),
    ),
    "conditional": ("blocks", "confounder", "blocks (20 relevant)", "confounder (20 relevant)"),
}
MIN_SETS = 20  # of which a standard error says something
MAX_STANDARD_ERRORS = 4  # above the level; random variation exceeds it once in 30,000 times


def independent(random: np.random.Generator, n_rows: int) -> Floats:
    """Independent normal columns."""
    return random.normal(size=(n_rows, N_COLUMNS))


def unlike_codes(random: np.random.Generator, n_rows: int) -> Floats:
    """Independent columns of 2 to 60 codes."""
    n_codes = random.permutation(np.linspace(2, 60, N_COLUMNS).round().astype(int))
    return random.integers(0, n_codes, (n_rows, N_COLUMNS)).astype(np.float64)


def autoregressive(correlation: float) -> Callable[[np.random.Generator, int], Floats]:
    """Normal columns, each correlated with the one before."""

    def make(random: np.random.Generator, n_rows: int) -> Floats:
        X = random.normal(size=(n_rows, N_COLUMNS))
        for column in range(1, N_COLUMNS):
            X[:, column] = correlation * X[:, column - 1] + np.sqrt(1 - correlation**2) * X[:, column]
        return X

    return make


def blocks(random: np.random.Generator, n_rows: int) -> Floats:
    """Normal columns in blocks of five; two columns of a block are correlated by 0.7."""
    factors = np.repeat(random.normal(size=(n_rows, N_COLUMNS // 5)), 5, axis=1)
    return np.sqrt(0.7) * factors + np.sqrt(0.3) * random.normal(size=(n_rows, N_COLUMNS))


def chain_of_codes(random: np.random.Generator, n_rows: int) -> Floats:
    """Columns of three codes; each repeats the one before in 0.6 of the rows."""
    X = random.integers(0, 3, (n_rows, N_COLUMNS))
    for column in range(1, N_COLUMNS):
        X[:, column] = np.where(random.random(n_rows) < 0.6, X[:, column - 1], X[:, column])
    return X.astype(np.float64)


def confounded(random: np.random.Generator, n_rows: int) -> Floats:
    """Normal columns, of which a hidden factor is half the variance."""
    factor = random.normal(size=(n_rows, 1))
    return np.sqrt(0.5) * factor + np.sqrt(0.5) * random.normal(size=(n_rows, N_COLUMNS))


def traits_of_subjects(random: np.random.Generator, n_rows: int) -> Floats:
    """Normal traits of subjects, with a little noise in each row; the rows of a subject follow each other."""
    traits = random.normal(size=(N_SUBJECTS, N_COLUMNS))
    return traits[subjects_of_rows(n_rows)] + 0.3 * random.normal(size=(n_rows, N_COLUMNS))


def subjects_of_rows(n_rows: int) -> NDArray[np.intp]:
    """The subject of each row, all with about as many rows."""
    return np.arange(n_rows) * N_SUBJECTS // n_rows


class Design(NamedTuple):
    """Tables, and how the class is made of them."""

    make: Callable[[np.random.Generator, int], Floats]
    quantiles: tuple[float, ...] = (0.5,)  # at which the class is cut
    binning: str = "auto"
    n_relevant: int = 8
    has_copies: bool = False  # whether each relevant column has a noisy copy
    has_groups: bool = False  # whether rows are those of subjects, of which each has a class


DESIGNS = {
    "noise": Design(independent, n_relevant=0),
    "independent": Design(independent),
    "codes of 2 to 60": Design(unlike_codes, binning="none"),
    "AR(.5)": Design(autoregressive(0.5)),
    "AR(.7)": Design(autoregressive(0.7)),
    "AR(.9)": Design(autoregressive(0.9)),
    "blocks": Design(blocks),
    "chain of codes": Design(chain_of_codes, binning="none"),
    "copies": Design(independent, has_copies=True),
    "confounder": Design(confounded),
    "classes 95 : 5": Design(independent, quantiles=(0.95,)),
    "three classes": Design(independent, quantiles=(1 / 3, 2 / 3)),
    "independent (20 relevant)": Design(independent, n_relevant=20),
    "AR(.5) (20 relevant)": Design(autoregressive(0.5), n_relevant=20),
    "blocks (20 relevant)": Design(blocks, n_relevant=20),
    "confounder (20 relevant)": Design(confounded, n_relevant=20),
    "groups": Design(traits_of_subjects, has_groups=True),
}


class Table(NamedTuple):
    """A table, its class, its relevant columns, and the subject of each row if rows lie in groups."""

    X: Floats
    y: NDArray[np.intp]
    relevant: NDArray[np.intp]
    groups: NDArray[np.intp] | None


def draw(design: Design, seed: int, n_rows: int) -> Table:
    """The table of a seed."""
    random = np.random.default_rng([seed, n_rows])
    X = design.make(random, n_rows)
    columns = random.permutation(N_COLUMNS)
    relevant = np.sort(columns[: design.n_relevant])
    if design.n_relevant == 0:
        return Table(X, random.integers(0, 2, n_rows), relevant, None)
    if design.has_copies:
        copies = columns[design.n_relevant : 2 * design.n_relevant]
        X[:, copies] = 0.8 * X[:, relevant] + 0.6 * X[:, copies]
    standardised = (X[:, relevant] - X[:, relevant].mean(axis=0)) / X[:, relevant].std(axis=0)
    score = standardised @ random.choice([-1.0, 1.0], design.n_relevant)
    if design.has_groups:
        groups = subjects_of_rows(n_rows)
        score_of_subject = np.bincount(groups, score) / np.bincount(groups)
        noisy_score = score_of_subject + random.logistic(size=N_SUBJECTS)
        class_of_subject = np.searchsorted(np.quantile(noisy_score, design.quantiles), noisy_score)
        return Table(X, class_of_subject[groups], relevant, groups)
    noisy_score = score + random.logistic(size=n_rows)
    limits = np.quantile(noisy_score, design.quantiles)
    return Table(X, np.searchsorted(limits, noisy_score), relevant, None)


class SetResult(TypedDict):
    """A line of the file of results."""

    design: str
    rule: str
    n_rows: int
    seed: int
    n_selected: int
    n_true: int  # relevant columns among these


def is_offered(design: str, rule: str) -> bool:
    """Whether the rule takes the tables of the design."""
    return not DESIGNS[design].has_groups or rule in RULES_FOR_GROUPS


def run_rule(design: str, rule: str, seed: int, n_rows: int) -> SetResult:
    """The list of a rule for one table."""
    table = draw(DESIGNS[design], seed, n_rows)
    binning = DESIGNS[design].binning
    if binning == "auto" and rule == "knockoffs":
        binning = "quantile"  # knockoffs refuse the default bins
    selector = ForwardSelector("auto", stopping=rule, binning=binning)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of empty lists
        selected = selector.fit(table.X, table.y, groups=table.groups).selected_
    n_true = int(np.isin(selected, table.relevant).sum())
    return SetResult(design=design, rule=rule, n_rows=n_rows, seed=seed, n_selected=len(selected), n_true=n_true)


def read_results(path: Path) -> list[SetResult]:
    """The sets that are finished."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


class Rate(NamedTuple):
    """The false discovery rate of a rule in a design, and its power."""

    n_sets: int
    mean: float
    standard_error: float
    power: float  # the share of the relevant columns in the list; nan where none is relevant

    def exceeds(self, level: float, n_errors: float) -> bool:
        """Whether the rate is above the level by more than so many standard errors; never for a handful of sets."""
        return self.n_sets >= MIN_SETS and self.mean > level + n_errors * self.standard_error

    def text(self, level: float) -> str:
        """The rate, the power and the number of sets; bold above the level by more than two standard errors."""
        rate = f"{self.mean:.2f} ± {self.standard_error:.2f}"
        if self.exceeds(level, 2):
            rate = f"**{rate}**"
        if np.isnan(self.power):
            return f"{rate} ({self.n_sets})"
        return f"{rate}; {self.power:.2f} ({self.n_sets})"


class Cell(NamedTuple):
    """A cell of the table."""

    design: str
    n_rows: int
    rule: str


def rates(set_results: Sequence[SetResult]) -> dict[Cell, Rate]:
    """The rate of every cell of which there are sets."""
    sets_by_cell: dict[Cell, list[SetResult]] = {}
    for result in set_results:
        cell = Cell(result["design"], result["n_rows"], result["rule"])
        sets_by_cell.setdefault(cell, []).append(result)
    return {cell: rate_of(sets, DESIGNS[cell.design].n_relevant) for cell, sets in sets_by_cell.items()}


def rate_of(set_results: Sequence[SetResult], n_relevant: int) -> Rate:
    """The mean over the sets."""
    n_selected = np.array([result["n_selected"] for result in set_results])
    n_true = np.array([result["n_true"] for result in set_results])
    false_shares = (n_selected - n_true) / np.maximum(n_selected, 1)
    return Rate(
        n_sets=len(set_results),
        mean=float(false_shares.mean()),
        standard_error=float(false_shares.std() / np.sqrt(len(set_results))),
        power=float(n_true.mean() / n_relevant) if n_relevant else np.nan,
    )


def level_of(rule: str) -> float:
    """The level of the false discovery rate; infinite for a rule of single steps, which promises none."""
    rule_class = STOPPING_RULES[rule]
    return rule_class().level if issubclass(rule_class, ListStopping) else np.inf


def print_table(set_results: Sequence[SetResult]) -> None:
    """Print a row for each design and number of rows, and a column for each rule."""
    cells = rates(set_results)
    print(f"| design | {' | '.join(RULES)} |")
    print("|---|" + "---|" * len(RULES))
    for n_rows in sorted({cell.n_rows for cell in cells}):
        for design in DESIGNS:
            row = [cells.get(Cell(design, n_rows, rule)) for rule in RULES]
            if not any(row):
                continue
            texts = ["-" if rate is None else rate.text(level_of(rule)) for rule, rate in zip(RULES, row, strict=True)]
            print(f"| {design}, {n_rows:,} rows | {' | '.join(texts)} |")


def broken_promises(set_results: Sequence[SetResult]) -> list[str]:
    """A line for each rule and design of which the rate exceeds the level and is not known to do so."""
    lines = []
    for cell, rate in rates(set_results).items():
        level = level_of(cell.rule)
        if rate.exceeds(level, MAX_STANDARD_ERRORS) and cell.design not in KNOWN_FAILURES.get(cell.rule, ()):
            lines.append(f"{cell.rule} exceeds {level:g} on {cell.design}, {cell.n_rows:,} rows: {rate.mean:.3f}")
    return lines


def main(arguments: list[str]) -> int:
    """Run sets that the file of results lacks, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path)
    parser.add_argument("--sets", type=int, default=500)
    parser.add_argument("--new", type=int, help="end after so many sets more (default: all)")
    parser.add_argument("--rows", type=int, default=400)
    parser.add_argument("--rules", type=lambda text: text.split(","), default=list(RULES))
    parser.add_argument("--designs", type=lambda text: text.split(","), default=list(DESIGNS))
    options = parser.parse_args(arguments)
    set_results = read_results(options.results)
    finished = {(result["design"], result["rule"], result["n_rows"], result["seed"]) for result in set_results}
    n_new = 0
    for seed in range(options.sets):
        lacking = [
            (design, rule)
            for design, rule in product(options.designs, options.rules)
            if is_offered(design, rule) and (design, rule, options.rows, seed) not in finished
        ]
        if not lacking:
            continue
        if n_new == options.new:
            break
        n_new += 1
        for design, rule in lacking:
            result = run_rule(design, rule, seed, options.rows)
            set_results.append(result)
            with options.results.open("a", encoding="utf-8") as file:
                file.write(json.dumps(result) + "\n")
    print_table(set_results)
    broken = broken_promises(set_results)
    for line in broken:
        print(line)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
