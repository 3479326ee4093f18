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

    from papers.zhai2012.methods import Scores

N_SAMPLES, N_FEATURES, N_GROUPS, N_MULTIPLE = 2048, 10_000, 200, 30
SETS = ("mnist38", "moneyfx")
MEASURES = {"accuracy": "accuracy, %", "seconds": "seconds of selecting", "redundancy": "redundancy rate"}


def figure_2(options: Options) -> Result:
    """The three measures on the synthetic groups, of the whole table and with one column of every group."""
    split, groups = synthetic(options.seed)
    first = np.unique(groups, return_index=True)[1]
    single = np.flatnonzero((groups < 0) | np.isin(np.arange(len(groups)), first))
    removed = Split("ground truth removed", split.X[:, single], split.y, split.X_test[:, single], split.y_test)
    found = _scored(options, split, (*METHODS, UNIT_VARIANCE))
    without = _scored(options, removed, (*EMBEDDED, UNIT_VARIANCE))
    rows = [
        (label, *(str(len(np.unique(groups[columns][groups[columns] >= 0]))) for columns in scores.chosen))
        for label, scores in found.items()
    ]
    options.part(
        aligned((f"of {N_GROUPS} groups found", *map(str, COUNTS)), rows, (False, *[True] * len(COUNTS))) + "\n",
        {"groups": {row[0]: [int(value) for value in row[1:]] for row in rows}},
    )
    text = (
        f"Synthetic groups: {len(split.y):,} training and {len(split.y_test):,} test samples, {len(groups):,} columns, "
        f"{N_GROUPS} groups of which {N_MULTIPLE} have several members, seed {options.seed}."
    )
    return Result(text, _draw(list(MEASURES), [("synthetic", found, without)]) if options.draw else None)


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
        parts = [load_npz(data_dir, file) for file in ("mnist_train", "mnist_test")]
        kept = [np.isin(part.y, (3, 8)) for part in parts]
        images = [part.X[rows].astype(np.float32) for part, rows in zip(parts, kept, strict=True)]
        digits = [np.where(part.y[rows] == 8, 1, -1) for part, rows in zip(parts, kept, strict=True)]
        return Split(name, images[0], digits[0], images[1], digits[1])
    tables = [_read_sparse(data_dir / f"reuters_moneyfx_{part}.npz") for part in ("train", "test")]
    return Split(name, *tables[0], *tables[1])


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
    """Score the methods and report what was found, a table a measure."""
    found = score_methods(split, COUNTS, methods, options.n_jobs)
    for measure in measures:
        digits = {"accuracy": 1, "seconds": 2, "redundancy": 4}[measure]
        values = {label: getattr(scores, measure) for label, scores in found.items()}
        rows = [(label, *(_text(value, digits) for value in row)) for label, row in values.items()]
        header = (f"{split.name}: {MEASURES[measure]}", *map(str, COUNTS))
        record = {label: [None if np.isnan(v) else float(v) for v in row] for label, row in values.items()}
        options.part(
            aligned(header, rows, (False, *[True] * len(COUNTS))) + "\n",
            {"data": split.name, "counts": list(COUNTS), measure: record},
        )
    return found


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
        for at, one in enumerate(axes):
            measure = measures[at % len(measures)]
            name, found, without = panels[at % len(panels)]
            for scores, dash in ((found, "-"), (without, "--")):
                for label, own in scores.items():
                    colour, marker = style(label, labels)
                    values = getattr(own, measure)
                    (line,) = one.plot(COUNTS, values, dash, color=colour, marker=marker, markersize=4, lw=1.5)
                    drawn.setdefault(label, line)
            one.set(xlabel="number of features", ylabel=MEASURES[measure], title=name)
            if measure == "seconds":
                one.set_yscale("log")
        if any(without for _, _, without in panels):
            drawn["ground truth removed"] = Line2D([], [], color="black", ls="--", lw=1.5)
        figure.legend(list(drawn.values()), list(drawn), loc="outside right upper", frameon=False)
    return figure
