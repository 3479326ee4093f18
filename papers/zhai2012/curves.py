"""Figures 2 to 5: accuracy, seconds and redundancy of nine methods against the number of features.

Of the synthetic groups the paper fixes the sizes alone; those of :mod:`papers.data.correlated_groups` are read
into them, the test part drawn with the training part. "Ground truth removed" leaves one column of every group in the
table. ReliefF looks at 2,000 samples; SVM-RFE is given 3,000 and drops a tenth of the columns at a time; one ranking
by a filter or by SVM-RFE serves every number of features. The last method is not in the paper: C = n_samples, which is
C = 1 for columns of variance 1, a fifth of the features a cut, and groups that are disjoint over the cuts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array

from bitsieve.plots.figures import STYLE, style
from bitsieve.utils.messages import aligned
from papers.data.correlated_groups import make_correlated_groups
from papers.data.files import load_npz
from papers.item import Options, Result
from papers.zhai2012.methods import COUNTS, EMBEDDED, METHODS, UNIT_VARIANCE, Split, score_methods

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from papers.data.files import DataSet
    from papers.zhai2012.methods import Scores

N_SAMPLES = 2048
N_FEATURES = 10_000
N_GROUPS = 200
N_MULTIPLE = 30
SETS = ("mnist38", "moneyfx")
MEASURES = {"accuracy": "accuracy, %", "seconds": "seconds of selecting", "redundancy": "redundancy rate"}


def figure_2(options: Options) -> Result:
    """The three measures on the synthetic groups, of the whole table and with one column of every group."""
    split, groups = synthetic(options.seed)
    first_of_groups = np.unique(groups, return_index=True)[1]
    one_a_group = np.flatnonzero((groups < 0) | np.isin(np.arange(len(groups)), first_of_groups))
    reduced = Split(
        "ground truth removed", split.X[:, one_a_group], split.y, split.X_test[:, one_a_group], split.y_test
    )
    scores_of_all = _scored(options, split, (*METHODS, UNIT_VARIANCE))
    scores_of_reduced = _scored(options, reduced, (*EMBEDDED, UNIT_VARIANCE))
    rows = []
    for label, scores in scores_of_all.items():
        n_groups_found = [len(np.unique(groups[columns][groups[columns] >= 0])) for columns in scores.chosen]
        rows.append((label, *map(str, n_groups_found)))
    options.part(
        aligned((f"of {N_GROUPS} groups found", *map(str, COUNTS)), rows, (False, *[True] * len(COUNTS))) + "\n",
        {"groups": {row[0]: [int(value) for value in row[1:]] for row in rows}},
    )
    text = (
        f"Synthetic groups: {len(split.y):,} training and {len(split.y_test):,} test samples, {len(groups):,} columns, "
        f"{N_GROUPS} groups of which {N_MULTIPLE} have several members, seed {options.seed}."
    )
    if not options.draw:
        return Result(text)
    return Result(text, _draw(list(MEASURES), [("synthetic", scores_of_all, scores_of_reduced)]))


def figure_3(options: Options) -> Result:
    """Accuracies on public data."""
    return _on_public_data(options, "accuracy")


def figure_4(options: Options) -> Result:
    """Seconds on public data."""
    return _on_public_data(options, "seconds")


def figure_5(options: Options) -> Result:
    """Redundancies on public data."""
    return _on_public_data(options, "redundancy")


def _on_public_data(options: Options, measure: str) -> Result:
    panels: list[tuple[str, dict[str, Scores], dict[str, Scores]]] = []
    for name in options.sets or SETS:
        split = load_split(options.data_dir, name)
        methods = (*METHODS, UNIT_VARIANCE) if isinstance(split.X, np.ndarray) else (*EMBEDDED, UNIT_VARIANCE)
        panels.append((name, _scored(options, split, methods, (measure,)), {}))
    text = (
        "mnist38: digits 3 against 8 of MNIST. moneyfx: a topic of Reuters-21578 against the rest, sparse, where only "
        "the methods run that take sparse tables; it stands in for the paper's kdd2010 and webspam."
    )
    return Result(text, _draw([measure], panels) if options.draw else None)


def synthetic(seed: int) -> tuple[Split, NDArray[np.intp]]:
    """The synthetic groups, and the group of every column."""
    made = make_correlated_groups(
        2 * N_SAMPLES, N_FEATURES, n_groups=N_GROUPS, n_multiple=N_MULTIPLE, random_state=seed
    )
    n = N_SAMPLES
    return Split("synthetic", made.X[:n], made.y[:n], made.X[n:], made.y[n:]), made.groups


def load_split(data_dir: Path | None, name: str) -> Split:
    """A public data set with its test part."""
    if data_dir is None:
        raise ValueError(f"{name} needs files of public data: give their directory by --data-dir")
    if name == "mnist38":
        X, y = _digits_3_and_8(load_npz(data_dir, "mnist_train"))
        X_test, y_test = _digits_3_and_8(load_npz(data_dir, "mnist_test"))
        return Split(name, X, y, X_test, y_test)
    X, y = _read_sparse(data_dir / "reuters_moneyfx_train.npz")
    X_test, y_test = _read_sparse(data_dir / "reuters_moneyfx_test.npz")
    return Split(name, X, y, X_test, y_test)


def _digits_3_and_8(data: DataSet) -> tuple[NDArray[Any], NDArray[np.intp]]:
    is_either = np.isin(data.y, (3, 8))
    return data.X[is_either].astype(np.float32), np.where(data.y[is_either] == 8, 1, -1)


def _read_sparse(path: Path) -> tuple[csr_array, NDArray[np.intp]]:
    """The pieces of a CSR matrix and y, as the public sparse sets are kept."""
    if not path.is_file():
        raise ValueError(f"there is no {path.name} in {str(path.parent)!r}")
    with np.load(path, allow_pickle=False) as stored:
        pieces = (stored["data"].astype(np.float64), stored["indices"], stored["indptr"])
        return csr_array(pieces, shape=tuple(stored["shape"])), np.where(stored["y"] > 0, 1, -1)


def _scored(
    options: Options, split: Split, methods: Iterable[str], measures: Iterable[str] = tuple(MEASURES)
) -> dict[str, Scores]:
    """Score the methods, and report a table for each measure."""
    scores_of_methods = score_methods(split, COUNTS, methods, options.n_jobs)
    for measure in measures:
        digits = {"accuracy": 1, "seconds": 2, "redundancy": 4}[measure]
        values = {label: getattr(scores, measure) for label, scores in scores_of_methods.items()}
        rows = [(label, *(_text(value, digits) for value in row)) for label, row in values.items()]
        header = (f"{split.name}: {MEASURES[measure]}", *map(str, COUNTS))
        record = {label: [None if np.isnan(v) else float(v) for v in row] for label, row in values.items()}
        options.part(
            aligned(header, rows, (False, *[True] * len(COUNTS))) + "\n",
            {"data": split.name, "counts": list(COUNTS), measure: record},
        )
    return scores_of_methods


def _text(value: float, digits: int) -> str:
    return "-" if np.isnan(value) else f"{value:.{digits}f}"


def _draw(measures: list[str], panels: list[tuple[str, dict[str, Scores], dict[str, Scores]]]) -> Figure:
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    with matplotlib.rc_context(STYLE):
        n_columns = max(len(measures), len(panels))
        figure = Figure(figsize=(1.5 + 4.4 * n_columns, 4.0), layout="constrained")
        axes = np.atleast_1d(figure.subplots(1, n_columns))
        labels = [*METHODS, UNIT_VARIANCE]
        drawn: dict[str, Any] = {}
        for index, panel_axes in enumerate(axes):
            measure = measures[index % len(measures)]
            name, scores_of_all, scores_of_reduced = panels[index % len(panels)]
            for scores_of_methods, dash in ((scores_of_all, "-"), (scores_of_reduced, "--")):
                for label, scores in scores_of_methods.items():
                    colour, marker = style(label, labels)
                    values = getattr(scores, measure)
                    (line,) = panel_axes.plot(COUNTS, values, dash, color=colour, marker=marker, markersize=4, lw=1.5)
                    drawn.setdefault(label, line)
            panel_axes.set(xlabel="number of features", ylabel=MEASURES[measure], title=name)
            if measure == "seconds":
                panel_axes.set_yscale("log")
        if any(scores_of_reduced for _, _, scores_of_reduced in panels):
            drawn["ground truth removed"] = Line2D([], [], color="black", ls="--", lw=1.5)
        figure.legend(list(drawn.values()), list(drawn), loc="outside right upper", frameon=False)
    return figure
