"""Figure 2: errors on test data of the nearest class mean against the number of features, at ten equal-frequency bins.

The paper draws them for four sets of handwritten Chinese characters. Where none of these is there, the curves are those
of handwritten digits, Optdigits of the data directory or, without one, the digits that come with scikit-learn.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.dataset.read import read_xy
from bitsieve.discretization.transformers import EqualFrequencyBinner
from bitsieve.pipeline.discretize import count_table
from bitsieve.plots.figures import STYLE, style
from bitsieve.utils.messages import aligned, allowed_names
from bitsieve.utils.progress import phase
from papers.data.files import ORIGINS, load_bundled, load_npz
from papers.item import Options, Result
from papers.vinh2014.data import TABLE_6
from papers.vinh2014.errors import selectors
from papers.vinh2014.nearest_mean import nearest_mean_curves

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from papers.data.files import DataSet

MAX_FEATURES = 200
N_BINS = 10
DRAWN = ("MRMR", "EMRMR", "QPFS", "SPECCMI")
STAND_IN = "optdigits"
BUNDLED = "digits"
SETS = (*(name.lower() for name in TABLE_6), STAND_IN, BUNDLED)


def figure_2(options: Options) -> Result:
    """Error curves of the global and the greedy methods."""
    drawn: dict[str, tuple[NDArray[np.intp], dict[str, NDArray[np.float64]]]] = {}
    for data in _sets(options):
        counts, curves, seconds = _curves(options, data)
        drawn[data.name] = counts, curves
        shown = sorted({int(c) for c in (10, 20, 50, 100, counts[-1]) if c in counts})
        indices = np.searchsorted(counts, shown)
        rows = [
            (label, *(f"{100 * curve[index]:.1f}" for index in indices), f"{seconds[label]:.2f}")
            for label, curve in curves.items()
        ]
        header = ("errors in %, features:", *map(str, shown), "s to rank")
        _, y, _, y_test = _tests(data)
        options.part(
            f"{data.name}: {len(y):,} training samples, {len(y_test):,} test samples, "
            f"{data.X.shape[1]} features\n" + aligned(header, rows, (False, *[True] * (len(shown) + 1))) + "\n",
            {"set": data.name, "counts": counts.tolist(), "seconds": seconds}
            | {"errors": {label: (100 * curve).tolist() for label, curve in curves.items()}},
        )
    return Result("The nearest class mean, ten equal-frequency bins.", _draw(drawn) if options.draw else None)


def _sets(options: Options) -> list[DataSet]:
    requested = [name.lower() for name in options.sets]
    for name in requested:
        if name not in SETS:
            raise ValueError(f"no data set {name!r} here; {allowed_names(name, SETS)}")
    data_sets = []
    for name in SETS[:-1]:
        if requested and name not in requested:
            continue
        if options.data_dir is not None and (options.data_dir / f"{name}.npz").is_file():
            data_sets.append(load_npz(options.data_dir, name))
        else:
            text = f"{name}: not there, left out; its public origin: {ORIGINS[name]}"
            options.part(text, {"set": name, "missing": ORIGINS[name]})
    if BUNDLED in requested or not (data_sets or requested):
        data_sets.append(load_bundled(BUNDLED))
    return data_sets


def _tests(data: DataSet) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Training table and classes, test table and classes: every third sample where the file has no test part."""
    if data.X_test is not None and data.y_test is not None:
        return data.X, data.y, data.X_test, data.y_test
    held_out = np.arange(len(data.y)) % 3 == 2
    return data.X[~held_out], data.y[~held_out], data.X[held_out], data.y[held_out]


def _curves(
    options: Options, data: DataSet
) -> tuple[NDArray[np.intp], dict[str, NDArray[np.float64]], dict[str, float]]:
    X, y, X_test, y_test = _tests(data)
    max_features = min(MAX_FEATURES, X.shape[1])
    phase(f"counting {data.name}")
    counted = count_table(read_xy(X, y), EqualFrequencyBinner(n_bins=N_BINS), options.n_jobs)
    orders: dict[str, Any] = {}
    seconds = {}
    for label, selector in selectors().items():
        if label not in DRAWN:
            continue
        phase(f"ranking {data.name} by {label}")
        start = time.perf_counter()
        orders[label] = selector.set_params(n_features_to_select=max_features).fit_counted(counted).selected_
        seconds[label] = time.perf_counter() - start
    features = range(1, max_features + 1)
    counts, errors = nearest_mean_curves(X, y, X_test, y_test, orders, features, n_jobs=options.n_jobs)
    return counts, {label: wrong / len(y_test) for label, wrong in errors.items()}, seconds


def _draw(drawn: dict[str, Any]) -> Figure:
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(5.2 * max(len(drawn), 1), 3.8), layout="constrained")
        for axes, (name, (counts, curves)) in zip(
            np.atleast_1d(figure.subplots(1, max(len(drawn), 1))), drawn.items(), strict=bool(drawn)
        ):
            for label, curve in curves.items():
                axes.plot(counts, 100 * curve, color=style(label, DRAWN)[0], lw=1.6, label=label)
            axes.set(xlabel="number of features", ylabel="test error, %", title=name)
            axes.legend(frameon=False)
    return figure
