"""The result of ``bitsieve.scorecard``: the points of every bin, scores of new rows, SQL and files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

import numpy as np

from bitsieve.dataset.take_columns import WantedColumns
from bitsieve.diagnostics import Diagnostic
from bitsieve.io.errors import DataError, readable
from bitsieve.io.output import write_text
from bitsieve.results.scorecard_file import card_from_json, card_to_json, document_of
from bitsieve.results.scorecard_text import card_summary, column_text
from bitsieve.scorecards.card import Card
from bitsieve.scorecards.rows_of_bins import as_table, read_values, rows_of_bins
from bitsieve.scorecards.sql import statement
from bitsieve.scorecards.stability import stability_frame
from bitsieve.scorecards.stability_index import stability_of_counts
from bitsieve.scorecards.unseen_values import WEIGHT_OF_UNSEEN, notes_on_unseen_values
from bitsieve.utils.arrays import Floats, Integers
from bitsieve.utils.diagnostic_list import Diagnostics
from bitsieve.utils.frames import default_library, frame_of
from bitsieve.utils.parameters import check_integer
from bitsieve.utils.types import DataFrame, JsonObject, TableLike


@dataclass(frozen=True, eq=False, repr=False)
class Scorecard:
    """A scorecard: the points of every bin of every column.

    The score of a row is the points of the intercept and the sum of the points of its bins; :class:`bitsieve.Points`
    has the formula. A bin of numbers has the edges that its label shows, in scores, SQL and JSON.

    Parameters
    ----------
    card : Card
        The columns with their bins and points, and the model.
    target : str
        The name of the target column.
    indices : ndarray of int
        The indices of the columns among the features of the table.
    n_features : int
        Number of features of the table.
    has_names : bool
        Whether its columns had names.
    diagnostics : Diagnostics
        Notes and warnings.

    Examples
    --------
    >>> import bitsieve
    >>> X = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0], [8.0]] * 20
    >>> y = [0, 0, 1, 0, 1, 1, 0, 1] * 20
    >>> card = bitsieve.scorecard(X, y, binner=bitsieve.MonotoneBinner(max_n_bins=2))
    >>> card.score([[2.0], [7.0]]).tolist()
    [519.0, 455.0]
    """

    card: Card
    target: str
    indices: Integers
    n_features: int
    has_names: bool
    diagnostics: Diagnostics = field(default_factory=Diagnostics)

    @property
    def features(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.card.columns]

    @property
    def table(self) -> DataFrame:
        """A data frame with a row for each bin of each column: its counts, weight of evidence and points."""
        columns = self.card.columns
        totals = self.card.totals
        rows = np.concatenate([column.bins.counts.rows for column in columns])
        events = np.concatenate([column.bins.counts.events for column in columns])
        names: list[str] = []
        labels: list[str] = []
        for column in columns:
            names += [column.name] * len(column.bins.labels)
            labels += column.bins.labels
        return frame_of(
            {
                "column": names,
                "bin": labels,
                "rows": rows,
                "share": rows / totals.rows,
                "events": events,
                "nonevents": rows - events,
                "event_rate": events / rows,
                "woe": np.concatenate([column.woe for column in columns]),
                "iv": np.concatenate([column.bins.iv_terms for column in columns]),
                "points": np.concatenate([column.points for column in columns]),
            },
            default_library(),
        )

    def score(self, X: TableLike) -> Floats:
        """The score of every row: the sum of the points of its bins and of the intercept.

        A value that is in no bin has the weight of evidence 0. A warning counts such values. Costs O(log B) for a
        value of a column of B bins.

        Parameters
        ----------
        X : array-like, pandas or polars DataFrame, pyarrow Table
            With the columns of the scorecard by name, in any order and beside others.

        Returns
        -------
        ndarray of float64, shape (n_samples,)

        Raises
        ------
        ValueError
            If columns are missing, or hold infinite values, or text in place of numbers.
        """
        bins = self._bins_with_warning(X)
        return self.card.score_of([column.points_in(bins[:, j]) for j, column in enumerate(self.card.columns)])

    def predict_proba(self, X: TableLike) -> Floats:
        """The probability of no event, and of the event, of every row, by the model before points are rounded.

        With b_0 the intercept, and c_j the coefficient of column j ::

            P(event) = 1 / (1 + exp(-(b_0 + sum_j c_j WOE_j)))

        Parameters
        ----------
        X : table
            As for :meth:`score`.

        Returns
        -------
        ndarray of float64, shape (n_samples, 2)
            The probability of no event, and that of the event.

        Raises
        ------
        ValueError
            As :meth:`score` raises it.
        """
        bins = self._bins_with_warning(X)
        log_odds = np.full(len(bins), self.card.intercept)
        for j, column in enumerate(self.card.columns):
            log_odds += column.coefficient * column.woe_in(bins[:, j])
        probability = 1 / (1 + np.exp(-log_odds))
        return np.column_stack([1 - probability, probability])

    def reasons(self, X: TableLike, n: int = 3) -> DataFrame:
        """The columns that cost each row most points, compared with the mean over the development rows.

        Parameters
        ----------
        X : table
            As for :meth:`score`.
        n : int, default=3
            The largest number of columns of a row.

        Returns
        -------
        data frame
            A row for each row of X: reason_1, points_1, reason_2, ..., the name of the column and its points less
            their mean, the worst column first. A column without a loss is no reason: its name is None, and its points
            are 0.

        Raises
        ------
        ValueError
            As :meth:`score` raises it, or if ``n`` is below 1.
        """
        check_integer("n", n, low=1)
        bins = self._bins(X)
        deviations = np.column_stack(
            [column.points_in(bins[:, j]) - column.mean_points for j, column in enumerate(self.card.columns)]
        )
        gains = deviations if self.card.points.direction == "score" else -deviations
        columns_by_gain = np.argsort(gains, axis=1, kind="stable")
        names = np.array(self.features, object)
        rows = np.arange(len(gains))
        frame: dict[str, list[str | None] | Floats] = {}
        for position in range(min(n, len(names))):
            columns = columns_by_gain[:, position]
            is_loss = gains[rows, columns] < 0
            reason = names[columns]
            reason[~is_loss] = None
            frame[f"reason_{position + 1}"] = reason.tolist()
            frame[f"points_{position + 1}"] = np.where(is_loss, deviations[rows, columns], 0.0)
        return frame_of(frame, default_library())

    def stability(self, X: TableLike, reference: TableLike | None = None) -> DataFrame:
        """How far the distribution of each column has moved in new rows, over the bins of the scorecard.

        The population stability index of :func:`bitsieve.population_stability`, in nats.

        Parameters
        ----------
        X : table
            As for :meth:`score`; also the path of a file or a folder, a :class:`bitsieve.StreamSource` or a frame of
            Dask or Spark, whose bins are counted part by part, where the rows are.
        reference : table, optional
            The rows that X is compared with, such as those of last month; by default the rows of the development.

        Returns
        -------
        data frame
            As that of :func:`bitsieve.population_stability`.

        Raises
        ------
        ValueError
            As :meth:`score` raises it, or if there are no rows.
        """
        diagnostics = Diagnostics()
        frame = stability_of(self, X, reference, diagnostics)
        diagnostics.warn()
        return frame

    def to_sql(self, dialect: str = "ansi", table: str = "rows") -> str:
        """The SQL statement that scores the rows of a table as :meth:`score` does.

        Parameters
        ----------
        dialect : {"ansi", "postgres", "duckdb", "sqlite", "snowflake", "bigquery", "spark"}, default="ansi"
        table : str, default="rows"
            The name of the table.

        Returns
        -------
        str
            It selects all columns of the table, NAME_points for each column of the scorecard, and their sum, score.

        Raises
        ------
        ValueError
            If the dialect is not known, or has no statement for a column: none has one for durations and for text that
            is read as numbers, and "sqlite" has none for dates with a time zone.
        """
        return statement(self.card, dialect, table)

    def to_dict(self) -> JsonObject:
        """The scorecard as plain values for JSON, from which :meth:`load` makes the same bits.

        Returns
        -------
        dict
        """
        document = card_to_json(self.card)
        document["target"] = self.target
        document["indices"] = self.indices.tolist()
        document["n_features"] = self.n_features
        document["has_names"] = self.has_names
        document["diagnostics"] = [diagnostic.to_dict() for diagnostic in self.diagnostics]
        return document

    def save(self, path: str | PathLike[str]) -> None:
        """Save the scorecard as JSON.

        Parameters
        ----------
        path : path-like

        Returns
        -------
        None

        Raises
        ------
        ValueError
            If the path cannot be written.
        """
        document = json.dumps(self.to_dict(), indent=1, ensure_ascii=False, allow_nan=False)
        write_text(path, document + "\n", "scorecard")

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Scorecard:
        """Load a scorecard that :meth:`save` has written, without its notes.

        Parameters
        ----------
        path : path-like

        Returns
        -------
        Scorecard

        Raises
        ------
        ValueError
            If the file is no saved scorecard, is damaged, or was saved by a later version.
        """
        with readable(path):
            content = Path(path).read_bytes()
        document = document_of(content, str(path))
        try:
            return cls(
                card=card_from_json(document),
                target=document["target"],
                indices=np.array(document["indices"], np.intp),
                n_features=document["n_features"],
                has_names=document["has_names"],
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            raise DataError(
                code="damaged-file", message=f"{str(path)!r} is an incomplete scorecard", advice="save it again"
            ) from None

    def __repr__(self) -> str:
        return f"<Scorecard of {self.target!r}: {len(self.card.columns):,} columns>"

    def __str__(self) -> str:
        blocks = [column_text(column) for column in self.card.columns]
        blocks.append(self.summary)
        return "\n\n".join(blocks)

    @property
    def summary(self) -> str:
        """The rows, the event and the scale, in one line."""
        return card_summary(self.card, self.target)

    def _bins(self, X: TableLike) -> Integers:
        """The bin of every value of the columns of the scorecard; -1 for a value that is in none."""
        table = read_values(self.card.columns, wanted_columns(self).take(as_table(X)))
        bins = np.empty((table.n_samples, len(self.card.columns)), np.int64, order="F")
        for j, column in enumerate(self.card.columns):
            bins[:, j] = column.bins_in(table, j)
        return bins

    def _bins_with_warning(self, X: TableLike) -> Integers:
        """The bin of every value; warns of values that are in none."""
        bins = self._bins(X)
        n_unseen = (bins < 0).sum(axis=0).tolist()
        Diagnostics(notes_on_unseen_values(self.features, n_unseen, weight=WEIGHT_OF_UNSEEN)).warn()
        return bins


def wanted_columns(card: Scorecard) -> WantedColumns:
    """The columns of a scorecard, as they are taken from a table."""
    return WantedColumns(card.features, card.indices, card.n_features, card.has_names)


def stability_of(
    card: Scorecard, X: TableLike, reference: TableLike | None, diagnostics: list[Diagnostic]
) -> DataFrame:
    """:meth:`Scorecard.stability`; what is noticed in the data is appended to ``diagnostics``."""
    columns = card.card.columns
    actual = rows_of_bins(columns, wanted_columns(card), X, diagnostics)
    expected: Sequence[Integers] = [np.append(0, column.bins.counts.rows) for column in columns]
    if reference is not None:
        expected = rows_of_bins(columns, wanted_columns(card), reference, diagnostics)
    stabilities = [stability_of_counts(old, new) for old, new in zip(expected, actual, strict=True)]
    return stability_frame(card.features, stabilities)
