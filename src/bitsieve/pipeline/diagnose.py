"""What a user should know about the data before trusting a selection, and what cannot be selected from at all."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitsieve.dataset.dataset import Dataset, InMemoryDataset
from bitsieve.dataset.encoding import are_categories
from bitsieve.dataset.identifiers import FEW_ROWS
from bitsieve.dataset.quantity import listed_edges
from bitsieve.dataset.target import Target
from bitsieve.discretization.base import codes_that_occur
from bitsieve.information.evidence import Leak
from bitsieve.methods.by_counts.stopping import make_stopping
from bitsieve.methods.by_counts.stopping.conditional import ConditionalStopping
from bitsieve.pipeline.evidence import MOST_TESTED, CountEvidence, nothing_informative
from bitsieve.pipeline.prepare import read_as
from bitsieve.pipeline.run import Fit
from bitsieve.utils.arrays import Flags
from bitsieve.utils.lazy import chdtrc
from bitsieve.utils.messages import Sentence, Setting, quoted, quoted_places

_OTHER_CUTS = Sentence("use ", Setting("uncut", "median"), " or ", Setting("binning", "quantile"))
_SAFER = Setting("stopping", "conditional")
_DEPENDENT = 0.05  # level at which two columns of a list are taken to depend on each other
_MANY_CLASSES = 100
_MANY_VALUES = 20
_ORDERED = 11  # different numbers, of which a target may be a quantity
_SHARE_OF_CHANCE = 0.1  # of the information of a column
_ROWS_TO_SHOW_IT = 20  # in fewer even a column that repeats the class may do so by chance

_NAMES_OF_UNITS = re.compile(
    r"(?:subject|patient|person|participant|customer|user|client)?[\W_]*(?:ids?|subject|patient|person|participant)",
    re.I,
)
_FEW_RUNS = -6.0  # standard deviations from the mean after shuffles: one column of noise in a thousand million
_IN_RUNS = 0.25  # of the columns
_ROWS_LOOKED_AT, _COLUMNS_LOOKED_AT = 1 << 15, 200

_UNTESTED = f"not tested by shuffles, which take rows in memory and {MOST_TESTED:,} values (rows x columns) at most"


def refuse_constant_data(table: Dataset) -> None:
    """Refuse a target of one class and features none of which varies."""
    table.target.check_varies()
    if table.rows is not None and not any(table.varies(j) for j in range(table.n_features)):
        raise ValueError("no column varies: all features are constant, so none has information about the target")


def notes_on(fit: Fit, found: CountEvidence, left_out: Collection[int]) -> list[str]:
    """All that was noticed in a table and in what was selected from it."""
    table = fit.table
    return [
        *explain_sample(table),
        *explain(table, found.binner, fit, left_out),
        *explain_leaks(found.leaks, table),
        *explain_informative(fit, found),
        *explain_many_values(fit, found),
        *explain_stop(fit),
        *explain_untested(fit, table.names),
        *explain_dependence(fit, found),
        *(explain_rows(table) if fit.is_tested else ()),
        *explain_gap(fit),
    ]


def explain(table: Dataset, binner: Any, fit: Fit, left_out: Collection[int] = ()) -> list[str]:
    """The notes on a fitted binner and the selected columns, none on those left out."""
    names = table.names
    n_bins = codes_that_occur(binner, table)
    mdl_leaves = getattr(binner, "requires", None) == "classes" and getattr(binner, "uncut", None) == "leave"
    if (n_bins == 1).all() and not mdl_leaves:
        raise ValueError("every column became one bin, so none has information about the target: use more bins")
    notes = explain_target(table)
    kept = np.ones(len(n_bins), bool)
    kept[list(left_out)] = False
    one_bin = np.flatnonzero(kept & (n_bins == 1))
    constant = [j for j in one_bin.tolist() if not table.varies(j)]
    kept[constant] = False
    uncut = np.asarray(getattr(binner, "uncut_", ()), np.intp)
    whole = uncut[kept[uncut] & ((n_bins[uncut] == 1) | (not mdl_leaves))]  # missing values may be a second bin
    if len(whole):
        gone = {*left_out, *constant}
        binned = (known for j, known in enumerate(binner.categories_) if j not in gone)
        numeric = sum(known is None or np.asarray(known).dtype.kind in "iuf" for known in binned)
        show, are, them, their = ("shows", "is", "it", "its") if len(whole) == 1 else ("show", "are", "them", "their")
        target, listed = quoted(table.target.names), quoted_places(whole.tolist(), names)
        what = f"{len(whole):,} of {numeric:,} numeric columns {show} no reliable relation to {target}"
        if mdl_leaves:
            zero = f"{fit.about_unused_bins}so {their} relevance is" if fit.about_unused_bins else f"and {are} scored"
            notes.append(Sentence(f"{what} {zero} 0 bits: {listed}; to cut {them} all the same, ", _OTHER_CUTS))
        else:
            notes.append(f"{what} and {are} cut at {their} median: {listed}")
    if constant:
        notes.append(_about(constant, names, "is constant", "are constant"))
    many = np.flatnonzero((n_bins > 2) & (2 * n_bins > table.n_samples)).tolist()
    identifiers = [j for j in many if binner.categories_ is not None and binner.categories_[j] is not None]
    if identifiers:
        what = "(more than half as many different values as rows: informative here, useless on new rows)"
        notes.append(_about(identifiers, names, f"looks like an identifier {what}", f"look like identifiers {what}"))
    counters = [int(j) for j in fit.result.selected if table.counts_rows(int(j))]
    if counters:
        what = "the rows, which looks informative when they are sorted"
        notes.append(_about(counters, names, f"only counts {what}", f"only count {what}"))
    return notes


def explain_sample(table: Dataset) -> list[str]:
    """What was found on a sample of the rows alone, of a table that is read in parts."""
    notes = []
    approximation = table.approximation
    if approximation is not None:
        columns = approximation.columns
        what = f"{len(columns):,} columns have" if len(columns) > 1 else "1 column has"
        bins_from = "a sample of the rows"
        certainty = ", 99 times in 100"
        if approximation.from_intervals:
            bins_from = "intervals of them"
            certainty = ""
        error = f"by at most {approximation.rank_error:.2%} of the rows{certainty}"
        notes.append(
            f"{what} too many different numbers to count them all, and bins found on {bins_from}, "
            f"whose ranks are off {error}: {table.quoted(columns)}"
        )
    if table.target_rank_error:
        notes.append(
            f"the edges of the target {table.target.name!r} were found on a sample of the rows, whose ranks are off "
            f"by at most {table.target_rank_error:.2%} of the rows, 99 times in 100"
        )
    return notes


def explain_leaks(leaks: Sequence[Leak], table: Dataset) -> list[str]:
    """Which columns nearly determine the target alone, as a column does that is filled in after the answer is known."""
    if not leaks:
        return []
    names = [table.names[leak.column] for leak in leaks]
    share = f"{int(100 * leaks[-1].share)} % of {table.target.name!r}"
    determine = f"determines {share}: is it" if len(names) == 1 else f"determine at least {share} each: are they"
    return [Sentence(f"{quoted(names)} {determine} known at prediction time? If not, add ", Setting("exclude", names))]


def explain_stop(fit: Fit) -> list[str]:
    """Why there are fewer features than were asked for, or where a rule ended."""
    stopping = fit.result.stopping
    k = len(fit.result.selected)
    if stopping is None or stopping.by == "n_features_to_select":
        asked = fit.n_features_to_select
        if not isinstance(asked, int) or k >= asked:
            return []
        what = f"{fit.method.estimator} kept {_features(k)} of the {asked:,} asked for"
        return [f"{what}: by its rule the others add nothing"]
    rule, reason = stopping.by, stopping.reason
    if stopping.candidate < 0 and reason:
        why = f"stopped after {_features(k)} by {rule}: {reason}"
        return [Sentence(why, "; where fewer are relevant, use ", _SAFER)]
    if stopping.candidate < 0:
        what = f"have one value or no reliable relation to {quoted(fit.table.target.names)}"
        return [f"stopped after {_features(k)}: all columns that are left {what}"]
    candidate = fit.table.names[stopping.candidate]
    corrected = rule == "threshold" and fit.parameters.get("estimator") == "corrected"
    before = " (before correction for chance; scores are after it)" if corrected else ""
    return [f"stopped after {_features(k)} by {rule}: next was {candidate!r}, {reason}{before}"]


def explain_untested(fit: Fit, names: Sequence[object]) -> list[str]:
    """A note on the columns that leave a conditional test nothing to permute."""
    stopping = fit.result.stopping
    if stopping is None or stopping.untested is None:
        return []
    untested = stopping.untested.tolist()
    what = f"p = 1 where the neighbours in the tree leave nothing to permute, {len(untested):,} of the columns"
    return [f"{what}: {quoted_places(untested, names)} (of equal ones keep one)"]


def explain_rows(table: Dataset) -> list[str]:
    """A note where rows in memory seem to belong together, which every rule takes for independent draws."""
    rows = table.rows
    if rows is None or not {"independent", "dense"} <= table.capabilities:
        return []
    for j in (j for j, name in enumerate(table.names) if _NAMES_OF_UNITS.fullmatch(str(name))):
        n_values = len(np.unique(_values(rows, j)))
        if 1 < n_values <= table.n_samples / 2:
            what = f"{table.names[j]!r} repeats its values ({n_values:,} in {table.n_samples:,} rows): if rows of one "
            return [Sentence(what, "value belong together, add ", Setting("groups", table.names[j]))]
    n_looked, n_in_runs = _in_runs(rows)
    if n_in_runs < max(2, _IN_RUNS * n_looked):
        return []
    alike = f"rows that follow each other are alike in {n_in_runs:,} of {n_looked:,} columns, and rules take all rows"
    draws = " for independent draws: if some belong together, as those of one person do, add "
    return [Sentence(alike, draws, Setting("groups"))]


def _values(table: InMemoryDataset, j: int) -> NDArray[Any]:
    """The numbers of a column, or the codes of its categories."""
    values = table.values(j)
    return values.codes if are_categories(values) else values


def _in_runs(table: InMemoryDataset) -> tuple[int, int]:
    """How many columns are looked at, and in how many of them the runs test of Wald and Wolfowitz finds rows alike."""
    label = table.target.codes[:_ROWS_LOOKED_AT]
    order = np.argsort(label, kind="stable")
    size, same = np.bincount(label).astype(float), np.diff(label[order]) == 0
    n_looked = n_in_runs = 0
    for j in range(min(table.n_features, _COLUMNS_LOOKED_AT)):
        values = np.nan_to_num(_values(table, j)[:_ROWS_LOOKED_AT].astype(float))
        steps = np.diff(values)
        if (steps >= 0).all() or (steps <= 0).all():
            continue
        high = values > values.mean()
        n_high = np.bincount(label, high, len(size))
        pairs, others = 2 * n_high * (size - n_high), np.maximum(size, 2)
        mean, spread = (pairs / others).sum(), (pairs * (pairs - size) / (others**2 * (others - 1))).sum()
        changes = int((np.diff(high[order]) & same).sum())
        n_looked += 1
        n_in_runs += bool(changes - mean < _FEW_RUNS * np.sqrt(max(spread, 0.0)))
    return n_looked, n_in_runs


def explain_dependence(fit: Fit, found: CountEvidence) -> list[str]:
    """What a list says of columns that depend on each other, or what its rule assumes of them."""
    table = fit.table
    if fit.result.stopping is not None and fit.result.stopping.neighbours:
        said = [f"each is {ConditionalStopping.conclusion}"]
        if fit.evidence is not None and fit.evidence.binner.requires == "classes":
            by_classes = "the bins were cut by the target: more of the list may be false than was asked for"
            said.append(Sentence(by_classes, "; to avoid this, ", Setting("binning", "quantile")))
        return said
    if fit.stopping is None or not make_stopping(fit.stopping).assumes_positive_dependence or len(found.overlap) < 2:
        return []
    bits, later = float(np.nanmax(found.overlap)), int(np.nanargmax(found.overlap))
    pair = fit.result.selected[later], found.overlap_with[later]
    freedom = np.prod(np.maximum(1, codes_that_occur(found.binner, table)[list(pair)] - 1))
    n_pairs = len(found.overlap) * (len(found.overlap) - 1) / 2
    if chdtrc(freedom, max(0.0, 2 * np.log(2) * table.n_samples * bits)) * n_pairs > _DEPENDENT:
        return []
    shared = f"{' and '.join(repr(str(table.names[j])) for j in pair)} share {bits:.2g} bits"
    assumes = "fdr holds where columns are independent given the class or depend on each other positively"
    if "independent" not in table.capabilities:
        return [f"{assumes}, and {shared}: where that is doubtful, more of the list may be false than was asked for"]
    return [Sentence(f"{assumes}, and {shared}: where that is doubtful, use ", _SAFER)]


def explain_informative(fit: Fit, found: CountEvidence) -> list[str]:
    """How many features carry information about the class, where not all do and no rule tested them."""
    k = len(found.overlap)
    carry, unused = k - int(may_be_chance(fit, found).sum()), fit.about_unused_bins
    nothing = [] if unused else nothing_informative(found.relevance[fit.result.selected], found.informative)
    if nothing or carry == k:
        return nothing
    if not carry and found.is_sure:
        return [f"{unused}0 of {k:,} are more informative than chance: they only fill the list"]
    if not carry:
        return [f"{unused}none of {k:,} is shown to be more informative than chance: {_UNTESTED}"]
    several, rest = k - carry > 1, f"the other {k - carry:,}" if k - carry > 1 else "the other one"
    one_line = f"{carry:,} of {k:,} {'are' if carry > 1 else 'is'} more informative than chance; {rest} "
    end = f"only {'fill' if several else 'fills'} the list" if found.is_sure else f"may be there by chance: {_UNTESTED}"
    return [f"{unused}{'' if found.is_sure else 'at least '}{one_line}{end}"]


def may_be_chance(fit: Fit, found: CountEvidence) -> Flags:
    """Which of k features are not more informative than chance; none where a rule tested each, or rows are few."""
    if fit.is_tested or fit.table.n_samples < _ROWS_TO_SHOW_IT:
        return np.zeros(len(found.overlap), bool)
    return ~found.informative.value


def explain_many_values(fit: Fit, found: CountEvidence) -> list[str]:
    """Which features have so many values that they look informative by chance ((m - 1) (k - 1) / (2 N ln 2) bits)."""
    if fit.parameters.get("estimator", "plug-in") != "plug-in":
        return []
    selected, table = fit.result.selected, fit.table
    n_values = np.asarray(found.binner.n_bins_)[selected]
    by_chance = (n_values - 1) * (table.target.n_classes - 1) / (2 * np.log(2) * table.n_samples)
    inflated = (n_values > _MANY_VALUES) & (by_chance >= _SHARE_OF_CHANCE * found.relevance[selected])
    many = selected[inflated & (2 * n_values <= table.n_samples)].tolist()  # beyond, it is noted as an identifier
    if not many:
        return []
    have, their = ("1 column has", "its") if len(many) == 1 else (f"{len(many):,} columns have", "their")
    why = f"{have} so many different values that chance alone makes 10 % or more of {their} information"
    other = (", or compare with ", Setting("estimator", "corrected")) if "estimator" in fit.parameters else ()
    return [Sentence(f"{why}: {quoted_places(many, table.names)}; group {their} values", *other)]


def explain_gap(fit: Fit) -> list[str]:
    """How far the subset can be from the best one, where the method knows a bound."""
    if "upper_bound_" not in fit.result.extras:
        return []
    gap = fit.fitted_attribute("gap_")
    k = len(fit.result.selected)
    if gap <= 1e-12:  # the rounding of two sums
        others = "no other feature is better" if k == 1 else f"no other {k:,} features are better together"
        return [f"by what this method measures, {others}: the best is found"]
    share = np.floor(1000 * (1 - gap)) / 10  # rounded down, so that "at least" holds
    these = "this feature reaches" if k == 1 else f"these {k:,} features reach"
    return [f"by what this method measures, {these} at least {share:.1f} % of the best possible"]


def _features(k: int) -> str:
    return "1 feature" if k == 1 else f"{k:,} features"


def explain_target(table: Dataset) -> list[str]:
    """How the target became classes, where that is not plain, or whether there are suspiciously many of them."""
    target = table.target
    keep = "; to keep the text as classes, add ", Setting("repair", False)
    called = {name: name if target.kind == "joint" else target.name for name in target.parsings}
    of_text = [Sentence(read_as(f"target {called[name]!r}", of), *keep) for name, of in target.parsings.items()]
    return [*of_text, *_on_classes(table, target)]


def _on_classes(table: Dataset, target: Target) -> list[str]:
    name, n_classes = target.name, target.n_classes
    if target.kind == "joint":
        cut = [
            f"; {column!r} is a quantity: cut at {listed_edges(edges, unit.strip())}"
            for column, edges, unit in zip(target.columns, target.edges or (), target.unit, strict=False)
            if edges is not None
        ]
        return [f"the targets {quoted(target.columns)} are one: {n_classes:,} combinations occur{''.join(cut)}"]
    said = target.said.kind is not None
    if target.edges is not None:
        return [target.how_cut]
    may_be_quantity = target.labels.dtype.kind in "iuf" and not said
    if n_classes > _MANY_CLASSES or 2 * n_classes > table.n_samples > FEW_ROWS:
        what = f"target {name!r} has {n_classes:,} classes in {table.n_samples:,} rows: "
        if not may_be_quantity:
            return [what + "check that it is not a name or a number of each row"]
        return [Sentence(what, "if it is a quantity, add ", Setting("target_kind", "quantity"))]
    if n_classes >= _ORDERED and may_be_quantity:
        what = f"target {name!r} has {n_classes:,} different numbers, each taken as a class: if it is a quantity, add "
        return [Sentence(what, Setting("target_kind", "quantity"))]
    return []


def _about(columns: Sequence[int], names: Sequence[str], one: str, several: str) -> str:
    listed = quoted_places(columns, names)
    if len(columns) == 1:
        return f"column {listed} {one}"
    return f"{len(columns):,} columns {several}: {listed}"
