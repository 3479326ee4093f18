"""Figures 2 to 5: accuracy, seconds and redundancy of the methods against the number of features.

The paper gives the sizes of its synthetic groups, and not how they are drawn: here they are those of
:mod:`papers.data.correlated_groups`, and the test part is drawn with the training part. "Ground truth removed" is the
table with one column of every group. ReliefF looks at 2,000 samples; SVM-RFE takes 3,000 and drops a tenth of the
columns at a time; one ranking by a filter or by SVM-RFE serves every number of features.

The curve "GDM-affiliated" is of the support features of GDM together with the affiliated ones, so that it is of more
columns than its number says. "GDM, C = n" is not in the paper. It has C = n_samples, which is C = 1 for columns of
variance 1; it takes a fifth of the features with each cut, and its groups are disjoint over the cuts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from bitsieve.plots.figures import PAPER_STYLE, colour_and_marker
from bitsieve.utils.terminal_text import aligned
from papers.data.correlated_groups import make_correlated_groups
from papers.data.files import load_npz
from papers.item import Options, Result
from papers.zhai2012.methods import AFFILIATED, COUNTS, EMBEDDED, METHODS, UNIT_VARIANCE, Split, score_methods

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
PAIRS_OF_DIGITS = {"mnist38": (3, 8), "mnist01": (0, 1)}  # of MNIST
MEASURES = {"accuracy": "accuracy, %", "seconds": "seconds of selecting", "redundancy": "redundancy rate"}
DIGITS = {"accuracy": 1, "seconds": 2, "redundancy": 4}


class Panel(NamedTuple):
    """The curves of one measure on one data set."""

    measure: str
    title: str
    scores: dict[str, Scores]  # by method
    scores_of_reduced: dict[str, Scores]  # the same with one column of every group, drawn as dashed lines; or empty


def figure_2(options: Options) -> Result:
    """The three measures on the synthetic groups, of the whole table and with one column of every group."""
    split, groups = synthetic(options.seed)
    first_of_groups = np.unique(groups, return_index=True)[1]
    one_a_group = np.flatnonzero((groups < 0) | np.isin(np.arange(len(groups)), first_of_groups))
    reduced = Split(
        "ground truth removed", split.X[:, one_a_group], split.y, split.X_test[:, one_a_group], split.y_test
    )
    scores_of_all = _score_and_report(options, split, (*METHODS, UNIT_VARIANCE, AFFILIATED))
    scores_of_reduced = _score_and_report(options, reduced, (*EMBEDDED, UNIT_VARIANCE))
    n_groups_found = {}
    for label, scores in scores_of_all.items():
        n_groups_found[label] = [_n_groups(groups[columns]) for columns in scores.chosen]
    rows = [(label, *map(str, counts)) for label, counts in n_groups_found.items()]
    options.part(_table(f"of {N_GROUPS} groups found", rows), {"groups": n_groups_found})
    text = (
        f"Synthetic groups: {len(split.y):,} training and {len(split.y_test):,} test samples, {len(groups):,} columns, "
        f"{N_GROUPS} groups of which {N_MULTIPLE} have several members, seed {options.seed}."
    )
    if not options.draw:
        return Result(text)
    panels = [Panel(measure, "synthetic", scores_of_all, scores_of_reduced) for measure in MEASURES]
    return Result(text, _draw(panels))


def _n_groups(groups_of_columns: NDArray[np.intp]) -> int:
    return len(np.unique(groups_of_columns[groups_of_columns >= 0]))


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
    panels = []
    for name in options.sets or SETS:
        split = load_split(options.data_dir, name)
        methods = METHODS if isinstance(split.X, np.ndarray) else EMBEDDED  # the others take no sparse tables
        scores = _score_and_report(options, split, (*methods, UNIT_VARIANCE, AFFILIATED), (measure,))
        panels.append(Panel(measure, name, scores, {}))
    text = (
        "mnist38: digits 3 against 8 of MNIST. moneyfx: a topic of Reuters-21578 against the rest, sparse, where only "
        "the methods run that take sparse tables; it stands in for the paper's kdd2010 and webspam."
    )
    return Result(text, _draw(panels) if options.draw else None)


def synthetic(seed: int) -> tuple[Split, NDArray[np.intp]]:
    """The synthetic groups, and the group of every column."""
    data = make_correlated_groups(
        2 * N_SAMPLES, N_FEATURES, n_groups=N_GROUPS, n_multiple=N_MULTIPLE, random_state=seed
    )
    n = N_SAMPLES
    return Split("synthetic", data.X[:n], data.y[:n], data.X[n:], data.y[n:]), data.groups


def load_split(data_dir: Path | None, name: str) -> Split:
    """A public data set with its test part."""
    if data_dir is None:
        raise ValueError(f"{name} needs files of public data: give their directory by --data-dir")
    if name in PAIRS_OF_DIGITS:
        pair = PAIRS_OF_DIGITS[name]
        X, y = _two_digits(load_npz(data_dir, "mnist_train"), pair)
        X_test, y_test = _two_digits(load_npz(data_dir, "mnist_test"), pair)
        return Split(name, X, y, X_test, y_test)
    X, y = _read_sparse(data_dir / "reuters_moneyfx_train.npz")
    X_test, y_test = _read_sparse(data_dir / "reuters_moneyfx_test.npz")
    return Split(name, X, y, X_test, y_test)


def _two_digits(data: DataSet, pair: tuple[int, int]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    is_either = np.isin(data.y, pair)
    return data.X[is_either].astype(np.float32), np.where(data.y[is_either] == pair[1], 1, -1)


def _read_sparse(path: Path) -> tuple[csr_array, NDArray[np.intp]]:
    """Read X and y from the .npz file of a public sparse set, which holds the arrays of a CSR matrix."""
    if not path.is_file():
        raise ValueError(f"there is no {path.name} in {str(path.parent)!r}")
    with np.load(path, allow_pickle=False) as stored:
        arrays = (stored["data"].astype(np.float64), stored["indices"], stored["indptr"])
        X = csr_array(arrays, shape=tuple(stored["shape"]))
        return X, np.where(stored["y"] > 0, 1, -1)


def _score_and_report(
    options: Options, split: Split, methods: Iterable[str], measures: Iterable[str] = tuple(MEASURES)
) -> dict[str, Scores]:
    """Score the methods, and report a table for each measure."""
    scores_of_methods = score_methods(split, COUNTS, methods, options.n_jobs)
    for measure in measures:
        values = {label: _values(scores, measure) for label, scores in scores_of_methods.items()}
        rows = [(label, *(_text(value, DIGITS[measure]) for value in row)) for label, row in values.items()]
        record = {label: [None if np.isnan(value) else float(value) for value in row] for label, row in values.items()}
        options.part(
            _table(f"{split.name}: {MEASURES[measure]}", rows),
            {"data": split.name, "counts": list(COUNTS), measure: record},
        )
    return scores_of_methods


def _values(scores: Scores, measure: str) -> NDArray[np.float64]:
    return {"accuracy": scores.accuracy, "seconds": scores.seconds, "redundancy": scores.redundancy}[measure]


def _table(title: str, rows: list[tuple[str, ...]]) -> str:
    """A row for each method, a column for each number of features."""
    header = (title, *map(str, COUNTS))
    return aligned(header, rows, (False, *[True] * len(COUNTS))) + "\n"


def _text(value: float, digits: int) -> str:
    return "-" if np.isnan(value) else f"{value:.{digits}f}"


def _draw(panels: list[Panel]) -> Figure:
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    labels = [*METHODS, UNIT_VARIANCE, AFFILIATED]
    line_of_label: dict[str, Line2D] = {}
    with matplotlib.rc_context(PAPER_STYLE):
        figure = Figure(figsize=(1.5 + 4.4 * len(panels), 4.0), layout="constrained")
        all_axes = np.atleast_1d(figure.subplots(1, len(panels)))
        for axes, panel in zip(all_axes, panels, strict=True):
            for scores_of_methods, dash in ((panel.scores, "-"), (panel.scores_of_reduced, "--")):
                for label, scores in scores_of_methods.items():
                    colour, marker = colour_and_marker(label, labels)
                    values = _values(scores, panel.measure)
                    (line,) = axes.plot(COUNTS, values, dash, color=colour, marker=marker, markersize=4, lw=1.5)
                    line_of_label.setdefault(label, line)
            axes.set(xlabel="number of features", ylabel=MEASURES[panel.measure], title=panel.title)
            if panel.measure == "seconds":
                axes.set_yscale("log")
        if any(panel.scores_of_reduced for panel in panels):
            line_of_label["ground truth removed"] = Line2D([], [], color="black", ls="--", lw=1.5)
        figure.legend(list(line_of_label.values()), list(line_of_label), loc="outside right upper", frameon=False)
    return figure
