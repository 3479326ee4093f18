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
from bitsieve.selection.codes import take_codes
from bitsieve.selection.evidence import Evidence
from bitsieve.selection.explanation import explanation
from bitsieve.selection.how_many import default_number
from bitsieve.selection.left_out import consider, refuse_more_than_left
from bitsieve.selection.notes import (
    explain,
    explain_gap,
    explain_many_values,
    explain_sample,
    explain_stop,
    explain_worth,
    refuse_what_tells_nothing,
)
from bitsieve.selection.plain import certificate, finite, plain, plain_edges, stopping
from bitsieve.selection.reading import passed_on, read_table
from bitsieve.selection.shown import as_frame, as_html, as_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from os import PathLike

    from numpy.typing import NDArray

    from bitsieve.selection.explain import FeatureExplanation
    from bitsieve.sources.in_parts import TableInParts
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
    table : ndarray or dataframe, or None
        The data with the selected columns only, in order of choice, of the same kind and with the same dtypes; of a
        lazy frame a lazy frame; None for data that was read in batches.
    selector : estimator
        The fitted scikit-learn transformer.
    target : Target
        The target's classes, and its edges when it was continuous and had to be binned.
    target_name : str
    n_samples : int
        Rows of the data; those of weight 0 are left out.
    parameters : dict
        What the selection was asked for.
    notes : list of str
        What was noticed in the data, in plain sentences.
    evidence : Evidence
        The table as it was read, and how it was binned: what :meth:`explain` and a report count again.

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
    features: list[Any]
    indices: NDArray[np.intp]
    scores: NDArray[np.float64]
    relevance: NDArray[np.float64]
    overlap_with: list[Any]
    overlap: NDArray[np.float64]
    table: Any = field(repr=False)
    selector: Any = field(repr=False)
    target: Target = field(repr=False)
    target_name: str
    n_samples: int
    parameters: dict[str, Any]
    notes: list[str]
    evidence: Evidence = field(repr=False)

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

    def explain(self, feature: str | int) -> FeatureExplanation:
        """Why a feature is selected or not, and which selected one tells the same, in bits.

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
        from bitsieve.selection.explain import explain_feature

        return explain_feature(self, feature)

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
            "n_samples": self.n_samples,
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
                    "name": plain(name),
                    "index": int(self.indices[rank - 1]),
                    "score": finite(self.scores[rank - 1]),
                    "relevance_bits": finite(self.relevance[rank - 1]),
                    "overlap_with": plain(self.overlap_with[rank - 1]),
                    "overlap_bits": finite(self.overlap[rank - 1]),
                }
                for rank, name in enumerate(self.features, start=1)
            ],
            "stopping": stopping(self.selector),
            "certificate": certificate(self.selector),
            "notes": list(self.notes),
        }


def select(
    data: Any,
    target: Any = None,
    *,
    sample_weight: Any = None,
    method: str = DEFAULT_METHOD,
    n_features_to_select: int | float | str | None = None,
    include: Sequence[Any] = (),
    exclude: Sequence[Any] = (),
    binning: Any = "mdl",
    target_bins: int | str | None = None,
    drop_missing_target: bool = False,
    header: bool | None = None,
    n_jobs: int | None = None,
    memory: int | str | None = None,
    spool: str | PathLike[str] | None = None,
    verbose: bool = False,
    **parameters: Any,
) -> Selection:
    """Select the features of a table that tell most about its target.

    Parameters
    ----------
    data : array-like or scipy.sparse of shape (n_samples, n_features), dataframe, or path
        numpy, pandas, polars (lazy, too) or pyarrow (table or record batch); or a CSV, TSV, JSON lines, Parquet,
        Arrow/Feather, libsvm or .npz file, compressed or not. A Dask data frame or array is counted on its cluster (see
        :class:`bitsieve.DaskSource`), by the methods that need counts alone; so are, in batches, a folder of files, a
        pyarrow dataset and any Arrow stream, and with ``memory`` a file and a lazy frame, too (see
        :class:`bitsieve.StreamSource`).
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
    include : sequence of column, optional
        Selected first, whatever they tell, by a greedy method. A column with a value of its own in every row, as a
        name or a number of each row, is left out unless it is named here.
    exclude : sequence of column, optional
        Never selected.
    binning : {"mdl", "quantile", "uniform", "none"} or binner, default="mdl"
        How numeric columns become codes. Text, categorical and boolean columns are codes as they are. None, for a
        method on densities (vmi), bins for the explanation alone, by "mdl".
    target_bins : int or "none", optional
        Equal-frequency classes of a target that is a quantity, 5 by default: numbers with a fractional part, or more
        than 100 different whole numbers. A number that is given is obeyed by whole numbers, too, of which more
        different ones occur; "none" takes each number as a class.
    drop_missing_target : bool, default=False
        Whether rows without a target are left out; else they are an error.
    header : bool, optional
        Whether the first line of a text file has the names. By default it has, unless it looks like data, which is an
        error.
    n_jobs : int, optional
        Threads; the result is the same to the last bit for any number.
    memory : int or str, optional
        About how many bytes the work may take, such as ``"4GB"``: a file is then read in batches. A method with this
        parameter gets it, too.
    spool : path, optional
        For data that is read in batches: a folder in which what was packed is kept for later runs.
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
    parameters |= passed_on(data, method, memory, spool)
    with shown(verbose):
        selection = select_from(
            read_table(
                data, target, sample_weight, target_bins, memory, spool, drop_missing=drop_missing_target, header=header
            ),
            method=method,
            n_features_to_select=n_features_to_select,
            include=include,
            exclude=exclude,
            binning=binning,
            n_jobs=n_jobs,
            **parameters,
        )
    warn_of(selection.notes)
    return selection


def select_from(
    table: Table | TableInParts,
    *,
    method: str,
    n_features_to_select: int | float | str | None,
    include: Sequence[Any] = (),
    exclude: Sequence[Any] = (),
    binning: Any,
    n_jobs: int | None,
    **parameters: Any,
) -> Selection:
    """:func:`select` from a table that is read already."""
    from bitsieve.selectors.registry import make_selector, method_name, parameters_of

    check_threads("n_jobs", n_jobs)  # also for methods that have no such parameter
    method = method_name(method)
    constraints, constrains = parameters.pop("constraints", None), "constraints" in parameters_of(method)
    considered = consider(table, include, exclude, constraints, constrains=constrains)
    asked = {**parameters, **({} if constraints is None else {"constraints": constraints})}
    if considered.constraints is not None:
        parameters["constraints"] = considered.constraints
    of_binner = {name: parameters.pop(name) for name in BINNER_PARAMETERS if name in parameters}
    binner = _binner(binning, of_binner, n_jobs)
    on_number: list[str] = []
    if n_features_to_select is None:
        n_features_to_select, on_number = default_number(considered, parameters)
    refuse_more_than_left(n_features_to_select, considered)
    selector = make_selector(method, n_features_to_select, binning=binner, n_jobs=n_jobs, **parameters)
    refuse_what_tells_nothing(table)
    codes, own_binning = take_codes(considered.table, binning, of_binner, selector, n_jobs)
    if own_binning != binning:
        binner = _binner(own_binning, of_binner, n_jobs)
        selector.set_params(binning=binner)
    selector.fit_table(codes)
    if isinstance(binning, str) and selector.__sklearn_tags__().input_tags.allow_nan:
        # A method on rows took missing values as they are, so must the binner of the explanation.
        binner = _binner(own_binning, {"missing": "bin", **of_binner}, n_jobs)
    found = explanation(selector, codes, "mdl" if binner is None else binner, n_jobs)
    indices = np.asarray(selector.selected_)
    given = table.given
    labels = table.names if given is None or given.labels is None else given.labels
    return Selection(
        method=method,
        features=[labels[j] for j in indices],
        indices=indices,
        scores=np.asarray(selector.scores_),
        relevance=found.relevance[indices],
        overlap_with=[None if j < 0 else labels[j] for j in found.overlap_with],
        overlap=found.overlap,
        table=None if given is None else given.take(indices),
        selector=selector,
        target=table.target,
        target_name=table.target.name,
        n_samples=table.n_samples,
        parameters={
            "n_features_to_select": n_features_to_select,
            "binning": binning,
            **of_binner,
            "target_bins": table.target.n_bins,
            **({} if given is None or given.weight is None else {"sample_weight": given.weight}),
            **({"include": list(include)} if include else {}),
            **({"exclude": list(exclude)} if exclude else {}),
            **asked,
        },
        notes=[
            *getattr(table, "notes", ()),
            *on_number,
            *considered.notes,
            *explain_sample(table),
            *explain(table, found.binner, indices, considered.left_out),
            *explain_worth(selector, table, found),
            *explain_many_values(selector, table, found),
            *explain_stop(selector, table),
            *explain_gap(selector),
        ],
        evidence=Evidence(considered.table, found.binner, indices, n_jobs, table, considered.left_out),
    )


def _binner(binning: Any, parameters: Mapping[str, Any], n_jobs: int | None) -> Any:
    if not parameters:
        return binning
    if not isinstance(binning, str):
        raise ValueError(f"binning is an object, so {quoted(parameters)} must be set on that object")
    from bitsieve.binning import make_binner

    return make_binner(binning, n_jobs=n_jobs, **parameters)
