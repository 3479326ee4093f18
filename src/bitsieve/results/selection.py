"""The result of a selection: the features in order of choice, and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.dataset.data_kinds import frame_of, library_of
from bitsieve.dataset.target import Target
from bitsieve.diagnostics import Diagnostic
from bitsieve.explain.evidence import Evidence
from bitsieve.methods.by_counts.stopping import make_stopping
from bitsieve.methods.registry import find_method
from bitsieve.pipeline.fit import Fit
from bitsieve.utils import html
from bitsieve.utils.arrays import Columns, Flags, Floats
from bitsieve.utils.lazy import cached_property
from bitsieve.utils.messages import aligned, displayed, finite, number, printable
from bitsieve.utils.parameters import check_choice

if TYPE_CHECKING:
    from bitsieve.explain.explain import FeatureExplanation
    from bitsieve.plots.displays import Display
    from bitsieve.plots.figures import Axes

MAX_LABELS = 100  # beyond, the labels of the target are counted and not listed in a dictionary


@dataclass(frozen=True)
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
        I(X;C), in bits.
    overlap_with : list of label or None, length k
        The earlier-chosen feature X' with the largest I(X;X'); None for the first.
    overlap : ndarray of shape (k,)
        That information, in bits; NaN for the first.
    informative : ndarray of bool, shape (k,)
        False for a feature that was tested and is not more informative than chance, alone or with another.
    table : ndarray or dataframe, or None
        The data with the selected columns only, as ``selector.transform`` gives them; None for data read in batches.
    target : Target
        The target's classes, and its edges when it was continuous and had to be binned.
    target_name : str
    n_samples : int
        Rows of the data; those of weight 0 are left out.
    parameters : dict
        The options of the selection.
    diagnostics : list of Diagnostic
        What was noticed in the data and in the result; ``notes`` are their texts.
    evidence : Evidence
        The table as it was read and its binning, from which :meth:`explain` and a report count again.
    fit : Fit
        The options and the result of the method. ``selector`` is the fitted scikit-learn transformer made from it.

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
    features: list[Any]
    indices: Columns
    scores: Floats
    relevance: Floats
    overlap_with: list[Any]
    overlap: Floats
    informative: Flags
    table: Any = field(repr=False)
    target: Target = field(repr=False)
    target_name: str
    n_samples: int
    parameters: dict[str, Any]
    diagnostics: list[Diagnostic]
    evidence: Evidence = field(repr=False)
    fit: Fit = field(repr=False)

    @property
    def notes(self) -> list[str]:
        """The texts of the diagnostics."""
        return [str(diagnostic) for diagnostic in self.diagnostics]

    @cached_property
    def selector(self) -> Any:
        """The fitted scikit-learn transformer."""
        from bitsieve.selectors.making import fitted_selector

        return fitted_selector(self.fit)

    @property
    def unit(self) -> str:
        """The unit of the scores, such as "bits"; see :func:`bitsieve.list_methods`."""
        return find_method(self.method).unit

    def __str__(self) -> str:
        lines = [table_text(self)]
        if self.notes:
            lines.append("")
            lines += [f"note: {printable(note)}" for note in displayed(self.notes)]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        header, rows = _printed_ranking(self)
        text_columns = [i for i, name in enumerate(header) if name in TEXT_COLUMNS]
        return html.display(html.table(header, rows, text_columns=text_columns), html.notes(self.notes))

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

    def to_frame(self) -> Any:
        """The ranking as a data frame, one row a selected feature.

        Returns
        -------
        dataframe
            rank, feature, index, score, relevance, overlap_with, overlap, informative; of the library of ``table``.
        """
        return frame_of(ranking(self), library_of(self.table))

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

    def to_dict(self) -> dict[str, Any]:
        """The selection as plain Python values that ``json.dumps`` takes; a value that is no number is None.

        Returns
        -------
        dict
            What ``bitsieve select --json`` prints, less the name of the output, the seconds and the version.
        """
        labels = [_plain(label) for label in self.target.labels]
        edges = self.target.edges
        return {
            "method": self.method,
            "score_unit": self.unit,
            "parameters": {name: _plain(value) for name, value in self.parameters.items()},
            "n_samples": self.n_samples,
            "n_features": int(self.evidence.table.n_features),
            "target": {
                "name": self.target_name,
                "kind": self.target.kind,
                "n_classes": int(self.target.n_classes),
                "labels": labels if len(labels) <= MAX_LABELS else None,
                "edges": _edges(edges),
            },
            "features": [self._feature_to_dict(i) for i in range(len(self.features))],
            "stopping": _stopping(self.fit),
            "certificate": _certificate(self.fit),
            "notes": self.notes,
            "diagnostics": [diagnostic.to_dict() for diagnostic in self.diagnostics],
        }

    def _feature_to_dict(self, i: int) -> dict[str, Any]:
        values = {
            "rank": i + 1,
            "name": self.features[i],
            "index": self.indices[i],
            "score": self.scores[i],
            "relevance_bits": self.relevance[i],
            "overlap_with": self.overlap_with[i],
            "overlap_bits": self.overlap[i],
            "informative": self.informative[i],
        }
        for name, levels in levels_of(self).items():
            values[name] = levels[i]
        return {name: _plain(value) for name, value in values.items()}


def ranking(selection: Selection) -> dict[str, Any]:
    """The ranking by columns."""
    return {
        "rank": np.arange(1, len(selection.features) + 1),
        "feature": selection.features,
        "index": np.asarray(selection.indices),
        "score": np.asarray(selection.scores),
        "relevance": np.asarray(selection.relevance),
        "overlap_with": selection.overlap_with,
        "overlap": np.asarray(selection.overlap),
        "informative": np.asarray(selection.informative),
        **levels_of(selection),
    }


LEAST_LEVEL = "least level"
NEIGHBOURS = "neighbours in the tree"
MAY_BE_CHANCE = ""  # the header of the marks
TEXT_COLUMNS = ("feature", "overlaps most with", NEIGHBOURS, MAY_BE_CHANCE)
MEANING_OF_LEAST_LEVEL = (
    f"{LEAST_LEVEL}: the smallest level (a corrected p, or a share of false features) at which a feature is taken"
)


def table_text(selection: Selection) -> str:
    """The ranking as an aligned table."""
    header, rows = _printed_ranking(selection)
    table = aligned(header, rows, right=[name not in TEXT_COLUMNS for name in header])
    return f"{table}\n{MEANING_OF_LEAST_LEVEL}" if LEAST_LEVEL in header else table


def _printed_ranking(selection: Selection) -> tuple[list[str], list[list[str]]]:
    """The header and the rows of the table of a selection."""
    header = [
        "rank",
        "feature",
        f"score ({selection.unit})",
        "relevance (bits)",
        "overlaps most with",
        "overlap (bits)",
    ]
    level_header, level_rows = levels_in_words(selection)
    header += level_header
    has_marks = not selection.informative.all()
    if has_marks:
        header.append(MAY_BE_CHANCE)
    rows = []
    for i, name in enumerate(selection.features):
        overlap_with = selection.overlap_with[i]
        row = [
            str(i + 1),
            str(name),
            number(selection.scores[i]),
            number(selection.relevance[i]),
            "-" if overlap_with is None else str(overlap_with),
            number(selection.overlap[i]),
            *level_rows[i],
        ]
        if has_marks:
            row.append("" if selection.informative[i] else "may be chance")
        rows.append(row)
    return header, rows


def levels_of(selection: Selection) -> dict[str, Any]:
    """The least level at which a stopping rule takes each feature, and its neighbours in the tree, if the rule has one.

    Empty if the selection was not ended by a rule with an error rate.
    """
    names = selection.evidence.table.names
    stopping = selection.fit.result.stopping
    if stopping is None or conclusion_of(selection.fit) is None:
        return {}
    levels: dict[str, Any] = {"least_level": stopping.values}
    if stopping.neighbours is not None:
        levels["neighbours"] = [", ".join(str(names[j]) for j in columns) for columns in stopping.neighbours]
    return levels


def levels_in_words(selection: Selection) -> tuple[list[str], list[list[str]]]:
    """The header and the rows, one for each feature, of the levels as text; both empty if there are none."""
    levels = levels_of(selection)
    header = []
    rows: list[list[str]] = [[] for _ in selection.features]
    if "least_level" in levels:
        header.append(LEAST_LEVEL)
        for row, level in zip(rows, levels["least_level"], strict=True):
            row.append(f"{level:.3g}")
    if "neighbours" in levels:
        header.append(NEIGHBOURS)
        for row, neighbours in zip(rows, levels["neighbours"], strict=True):
            row.append(neighbours or "-")
    return header, rows


def conclusion_of(fit: Fit) -> str | None:
    """What a reader may conclude of a feature that a stopping rule with an error rate took; None for other rules."""
    rule = fit.selection.stopping
    return None if rule is None else make_stopping(rule).conclusion


def _certificate(fit: Fit) -> dict[str, float | None] | None:
    """The objective of the selected subset, an upper bound of all subsets, and the gap; None if the method has none."""
    if "upper_bound_" not in fit.result.extras:
        return None
    return {
        "objective_bits": finite(fit.fitted_attribute("objective_")),
        "upper_bound_bits": finite(fit.fitted_attribute("upper_bound_")),
        "gap": finite(fit.fitted_attribute("gap_")),
    }


def names_of(selector: Any, columns: Iterable[int]) -> list[str]:
    """The names that columns had when a selector was fitted; x0, x1, ... if they had none."""
    names = getattr(selector, "feature_names_in_", None)
    return [f"x{j}" if names is None else str(names[j]) for j in columns]


def _stopping(fit: Fit) -> dict[str, Any] | None:
    """What ended the selection, and at which candidate; None if the method has no stopping rule."""
    stopping = fit.result.stopping
    if stopping is None:
        return None
    names = fit.table.names
    document: dict[str, Any] = {
        "by": stopping.by,
        "candidate": None if stopping.candidate < 0 else str(names[stopping.candidate]),
        "value": finite(stopping.value),
        "values": [finite(value) for value in stopping.values],
    }
    if stopping.neighbours is not None:
        document["given"] = [[str(names[j]) for j in columns] for columns in stopping.neighbours]
    conclusion = conclusion_of(fit)
    if conclusion is not None:
        document["each_is"] = conclusion
    return document


def _edges(edges: Any) -> Any:
    """The edges of a target as plain numbers; for several target columns a list of edges each, None if not binned."""
    if edges is None:
        return None
    return [_edges(edge) if edge is None or np.ndim(edge) else float(edge) for edge in edges]


def _plain(value: Any) -> Any:
    """``value`` as JSON can hold it."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    if isinstance(value, float):
        return finite(value)
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)
