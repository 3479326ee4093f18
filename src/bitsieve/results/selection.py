"""What a selection found: the features in order of choice, and why."""

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

_IN_JSON = "rank", "name", "index", "score", "relevance_bits", "overlap_with", "overlap_bits", "informative"
_MOST_LABELS = 100  # beyond, labels are counted and not listed in a document


@dataclass(frozen=True)
class Selection:
    """The selected features in order of choice, and why.

    Attributes
    ----------
    method : str
        Name of the method, as :func:`bitsieve.list_methods` has it.
    features : list, length k
        Labels of the columns as the data has them, best first; ``x0, x1, ...`` by column where it has none.
    indices : ndarray of shape (k,)
        Column of each feature in the data without the target.
    scores : ndarray of shape (k,)
        The method's value at each choice, in bits where it is information.
    relevance : ndarray of shape (k,)
        I(X;C), in bits.
    overlap_with : list of label or None, length k
        The earlier-chosen feature with the largest I(X;X'); None where there is no earlier one.
    overlap : ndarray of shape (k,)
        That information, in bits; NaN where there is no earlier one.
    informative : ndarray of bool, shape (k,)
        False for a feature that is not more informative than chance, alone or with another, where that was tested.
    table : ndarray or dataframe, or None
        The data with the selected columns only, as ``selector.transform`` gives them; None for data read in batches.
    target : Target
        The target's classes, and its edges when it was continuous and had to be binned.
    target_name : str
    n_samples : int
        Rows of the data; those of weight 0 are left out.
    parameters : dict
        What the selection was asked for.
    diagnostics : list of Diagnostic
        What was noticed in the data and in the result; ``notes`` are their texts.
    evidence : Evidence
        The table as it was read, and how it was binned: what :meth:`explain` and a report count again.
    fit : Fit
        What the method was run with, and what it returned. ``selector`` is the fitted scikit-learn transformer of it.

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
        """Of the scores: bits, or ratio or mixed for a method whose scores are no information."""
        return find_method(self.method).unit

    def __str__(self) -> str:
        notes = [f"note: {printable(note)}" for note in displayed(self.notes)]
        return "\n".join([table_text(self), *([""] if notes else []), *notes])

    def _repr_html_(self) -> str:
        header, rows = _ranking(self)
        text_columns = [i for i, name in enumerate(header) if name in _TEXT]
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
                "labels": labels if len(labels) <= _MOST_LABELS else None,
                "edges": _edges(edges),
            },
            "features": [
                dict(zip([*_IN_JSON, *levels_of(self)], map(_plain, row), strict=True))
                for row in zip(*ranking(self).values(), strict=True)
            ],
            "stopping": _stopping(self.fit),
            "certificate": _certificate(self.fit),
            "notes": self.notes,
            "diagnostics": [diagnostic.to_dict() for diagnostic in self.diagnostics],
        }


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


LEVEL, GIVEN = "least level", "neighbours in the tree"
LEAST_LEVEL = f"{LEVEL}: the smallest level (a corrected p, or a share of false features) at which a feature is taken"
_TEXT = ("feature", "overlaps most with", GIVEN, "")
_BY_CHANCE = "may be chance"


def table_text(selection: Selection) -> str:
    """The ranking as an aligned table."""
    header, rows = _ranking(selection)
    below = [LEAST_LEVEL] if LEVEL in header else []
    return "\n".join([aligned(header, rows, right=[name not in _TEXT for name in header]), *below])


def _ranking(selection: Selection) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    names = ("rank", "feature", f"score ({selection.unit})", "relevance (bits)", "overlaps most with", "overlap (bits)")
    informative = selection.informative
    marks = [] if informative.all() else ["" if is_informative else _BY_CHANCE for is_informative in informative]
    levels, of_features = levels_in_words(selection)
    rows = [
        (
            str(rank),
            str(name),
            number(selection.scores[rank - 1]),
            number(selection.relevance[rank - 1]),
            "-" if (other := selection.overlap_with[rank - 1]) is None else str(other),
            number(selection.overlap[rank - 1]),
            *of_features[rank - 1],
            *marks[rank - 1 : rank],
        )
        for rank, name in enumerate(selection.features, start=1)
    ]
    return (*names, *levels, *[""][: len(marks)]), rows


def levels_of(selection: Selection) -> dict[str, Any]:
    """Of a rule with a rate, by columns: the least level at which each feature is taken, and its neighbours."""
    names = selection.evidence.table.names
    stopping = selection.fit.result.stopping
    if stopping is None or conclusion_of(selection.fit) is None:
        return {}
    levels: dict[str, Any] = {"least_level": stopping.values}
    if stopping.neighbours is not None:
        levels["neighbours"] = [", ".join(str(names[j]) for j in columns) for columns in stopping.neighbours]
    return levels


def levels_in_words(selection: Selection) -> tuple[list[str], list[tuple[str, ...]]]:
    """The same as header and rows of a table."""
    levels = levels_of(selection)
    cells = [[cell or "-" if isinstance(cell, str) else f"{cell:.3g}" for cell in column] for column in levels.values()]
    return [LEVEL, GIVEN][: len(levels)], list(zip(*cells, strict=True)) or [()] * len(selection.features)


def conclusion_of(fit: Fit) -> str | None:
    """What a reader may conclude of a feature that a rule with a rate took."""
    rule = fit.selection.stopping
    return None if rule is None else make_stopping(rule).conclusion


def _certificate(fit: Fit) -> dict[str, float | None] | None:
    """The objective of a subset, the bound on every other's, and the gap between; None where the method has none."""
    if "upper_bound_" not in fit.result.extras:
        return None
    return {
        "objective_bits": finite(fit.fitted_attribute("objective_")),
        "upper_bound_bits": finite(fit.fitted_attribute("upper_bound_")),
        "gap": finite(fit.fitted_attribute("gap_")),
    }


def names_of(selector: Any, columns: Iterable[int]) -> list[str]:
    """The names of some columns that a selector was fitted on; x0, x1, ... where they had none."""
    names = getattr(selector, "feature_names_in_", None)
    return [f"x{j}" if names is None else str(names[j]) for j in columns]


def _stopping(fit: Fit) -> dict[str, Any] | None:
    """What ended the selection, and at which candidate; None where the method has no rule that could."""
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
    """The edges of a target; of several columns a list for each, None for one that was not binned."""
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
