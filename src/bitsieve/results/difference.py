"""Two selections compared: which columns entered, left and moved, and what is not the same in their making."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np

from bitsieve.results.saved.changes import (
    change_of_columns,
    change_of_kinds,
    change_of_rows,
    change_of_target,
    change_of_values,
    change_of_versions,
    changes_of_options,
    changes_of_settled,
)
from bitsieve.results.saved.record import SelectionRecord
from bitsieve.utils import html
from bitsieve.utils.arrays import Floats
from bitsieve.utils.frames import check_library, frame_of
from bitsieve.utils.terminal_text import aligned, different_numbers, finite, number, printable
from bitsieve.utils.types import DataFrame, JsonObject

Change = Literal["entered", "left", "up", "down", "score", "same"]
Cause = Literal["rows", "columns", "target", "values", "options", "version", "unknown"]

HEADING_OF_REASONS = "what differs between the two runs:"


@dataclass(frozen=True, kw_only=True)
class FeatureChange:
    """A column that is selected then or now; its rank is None, and its score NaN, where it is not selected."""

    feature: str
    rank_then: int | None
    rank_now: int | None
    score_then: float
    score_now: float

    @property
    def change(self) -> Change:
        """What has changed: the rank, or else the score."""
        if self.rank_then is None:
            return "entered"
        if self.rank_now is None:
            return "left"
        if self.rank_now < self.rank_then:
            return "up"
        if self.rank_now > self.rank_then:
            return "down"
        return "same" if self.score_then == self.score_now else "score"


@dataclass(frozen=True, kw_only=True)
class Reason:
    """Why two selections may differ, in a sentence."""

    cause: Cause
    sentence: str


@dataclass(frozen=True, kw_only=True)
class SelectionDiff:
    """Two selections compared: that of "then", and that of "now".

    Attributes
    ----------
    features : tuple of FeatureChange
        The columns of now, best first, and then those that left.
    reasons : tuple of Reason
        What the two selections were made of that is not the same. There may be some where the rankings are equal.
    unit : str
        The unit of the scores; of both, where these have two.
    """

    features: tuple[FeatureChange, ...]
    reasons: tuple[Reason, ...]
    unit: str

    @property
    def is_same(self) -> bool:
        """Whether both have the same columns in the same order, with scores that are equal to the last bit."""
        return all(feature.change == "same" for feature in self.features)

    @property
    def entered(self) -> list[str]:
        """The columns that are selected only now."""
        return self._with_change("entered")

    @property
    def left(self) -> list[str]:
        """The columns that were selected only then."""
        return self._with_change("left")

    @property
    def moved(self) -> list[str]:
        """The columns of another rank."""
        return self._with_change("up", "down")

    def _with_change(self, *changes: Change) -> list[str]:
        return [feature.feature for feature in self.features if feature.change in changes]

    def __str__(self) -> str:
        lines = [aligned(*self._table(), right=[False, True, True, True, True, False]), "", self.summary]
        if self.reasons:
            lines.append(HEADING_OF_REASONS)
            lines += [f"- {printable(sentence)}" for sentence in self._sentences()]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        header, rows = self._table()
        reasons = ""
        if self.reasons:
            reasons = html.paragraph(HEADING_OF_REASONS) + html.bullets(self._sentences())
        return html.display(html.table(header, rows, text_columns=(5,)), html.paragraph(self.summary), reasons)

    @property
    def summary(self) -> str:
        """How many columns entered, left and moved."""
        if self.is_same:
            return "the same columns in the same order, with the same scores"
        n_with_other_score = len(self._with_change("score"))
        return (
            f"{len(self.entered):,} entered, {len(self.left):,} left, {len(self.moved):,} moved, "
            f"{n_with_other_score:,} have another score at the same rank"
        )

    def _sentences(self) -> list[str]:
        return [f"{reason.cause}: {reason.sentence}" for reason in self.reasons]

    def _table(self) -> tuple[list[str], list[list[str]]]:
        header = [
            "column",
            "rank then",
            "rank now",
            f"score then ({self.unit})",
            f"score now ({self.unit})",
            "change",
        ]
        rows = []
        for feature in self.features:
            score_then, score_now = _scores_as_text(feature)
            rank_then = "-" if feature.rank_then is None else str(feature.rank_then)
            rank_now = "-" if feature.rank_now is None else str(feature.rank_now)
            change = "" if feature.change == "same" else feature.change
            rows.append([feature.feature, rank_then, rank_now, score_then, score_now, change])
        return header, rows

    def to_frame(self, library: str | None = None) -> DataFrame:
        """The columns as a data frame: feature, rank_then, rank_now, score_then, score_now, change.

        Parameters
        ----------
        library : {"pandas", "polars", "pyarrow"}, optional
            By default pandas, or pyarrow where that is not installed.

        Returns
        -------
        dataframe
            A rank is NaN where the column is not selected.
        """
        columns = {
            "feature": [feature.feature for feature in self.features],
            "rank_then": _ranks_or_nan([feature.rank_then for feature in self.features]),
            "rank_now": _ranks_or_nan([feature.rank_now for feature in self.features]),
            "score_then": np.array([feature.score_then for feature in self.features], np.float64),
            "score_now": np.array([feature.score_now for feature in self.features], np.float64),
            "change": [feature.change for feature in self.features],
        }
        return frame_of(columns, check_library(library))

    def to_dict(self) -> JsonObject:
        """The comparison as plain Python values that ``json.dumps`` takes.

        Returns
        -------
        dict
            What ``bitsieve diff --json`` prints, less the seconds and the version.
        """
        features = []
        for feature in self.features:
            scores = {"score_then": finite(feature.score_then), "score_now": finite(feature.score_now)}
            features.append({**asdict(feature), **scores, "change": feature.change})
        return {
            "is_same": self.is_same,
            "entered": self.entered,
            "left": self.left,
            "moved": self.moved,
            "score_unit": self.unit,
            "features": features,
            "reasons": [asdict(reason) for reason in self.reasons],
        }


def difference_of(then: SelectionRecord, now: SelectionRecord) -> SelectionDiff:
    """Compare the records of two selections."""
    features = tuple(_changes_of_features(then, now))
    unit = then.score_unit
    if now.score_unit != unit:
        unit = f"{unit} then, {now.score_unit} now"
    reasons = tuple(_reasons(then, now))
    is_same = all(feature.change == "same" for feature in features)
    if not reasons and not is_same:
        reasons = (_unknown_reason(then, now),)
    return SelectionDiff(features=features, reasons=reasons, unit=unit)


def _changes_of_features(then: SelectionRecord, now: SelectionRecord) -> list[FeatureChange]:
    ranks_then = {feature.column.name: i + 1 for i, feature in enumerate(then.features)}
    ranks_now = {feature.column.name: i + 1 for i, feature in enumerate(now.features)}
    scores_then = {feature.column.name: feature.score for feature in then.features}
    scores_now = {feature.column.name: feature.score for feature in now.features}
    lost = [name for name in ranks_then if name not in ranks_now]
    return [
        FeatureChange(
            feature=name,
            rank_then=ranks_then.get(name),
            rank_now=ranks_now.get(name),
            score_then=scores_then.get(name, float("nan")),
            score_now=scores_now.get(name, float("nan")),
        )
        for name in [*ranks_now, *lost]
    ]


def _reasons(then: SelectionRecord, now: SelectionRecord) -> list[Reason]:
    column_change = change_of_columns(then.data, now.data)
    option_changes = changes_of_options(then.options, now.options)
    if not option_changes:
        if not column_change:
            column_change = change_of_kinds(then.data, now.data)
        settled_changes = changes_of_settled(then.settled, now.settled)
        option_changes = [f"{sentence}, as the data decides" for sentence in settled_changes]
    sentences: list[tuple[Cause, str]] = [
        ("rows", change_of_rows(then.data, now.data)),
        ("columns", column_change),
        ("target", change_of_target(then.target, now.target)),
        ("values", change_of_values(then, now)),
    ]
    sentences += [("options", sentence) for sentence in option_changes]
    sentences.append(("version", change_of_versions(then.versions, now.versions)))
    return [Reason(cause=cause, sentence=sentence) for cause, sentence in sentences if sentence]


def _unknown_reason(then: SelectionRecord, now: SelectionRecord) -> Reason:
    """The reason for selections that differ although all that is saved of their making is the same."""
    if then.values_digest is None or now.values_digest is None:
        sentence = "a file of an earlier version does not say whether the values are the same"
    else:
        sentence = "the values of every column are the same for each class, and stand together in other rows"
    return Reason(cause="unknown", sentence=sentence)


def _scores_as_text(feature: FeatureChange) -> tuple[str, str]:
    """Both scores with four decimals, or with as many digits as show that they differ."""
    then = number(feature.score_then)
    now = number(feature.score_now)
    if then == now and feature.score_then != feature.score_now:
        return different_numbers(feature.score_then, feature.score_now)
    return then, now


def _ranks_or_nan(ranks: Sequence[int | None]) -> Floats:
    return np.array([np.nan if rank is None else rank for rank in ranks], np.float64)
