"""Bins of each stratum: the tables that allow them, and the note on their number."""

from __future__ import annotations

from bitsieve.dataset.dataset import Dataset
from bitsieve.diagnostics import NAME_ONLY, Diagnostic, ParameterError, UserError
from bitsieve.discretization.base import Binning
from bitsieve.discretization.registry import makes_bins_within
from bitsieve.discretization.within_strata import (
    bins_within_need_dense_rows,
    bins_within_need_rows,
    bins_within_need_strata,
)
from bitsieve.methods.method import DENSE_ROWS, UNSTRATIFIED
from bitsieve.options import DiscretizationOptions
from bitsieve.pipeline.notes import column_notes
from bitsieve.utils.defaults import BINNING


def check_bins_within(table: Dataset, discretization: DiscretizationOptions) -> None:
    """Raise UserError for bins within strata where there are no strata, or the table does not allow such bins."""
    if not makes_bins_within(discretization):
        return
    if table.target.kind == "survival":
        raise ParameterError(
            "bins_within",
            True,
            advice="leave it out",
            problem="does not take a time to an event as the target",
            code="survival-not-supported",
        )
    has_strata = not table.capabilities >= UNSTRATIFIED
    if not has_strata:
        raise bins_within_need_strata()
    if table.is_sparse:
        raise bins_within_need_dense_rows()
    if not table.capabilities >= DENSE_ROWS:
        raise bins_within_need_rows()


def check_numbers_are_cut(table: Dataset, discretization: DiscretizationOptions) -> None:
    """Raise UserError for bins within strata in a prepared table that has no column of numbers to be cut."""
    if not discretization.bins_within:
        return
    rows = table.required_rows()
    has_numbers = any(rows.is_numeric(j) for j in range(rows.n_features) if j not in rows.dropped)
    cuts_numbers = discretization.binning != "none"  # the rule "none" is settled where all numbers are codes
    if not has_numbers or not cuts_numbers:
        raise UserError(
            code="parameter-without-effect",
            message="has no effect: all columns are categories, or hold few different whole numbers, which are codes",
            advice="leave it out, or cut whole numbers with {binning}",
            fix={"binning": "quantile"},
            parameters={"bins_within": NAME_ONLY},
        )


def on_bins_within(binner: Binning, requested: DiscretizationOptions) -> list[Diagnostic]:
    """Say how many bins each stratum has, where the user did not choose the rule."""
    if not binner.bins_within or requested.binning != BINNING:
        return []
    return [column_notes.bins_of_each_stratum(int(binner.parameters["n_bins"]))]
