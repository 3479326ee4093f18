"""Tables as people have them: how many of the real columns come first, here and with scikit-learn and mrmr_selection.

``python -m benchmarks.messy``. bitsieve gets the tables as they are; the others a preparation by hand: text that pandas
can make numbers is numbers, all other text is ordinal codes, and gaps are medians.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
from tests.messy import TABLES

import bitsieve


def prepared(frame: pd.DataFrame) -> pd.DataFrame:
    """The features as most programs need them."""
    columns = {}
    for name, column in frame.items():
        bare = column.astype(str).str.replace(r"[$€%,]|EUR|kg|°C", "", regex=True).str.strip()
        numbers = pd.to_numeric(bare, errors="coerce")
        codes = pd.Series(pd.factorize(column, sort=True)[0])
        columns[name] = numbers.fillna(numbers.median()) if numbers.notna().mean() > 0.5 else codes
    return pd.DataFrame(columns)


def by_bitsieve(frame: pd.DataFrame, k: int) -> Sequence[Any]:
    """The first columns of the table as it is."""
    return bitsieve.select(frame, "y", missing="bin").features[:k]


def by_sklearn(frame: pd.DataFrame, k: int) -> Sequence[Any]:
    """The columns of most mutual information by scikit-learn."""
    from sklearn.feature_selection import mutual_info_classif

    X = prepared(frame.drop(columns="y"))
    scores = pd.Series(mutual_info_classif(X, frame["y"], random_state=0), X.columns)
    return scores.sort_values(ascending=False).index[:k].tolist()


def by_mrmr(frame: pd.DataFrame, k: int) -> Sequence[Any]:
    """The columns that mrmr_selection takes."""
    from mrmr import mrmr_classif

    y = (frame["y"] == "yes").astype(int)
    selected: Sequence[Any] = mrmr_classif(prepared(frame.drop(columns="y")), y, K=k, show_progress=False)
    return selected


CONTESTANTS: dict[str, Callable[[pd.DataFrame, int], Sequence[Any]]] = {
    "bitsieve": by_bitsieve,
    "scikit-learn, prepared": by_sklearn,
    "mrmr_selection, prepared": by_mrmr,
}


def main() -> None:
    """One line a contestant: real columns among the first, of all tables."""
    warnings.simplefilter("ignore")
    for name, select in CONTESTANTS.items():
        hits = 0
        n_drivers = 0
        try:
            for make in TABLES.values():
                table, drivers = make()
                hits += len(drivers & set(select(table.to_pandas(), len(drivers))))
                n_drivers += len(drivers)
        except ImportError:
            print(f"{name}: skipped, it is not installed")
            continue
        print(f"{name}: {hits} of {n_drivers} real columns come first, in {len(TABLES)} tables")


if __name__ == "__main__":
    main()
