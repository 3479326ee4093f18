"""Why a column is selected or not, in bits, what would replace it, and which columns a selected one represents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from bitsieve.dataset.columns import read_columns
from bitsieve.diagnostics import Diagnostic, UserError
from bitsieve.engines.local import binner_of, make_source
from bitsieve.explain.evidence import Contribution, Evidence, conditional_on, contribution
from bitsieve.information import make_information
from bitsieve.information.protocol import Information, pair_uncertainty
from bitsieve.methods.by_samples.cutting_plane.columns import Pairs, vectors_of
from bitsieve.methods.by_samples.cutting_plane.search import check_tau
from bitsieve.methods.constraints import Candidates, resolve
from bitsieve.methods.registry import find_method
from bitsieve.pipeline.samples import TableSamples
from bitsieve.utils import html
from bitsieve.utils.arrays import Columns, Floats
from bitsieve.utils.choice import TIE, pick
from bitsieve.utils.messages import allowed_names, displayed, finite, meant, number, printable, quoted
from bitsieve.utils.parameters import check_choice

_NOT_COUNTED = Contribution(np.nan, np.nan, -1, np.nan, -1)
MEASURES = ("correlation", "information")
_DROPPED = {  # why a column was dropped before the method saw it
    "empty": "is not selected: it has no values",
    "identifier": (
        "is not selected: it looks like an identifier, as nearly every row has a value of its own, and was left out"
    ),
    "excluded": "is not selected because it was excluded",
    "counted": "is not selected: it was left out when the rows were counted",
}
MOST = 0.5  # of the relevance of a column: from there on another one covers it


def why_selected(selection: Any, position: int) -> str:
    """The end of a sentence about the column at a place of the selection."""
    k, method = len(selection.features), selection.method
    if int(selection.indices[position]) in _columns(_constraints(selection), "must_include"):
        return f"is selected because it was to be included (rank {position + 1:,} of {k:,})"
    score = f"score {number(selection.scores[position])}"
    return f"is selected: rank {position + 1:,} of {k:,} by {method} ({score}, {selection.unit})"


def why_not_selected(selection: Any, column: int, column_bits: Contribution, added: float) -> str:
    """The end of a sentence about a column that was not selected."""
    evidence, fit = selection.evidence, selection.fit
    names, chance, uses_bins = evidence.table.names, evidence.chance, find_method(selection.method).bins
    if column in evidence.dropped:
        return _DROPPED[evidence.dropped[column]]
    if not evidence.information.varies[column]:
        uncut = column in getattr(evidence.binner, "uncut_", ()) and evidence.table.varies(column)
        if not uncut:
            return "is not selected: it has one value only, so it carries no information"
        if uses_bins:
            return f"is not selected: {_NO_RELATION} to {selection.target_name!r} and is scored 0 bits"
    if column in _columns(_constraints(selection), "exclude"):
        return "is not selected because it was excluded"
    if column in evidence.screened_out:
        return "is not selected: the method ran on the columns of the largest relevance, and it is not one of them"
    stopping = fit.result.stopping
    if stopping is not None and column == stopping.candidate:
        return f"is not selected: it was next, and the selection ended there ({stopping.reason})"
    if column_bits.redundancy >= MOST * column_bits.relevance and column_bits.redundant_with >= 0:
        share = f"{100 * column_bits.redundancy / column_bits.relevance:.0f} % of its relevance"
        return f"is not selected: {share} is redundant with the selected {names[column_bits.redundant_with]!r}"
    if (
        uses_bins
        and chance is not None
        and max(column_bits.relevance, column_bits.complementarity) <= chance.of(column)
    ):
        return "is not selected: it is no more informative than the best of as many columns is by chance"
    k = len(selection.features)
    more = "" if np.isnan(added) else f", to which it adds {number(added)} bits"
    return f"is not selected: {selection.method} ranks {k:,} other{'s' * (k > 1)} before it{more}"


def _constraints(selection: Any) -> Candidates | None:
    constraints = selection.fit.selection.constraints
    return None if constraints is None else resolve(constraints, selection.evidence.table.names)


def _columns(candidates: Candidates | None, what: str) -> list[int]:
    """The columns that must be included, or are excluded."""
    if candidates is None:
        return []
    return np.flatnonzero(np.isin(candidates.candidate_of_column, getattr(candidates, what))).tolist()


class Substitute(NamedTuple):
    """The best substitute of a selected column, at a price of ``I(X;C|T) - I(X';C|T)``, T others selected."""

    column: int
    price: float
    given: tuple[int, ...]


def best_substitutes(
    information: Information, selected: Columns, candidates: Columns, only: int | None = None
) -> list[Substitute | None]:
    """The best of the candidates in the place of every selected column, or of ``only`` one; None without candidates."""
    replaced = selected.tolist() if only is None else [only]
    if not len(candidates):
        return [None] * len(replaced)
    gains_by_condition: dict[tuple[int, ...], tuple[int, float, Floats]] = {}
    substitutes: list[Substitute | None] = []
    for column in replaced:
        conditional, conditioned_on = conditional_on(information, [int(j) for j in selected if j != column])
        if conditioned_on not in gains_by_condition:
            added = conditional.conditional_relevance(candidates)
            best = pick(added)
            gains_by_condition[conditioned_on] = (
                int(candidates[best]),
                float(added[best]),
                conditional.conditional_relevance(selected),
            )
        substitute, gain, gains_of_selected = gains_by_condition[conditioned_on]
        lost = float(gains_of_selected[selected.tolist().index(column)])
        substitutes.append(Substitute(substitute, lost - gain, conditioned_on))
    return substitutes


SHARED = 0.5  # of the information of two columns: from there on one represents the other
_NO_RELATION = "it shows no reliable relation"


@dataclass(frozen=True)
class FeatureExplanation:
    """Why one feature is selected or not, with its information in bits.

    Attributes
    ----------
    feature : str
    index : int
        Its column in the data without the target.
    rank : int or None
        Its place among the selected features, 1 the first; None where it was not selected.
    reason : str
        Why, in a sentence.
    relevance, entropy, class_entropy : float
        I(X;C), H(X) and H(C); of a column that was left out only H(C) is a number.
    chance : float or None
        The relevance that the best of all columns does not exceed in 19 of 20 shuffles of the classes; None where the
        rows are not in memory, or too many.
    redundancy, redundant_with : float, str or None
        The part of the relevance that one of the features selected before it (or of all selected) has, too, and which.
    complementarity, complementary_with : float, str or None
        Its synergy with one of the others, and with which.
    added, given : float, list of str
        I(X;C|T): what it adds to the first of the others at once, as many as leave five samples a combination.
    stands_for : list of str
        Features that were not selected and share at least half of their information with it, nearest first.
    represented_by : str or None
        The selected feature that represents it so.
    substitute, price : str or None, float or None
        Of a selected feature the one that would replace it best, and the loss of information.
    notes : list of str
        Those of the selection that name the feature.

    Examples
    --------
    >>> import bitsieve
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> found = bitsieve.select(X, y, n_features_to_select=1).explain("petal length (cm)")
    >>> found.rank is None, found.represented_by, round(found.redundancy, 2)
    (True, 'petal width (cm)', 1.3)
    """

    feature: str
    index: int
    rank: int | None
    reason: str
    relevance: float
    entropy: float
    class_entropy: float
    chance: float | None
    redundancy: float
    redundant_with: str | None
    complementarity: float
    complementary_with: str | None
    added: float
    given: list[str]
    stands_for: list[str]
    represented_by: str | None
    substitute: str | None
    price: float | None
    notes: list[str]

    def _parts(self) -> tuple[list[tuple[str, str, str]], list[str]]:
        """The rows of the table, each a quantity, its bits and what these are of, and the lines below it."""
        rows = [
            ("relevance", self.relevance, f"of the {self.class_entropy:.4f} bits of the target"),
            ("95 % limit", self.chance, "under shuffled targets, of the best of all columns"),
            ("redundancy", self.redundancy, f"with {self.redundant_with!r}" if self.redundant_with else ""),
            ("synergy", self.complementarity, f"with {self.complementary_with!r}" if self.complementary_with else ""),
            ("adds", self.added, f"to {quoted(self.given)}" if self.given else ""),
            ("loss if replaced", self.price, f"by {self.substitute!r}, its best substitute"),
        ]
        below = [f"represents {quoted(self.stands_for)}"] if self.stands_for else []
        if self.represented_by is not None:
            below.append(f"is represented by {self.represented_by!r}: they share at least half of their information")
        # Of a column that was left out all are nan.
        described_rows = (row for row in rows if row[2])
        return [
            (name, number(bits), rest) for name, bits, rest in described_rows if bits is not None and not np.isnan(bits)
        ], below

    def __str__(self) -> str:
        rows, below = self._parts()
        width = max((len(name) for name, *_ in rows), default=0)
        lines = [f"{self.feature!r} {self.reason}"]
        lines += [f"  {name:<{width}}  {bits:>7} bits  {rest}" for name, bits, rest in rows]
        lines += [f"  {line}" for line in (*below, *(f"note: {note}" for note in displayed(self.notes)))]
        return "\n".join(printable(line) for line in lines)

    def _repr_html_(self) -> str:
        rows, below = self._parts()
        return html.display(
            html.paragraph(f"{self.feature!r} {self.reason}"),
            html.table(("", "bits", ""), rows, text_columns=(2,)) if rows else "",
            html.bullets(below) if below else "",
            html.notes(self.notes),
        )

    def to_dict(self) -> dict[str, Any]:
        """The explanation as plain Python values that ``json.dumps`` takes.

        Returns
        -------
        dict
            What ``bitsieve explain --json`` prints, less the version.
        """
        return {name: finite(value) if isinstance(value, float) else value for name, value in vars(self).items()}


def explain_feature(selection: Any, feature: Any) -> FeatureExplanation:
    """See :meth:`Selection.explain`; ``selection`` is one."""
    evidence = selection.evidence
    names, selected = evidence.table.names, evidence.selected
    if feature == selection.target_name and feature not in list(names):
        raise UserError(
            code="column-is-target",
            message=f"{feature!r} is the target",
            advice="give another column",
        )
    index = column_of(feature, names)
    information = evidence.information
    position = int(np.flatnonzero(selected == index)[0]) if index in selected else None
    others = selected if position is None else selected[:position]
    is_counted = position is not None or index not in evidence.dropped
    column_bits = contribution(information, index, others) if is_counted else _NOT_COUNTED
    added: float = np.nan
    conditioned_on: tuple[int, ...] = ()
    if is_counted and _has_rows(information):
        added, conditioned_on = _added(information, index, others)
    groups = affiliated_of(evidence).groups
    substitute = None
    if position is not None and _has_rows(information):
        candidates = np.flatnonzero(information.varies & ~np.isin(np.arange(len(names)), selected))
        substitute = best_substitutes(information, selected, candidates, only=index)[0]
    if position is not None:
        reason = why_selected(selection, position)
    else:
        reason = why_not_selected(selection, index, column_bits, added)
    diagnostics = naming_column(selection.diagnostics, names[index])
    if _NO_RELATION in reason:  # which a note would say again
        diagnostics = [diagnostic for diagnostic in diagnostics if diagnostic.code != "no-reliable-relation"]
    return FeatureExplanation(
        feature=names[index],
        index=index,
        rank=None if position is None else position + 1,
        reason=reason,
        relevance=column_bits.relevance,
        entropy=float(information.entropy[index]) if is_counted else np.nan,
        class_entropy=information.class_entropy,
        chance=evidence.chance.of(index) if is_counted and evidence.chance is not None else None,
        redundancy=column_bits.redundancy,
        redundant_with=_name(names, column_bits.redundant_with),
        complementarity=column_bits.complementarity,
        complementary_with=_name(names, column_bits.complementary_with),
        added=added,
        given=[names[j] for j in conditioned_on],
        stands_for=[] if position is None else [names[j] for j in groups[position]],
        represented_by=next((names[s] for s, group in zip(selected, groups, strict=True) if index in group), None),
        substitute=None if substitute is None else names[substitute.column],
        price=None if substitute is None else substitute.price,
        notes=list(map(str, diagnostics)),
    )


def _has_rows(information: Information) -> bool:
    """Whether columns can be taken together, as those of saved counts of pairs cannot."""
    return "partition" in information.source.capabilities


def _added(information: Information, column: int, others: Columns) -> tuple[float, tuple[int, ...]]:
    """What a column adds to others, and to how many of them."""
    conditional, conditioned_on = conditional_on(information, others.tolist())
    return float(conditional.conditional_relevance(np.array([column]))[0]), conditioned_on


def naming_column(diagnostics: Sequence[Diagnostic], name: str) -> list[Diagnostic]:
    """The diagnostics that are about a column."""
    return [diagnostic for diagnostic in diagnostics if str(name) in diagnostic.columns]


def affiliated_of(evidence: Evidence) -> Affiliated:
    """For every selected column those that were not selected and share at least half of their information with it."""
    if not len(evidence.selected):
        return Affiliated(evidence.selected, [], [])
    return groups_of(evidence.selected, pairs_by_information(evidence.counted.information, evidence.selected, SHARED))


def column_of(feature: Any, names: Any) -> int:
    """The column of a feature given by name or number; ValueError, with the nearest names, where there is none."""
    is_number = isinstance(feature, (int, np.integer)) and not isinstance(feature, bool)
    name = meant(str(feature), names)
    if name in names and (is_number or isinstance(feature, str)):  # columns may be named by numbers
        return list(names).index(name)
    if isinstance(feature, str):
        raise UserError(
            code="unknown-column",
            message=f"there is no column {feature!r}",
            advice=allowed_names(feature, list(names)),
        )
    if is_number and 0 <= feature < len(names):
        return int(feature)
    raise UserError(
        code="unknown-column",
        message=f"feature={feature!r} is no column",
        advice=f"give a name, or a number from 0 to {len(names) - 1}",
    )


def _name(names: Any, column: int) -> str | None:
    return None if column < 0 else names[column]


class Affiliated(NamedTuple):
    """For every selected feature those that it represents.

    ``selected`` (k,): the selected columns in order of choice. ``groups``, of length k: columns that were not selected,
    the nearest to the selected one first. ``nearness``: their correlations with it, or the symmetric uncertainties.
    """

    selected: Columns
    groups: list[Columns]
    nearness: list[Floats]


def affiliated(
    selector: Any, X: Any, *, tau: float = 0.25, by: str = "correlation", binning: Any = None, n_jobs: int | None = None
) -> Affiliated:
    """Find, for every selected feature, the features that are correlated with it, or share its information.

    A feature that was not selected belongs to the selected one that is nearest to it (of equal ones to that chosen
    first), if the two are as near as 1 - tau; else to none.

    Parameters
    ----------
    selector : fitted selector or Selection
        Of any method.
    X : array-like, dataframe or sparse matrix of shape (n_samples, n_features)
        The table that it was fitted on, or another one with the same columns, without the target.
    tau : float, default=0.25
        Inside 0 and 1.
    by : {"correlation", "information"}, default="correlation"
        Nearness is ``|rho|``, or the symmetric uncertainty ``2 I(Xi;Xs) / (H(Xi) + H(Xs))``, which finds any dependence
        between binned columns; both are between 0 and 1.
    binning : {"quantile", "uniform", "none"} or binner, optional
        Of the columns, for information; by default the selector's fitted binner, or "quantile" where it has none.
    n_jobs : int, optional
        Threads (None is 1, -1 every core).

    Returns
    -------
    Affiliated

    Raises
    ------
    ValueError
        If the selector is not fitted, the table has other columns, or holds missing or infinite values, categories
        where correlations are asked for.

    Notes
    -----
    Exact: every pair of a selected and another column is looked at. Cost: O(k n d) for n columns and d samples; for a
    sparse table a pass over it with the rows of the selected columns.

    Examples
    --------
    >>> import bitsieve
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> selector = bitsieve.make_selector("mrmr", 2).fit(X, y)
    >>> found = bitsieve.affiliated(selector, X, tau=0.1)
    >>> found.selected.tolist(), [group.tolist() for group in found.groups]
    ([22, 21], [[20, 23, 2, 0, 3], [1]])
    """
    from sklearn.utils.validation import check_is_fitted

    check_tau("tau", tau)
    check_choice("by", by, MEASURES)
    selector = getattr(selector, "selector", selector)  # of a Selection
    check_is_fitted(selector)
    selected = np.asarray(selector.selected_, np.intp)
    table, minimum = read_columns(X, estimator=selector, reset=False), 1 - tau - TIE
    if by == "correlation":
        values = TableSamples(table, "affiliated(by='correlation')").values()
        return groups_of(selected, vectors_of(values, n_jobs).correlated(selected, minimum))
    binner = getattr(selector, "binner_", None) if binning is None else None
    if binner is None:
        binner = binner_of(table, "quantile" if binning is None else binning, n_jobs).fit_table(table)
    source = make_source(binner.codes(table), np.zeros(table.n_samples, np.int32), n_classes=1, n_jobs=n_jobs)
    return groups_of(selected, pairs_by_information(make_information("plug-in", source), selected, minimum))


def groups_of(selected: Columns, pairs: Pairs) -> Affiliated:
    """Every other column to the selected one nearest to it."""
    strength = np.round(np.abs(pairs.correlation), 10)  # what differs by less is a tie
    others = np.flatnonzero(~np.isin(pairs.column, selected))
    order = others[np.lexsort((pairs.chosen[others], -strength[others], pairs.column[others]))]
    column = pairs.column[order]
    nearest = order[np.append(True, column[1:] != column[:-1])] if len(order) else order
    return Affiliated(selected, *pairs.groups(nearest, len(selected)))


def pairs_by_information(information: Information, selected: Columns, minimum: float) -> Pairs:
    """Every selected column with all others whose symmetric uncertainty with it is at least ``minimum``."""
    columns, chosen, values = [], [], []
    everything = np.arange(information.n_features)
    for i, feature in enumerate(selected.tolist()):
        others = np.delete(everything, feature)
        near = pair_uncertainty(information.pair(feature, others, by_class=False))
        is_near = near >= minimum
        columns.append(others[is_near])
        chosen.append(np.full(int(is_near.sum()), i))
        values.append(near[is_near])
    return Pairs(np.concatenate(columns), np.concatenate(chosen), np.concatenate(values))
