"""What a user should know about the data before trusting a selection, and what cannot be selected from at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.common.errors import Sentence, Setting
from bitsieve.common.messages import quoted, quoted_places
from bitsieve.selectors.counted import tells_nothing
from bitsieve.table.sparse import SparseTable
from bitsieve.table.table import FEW_ROWS, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from bitsieve.selection.explanation import Explanation
    from bitsieve.sources.in_parts import TableInParts
    from bitsieve.table.target import Target

_OTHER_CUTS = Sentence("use ", Setting("uncut", "median"), " or ", Setting("binning", "quantile"))
_MANY_CLASSES = 100
_ROWS_TO_SHOW_IT = 20  # in fewer even a column that repeats the class may do so by chance


def refuse_what_tells_nothing(table: Table | TableInParts) -> None:
    """Refuse a target of one class and features none of which varies."""
    target = table.target
    if target.n_classes < 2:
        raise ValueError(
            f"the target {target.name!r} has one class only ({str(target.labels[0])!r}): nothing to tell apart"
        )
    if isinstance(table, Table) and not any(table.varies(j) for j in range(table.n_features)):
        raise ValueError("no column varies: all features are constant, so none tells anything about the target")


def explain(
    table: Table | TableInParts, binner: Any, selected: NDArray[np.intp], left_out: Sequence[int] = ()
) -> list[str]:
    """The notes on a fitted binner and the ``selected`` columns, in plain sentences; none on those left out.

    Raises
    ------
    ValueError
        Every column became one bin.
    """
    names = table.names
    n_bins = np.asarray(binner.n_bins_)
    mdl_leaves = getattr(binner, "uncut", None) == "leave"
    if (n_bins == 1).all():
        if mdl_leaves:
            why = "MDL accepted no cut in any column, so none tells anything about the target: "
            raise ValueError(Sentence(why, _OTHER_CUTS))
        raise ValueError("every column became one bin, so none tells anything about the target: use more bins")

    notes = explain_target(table)
    kept = np.ones(len(n_bins), bool)
    kept[list(left_out)] = False
    one_bin = np.flatnonzero(kept & (n_bins == 1))
    if isinstance(table, SparseTable):
        constant = one_bin[table.constant[one_bin]].tolist()
    else:
        constant = [j for j in one_bin.tolist() if not table.varies(j)]
    kept[constant] = False
    uncut = np.asarray(getattr(binner, "uncut_", ()), np.intp)
    whole = uncut[kept[uncut]]
    if len(whole):
        numeric = sum(categories is None for categories in binner.categories_)
        left = Sentence("they are left whole and carry no information; ", _OTHER_CUTS)
        fate = left if mdl_leaves else "they are cut at their median"
        notes.append(Sentence(f"MDL accepted no cut in {len(whole):,} of {numeric:,} numeric columns: ", fate))
    if constant:
        notes.append(_about(constant, names, "is constant", "are constant"))
    many = np.flatnonzero((n_bins > 2) & (2 * n_bins > table.n_samples)).tolist()
    identifiers = [j for j in many if binner.categories_ is not None and binner.categories_[j] is not None]
    if identifiers:
        what = "(more than half as many different values as rows: informative here, useless on new rows)"
        notes.append(_about(identifiers, names, f"looks like an identifier {what}", f"look like identifiers {what}"))
    counters = [int(j) for j in selected if table.counts_rows(int(j))]
    if counters:
        what = "the rows, which looks informative when they are sorted"
        notes.append(_about(counters, names, f"only counts {what}", f"only count {what}"))
    return notes


def explain_sample(table: Table | TableInParts) -> list[str]:
    """What was found on a sample of the rows alone, of a table that is read in parts."""
    if isinstance(table, Table) or table.coding is None:
        return []
    notes = []
    sampled, error = table.coding.sampled, f"by at most {table.coding.rank_error:.2%} of the rows, 99 times in 100"
    if sampled:
        what = f"{len(sampled):,} columns have" if len(sampled) > 1 else "1 column has"
        notes.append(
            f"{what} too many different numbers to count them all, and bins found on a sample of the rows, "
            f"whose ranks are off {error}: {table.quoted(sampled)}"
        )
    if table.target_rank_error:
        notes.append(
            f"the edges of the target {table.target.name!r} were found on a sample of the rows, whose ranks are off "
            f"by at most {table.target_rank_error:.2%} of the rows, 99 times in 100"
        )
    return notes


def explain_stop(selector: Any, table: Table | TableInParts) -> list[str]:
    """Why the selection ended before it was complete."""
    rule = getattr(selector, "stopped_by_", "n_features_to_select")
    if rule == "n_features_to_select":
        return _on_length(selector)
    k = len(selector.selected_)
    if selector.stopping_candidate_ < 0:
        return [f"stopped after {k:,} features: {rule}"]
    candidate = table.names[selector.stopping_candidate_]
    return [f"stopped after {k:,} features by {rule}: next was {candidate!r}, {selector.stopping_reason_}"]


def explain_worth(selector: Any, table: Table | TableInParts, found: Explanation) -> list[str]:
    """How many features carry information about the class, where not all do and no rule tested them."""
    informative = found.informative
    k, carry = len(informative), int(informative.sum())
    tested = getattr(selector, "stopping", None) is not None or selector.n_features_to_select == "auto"
    nothing = tells_nothing(found.relevance[selector.selected_], informative)
    if nothing or carry == k or tested or table.n_samples < _ROWS_TO_SHOW_IT:
        return nothing
    if not carry:
        return [f"0 of {k:,} carry more information about the class than chance may"]
    rest, verb = ("the rest", "are") if k - carry > 1 else ("the other one", "is")
    one_line = f"{carry:,} of {k:,} {'carry' if carry > 1 else 'carries'} information about the class; {rest} "
    return [one_line + f"{verb} filled up" if found.is_sure else f"at least {one_line}may be there by chance"]


def explain_gap(selector: Any) -> list[str]:
    """How far the subset can be from the best one, where the method knows a bound."""
    if not hasattr(selector, "upper_bound_"):
        return []
    k = len(selector.selected_)
    if selector.gap_ <= 1e-12:  # the rounding of two sums
        return [f"by what this method measures, no other {k:,} features are better together: the best is found"]
    share = np.floor(1000 * (1 - selector.gap_)) / 10  # rounded down, so that "at least" holds
    return [f"by what this method measures, these {k:,} features reach at least {share:.1f} % of the best possible"]


def _on_length(selector: Any) -> list[str]:
    """A note where a method that finds its own number of features kept fewer than were asked for."""
    kept, asked = len(selector.selected_), selector.n_features_to_select
    if not isinstance(asked, int) or kept >= asked:
        return []
    name = type(selector).__name__
    return [f"{name} kept {kept:,} features of the {asked:,} asked for: by its rule the others add nothing"]


def _on_binned(target: Target) -> str:
    """The note on a target that was cut into intervals."""
    if not target.n_numbers:
        return target.how_binned
    return Sentence(target.how_binned, "; if each is a class of its own, add ", Setting("target_bins", "none"))


def explain_target(table: Table | TableInParts) -> list[str]:
    """How the target became classes, where that is not plain, or whether there are suspiciously many of them."""
    target = table.target
    name, n_classes = target.name, target.n_classes
    if target.kind == "joint":
        cut = [
            f"; {column!r} is continuous: binned at edges {', '.join(f'{edge:g}' for edge in edges)}"
            for column, edges in zip(target.columns, target.edges or (), strict=False)
            if edges is not None
        ]
        return [f"the targets {quoted(target.columns)} are one: {n_classes:,} combinations occur{''.join(cut)}"]
    if target.edges is not None:
        return [_on_binned(target)]
    if n_classes > _MANY_CLASSES or 2 * n_classes > table.n_samples > FEW_ROWS:
        what = f"target {name!r} has {n_classes:,} classes in {table.n_samples:,} rows: "
        if target.labels.dtype.kind not in "iuf" or target.n_bins == "none":
            return [what + "check that it is not a name or a number of each row"]
        return [Sentence(what, "if it is a quantity, add ", Setting("target_bins", 5))]
    return []


def _about(columns: Sequence[int], names: Sequence[str], one: str, several: str) -> str:
    listed = quoted_places(columns, names)
    if len(columns) == 1:
        return f"column {listed} {one}"
    return f"{len(columns):,} columns {several}: {listed}"
