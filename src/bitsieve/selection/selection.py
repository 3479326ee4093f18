"""One call from a table to a ranked, explained selection."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.common.defaults import DEFAULT_METHOD
from bitsieve.common.messages import quoted
from bitsieve.common.notes import warn_of
from bitsieve.common.parameters import check_threads
from bitsieve.common.ticker import shown
from bitsieve.selection.explanation import explanation
from bitsieve.selection.how_many import default_number
from bitsieve.selection.notes import explain, explain_gap, explain_stop, explain_worth, refuse_what_tells_nothing
from bitsieve.selection.plain import certificate, finite, plain, plain_edges
from bitsieve.selection.shown import as_frame, as_html, as_text
from bitsieve.table.read_data import read_data

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from bitsieve.table.table import Table
    from bitsieve.table.target import Target

BINNER_PARAMETERS = ("n_bins", "uncut", "missing")
_MOST_LABELS = 100  # beyond, labels are counted and not listed in a document


@dataclass(frozen=True)
class Selection:
    """The selected features in order of choice, and why.

    Attributes
    ----------
    method : str
        Name of the method, as :func:`bitsieve.list_methods` has it.
    features : list of str, length k
        Names, best first; ``x0, x1, ...`` by column where the data has no names.
    indices : ndarray of shape (k,)
        Column of each feature in the data without the target.
    scores : ndarray of shape (k,)
        The method's value at each choice, in bits where it is information.
    relevance : ndarray of shape (k,)
        I(X;C), in bits.
    overlap_with : list of str or None, length k
        The earlier-chosen feature with the largest I(X;X'); None where there is no earlier one.
    overlap : ndarray of shape (k,)
        That information, in bits; NaN where there is no earlier one.
    table : ndarray or dataframe
        The data with the selected columns only, in order of choice, of the same kind and with the same dtypes.
    selector : estimator
        The fitted scikit-learn transformer.
    target : Target
        The target's classes, and its edges when it was continuous and had to be binned.
    target_name : str
    parameters : dict
        What the selection was asked for.
    notes : list of str
        What was noticed in the data, in plain sentences.

    Examples
    --------
    >>> import bitsieve
    >>> X, y = [[0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 0]], ["no", "no", "yes", "yes"]
    >>> selection = bitsieve.select(X, y, method="mim", n_features_to_select=2, binning="none")
    >>> print(selection)
    rank  feature  score (bits)  relevance (bits)  overlaps most with  overlap (bits)
       1  x0             1.0000            1.0000  -                                -
       2  x2             0.3113            0.3113  x0                          0.3113
    """

    method: str
    features: list[str]
    indices: NDArray[np.intp]
    scores: NDArray[np.float64]
    relevance: NDArray[np.float64]
    overlap_with: list[str | None]
    overlap: NDArray[np.float64]
    table: Any = field(repr=False)
    selector: Any = field(repr=False)
    target: Target = field(repr=False)
    target_name: str
    parameters: dict[str, Any]
    notes: list[str]

    @property
    def unit(self) -> str:
        """Of the scores: bits, or ratio or mixed for a method whose scores are no information."""
        from bitsieve.selectors.registry import list_methods

        return next(info.unit for info in list_methods() if info.name == self.method)

    def __str__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)

    def to_frame(self) -> Any:
        """The ranking as a data frame, one row a selected feature.

        Returns
        -------
        dataframe
            rank, feature, index, score, relevance, overlap_with, overlap; of the library that the data came in, for an
            array or a file pandas, or pyarrow where pandas is not installed.
        """
        return as_frame(self)

    def to_dict(self) -> dict[str, Any]:
        """The selection as plain Python values that ``json.dumps`` takes; a value that is no number is None.

        Returns
        -------
        dict
            What ``bitsieve select --json`` prints, less the name of the output, the seconds and the version.
        """
        labels = [plain(label) for label in self.target.labels]
        edges = self.target.edges
        return {
            "method": self.method,
            "score_unit": self.unit,
            "parameters": {name: plain(value) for name, value in self.parameters.items()},
            "n_samples": len(self.target.codes),
            "n_features": int(self.selector.n_features_in_),
            "target": {
                "name": self.target_name,
                "kind": self.target.kind,
                "n_classes": int(self.target.n_classes),
                "labels": labels if len(labels) <= _MOST_LABELS else None,
                "edges": plain_edges(edges),
            },
            "features": [
                {
                    "rank": rank,
                    "name": name,
                    "index": int(self.indices[rank - 1]),
                    "score": finite(self.scores[rank - 1]),
                    "relevance_bits": finite(self.relevance[rank - 1]),
                    "overlap_with": self.overlap_with[rank - 1],
                    "overlap_bits": finite(self.overlap[rank - 1]),
                }
                for rank, name in enumerate(self.features, start=1)
            ],
            "stopping": self._stopping(),
            "certificate": certificate(self.selector),
            "notes": list(self.notes),
        }

    def _stopping(self) -> dict[str, Any] | None:
        if not hasattr(self.selector, "stopped_by_"):
            return None
        names = getattr(self.selector, "feature_names_in_", None)
        candidate = self.selector.stopping_candidate_
        return {
            "by": self.selector.stopped_by_,
            "candidate": None if candidate < 0 else f"x{candidate}" if names is None else str(names[candidate]),
            "value": finite(self.selector.stopping_value_),
            "values": [finite(value) for value in self.selector.stopping_values_],
        }


def select(
    data: Any,
    target: Any = None,
    *,
    sample_weight: Any = None,
    method: str = DEFAULT_METHOD,
    n_features_to_select: int | float | str | None = None,
    binning: Any = "mdl",
    target_bins: int | str | None = None,
    n_jobs: int | None = None,
    verbose: bool = False,
    **parameters: Any,
) -> Selection:
    """Select the features of a table that tell most about its target.

    Parameters
    ----------
    data : array-like of shape (n_samples, n_features), dataframe, or path
        numpy, pandas, polars or pyarrow; or a CSV, TSV, Parquet, Arrow/Feather or .npz file.
    target : str or array-like of shape (n_samples,), or several, optional
        A column of ``data``, which is then no feature, or the values themselves. A list of columns, or a 2-D array, is
        one target whose classes are the combinations that occur. Only for .npz it may be left out: it is ``y`` there.
    sample_weight : str or array-like of shape (n_samples,), optional
        Frequency weights, as a column of ``data``, which is then no feature, or as values: whole numbers, how many
        times each sample counts.
    method : str, default="cmim"
        One of :func:`bitsieve.list_methods`.
    n_features_to_select : int, float or "auto", optional
        By default 20, or all columns where there are fewer. A float between 0 and 1 is a share of the columns; "auto"
        lets a greedy method, fcbf or vmi stop by itself.
    binning : {"mdl", "quantile", "uniform", "none"} or binner, default="mdl"
        How numeric columns become codes. Text, categorical and boolean columns are codes as they are. None, for a
        method on densities (vmi), bins for the explanation alone, by "mdl".
    target_bins : int or "none", optional
        Equal-frequency classes of a target that is a quantity, 5 by default: numbers with a fractional part, or more
        than 100 different whole numbers. A number that is given is obeyed by whole numbers, too, of which more
        different ones occur; "none" takes each number as a class.
    n_jobs : int, optional
        Threads; the result is the same to the last bit for any number.
    verbose : bool, default=False
        Whether a job of more than a second shows what it is doing, in one line of a terminal or a notebook.
    **parameters
        Of the binner (``n_bins``, ``uncut``, ``missing``) or of the method (such as ``beta`` of MIFS, or ``stopping``
        and ``constraints`` of the greedy ones).

    Returns
    -------
    Selection
        ``print`` shows it as a table with its notes, a notebook as one of HTML. Each note is a
        :class:`BitsieveWarning`, too.

    Raises
    ------
    ValueError
        The data, the target or a parameter cannot be used: one line that says what to do.

    Examples
    --------
    >>> import bitsieve
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> bitsieve.select(X, y, method="jmi", n_features_to_select=2).features
    ['x3', 'x2']
    """
    with shown(verbose):
        selection = select_from(
            read_data(data, target, sample_weight, target_bins=target_bins),
            method=method,
            n_features_to_select=n_features_to_select,
            binning=binning,
            n_jobs=n_jobs,
            **parameters,
        )
    warn_of(selection.notes)
    return selection


def select_from(
    table: Table,
    *,
    method: str,
    n_features_to_select: int | float | str | None,
    binning: Any,
    n_jobs: int | None,
    **parameters: Any,
) -> Selection:
    """:func:`select` from a table that is read already."""
    from bitsieve.selectors.registry import make_selector, method_name

    check_threads("n_jobs", n_jobs)  # also for methods that have no such parameter
    method = method_name(method)
    of_binner = {name: parameters.pop(name) for name in BINNER_PARAMETERS if name in parameters}
    binner = _binner(binning, of_binner, n_jobs)
    on_number: list[str] = []
    if n_features_to_select is None:
        n_features_to_select, on_number = default_number(table, parameters)
    selector = make_selector(method, n_features_to_select, binning=binner, n_jobs=n_jobs, **parameters)
    refuse_what_tells_nothing(table)
    selector.fit_table(table)
    if isinstance(binning, str) and selector.__sklearn_tags__().input_tags.allow_nan:
        # A method on rows took missing values as they are, so must the binner of the explanation.
        binner = _binner(binning, {"missing": "bin", **of_binner}, n_jobs)
    found = explanation(selector, table, "mdl" if binner is None else binner, n_jobs)
    indices = np.asarray(selector.selected_)
    given = table.given
    return Selection(
        method=method,
        features=[table.names[j] for j in indices],
        indices=indices,
        scores=np.asarray(selector.scores_),
        relevance=found.relevance[indices],
        overlap_with=[None if j < 0 else table.names[j] for j in found.overlap_with],
        overlap=found.overlap,
        table=None if given is None else given.take(indices),
        selector=selector,
        target=table.target,
        target_name=table.target.name,
        parameters={
            "n_features_to_select": n_features_to_select,
            "binning": binning,
            **of_binner,
            "target_bins": table.target.n_bins,
            **({} if given is None or given.weight is None else {"sample_weight": given.weight}),
            **parameters,
        },
        notes=[
            *on_number,
            *explain(table, found.binner, indices),
            *explain_worth(selector, table, found.relevance[indices], found.informative),
            *explain_stop(selector, table),
            *explain_gap(selector),
        ],
    )


def _binner(binning: Any, parameters: Mapping[str, Any], n_jobs: int | None) -> Any:
    if not parameters:
        return binning
    if not isinstance(binning, str):
        raise ValueError(f"binning is an object, so {quoted(parameters)} must be set on that object")
    from bitsieve.binning import make_binner

    return make_binner(binning, n_jobs=n_jobs, **parameters)
