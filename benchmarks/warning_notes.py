"""Notes that warn of a column: how often they come where they should, and where they should not.

    python -m benchmarks.warning_notes [--tables 50]

Each table has 1,000 rows, two classes, and three normal columns that are informative. A design adds columns to them:

- "nothing": categories of 50 rows a value, related to the class or not, and numbers from 0 to 1 with one decimal,
- "chance": text with four rows a value that has no relation to the class,
- "subjects": text with four rows a value, those of a subject, which has one class,
- "encoding": the share of a class among the rows of each of 20 categories, rounded to three decimals,
- "smoothed encoding": the same shares, drawn to that of all rows as if ten more rows had it.

A cell is the share of the tables in which ``bitsieve.select`` gives a note, with its standard error over the tables.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bitsieve import BitsieveWarning, select
from bitsieve.utils.terminal_text import aligned

Classes = NDArray[np.intp]

N_ROWS = 1000
ROWS_A_SUBJECT = 4
N_CATEGORIES = 20
N_SMOOTHING_ROWS = 10
FIRST_SEED = 9400
CODES = ("mostly-chance", "rows-of-one-value", "target-encoding")


def nothing(random: np.random.Generator, frame: pd.DataFrame, y: Classes) -> None:
    """Columns of which nothing is to be said."""
    categories = random.integers(0, N_CATEGORIES, N_ROWS)
    frame["unrelated"] = [f"category {category}" for category in categories]
    frame["related"] = [f"category {category}" for category in (categories + 3 * y) % N_CATEGORIES]
    frame["tenths"] = random.random(N_ROWS).round(1)


def chance(random: np.random.Generator, frame: pd.DataFrame, y: Classes) -> None:
    """Text with few rows for each value."""
    frame["code"] = [f"code {code}" for code in random.permutation(N_ROWS) // ROWS_A_SUBJECT]


def subjects(random: np.random.Generator, frame: pd.DataFrame, y: Classes) -> None:
    """The subject of each row: all rows of a subject have the same class."""
    frame["subject"] = ""
    for class_code in (0, 1):
        rows = random.permutation(np.flatnonzero(y == class_code))
        names = [f"subject {class_code} {row // ROWS_A_SUBJECT}" for row in range(len(rows))]
        frame.loc[rows, "subject"] = names


def encoding(random: np.random.Generator, frame: pd.DataFrame, y: Classes) -> None:
    """The share of the second class in a category, rounded."""
    frame["share"] = shares(random, y, 0).round(3)


def smoothed_encoding(random: np.random.Generator, frame: pd.DataFrame, y: Classes) -> None:
    """The share of the second class in a category, drawn to that of all rows."""
    frame["share"] = shares(random, y, N_SMOOTHING_ROWS)


def shares(random: np.random.Generator, y: Classes, n_smoothing_rows: int) -> NDArray[np.float64]:
    """For each row the share of the second class in its category, with further rows that have the share of all."""
    categories = random.integers(0, N_CATEGORIES, N_ROWS)
    n_rows = np.bincount(categories, minlength=N_CATEGORIES)
    n_second = np.bincount(categories, y, N_CATEGORIES)
    share_of_category = (n_second + n_smoothing_rows * y.mean()) / (n_rows + n_smoothing_rows)
    return np.asarray(share_of_category[categories])


DESIGNS: dict[str, Callable[[np.random.Generator, pd.DataFrame, Classes], None]] = {
    "nothing": nothing,
    "chance": chance,
    "subjects": subjects,
    "encoding": encoding,
    "smoothed encoding": smoothed_encoding,
}


def codes_of_notes(design: str, seed: int) -> set[str]:
    """The codes of the notes on the table of a seed."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(N_ROWS, 3))
    y = (X.sum(axis=1) + random.logistic(size=N_ROWS) > 0).astype(np.intp)
    frame = pd.DataFrame(X, columns=["x0", "x1", "x2"])
    DESIGNS[design](random, frame, y)
    return {diagnostic.code for diagnostic in select(frame, y).diagnostics}


def share_with_error(n_tables_with_note: int, n_tables: int) -> str:
    """A share and its standard error."""
    share = n_tables_with_note / n_tables
    return f"{share:.2f} ± {np.sqrt(share * (1 - share) / n_tables):.2f}"


def main() -> None:
    """Print the share of the tables with each note, by design."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=50)
    options = parser.parse_args()
    warnings.simplefilter("ignore", BitsieveWarning)
    rows = []
    for design in DESIGNS:
        notes = [codes_of_notes(design, FIRST_SEED + i) for i in range(options.tables)]
        cells = [share_with_error(sum(code in codes for codes in notes), options.tables) for code in CODES]
        rows.append((design, *cells))
    print(aligned(("design", *CODES), rows, (False,) + (True,) * len(CODES)))


if __name__ == "__main__":
    main()
