"""The result of a selection: the features in order of choice, and why."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from itertools import chain
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.dataset.data_kinds import collect, is_on_cluster
from bitsieve.dataset.target import Target
from bitsieve.diagnostics import UserError
from bitsieve.explain.evidence import Evidence
from bitsieve.io.output import write_text
from bitsieve.pipeline.fit import Fit
from bitsieve.pipeline.selected_tests import InformativeState
from bitsieve.results.document import (
    certificate_document,
    features_document,
    plain,
    stopping_document,
    strata_document,
    target_document,
)
from bitsieve.results.equality import equal_fields
from bitsieve.results.groups import group_to_dict, groups_table, groups_text
from bitsieve.results.ranking import LEAST_LEVEL, MEANING_OF_LEAST_LEVEL, TEXT_COLUMNS, Ranking
from bitsieve.results.saved.schema import ColumnGroup, SelectionDetails
from bitsieve.results.saved.values import option_of, plain_diagnostic
from bitsieve.utils.arrays import Columns, Flags, Floats
from bitsieve.utils.diagnostic_list import Diagnostics
from bitsieve.utils.frames import FRAME_LIBRARIES, check_library, frame_of
from bitsieve.utils.lazy import Lazy, cached_property
from bitsieve.utils.note_warnings import warn_of_important
from bitsieve.utils.parameters import check_choice
from bitsieve.utils.types import DataFrame, JsonObject, Label, TableLike

if TYPE_CHECKING:
    from bitsieve.dataset.take_columns import WantedColumns
    from bitsieve.explain.explain import FeatureExplanation
    from bitsieve.plots.displays import Display
    from bitsieve.plots.figures import Axes
    from bitsieve.results.difference import SelectionDiff
    from bitsieve.results.saved.cut import ColumnCodes
    from bitsieve.results.saved.data_check import DataCheck
    from bitsieve.results.saved.record import SelectionRecord
    from bitsieve.selectors.selected_columns import SelectedColumns

MAX_CELLS_DRAWN = 1_000_000  # values of a table whose selection a notebook draws
FRAMES = ("ranking", "groups")


@dataclass(frozen=True, eq=False)
class Selection:
    """The selected features in order of choice, and why.

    Attributes
    ----------
    method : str
        Name of the method, as :func:`bitsieve.list_methods` has it.
    features : list, length k
        Labels of the columns as the data has them, best first; ``x0, x1, ...`` by column if it has none.
    indices : ndarray of shape (k,)
        Column of each feature in the data without the target.
    scores : ndarray of shape (k,)
        The score of each feature when it was chosen, in bits if it is information.
    relevance : ndarray of shape (k,)
        I(X;C), in bits, by the estimator of the method: by default corrected for chance, so that noise has about 0 and
        may be below it. :func:`mutual_information` is plug-in by default; its ``estimator="corrected"`` gives the same.
    overlap_with : list of label or None, length k
        The earlier-chosen feature X' with the largest I(X;X'); None for the first.
    overlap : ndarray of shape (k,)
        That information, in bits; NaN for the first.
    informative : ndarray of bool, shape (k,)
        False for a feature that was tested and is not shown to be more informative than chance. True for any other,
        also for one that was not tested: ``informative_state`` tells these apart.
    informative_state : list of str, length k
        Whether each feature is shown to be informative: "alone", "with others" (given the other selected features, or
        one of them), "by rule" (by a stopping rule only), "not shown", or "not tested" where rows are too few.
    table : ndarray or dataframe, or None
        The data with the selected columns only, as ``selector.transform`` gives them; None for data read in batches.
    target : Target
        The target's classes, and its edges when it was continuous and had to be binned.
    target_name : str
    n_samples : int
        Rows of the data; those of weight 0 are left out.
    parameters : dict
        The options of the selection.
    diagnostics : Diagnostics
        What was noticed in the data and in the result; ``notes`` are their texts.
    evidence : Evidence or None
        The table as it was read, and how it was binned: what :meth:`explain` and a report count again. None for a
        selection that was loaded or unpickled, which has no rows.
    fit : Fit or None
        What the method was run with, and what it returned. ``selector`` is the fitted scikit-learn transformer of it.
        None where ``evidence`` is.
    details : SelectionDetails
        Options, versions, how each selected column was read and cut, and how close each step was: what :meth:`save`
        writes beside the ranking.

    Examples
    --------
    >>> import bitsieve
    >>> X, y = [[0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 0]], ["no", "no", "yes", "yes"]
    >>> selection = bitsieve.select(X, y, method="mim", n_features_to_select=2, binning="none")
    >>> print(selection)
    rank  feature  score (bits)  relevance (bits)  overlaps most with  overlap (bits)
       1  x0             0.6667            0.6667  -                                -
       2  x2             0.0000            0.0000  x0                          0.0000
    <BLANKLINE>
    note: the table has 4 rows: with fewer than 10 any column may look informative by chance
    """

    method: str
    features: list[Label]
    indices: Columns
    scores: Floats
    relevance: Floats
    overlap_with: list[Label]
    overlap: Floats
    informative: Flags
    informative_state: list[InformativeState]
    table: TableLike = field(repr=False)
    target: Target = field(repr=False)
    target_name: str
    n_samples: int
    parameters: dict[str, Any]
    diagnostics: Diagnostics
    evidence: Evidence | None = field(repr=False)
    fit: Fit | None = field(repr=False)
    details: SelectionDetails = field(repr=False)

    @property
    def notes(self) -> list[str]:
        """The texts of the diagnostics."""
        return [str(diagnostic) for diagnostic in self.diagnostics]

    @cached_property
    def selector(self) -> Any:
        """The fitted scikit-learn transformer."""
        from bitsieve.selectors.making import fitted_selector

        return fitted_selector(self.required_fit())

    @property
    def groups(self) -> list[ColumnGroup]:
        """The groups of columns that the method made: dominant sets, clusters, or a feature with those it represents.

        Each has ``selected``, ``others``, ``correlations`` (of the others with the selected feature, by gdm) and
        ``cohesiveness`` (of dominant sets). Empty for a method that makes none.
        """
        return list(self.details.groups)

    @property
    def relevance_pooled(self) -> Floats | None:
        """I(X;C) of each feature in all rows, whatever their strata, in bits; None without strata.

        ``relevance`` is within the strata.
        """
        strata = self.details.strata
        return None if strata is None else np.array(strata.relevance_pooled)

    @property
    def heterogeneity(self) -> Floats | None:
        """The bits of each feature that the strata do not have in common, corrected for chance.

        None without strata, and where no stratum has two rows of each of two classes, as in matched pairs.
        """
        strata = self.details.strata
        if strata is None or strata.heterogeneity is None:
            return None
        return np.array(strata.heterogeneity)

    @property
    def n_informative_rows(self) -> int | None:
        """The rows of strata with two classes; None without strata."""
        strata = self.details.strata
        return None if strata is None else strata.n_informative_rows

    @property
    def estimator(self) -> str:
        """How information was estimated from counts, such as "corrected"."""
        return str(self.details.options.get("estimator", "plug-in"))

    @property
    def unit(self) -> str:
        """The unit of the scores, such as "bits"; see :func:`bitsieve.list_methods`."""
        return self.details.score_unit

    @property
    def n_events(self) -> int | None:
        """The number of events where the target is a time to an event; None for any other target."""
        if self.target.kind != "survival":
            return None
        return sum(self.details.class_sizes[1:])

    def required_fit(self) -> Fit:
        """:attr:`fit`, for what needs it.

        Returns
        -------
        Fit

        Raises
        ------
        ValueError
            The selection was loaded or unpickled, and has no rows.
        """
        if self.fit is None:
            raise _has_no_rows()
        return self.fit

    def required_evidence(self) -> Evidence:
        """:attr:`evidence`, for what needs it.

        Returns
        -------
        Evidence

        Raises
        ------
        ValueError
            The selection was loaded or unpickled, and has no rows.
        """
        if self.evidence is None:
            raise _has_no_rows()
        return self.evidence

    def __str__(self) -> str:
        lines = [table_text(self)]
        if self.diagnostics:
            lines += ["", *self.diagnostics.printed()]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from bitsieve.utils import html  # only a notebook needs it

        header, rows = ranking_of(self).printed()
        text_columns = [i for i, name in enumerate(header) if name in TEXT_COLUMNS]
        table = html.table(header, rows, text_columns=text_columns)
        meaning = html.aside(MEANING_OF_LEAST_LEVEL) if LEAST_LEVEL in header else ""
        return html.display(table, meaning, self._figure_html(), self.diagnostics.html())

    def _figure_html(self) -> str:
        """The ranking as a figure; empty without matplotlib or rows, and where the limit of chance would take long."""
        evidence = self.evidence
        rows = None if evidence is None else evidence.table.rows
        if self.target.kind == "survival":  # the figure is about classes
            return ""
        if evidence is None or rows is None or not self.features or find_spec("matplotlib") is None:
            return ""
        if rows.n_samples * rows.n_features > MAX_CELLS_DRAWN:
            return ""
        from bitsieve.plots.displays import RankingDisplay
        from bitsieve.plots.figures import WIDTH, as_svg, new_axes

        display = RankingDisplay.of(self.selector, evidence)
        axes = new_axes((WIDTH, display.height))
        return as_svg(display.plot(axes).ax_, "information of each feature")

    def plot(self, kind: str = "ranking", *, ax: Axes | None = None) -> Display:
        """Draw the selection.

        Parameters
        ----------
        kind : {"ranking", "redundancy", "dendrogram", "curve", "target"}, default="ranking"
            The information of each selected feature (:class:`RankingDisplay`), what they share
            (:class:`RedundancyDisplay`), which columns are alike (:class:`DendrogramDisplay`), the information of the
            first together (:class:`CurveDisplay`), or a quantity over each of them (:class:`TargetDisplay`).
        ax : matplotlib Axes, optional
            To draw into; by default a new figure, which a notebook shows.

        Returns
        -------
        display
            Its ``ax_`` and ``figure_`` are matplotlib's: ``display.figure_.savefig("ranking.png")``.

        Raises
        ------
        ValueError
            There is no such kind, "target" is asked for and the target is classes, or matplotlib is not installed
            (``pip install 'bitsieve[report]'``).
        """
        from bitsieve.plots.displays import DISPLAYS

        check_choice("kind", kind, list(DISPLAYS))
        return DISPLAYS[kind].from_selection(self, ax=ax)

    def to_frame(self, table: str = "ranking", library: str | None = None) -> DataFrame:
        """The ranking as a data frame, one row a selected feature; or the groups of columns, one row a member.

        Parameters
        ----------
        table : {"ranking", "groups"}, default="ranking"
            The name of a library in its place is the ranking in that library.
        library : {"pandas", "polars", "pyarrow"}, optional
            By default pandas, or pyarrow where that is not installed.

        Returns
        -------
        dataframe
            rank, feature, index, score, relevance, overlap_with, overlap, informative, informative_state; of groups:
            group, feature, selected, correlation, cohesiveness.
            If a selected column has no cut, the ranking has rank_statistic and rank_p, too: those of the rank test that
            orders it, NaN for others. Members of a Markov blanket have p, that of the test that keeps each; if their
            roles were found, role and via; if "ses" found columns that could stand in the place of a selected one,
            interchangeable.
        """
        if table in FRAME_LIBRARIES:
            return frame_of(ranking_of(self).columns(), check_library(table))
        check_choice("table", table, FRAMES)
        columns = ranking_of(self).columns() if table == "ranking" else groups_table(self.details.groups)
        return frame_of(columns, check_library(library))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the selection to a file, without rows: :func:`bitsieve.load` reads it, in this and every later version.

        Parameters
        ----------
        path : path
            Of a file of JSON, which is overwritten if it is there.

        Returns
        -------
        None

        Raises
        ------
        ValueError
            The file cannot be written.

        Examples
        --------
        >>> import bitsieve, os, tempfile
        >>> X, y = [[0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 0]] * 5, ["no", "no", "yes", "yes"] * 5
        >>> selection = bitsieve.select(X, y, n_features_to_select=2)
        >>> path = os.path.join(tempfile.mkdtemp(), "selection.json")
        >>> selection.save(path)
        >>> bitsieve.load(path) == selection
        True
        """
        from bitsieve.results.saved.write import text_of_record

        write_text(path, text_of_record(record_of(self)), "saved selection")

    def transform(self, data: TableLike, *, codes: bool = False, append_score: bool = False) -> TableLike:
        """The selected columns of another table, in the order in which the table of the selection had them.

        Parameters
        ----------
        data : array-like or dataframe
            pandas, polars (lazy, too), pyarrow, numpy or scipy.sparse. The columns of a frame may be in any order,
            others than the selected ones are ignored, and the target need not be there. An array has the columns that
            were selected from, in their order, without the target.
        codes : bool, default=False
            Whether to give the codes of the values, by the cuts of the selection: whole numbers from 0, and -1 for a
            category that was not there before and for what cannot be read.
        append_score : bool, default=False
            Whether two columns are added to a frame: ``likely_class``, the class with the largest sum of log2 p(c) and
            the bits for c, and ``score_bits``, these bits for it: the sum over the selected columns of
            log2 p(c|x) / p(c), by the counts of the selection. 0 bits: the values say nothing beyond the share of the
            class. What several columns share counts once for each.

        Returns
        -------
        table : of the kind of ``data``, shape (n_samples, k)

        Raises
        ------
        ValueError
            Columns are missing: all of them are named.

        Warns
        -----
        BitsieveWarning
            With ``codes`` or ``append_score``, on each column whose kind, text or categories changed.

        Examples
        --------
        >>> import bitsieve
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> selection = bitsieve.select(X, y, n_features_to_select=2)
        >>> selection.transform(X[X.columns[::-1]]).columns.tolist()
        ['petal length (cm)', 'petal width (cm)']
        >>> selection.transform(X.head(2), codes=True).to_numpy().tolist()
        [[0, 0], [0, 0]]
        >>> selection.transform(X.head(2), append_score=True)["likely_class"].tolist()
        ['0', '0']
        """
        from bitsieve.dataset.take_columns import with_columns, with_values

        order = np.argsort(self.indices)
        columns = self._wanted_columns(order).take(data)
        if not codes and not append_score:
            return columns
        column_codes = self._codes(columns, order)
        warn_of_important(list(chain.from_iterable(column.changes.diagnostics for column in column_codes)))
        values = columns
        if codes:
            values = with_values(columns, np.column_stack([column.codes for column in column_codes]))
        if not append_score:
            return values
        if self.target.kind == "survival":
            raise UserError(
                code="survival-not-supported",
                message="append_score gives the likely class, and the target is a time to an event",
                advice="leave it out",
            )
        from bitsieve.results.saved.class_scores import check_names_of_scores, score_columns

        check_names_of_scores([str(self.features[i]) for i in order])
        saved_columns = [self.details.columns[i] for i in order]
        scores = score_columns(saved_columns, column_codes, self.details.class_sizes, self.target.labels)
        return with_columns(values, scores)

    def check(self, data: TableLike) -> DataCheck:
        """Compare new data with the data that was selected from, and say which selected columns have moved.

        Parameters
        ----------
        data : array-like or dataframe
            As for :meth:`transform`.

        Returns
        -------
        DataCheck
            ``moved`` are the names of columns whose kind changed, of whose values more than one in a hundred has no
            code, or whose codes have another distribution: a Jensen-Shannon divergence of at least 0.02 bits, and a
            likelihood-ratio test at 0.01 divided by the number of columns. ``print`` shows all columns.

        Raises
        ------
        ValueError
            Columns are missing: all of them are named.

        Examples
        --------
        >>> import bitsieve
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> selection = bitsieve.select(X, y, n_features_to_select=2)
        >>> selection.check(X).moved
        []
        >>> selection.check(X + 1).moved
        ['petal width (cm)', 'petal length (cm)']
        """
        from bitsieve.results.saved.data_check import check_of_changes

        best_first = np.arange(len(self.features))
        columns = self._wanted_columns(best_first).take(data)
        changes = [column.changes for column in self._codes(columns, best_first)]
        return check_of_changes(self.details.columns, changes)

    def _wanted_columns(self, order: Columns) -> WantedColumns:
        from bitsieve.dataset.take_columns import WantedColumns

        has_names = self.details.data.names is not None
        labels = [self.features[i] for i in order]
        return WantedColumns(labels, self.indices[order], self.details.data.n_features, has_names)

    def _codes(self, columns: TableLike, order: Columns) -> list[ColumnCodes]:
        """The codes of a table that has the selected columns in this order, and how its columns differ."""
        if not len(order):
            raise UserError(code="no-features", message="no column is selected, so that there is nothing to code")
        if is_on_cluster(columns):
            raise UserError(
                code="frame-not-in-memory",
                message="codes and scores need rows in memory, and the rows of this frame are on a cluster",
                advice=(
                    "transform each partition, by data.map_partitions(selection.transform, codes=True) of Dask or "
                    "mapInPandas of Spark"
                ),
            )
        from bitsieve.results.saved.cut import check_edges_are_saved, cut_columns

        saved_columns = [self.details.columns[i] for i in order]
        check_edges_are_saved(saved_columns)
        return cut_columns(saved_columns, collect(columns))

    def to_sklearn(self) -> SelectedColumns:
        """The selection as a fitted scikit-learn transformer, which keeps the selected columns.

        Returns
        -------
        SelectedColumns
            For pipelines: it takes columns by name from a frame, and by position from an array.

        Examples
        --------
        >>> import bitsieve
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.linear_model import LogisticRegression
        >>> from sklearn.pipeline import make_pipeline
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> selector = bitsieve.select(X, y, n_features_to_select=2).to_sklearn()
        >>> round(make_pipeline(selector, LogisticRegression()).fit(X, y).score(X, y), 2)
        0.97
        """
        from bitsieve.selectors.selected_columns import SelectedColumns

        data = self.details.data
        support = np.zeros(data.n_features, bool)
        support[self.indices] = True
        names = None if data.names is None else list(data.names)
        return SelectedColumns(support=support.tolist(), feature_names=names)._set_fitted()

    def __eq__(self, other: object) -> bool:
        """Whether two selections are equal in all that :meth:`save` writes but versions and engine."""
        return isinstance(other, Selection) and equal_fields(record_of(self), record_of(other))

    def __hash__(self) -> int:
        return hash((Selection, self.method, self.details.data.digest, self.n_samples, *self.indices.tolist()))

    def __copy__(self) -> Selection:
        return replace(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Selection:
        """A copy with lists and arrays of its own; what it counts with is shared, as nothing changes it."""
        return replace(
            self,
            features=list(self.features),
            indices=self.indices.copy(),
            scores=self.scores.copy(),
            relevance=self.relevance.copy(),
            overlap_with=list(self.overlap_with),
            overlap=self.overlap.copy(),
            informative=self.informative.copy(),
            informative_state=list(self.informative_state),
            parameters=dict(self.parameters),
            diagnostics=Diagnostics(self.diagnostics),
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what :meth:`save` writes, and the reduced table where it is in memory; no other rows."""
        from bitsieve.dataset.take_columns import keeps_rows

        table = self.table if keeps_rows(self.table) else None
        return selection_of_record, (record_of(self), table)

    def diff(self, other: Selection) -> SelectionDiff:
        """Compare with a later selection: which columns entered, left and moved, and why.

        Parameters
        ----------
        other : Selection
            The later one, of the same data or other data.

        Returns
        -------
        SelectionDiff
            ``entered``, ``left`` and ``moved`` are names of columns, ``features`` has the ranks and scores of all, and
            ``reasons`` say what the selections were made of that is not the same: rows, columns, target, values,
            options or version. ``print`` shows it; ``to_frame`` and ``to_dict`` give it as data.

        Examples
        --------
        >>> import bitsieve
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True, as_frame=True)
        >>> first = bitsieve.select(X, y, n_features_to_select=2)
        >>> print(first.diff(bitsieve.select(X, y, n_features_to_select=3)))
        column             rank then  rank now  score then (bits)  score now (bits)  change
        petal width (cm)           1         1             1.3588            1.3588
        petal length (cm)          2         2             0.0322            0.0322
        sepal length (cm)          -         3                  -           -0.0061  entered
        <BLANKLINE>
        1 entered, 0 left, 0 moved, 0 have another score at the same rank
        what differs between the two runs:
        - options: n_features_to_select was 2, and is 3 now
        """
        from bitsieve.results.difference import difference_of

        return difference_of(record_of(self), record_of(other))

    def explain(self, feature: str | int) -> FeatureExplanation:
        """Why a feature is selected or not, and which selected one represents it, in bits.

        Parameters
        ----------
        feature : str or int
            Name, or number of the column in the data without the target.

        Returns
        -------
        FeatureExplanation
            ``print`` shows it in lines.

        Raises
        ------
        ValueError
            There is no such column.
        """
        from bitsieve.explain.explain import explain_feature

        return explain_feature(self, feature)

    def to_dict(self) -> JsonObject:
        """The selection as plain Python values that ``json.dumps`` takes; a value that is no number is None.

        Returns
        -------
        dict
            What ``bitsieve select --json`` prints, less the name of the output, the seconds and the version.
        """
        return {
            "method": self.method,
            "score_unit": self.unit,
            "parameters": {name: plain(value) for name, value in self.parameters.items()},
            "n_samples": self.n_samples,
            "n_features": self.details.data.n_features,
            **({} if self.n_events is None else {"n_events": self.n_events}),
            "estimator": self.estimator,
            "target": target_document(self.target, self.target_name),
            "features": features_document(ranking_of(self)),
            "stopping": stopping_document(self.details.stopping),
            "certificate": certificate_document(self.details.certificate),
            "groups": [group_to_dict(group) for group in self.details.groups],
            "strata": strata_document(self.details.strata),
            "notes": self.notes,
            "diagnostics": [diagnostic.to_dict() for diagnostic in self.diagnostics],
        }


def table_text(selection: Selection) -> str:
    """The ranking, and the groups of columns that the method made, as text."""
    groups = groups_text(selection.details.groups)
    text = ranking_of(selection).text()
    return f"{text}\n\n{groups}" if groups else text


def ranking_of(selection: Selection) -> Ranking:
    """The selected features as a table."""
    return Ranking(
        features=selection.features,
        indices=selection.indices,
        scores=selection.scores,
        relevance=selection.relevance,
        overlap_with=selection.overlap_with,
        overlap=selection.overlap,
        informative=selection.informative,
        informative_state=selection.informative_state,
        score_unit=selection.unit,
        stopping=selection.details.stopping,
        rank_tests=selection.details.rank_tests,
        log_p=selection.details.log_p,
        roles=selection.details.roles,
        interchangeable=selection.details.interchangeable,
        strata=selection.details.strata,
    )


def record_of(selection: Selection) -> SelectionRecord:
    """The contents of the file of a selection."""
    from bitsieve.results.saved.record import SavedFeature, SelectionRecord
    from bitsieve.results.saved.targets import saved_target

    details = selection.details
    rank_of = {str(label): rank for rank, label in enumerate(selection.features)}
    features = tuple(
        SavedFeature(
            score=float(selection.scores[i]),
            relevance=float(selection.relevance[i]),
            overlap_with=None if selection.overlap_with[i] is None else rank_of[str(selection.overlap_with[i])],
            overlap=float(selection.overlap[i]),
            informative=bool(selection.informative[i]),
            informative_state=selection.informative_state[i],
            column=column,
            rank_test=details.rank_tests[i],
            log_p=details.log_p[i],
            role=details.roles[i],
            interchangeable=details.interchangeable[i],
        )
        for i, column in enumerate(details.columns)
    )
    return SelectionRecord(
        versions=details.versions.value,
        data=details.data,
        target=saved_target(selection.target, details.class_sizes),
        method=selection.method,
        score_unit=details.score_unit,
        options=details.options,
        settled=details.settled,
        execution=details.execution,
        parameters={name: option_of(value) for name, value in selection.parameters.items()},
        features=features,
        steps=details.steps,
        stopping=details.stopping,
        certificate=details.certificate,
        groups=details.groups,
        strata=details.strata,
        diagnostics=tuple(plain_diagnostic(diagnostic) for diagnostic in selection.diagnostics),
        values_digest=details.values_digest,
    )


def selection_of_record(record: SelectionRecord, table: TableLike = None) -> Selection:
    """The selection of a record. It has no rows but those of ``table``, the data with the selected columns only."""
    from bitsieve.results.saved.targets import target_of

    features = record.features
    labels = [feature.column.label for feature in features]
    return Selection(
        method=record.method,
        features=labels,
        indices=np.array([feature.column.index for feature in features], np.intp),
        scores=np.array([feature.score for feature in features], np.float64),
        relevance=np.array([feature.relevance for feature in features], np.float64),
        overlap_with=[None if feature.overlap_with is None else labels[feature.overlap_with] for feature in features],
        overlap=np.array([feature.overlap for feature in features], np.float64),
        informative=np.array([feature.informative for feature in features], bool),
        informative_state=[feature.informative_state for feature in features],
        table=table,
        target=target_of(record.target),
        target_name=record.target.name,
        n_samples=record.data.n_samples,
        parameters=dict(record.parameters),
        diagnostics=Diagnostics(record.diagnostics),
        evidence=None,
        fit=None,
        details=SelectionDetails(
            versions=Lazy(lambda: record.versions),
            data=record.data,
            score_unit=record.score_unit,
            options=record.options,
            settled=record.settled,
            execution=record.execution,
            class_sizes=record.target.class_sizes,
            columns=tuple(feature.column for feature in features),
            rank_tests=tuple(feature.rank_test for feature in features),
            log_p=tuple(feature.log_p for feature in features),
            roles=tuple(feature.role for feature in features),
            interchangeable=tuple(feature.interchangeable for feature in features),
            steps=record.steps,
            stopping=record.stopping,
            certificate=record.certificate,
            groups=record.groups,
            strata=record.strata,
            values_digest=record.values_digest,
        ),
    )


def _has_no_rows() -> UserError:
    """The selection was loaded or unpickled, so that it has no rows to count."""
    return UserError(
        code="selection-without-rows",
        message="the selection was loaded from a file or unpickled, and has no rows to count again",
        advice="call bitsieve.select on the data again",
    )
