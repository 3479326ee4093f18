"""A screen: only the most relevant columns are given to the method."""

from __future__ import annotations

from bitsieve.diagnostics import ParameterError
from bitsieve.information.protocol import Information
from bitsieve.methods.constraints import has_items, resolve
from bitsieve.methods.method import constants_last
from bitsieve.pipeline.prepare import PreparedSelection
from bitsieve.utils.choice import rank
from bitsieve.utils.parameters import check_integer


def check_screen(prepared: PreparedSelection) -> None:
    """Raise ValueError for a screen that is no number, or contradicts the other options."""
    selection = prepared.selection
    screen = selection.screen
    n_features = selection.n_features_to_select
    minimum = 1
    if isinstance(n_features, float):
        minimum = max(1, int(n_features * prepared.table.n_features))
    elif isinstance(n_features, int):
        minimum = n_features
    check_integer("screen", screen, minimum, why="as many as are selected, or more")
    if "stopping" in selection.method.parameters and selection.is_tested:
        raise ParameterError(
            "screen", screen, "leave it out: a stopping rule must look at all columns", code="contradicting-parameters"
        )
    if selection.constraints is not None and has_items(selection.constraints.groups):
        raise ParameterError(
            "screen", screen, "leave it out: groups of columns are not screened", code="contradicting-parameters"
        )
    if not prepared.table.can_leave_out:
        raise ParameterError(
            "screen", screen, "give the rows: saved counts are of all columns", code="rows-not-in-memory"
        )


def columns_screened_out(prepared: PreparedSelection, information: Information, screen: int) -> list[int]:
    """The columns that a screen takes from the method: those beyond the ``screen`` most relevant ones.

    Included columns stay, and dropped ones are not counted again.
    """
    order = constants_last(rank(information.relevance), information.varies)
    included = resolve(prepared.selection.constraints, prepared.table.names).must_include
    return sorted({*order[screen:].tolist()} - {*included, *prepared.dropped})
