"""Bins of each stratum: the rows that they are made of, and the errors where a table does not allow them."""

from __future__ import annotations

import numpy as np

from bitsieve.dataset.dataset import InMemoryDataset
from bitsieve.diagnostics import NAME_ONLY, ParameterError, UserError
from bitsieve.utils.arrays import Columns


def required_strata(table: InMemoryDataset) -> Columns:
    """The stratum of every sample. Raises UserError without strata."""
    if table.strata is None:
        raise bins_within_need_strata()
    return table.strata


def rows_by_stratum(strata: Columns, n_strata: int = 0) -> list[Columns]:
    """The rows of every stratum, ascending. There are as many strata as occur, or ``n_strata`` if that is more."""
    n_rows = np.bincount(strata, minlength=n_strata)
    return np.split(np.argsort(strata, kind="stable"), np.cumsum(n_rows)[:-1])


def bins_within_need_strata() -> UserError:
    """The error where there are no strata."""
    return ParameterError("bins_within", True, advice="add {strata}, or leave it out", problem="needs strata")


def bins_within_need_rows() -> UserError:
    """The error where the rows are not in memory."""
    return UserError(
        code="rows-not-in-memory",
        message="needs all rows in memory",
        advice="leave it out, or give a table in memory (without {engine}, {memory}, {spool} and {push_down})",
        parameters={"bins_within": NAME_ONLY},
    )


def bins_within_need_dense_rows() -> UserError:
    """The error where the table is sparse."""
    return UserError(
        code="dense-rows-needed",
        message="needs dense rows, and the table is sparse",
        advice="leave it out, or make the table dense (X.toarray()) if it is small",
        parameters={"bins_within": NAME_ONLY},
    )
