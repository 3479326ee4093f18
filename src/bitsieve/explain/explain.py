"""Explain why a column is selected or not, in bits, what would replace it, and which columns it represents."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from bitsieve.dataset.dataset import Dataset
from bitsieve.diagnostics import UserError
from bitsieve.explain.affiliated import represented_by_selected
from bitsieve.explain.contribution import Contribution, conditional_on, contribution_of
from bitsieve.explain.evidence import Evidence
from bitsieve.explain.reasons import NO_RELATION, ExplainedSelection, why_not_selected, why_selected
from bitsieve.explain.substitutes import Substitute, best_substitutes
from bitsieve.information.protocol import BITS_PER_EVENT, Information
from bitsieve.utils import html
from bitsieve.utils.arrays import Columns
from bitsieve.utils.column_names import TARGET
from bitsieve.utils.messages import advice_on_name, closest_match, quoted
from bitsieve.utils.note_warnings import displayed
from bitsieve.utils.terminal_text import finite, number, printable
from bitsieve.utils.types import JsonObject

NOT_COUNTED = Contribution(
    relevance=np.nan, redundancy=np.nan, redundant_with=-1, complementarity=np.nan, complementary_with=-1
)


class Quantity(NamedTuple):
    """A row of a printed explanation."""

    name: str
    bits: str
    description: str


class Addition(NamedTuple):
    """What a column adds to several others at once."""

    bits: float = np.nan  # I(X;C|T) given these columns
    given: tuple[int, ...] = ()  # the columns T


@dataclass(frozen=True)
class FeatureExplanation:
    """Why one feature is selected or not, with its information in bits.

    Attributes
    ----------
    feature : str
    index : int
        The number of its column in the data without the target.
    rank : int or None
        Its rank among the selected features, 1 the first; None if it was not selected.
    reason : str
        Why it is selected or not, in a sentence without its subject.
    relevance, entropy, class_entropy : float
        I(X;C), H(X) and H(C). I(X;C) and H(X) are nan for a column that was dropped, and H(C) for a time to an event,
        which has none.
    chance : float or None
        The relevance that the best of all columns does not exceed in 19 of 20 shuffles of the classes, or draws of the
        events among the rows at risk; None if the rows are not in memory, or too many.
    redundancy, redundant_with : float, str or None
        The largest part of its relevance that another feature has, too, and that feature. For a selected feature the
        others are those selected before it, else all that are selected.
    complementarity, complementary_with : float, str or None
        Its largest synergy with one of these others, and that feature.
    added, given : float, list of str
        I(X;C|T), what it adds to several of the others at once, and these features T: the first ones, as many as leave
        five samples, or twenty events, for each combination of their values.
    stands_for : list of str
        The features that it represents: they were not selected and share at least half of their information with it,
        the nearest first.
    represented_by : str or None
        The selected feature that represents it.
    substitute, price : str or None, float or None
        For a selected feature the one that would replace it best, and the information that would be lost.
    notes : list of str
        The notes of the selection that name the feature.
    unit : str
        Of information about the target: "bits", or "bits per event" where that is a time to an event.

    Examples
    --------
    >>> import bitsieve
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> explanation = bitsieve.select(X, y, n_features_to_select=1).explain("petal length (cm)")
    >>> explanation.rank is None, explanation.represented_by, round(explanation.redundancy, 2)
    (True, 'petal width (cm)', 1.3)
    """

    feature: str
    index: int
    rank: int | None
    reason: str
    relevance: float = np.nan
    entropy: float = np.nan
    class_entropy: float = np.nan
    chance: float | None = None
    redundancy: float = np.nan
    redundant_with: str | None = None
    complementarity: float = np.nan
    complementary_with: str | None = None
    added: float = np.nan
    given: list[str] = field(default_factory=list)
    stands_for: list[str] = field(default_factory=list)
    represented_by: str | None = None
    substitute: str | None = None
    price: float | None = None
    notes: list[str] = field(default_factory=list)
    unit: str = "bits"

    def _quantities(self) -> list[Quantity]:
        """The rows of the table. A quantity without a value, as of a dropped column, has no row."""
        relevance_in_words = f"of the {self.class_entropy:.4f} bits of the target"
        shuffles = "shuffles of the target"
        if self.unit == BITS_PER_EVENT:
            relevance_in_words = "about the time to the event"
            shuffles = "draws of the events among the rows at risk"
        if self.relevance < 0:
            relevance_in_words += "; below 0: less than columns of chance have on average"
        limit = f"in 19 of 20 {shuffles} no column has more"
        if self.chance == 0:
            limit = f"in 19 of 20 {shuffles} no column has any information"
        rows: list[tuple[str, float | None, str]] = [
            ("relevance", self.relevance, relevance_in_words),
            ("95 % limit", self.chance, limit),
        ]
        if self.redundant_with:
            rows.append(("redundancy", self.redundancy, f"with {self.redundant_with!r}"))
        if self.complementary_with:
            rows.append(("synergy", self.complementarity, f"with {self.complementary_with!r}"))
        if self.given:
            rows.append(("adds", self.added, f"to {quoted(self.given)}"))
        rows.append(("loss if replaced", self.price, f"by {self.substitute!r}, its best substitute"))
        quantities = []
        for name, bits, description in rows:
            if bits is not None and not np.isnan(bits):
                quantities.append(Quantity(name, number(bits), description))
        return quantities

    def _representation(self) -> list[str]:
        """The lines below the table: what the feature represents, and what represents it."""
        lines = []
        if self.stands_for:
            lines.append(f"represents {quoted(self.stands_for)}")
        if self.represented_by is not None:
            lines.append(f"is represented by {self.represented_by!r}: they share at least half of their information")
        return lines

    def __str__(self) -> str:
        quantities = self._quantities()
        width = max((len(quantity.name) for quantity in quantities), default=0)
        lines = [f"{self.feature!r} {self.reason}"]
        for quantity in quantities:
            lines.append(f"  {quantity.name:<{width}}  {quantity.bits:>7} {self.unit}  {quantity.description}")
        lines += [f"  {line}" for line in self._representation()]
        lines += [f"  note: {note}" for note in displayed(self.notes)]
        return "\n".join(printable(line) for line in lines)

    def _repr_html_(self) -> str:
        quantities = self._quantities()
        representation = self._representation()
        return html.display(
            html.paragraph(f"{self.feature!r} {self.reason}"),
            html.table(("", self.unit, ""), quantities, text_columns=(2,)) if quantities else "",
            html.bullets(representation) if representation else "",
            html.notes(self.notes),
        )

    def to_dict(self) -> JsonObject:
        """The explanation as plain Python values that ``json.dumps`` takes.

        Returns
        -------
        dict
            What ``bitsieve explain --json`` prints, without the version.
        """
        return {name: finite(value) if isinstance(value, float) else value for name, value in vars(self).items()}


def explain_feature(selection: ExplainedSelection, feature: object) -> FeatureExplanation:
    """Explain a feature given by name or number; see :meth:`bitsieve.Selection.explain`."""
    evidence = selection.required_evidence()
    names = evidence.table.names
    _check_is_a_feature(feature, evidence.table)
    column = column_of(feature, names)
    position = _position(column, evidence.selected)
    if position is None and column in evidence.dropped:
        return _dropped_feature(selection, column)

    others = evidence.selected if position is None else evidence.selected[:position]
    information = evidence.information
    contribution = contribution_of(column, others, information)
    addition = Addition()
    substitute: Substitute | None = None
    if _can_combine_columns(information):
        addition = _addition(column, others, information)
        substitute = None if position is None else _best_substitute(evidence, column)
    groups = represented_by_selected(evidence).groups
    if position is None:
        rank = None
        reason = why_not_selected(selection, column, contribution, addition.bits)
        represented: list[str] = []
    else:
        rank = position + 1
        reason = why_selected(selection, position)
        represented = [names[j] for j in groups[position]]
    return FeatureExplanation(
        feature=names[column],
        index=column,
        rank=rank,
        reason=reason,
        relevance=contribution.relevance,
        entropy=float(information.entropy[column]),
        class_entropy=_class_entropy(evidence),
        chance=None if evidence.chance is None else evidence.chance.limit(column),
        redundancy=contribution.redundancy,
        redundant_with=name_of_column(names, contribution.redundant_with),
        complementarity=contribution.complementarity,
        complementary_with=name_of_column(names, contribution.complementary_with),
        added=addition.bits,
        given=[names[j] for j in addition.given],
        stands_for=represented,
        represented_by=_representative(column, evidence.selected, groups, names),
        substitute=None if substitute is None else names[substitute.column],
        price=None if substitute is None else substitute.price,
        notes=_notes_on(selection, column, reason),
        unit=evidence.unit,
    )


def _addition(column: int, others: Columns, information: Information) -> Addition:
    """What a column adds to several others at once."""
    conditional, given = conditional_on(information, others.tolist())
    return Addition(float(conditional.conditional_relevance(np.array([column]))[0]), given)


def _class_entropy(evidence: Evidence) -> float:
    """H(C) of the target; nan for a time to an event, which has none."""
    if evidence.unit == BITS_PER_EVENT:
        return np.nan
    return evidence.information.class_entropy


def _dropped_feature(selection: ExplainedSelection, column: int) -> FeatureExplanation:
    """The explanation of a column that was dropped before anything was counted."""
    evidence = selection.required_evidence()
    names = evidence.table.names
    reason = why_not_selected(selection, column, NOT_COUNTED, np.nan)
    groups = represented_by_selected(evidence).groups
    return FeatureExplanation(
        feature=names[column],
        index=column,
        rank=None,
        reason=reason,
        class_entropy=_class_entropy(evidence),
        represented_by=_representative(column, evidence.selected, groups, names),
        notes=_notes_on(selection, column, reason),
        unit=evidence.unit,
    )


def _position(column: int, selected: Columns) -> int | None:
    """The position of a column among the selected ones."""
    positions = np.flatnonzero(selected == column)
    return int(positions[0]) if len(positions) else None


def _can_combine_columns(information: Information) -> bool:
    """Whether information can be conditional on several columns, which saved counts of pairs do not allow."""
    return "partition" in information.source.capabilities


def _best_substitute(evidence: Evidence, column: int) -> Substitute | None:
    """The best substitute of a selected column."""
    is_candidate = evidence.information.varies.copy()
    is_candidate[evidence.selected] = False
    (substitute,) = best_substitutes(evidence.information, evidence.selected, np.flatnonzero(is_candidate), only=column)
    return substitute


def _representative(column: int, selected: Columns, groups: Sequence[Columns], names: Sequence[str]) -> str | None:
    """The name of the selected column that represents another one."""
    for selected_column, group in zip(selected, groups, strict=True):
        if column in group:
            name: str = names[selected_column]
            return name
    return None


def name_of_column(names: Sequence[str], column: int) -> str | None:
    """The name of a column; None for -1, which stands for no column."""
    if column < 0:
        return None
    return names[column]


def _notes_on(selection: ExplainedSelection, column: int, reason: str) -> list[str]:
    """The notes of the selection that name a column, without one that the reason repeats."""
    name = str(selection.required_evidence().table.names[column])
    diagnostics = [diagnostic for diagnostic in selection.diagnostics if name in diagnostic.columns]
    if NO_RELATION in reason:
        diagnostics = [diagnostic for diagnostic in diagnostics if diagnostic.code != "no-reliable-relation"]
    return [str(diagnostic) for diagnostic in diagnostics]


def _check_is_a_feature(feature: object, table: Dataset) -> None:
    """Refuse the target, and a column of the weights, the groups or the strata."""
    role = table.role_of_column.get(feature) if isinstance(feature, str) else None
    if role is None or feature in list(table.names):
        return
    message = f"{feature!r} is {role}, not a feature"
    if role == TARGET:
        raise UserError(code="column-is-target", message=message, advice="give another column")
    raise UserError(code="column-in-two-roles", message=message, advice="give another column")


def column_of(feature: object, names: Sequence[str]) -> int:
    """The column of a feature given by name or number; ValueError, with the nearest names, where there is none.

    A number is first looked up among the names, as columns may be named by numbers.
    """
    if isinstance(feature, (str, int, np.integer)) and not isinstance(feature, bool):
        name = closest_match(str(feature), names)
        if name in names:
            return list(names).index(name)
        if not isinstance(feature, str) and 0 <= feature < len(names):
            return int(feature)
    if isinstance(feature, str):
        raise UserError(
            code="unknown-column",
            message=f"there is no column {feature!r}",
            advice=advice_on_name(feature, list(names)),
        )
    # Values of an array or a Series would fill the screen.
    text = type(feature).__name__ if isinstance(feature, Sized) else repr(feature)
    raise UserError(
        code="unknown-column",
        message=f"feature={text} is no column",
        advice=f"give a name, or a number from 0 to {len(names) - 1}",
    )
