"""Figure 2: errors on test data of the nearest class mean against the number of features, at ten equal-frequency bins.

The paper draws them for four sets of handwritten Chinese characters. Where none of these is there, the curves are those
of handwritten digits, Optdigits of the data directory or, without one, the digits that come with scikit-learn.

Panels a to d have curves by Nystrom's approximation, which counts a share gamma = 0.2 of the rows of the matrix; panel
e has SPECCMI for several gamma. The text beside the figure compares 2, 5 and 10 bins.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bitsieve.dataset.read import read_xy
from bitsieve.discretization.transformers import EqualFrequencyBinner
from bitsieve.optimize.nystrom import Nystrom
from bitsieve.pipeline.discretize import count_table
from bitsieve.plots.figures import PAPER_STYLE, colour_and_marker
from bitsieve.utils.messages import advice_on_name
from bitsieve.utils.progress import phase
from bitsieve.utils.terminal_text import aligned
from papers.data.files import ORIGINS, load_bundled, load_npz
from papers.item import Options, Result
from papers.selectors import as_published
from papers.vinh2014.data import TABLE_6
from papers.vinh2014.errors import selectors
from papers.vinh2014.nearest_mean import nearest_mean_curves

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from bitsieve.pipeline.discretize import CountedTable
    from papers.data.files import DataSet

MAX_FEATURES = 200
N_BINS = 10
N_BINS_COMPARED = (2, 5, 10)
EXACT = ("MRMR", "EMRMR", "QPFS", "SPECCMI")
GAMMA = 0.2  # the share of the rows that Nystrom's approximation counts
APPROXIMATED = ("QPFS", "SPECCMI")
GAMMAS = (0.05, 0.1, 0.2, 0.4, 0.7, 1.0)
DRAWN = (*EXACT, *(f"{label} + Nystrom" for label in APPROXIMATED))
STAND_IN = "optdigits"
BUNDLED = "digits"
SETS = (*(name.lower() for name in TABLE_6), STAND_IN, BUNDLED)


class Split(NamedTuple):
    """The training and the test part of a data set."""

    X: NDArray[Any]
    y: NDArray[Any]
    X_test: NDArray[Any]
    y_test: NDArray[Any]


@dataclass(frozen=True)
class ErrorCurves:
    """The test errors of the methods on one data set, between 0 and 1, for each number of features."""

    name: str
    n_train: int
    n_test: int
    n_features: int
    counts: NDArray[np.intp]  # the numbers of features
    errors: dict[str, NDArray[np.float64]]  # the curve of each method
    seconds: dict[str, float]  # to rank by each method

    def text(self) -> str:
        """A table of the errors at some numbers of features."""
        shown = sorted({int(count) for count in (10, 20, 50, 100, self.counts[-1]) if count in self.counts})
        indices = np.searchsorted(self.counts, shown)
        rows = []
        for label, errors in self.errors.items():
            percents = [f"{100 * errors[index]:.1f}" for index in indices]
            rows.append((label, *percents, f"{self.seconds[label]:.2f}"))
        header = ("errors in %, features:", *map(str, shown), "s to rank")
        table = aligned(header, rows, (False, *[True] * (len(shown) + 1)))
        sizes = f"{self.n_train:,} training samples, {self.n_test:,} test samples, {self.n_features} features"
        return f"{self.name}: {sizes}\n{table}\n"

    def to_dict(self) -> dict[str, Any]:
        """The curves as plain values, errors in percent."""
        return {
            "set": self.name,
            "counts": self.counts.tolist(),
            "seconds": self.seconds,
            "errors": {label: (100 * errors).tolist() for label, errors in self.errors.items()},
        }


def figure_2(options: Options) -> Result:
    """Error curves of the global and the greedy methods."""
    curves_of_sets = []
    for data in _sets(options):
        curves = _curves(options, data)
        options.part(curves.text(), curves.to_dict())
        curves_of_sets.append(curves)
    figure = _draw(curves_of_sets) if options.draw else None
    return Result("The nearest class mean, ten equal-frequency bins.", figure)


def _sets(options: Options) -> list[DataSet]:
    requested = [name.lower() for name in options.sets]
    for name in requested:
        if name not in SETS:
            raise ValueError(f"no data set {name!r} here; {advice_on_name(name, SETS)}")
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


def _split(data: DataSet) -> Split:
    """The parts of a data set. If its file has no test part, every third sample is a test sample."""
    if data.X_test is not None and data.y_test is not None:
        return Split(data.X, data.y, data.X_test, data.y_test)
    is_test = np.arange(len(data.y)) % 3 == 2
    return Split(data.X[~is_test], data.y[~is_test], data.X[is_test], data.y[is_test])


def _selectors(counted_table: CountedTable, max_features: int) -> dict[str, Any]:
    """The selectors of the figure, each of which ranks ``max_features`` features.

    QPFS by an approximation cannot balance its two terms by all entries of the matrix: it takes the balance of QPFS.
    """
    exact = {label: selector for label, selector in selectors().items() if label in EXACT}
    for selector in exact.values():
        selector.set_params(n_features_to_select=max_features)
    balance = exact["QPFS"].fit_counted(counted_table).alpha_
    nystrom = Nystrom(GAMMA)
    approximated = (
        as_published("qpfs", max_features, alpha=balance, convexify="shift", approximation=nystrom),
        as_published("speccmi", max_features, approximation=nystrom),
    )
    return {**exact, **dict(zip(DRAWN[len(EXACT) :], approximated, strict=True))}


def figure_2e(options: Options) -> Result:
    """The errors of SPECCMI for several shares gamma of the rows that Nystrom's approximation counts."""
    for data in _sets(options):
        split = _split(data)
        max_features = min(MAX_FEATURES, split.X.shape[1])
        counted_table = count_table(read_xy(split.X, split.y), EqualFrequencyBinner(n_bins=N_BINS), options.n_jobs)
        orders = {}
        for gamma in GAMMAS:
            selector = as_published("speccmi", max_features, approximation=Nystrom(gamma))
            orders[f"gamma {gamma:g}"] = selector.fit_counted(counted_table).selected_
        orders["exact"] = as_published("speccmi", max_features).fit_counted(counted_table).selected_
        _report_errors(options, data.name, split, orders)
    return Result("SPECCMI by Nystrom's approximation, the nearest class mean, ten equal-frequency bins.")


def table_bins(options: Options) -> Result:
    """The errors of the methods with 2, 5 and 10 bins."""
    for data in _sets(options):
        split = _split(data)
        max_features = min(MAX_FEATURES, split.X.shape[1])
        orders = {}
        for n_bins in N_BINS_COMPARED:
            counted_table = count_table(read_xy(split.X, split.y), EqualFrequencyBinner(n_bins=n_bins), options.n_jobs)
            for label, selector in selectors().items():
                if label in EXACT:
                    selector.set_params(n_features_to_select=max_features)
                    orders[f"{label}, {n_bins} bins"] = selector.fit_counted(counted_table).selected_
        _report_errors(options, data.name, split, orders)
    return Result("The nearest class mean, equal-frequency bins.")


def _report_errors(options: Options, name: str, split: Split, orders: dict[str, NDArray[np.intp]]) -> None:
    """Report the mean test error of every ranking over all numbers of features, and that at some of them."""
    max_features = min(MAX_FEATURES, split.X.shape[1])
    counts, n_wrong_by_label = nearest_mean_curves(
        split.X, split.y, split.X_test, split.y_test, orders, range(1, max_features + 1), n_jobs=options.n_jobs
    )
    shown = [count for count in (5, 10, 20, 50, 100) if count <= max_features]
    indices = np.searchsorted(counts, shown)
    percents = {label: 100 * n_wrong / len(split.y_test) for label, n_wrong in n_wrong_by_label.items()}
    rows = []
    for label, errors in percents.items():
        rows.append((label, f"{errors.mean():.2f}", *(f"{errors[index]:.1f}" for index in indices)))
    header = (f"{name}: errors in %", "mean", *map(str, shown))
    options.part(
        aligned(header, rows, (False, *[True] * (len(shown) + 1))) + "\n",
        {"set": name, "counts": counts.tolist(), "errors": {label: e.tolist() for label, e in percents.items()}},
    )


def _curves(options: Options, data: DataSet) -> ErrorCurves:
    """Rank the features of a data set by each method, and measure the errors of the first ones."""
    split = _split(data)
    n_features = split.X.shape[1]
    max_features = min(MAX_FEATURES, n_features)
    phase(f"counting {data.name}")
    counted_table = count_table(read_xy(split.X, split.y), EqualFrequencyBinner(n_bins=N_BINS), options.n_jobs)
    orders: dict[str, Any] = {}
    seconds = {}
    for label, selector in _selectors(counted_table, max_features).items():
        phase(f"ranking {data.name} by {label}")
        start = time.perf_counter()
        orders[label] = selector.fit_counted(counted_table).selected_
        seconds[label] = time.perf_counter() - start
    counts, n_wrong_by_label = nearest_mean_curves(
        split.X, split.y, split.X_test, split.y_test, orders, range(1, max_features + 1), n_jobs=options.n_jobs
    )
    return ErrorCurves(
        name=data.name,
        n_train=len(split.y),
        n_test=len(split.y_test),
        n_features=n_features,
        counts=counts,
        errors={label: n_wrong / len(split.y_test) for label, n_wrong in n_wrong_by_label.items()},
        seconds=seconds,
    )


def _draw(curves_of_sets: Sequence[ErrorCurves]) -> Figure:
    """Draw a panel for each data set; one empty panel if there is none."""
    import matplotlib
    from matplotlib.figure import Figure

    n_panels = max(len(curves_of_sets), 1)
    with matplotlib.rc_context(PAPER_STYLE):
        figure = Figure(figsize=(5.2 * n_panels, 3.8), layout="constrained")
        panels = np.atleast_1d(figure.subplots(1, n_panels))
        for axes, curves in zip(panels, curves_of_sets, strict=False):
            for label, errors in curves.errors.items():
                colour, _ = colour_and_marker(label, DRAWN)
                axes.plot(curves.counts, 100 * errors, color=colour, lw=1.6, label=label)
            axes.set(xlabel="number of features", ylabel="test error, %", title=curves.name)
            axes.legend(frameon=False)
    return figure
