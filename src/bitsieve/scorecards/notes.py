"""The notes on the bins of columns and on a scorecard."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from bitsieve.diagnostics import Diagnostic
from bitsieve.discretization.monotone.bin_counts import Totals
from bitsieve.discretization.monotone.column_bins import OTHER, ColumnBins
from bitsieve.discretization.monotone.division import BinRules, divide
from bitsieve.pipeline.notes.column_notes import values_alike
from bitsieve.scorecards.card import Card
from bitsieve.utils.messages import quoted
from bitsieve.utils.spelling import alike_but_for_case_and_blanks

TOO_GOOD = 0.5  # nats: the industry takes a larger information value for a sign of a leak


def notes_on_bins(names: Sequence[str], columns: Sequence[ColumnBins]) -> list[Diagnostic]:
    """Which bounds are not kept, which categories are together, which bins are smoothed, which columns are too good."""
    diagnostics = []
    for name, column in zip(names, columns, strict=True):
        if column.status == "infeasible":
            diagnostics.append(_bounds_not_kept(str(name), column))
        if column.merged.rare:
            diagnostics.append(_rare_categories(str(name), column.merged.rare))
        alike = alike_but_for_case_and_blanks(_categories_of(column))
        if alike:
            diagnostics.append(values_alike(str(name), alike))
        has_empty_cell = (column.counts.events == 0) | (column.counts.nonevents == 0)
        if has_empty_cell.any():
            labels = [column.labels[b] for b in np.flatnonzero(has_empty_cell).tolist()]
            diagnostics.append(_smoothed_bins(str(name), labels))
    diagnostics += notes_on_separated(names, columns)
    too_good = [str(name) for name, column in zip(names, columns, strict=True) if column.iv > TOO_GOOD]
    if too_good:
        diagnostics.append(
            Diagnostic(
                code="too-good",
                severity="warning",
                message=f"the information value of {quoted(too_good)} is above {TOO_GOOD:g}: it may be a leak",
                advice="exclude what is not known when the score is needed",
                columns=too_good,
            )
        )
    return diagnostics


def notes_on_separated(names: Sequence[str], columns: Sequence[ColumnBins]) -> list[Diagnostic]:
    """Which columns have one bin because they separate the classes: smaller bins have too few rows of one of them."""
    separated = []
    for name, column in zip(names, columns, strict=True):
        has_one_bin = column.status == "optimal" and len(column.merged.counts) == 1
        if has_one_bin and column.iv_without_class_bounds > TOO_GOOD:
            separated.append(str(name))
    if not separated:
        return []
    return [
        Diagnostic(
            code="too-good",
            severity="warning",
            message=f"one bin for {quoted(separated)}, as smaller ones would separate the classes: it may be a leak",
            advice="exclude what is not known when the score is needed, or keep it by {min_events} and {min_nonevents}",
            fix={"min_events": 0, "min_nonevents": 0},
            columns=separated,
        )
    ]


def notes_on_card(card: Card) -> list[Diagnostic]:
    """Which columns have points against their event rate, and which have no points."""
    diagnostics = []
    negative = [column.name for column in card.columns if column.coefficient < 0]
    if negative:
        diagnostics.append(
            Diagnostic(
                code="coefficient-sign",
                severity="warning",
                message=f"a negative coefficient for {quoted(negative)}: bins of more events get better points",
                advice="leave out what repeats other columns by {drop_wrong_sign}",
                fix={"drop_wrong_sign": True},
                columns=negative,
            )
        )
    if card.wrong_sign:
        diagnostics.append(
            Diagnostic(
                code="wrong-sign-dropped",
                message=f"left out for a negative coefficient: {quoted(card.wrong_sign)}",
                columns=card.wrong_sign,
            )
        )
    if card.without_information:
        diagnostics.append(
            Diagnostic(
                code="single-bin",
                message=f"one bin, and so no points, for {quoted(card.without_information)}",
                columns=card.without_information,
            )
        )
    return diagnostics


def _rare_categories(name: str, rare: Sequence[str]) -> Diagnostic:
    return Diagnostic(
        code="rare-categories",
        message=f'rare categories of {name!r} count as "{OTHER}", like new ones: {quoted(rare)}',
        advice="to judge each of them alone, add {min_level_share}",
        fix={"min_level_share": 0},
        columns=[name],
    )


def _categories_of(column: ColumnBins) -> list[str]:
    """The categories of a column, rare ones and special values included; none for numbers."""
    if column.merged.groups is None:
        return []
    categories = [name for group in column.merged.groups for name in group]
    return list(dict.fromkeys([*categories, *column.merged.rare, *map(str, column.fixed.special_values)]))


def _smoothed_bins(name: str, labels: Sequence[str]) -> Diagnostic:
    return Diagnostic(
        code="smoothed-bins",
        message=f"bins of {name!r} have rows of one class only: {quoted(labels)}",
        advice="their weight of evidence is that of one more row, of the event rate of the table",
        columns=[name],
    )


def _bounds_not_kept(name: str, column: ColumnBins) -> Diagnostic:
    merging = column.merged.merging
    assert merging is not None  # something was merged, or the bounds would be kept
    bound = _binding_bound(column, merging.rules, column.totals)
    if bound is None:
        return Diagnostic(
            code="bounds-not-kept",
            severity="warning",
            message=f"no bins of {name!r} keep all bounds, so that it has one bin",
            advice="loosen several of them",
            columns=[name],
        )
    value = getattr(merging.rules, bound)
    return Diagnostic(
        code="bounds-not-kept",
        severity="warning",
        message=f"is kept by no bins of {name!r}, so that it has one bin",
        advice=f"loosen {{{bound}}}",
        columns=[name],
        parameters={bound: {name: value} if bound == "trend" else value},
    )


def _binding_bound(column: ColumnBins, rules: BinRules, totals: Totals) -> str | None:
    """The bound without which the others can be kept; None if several are in the way."""
    merging = column.merged.merging
    assert merging is not None
    without_bound = {
        "min_bin_share": replace(rules, min_bin_share=0.0),
        "min_events": replace(rules, min_events=0),
        "min_nonevents": replace(rules, min_nonevents=0),
        "min_rate_diff": replace(rules, min_rate_diff=0.0),
        "min_n_bins": replace(rules, min_n_bins=1),
        "max_n_bins": replace(rules, max_n_bins=None),
        "max_bin_share": replace(rules, max_bin_share=None),
        "trend": replace(rules, trend="none"),
    }
    for bound, looser in without_bound.items():
        if looser != rules and divide(merging.counts, totals, looser).status == "optimal":
            return bound
    return None
