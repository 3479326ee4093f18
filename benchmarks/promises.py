"""What each rule promises: the false discovery rate and the power on designs that no rule was tuned to.

    python -m benchmarks.promises RESULTS [--sets 500] [--rows 400] [--rules fdr,dcrt] [--designs noise,blocks]

Each set is a seeded table of 40 columns, of which 8 are relevant: the class is the sum of these, each with a random
sign, and logistic noise, cut at its quantiles. A column is false if the class does not depend on it given all others.
The rules have the options that ``bitsieve select --stop`` gives them by default, and the level 0.1.

``RESULTS`` is a file with a line of JSON for each set and rule. A run adds the sets that the file lacks, so that it may
be ended and started again; ``--sets 0`` prints the table only. The table shows the false discovery rate with its
standard error, and the power: the share of the relevant columns in the list.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray

from bitsieve import ForwardSelector
from bitsieve.utils.terminal_text import aligned

Floats = NDArray[np.float64]

N_COLUMNS = 40
N_RELEVANT = 8
RULES = ("fdr", "conditional", "knockoffs", "dcrt")


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


class Design(NamedTuple):
    """Tables, and how the class is made of them."""

    make: Callable[[np.random.Generator, int], Floats]
    quantiles: tuple[float, ...] = (0.5,)  # at which the class is cut
    is_noise: bool = False
    binning: str = "auto"
    has_copies: bool = False  # whether each relevant column has a noisy copy


DESIGNS = {
    "noise": Design(independent, is_noise=True),
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
}


class Table(NamedTuple):
    """A table, its class and its relevant columns."""

    X: Floats
    y: NDArray[np.intp]
    relevant: NDArray[np.intp]


def draw(design: Design, seed: int, n_rows: int) -> Table:
    """The table of a seed."""
    random = np.random.default_rng([seed, n_rows])
    X = design.make(random, n_rows)
    columns = random.permutation(N_COLUMNS)
    relevant = np.sort(columns[:N_RELEVANT])
    if design.is_noise:
        return Table(X, random.integers(0, 2, n_rows), relevant[:0])
    if design.has_copies:
        copies = columns[N_RELEVANT : 2 * N_RELEVANT]
        X[:, copies] = 0.8 * X[:, relevant] + 0.6 * X[:, copies]
    standardised = (X[:, relevant] - X[:, relevant].mean(axis=0)) / X[:, relevant].std(axis=0)
    noisy_score = standardised @ random.choice([-1.0, 1.0], N_RELEVANT) + random.logistic(size=n_rows)
    limits = np.quantile(noisy_score, design.quantiles)
    return Table(X, np.searchsorted(limits, noisy_score), relevant)


class SetResult(TypedDict):
    """A line of the file of results."""

    design: str
    rule: str
    n_rows: int
    seed: int
    n_selected: int
    n_true: int  # relevant columns among these


def run_rule(design: str, rule: str, seed: int, n_rows: int) -> SetResult:
    """The list of a rule for one table."""
    table = draw(DESIGNS[design], seed, n_rows)
    binning = DESIGNS[design].binning
    if binning == "auto" and rule == "knockoffs":
        binning = "quantile"  # knockoffs refuse the default bins
    selector = ForwardSelector("auto", criterion="mim", stopping=rule, binning=binning)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of empty lists
        selected = selector.fit(table.X, table.y).selected_
    n_true = int(np.isin(selected, table.relevant).sum())
    return SetResult(design=design, rule=rule, n_rows=n_rows, seed=seed, n_selected=len(selected), n_true=n_true)


def read_results(path: Path) -> list[SetResult]:
    """The sets that are finished."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def print_table(results: list[SetResult]) -> None:
    """Print a row for each design, rule and number of rows."""
    groups: dict[tuple[str, int, str], list[SetResult]] = {}
    for result in results:
        groups.setdefault((result["design"], result["n_rows"], result["rule"]), []).append(result)
    cells = []
    for (design, n_rows, rule), group in groups.items():
        n_selected = np.array([result["n_selected"] for result in group])
        n_true = np.array([result["n_true"] for result in group])
        false_shares = (n_selected - n_true) / np.maximum(n_selected, 1)
        error = false_shares.std() / np.sqrt(len(group))
        power = "-" if DESIGNS[design].is_noise else f"{n_true.mean() / N_RELEVANT:.2f}"
        rate = f"{false_shares.mean():.3f} ± {error:.3f}"
        cells.append((design, f"{n_rows:,}", rule, str(len(group)), rate, power))
    header = ("design", "rows", "rule", "sets", "false discovery rate", "power")
    print(aligned(header, cells, (False, True, False, True, True, True)))


def main() -> None:
    """Run the sets that the file of results lacks, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path)
    parser.add_argument("--sets", type=int, default=500)
    parser.add_argument("--rows", type=int, default=400)
    parser.add_argument("--rules", type=lambda text: text.split(","), default=list(RULES))
    parser.add_argument("--designs", type=lambda text: text.split(","), default=list(DESIGNS))
    options = parser.parse_args()
    results = read_results(options.results)
    finished = {(result["design"], result["rule"], result["n_rows"], result["seed"]) for result in results}
    for design in options.designs:
        for rule in options.rules:
            for seed in range(options.sets):
                if (design, rule, options.rows, seed) in finished:
                    continue
                result = run_rule(design, rule, seed, options.rows)
                results.append(result)
                with options.results.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(result) + "\n")
    print_table(results)


if __name__ == "__main__":
    main()
