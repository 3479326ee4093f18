"""Columns that MDL leaves uncut: how many of the relevant ones are found, by four ways to order them.

    python -m benchmarks.default_uncut [--tables 30]

Each table has 10 relevant columns among 210, in random places, and 60, 100, 200 or 400 rows. The class of half of the
rows shifts each relevant column, which is normal, by 0.5 standard deviations. A row of the result has the mean share
of the relevant columns among the first ten, with its standard error over the tables:

- "rank test": as ``bitsieve select`` orders columns without a cut by default,
- "position": the same columns in the order of the table, as their information of 0 bits leaves them,
- "median": all of them cut at their median, by ``uncut="median"``,
- "F": all columns by the F-test, whether they have a cut or not.

A second figure is of identifiers: tables of 100 rows with 3 such relevant columns, 22 columns of noise, and one column
of text that has 2 to 10 rows for each value. It is the number of tables that have the text among the first three, by
rank test and by position.
"""

from __future__ import annotations

import argparse
import warnings
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.feature_selection import f_classif

from bitsieve import BitsieveWarning, ForwardSelector, MDLBinner, select
from bitsieve.utils.terminal_text import aligned

Floats = NDArray[np.float64]

N_COLUMNS = 210
N_RELEVANT = 10
SHIFT = 0.5  # standard deviations
NUMBERS_OF_ROWS = (60, 100, 200, 400)
N_ROWS_OF_IDENTIFIERS = 100
FIRST_SEED = 9300
WAYS = ("rank test", "position", "median", "F")


class Table(NamedTuple):
    """A table, its classes and its relevant columns."""

    X: Floats
    y: NDArray[np.intp]
    relevant: NDArray[np.intp]


def draw(seed: int, n_rows: int, n_columns: int = N_COLUMNS, n_relevant: int = N_RELEVANT) -> Table:
    """The table of a seed."""
    random = np.random.default_rng([seed, n_rows])
    y = random.permutation(np.arange(n_rows) % 2)
    X = random.normal(size=(n_rows, n_columns))
    relevant = random.permutation(n_columns)[:n_relevant]
    X[:, relevant] += SHIFT * y[:, None]
    return Table(X, y, relevant)


def first_columns(X: Floats | pd.DataFrame, y: NDArray[np.intp], way: str, k: int) -> list[int]:
    """The first ``k`` columns by one of the ways."""
    if way == "F":
        statistics, _ = f_classif(X, y)
        return np.argsort(-statistics, kind="stable")[:k].tolist()
    if way == "position":
        # Of the codes nothing is known but their information: a column without a cut is one of a single code.
        codes = MDLBinner(missing="bin").fit(X, y).transform(X)
        return ForwardSelector(k, binning="none").fit(codes, y).selected_.tolist()
    uncut = "median" if way == "median" else None
    return select(X, y, n_features_to_select=k, uncut=uncut).indices.tolist()


def shares_found(n_rows: int, n_tables: int) -> dict[str, Floats]:
    """By way: the share of the relevant columns among as many first ones, in each table."""
    shares: dict[str, Floats] = {way: np.empty(n_tables) for way in WAYS}
    for table_index in range(n_tables):
        table = draw(FIRST_SEED + table_index, n_rows)
        for way in WAYS:
            first = first_columns(table.X, table.y, way, N_RELEVANT)
            shares[way][table_index] = len({*first} & {*table.relevant.tolist()}) / N_RELEVANT
    return shares


def has_identifier_early(seed: int, way: str) -> bool:
    """Whether a column of text with 2 to 10 rows a value is among the first three of a table."""
    table = draw(seed, N_ROWS_OF_IDENTIFIERS, n_columns=25, n_relevant=3)
    random = np.random.default_rng(seed)
    frame = pd.DataFrame(table.X, columns=[f"x{j}" for j in range(25)])
    repeats = random.integers(2, 11, N_ROWS_OF_IDENTIFIERS)
    text = np.repeat([f"id {i}" for i in range(N_ROWS_OF_IDENTIFIERS)], repeats)[:N_ROWS_OF_IDENTIFIERS]
    frame["text"] = random.permutation(text)
    return frame.columns.get_loc("text") in first_columns(frame, table.y, way, 3)


def main() -> None:
    """Print the shares at each number of rows, and of the identifiers."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=30)
    options = parser.parse_args()
    warnings.simplefilter("ignore", BitsieveWarning)
    rows = []
    for n_rows in NUMBERS_OF_ROWS:
        shares = shares_found(n_rows, options.tables)
        rows.append((str(n_rows), *(_with_error(shares[way]) for way in WAYS)))
    print(aligned(("rows", *WAYS), rows, (True,) * (1 + len(WAYS))))
    for way in ("rank test", "position"):
        early = [has_identifier_early(FIRST_SEED + i, way) for i in range(options.tables)]
        print(f"identifier among the first three, {way}: {sum(early)} of {options.tables} tables")


def _with_error(values: Floats) -> str:
    """The mean and its standard error."""
    return f"{values.mean():.3f} ± {values.std(ddof=1) / np.sqrt(len(values)):.3f}"


if __name__ == "__main__":
    main()
