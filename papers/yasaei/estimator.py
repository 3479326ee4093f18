"""Figures 1 and 2: the error of the estimator against the number of samples, and its seconds beside a tree a pair.

The classes of the paper are normal with covariance 0.1 I. Their means are "mu = 0.5" apart, and the paper does not say
where: here they are on a square grid of side 0.5. The two features are then independent within each class, so that the
true bound is 0 and figure 1 shows the spread of the estimator alone. It is repeated with a correlation of 0.8 within
the classes, for which the true bound is an integral.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.counts.threads import run_blocks
from bitsieve.methods.by_samples.spanning_tree.bayes_error import ClassPairs
from bitsieve.methods.by_samples.spanning_tree.dependency import Draw, dependency_matrix
from bitsieve.methods.by_samples.spanning_tree.tree import RankedColumns
from bitsieve.plots.figures import PAPER_STYLE, colour_and_marker
from bitsieve.utils.progress import phase
from bitsieve.utils.terminal_text import aligned
from papers.item import Options, Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

N_CLASSES = (2, 5, 10)
N_SAMPLES = (100, 200, 400, 800, 1600, 3200)
GRID_SIDE = 0.5  # between the means of neighbouring classes
VARIANCE = 0.1
CORRELATIONS = (0.0, 0.8)
N_DRAWS = 50
N_TIMED_RUNS = 5  # the median is reported

Curve = dict[int, list[float]]  # by number of classes: a value for each of N_SAMPLES


def means_of(n_classes: int) -> Floats:
    """The first points of a square grid, shape (n_classes, 2)."""
    width = int(np.ceil(np.sqrt(n_classes)))
    row, column = np.divmod(np.arange(n_classes), width)
    return GRID_SIDE * np.column_stack([column, row]).astype(np.float64)


def draw_classes(
    n_samples: int, n_classes: int, correlation: float, random: np.random.Generator
) -> tuple[Floats, NDArray[np.intp]]:
    """Two features, shape (n_samples, 2), and the classes, as many samples of each as the number allows."""
    classes = np.arange(n_samples) % n_classes
    noise = random.standard_normal((n_samples, 2))
    noise[:, 1] = correlation * noise[:, 0] + np.sqrt(1.0 - correlation**2) * noise[:, 1]
    return means_of(n_classes)[classes] + np.sqrt(VARIANCE) * noise, classes


def true_bound(n_classes: int, correlation: float, step: float = 0.01) -> float:
    """``1 - 2 int f g / (f + g)``, f the density of both features and g that of independent ones within the classes.

    The integral is a sum over a grid, whose error falls faster than any power of ``step``: the integrand is smooth and
    close to 0 at the border.
    """
    means = means_of(n_classes)
    border = 8.0 * np.sqrt(VARIANCE)
    x_axis = np.arange(means[:, 0].min() - border, means[:, 0].max() + border, step)
    y_axis = np.arange(means[:, 1].min() - border, means[:, 1].max() + border, step)
    x, y = np.meshgrid(x_axis, y_axis)
    f = _mixture(x, y, means, correlation)
    g = _mixture(x, y, means, 0.0)
    integrand = f * g / np.maximum(f + g, np.finfo(float).tiny)
    return float(1.0 - 2.0 * step**2 * integrand.sum())


def _mixture(x: Floats, y: Floats, means: Floats, correlation: float) -> Floats:
    """The mean of the normal densities of all classes."""
    total = np.zeros(x.shape)
    for mean_x, mean_y in means:
        total += _normal_density(x - mean_x, y - mean_y, correlation)
    return total / len(means)


def _normal_density(x: Floats, y: Floats, correlation: float) -> Floats:
    unexplained = 1.0 - correlation**2
    exponent = (x * x - 2.0 * correlation * x * y + y * y) / (2.0 * VARIANCE * unexplained)
    return np.asarray(np.exp(-exponent) / (2.0 * np.pi * VARIANCE * np.sqrt(unexplained)))


def figure_1(options: Options) -> Result:
    """The mean squared error of the bound against the number of samples, for 2, 5 and 10 classes."""
    cases = [(correlation, m, n) for correlation in CORRELATIONS for m in N_CLASSES for n in N_SAMPLES]
    errors: dict[tuple[float, int, int], float] = {}
    true_bounds = {(correlation, m): true_bound(m, correlation) for correlation in CORRELATIONS for m in N_CLASSES}

    def measure(case: tuple[float, int, int]) -> None:
        correlation, n_classes, n_samples = case
        random = np.random.default_rng([options.seed, int(100 * correlation), n_classes, n_samples])
        bounds = np.empty(N_DRAWS)
        for draw in range(N_DRAWS):
            points, classes = draw_classes(n_samples, n_classes, correlation, random)
            bounds[draw] = dependency_bound(points, classes, random)
        errors[case] = float(np.mean((bounds - true_bounds[correlation, n_classes]) ** 2))

    run_blocks(measure, cases, options.n_jobs, phase("drawing samples"))
    panels = {}
    for correlation in CORRELATIONS:
        curves = {m: [errors[correlation, m, n] for n in N_SAMPLES] for m in N_CLASSES}
        true_of_classes = [true_bounds[correlation, m] for m in N_CLASSES]
        _report_errors(options, correlation, curves, true_of_classes)
        title = f"correlation {correlation} within the classes" if correlation else "independent within the classes"
        panels[title] = curves
    text = (
        f"Means of {N_DRAWS} draws. In the paper's figure the error falls with the samples, as here, and rises with "
        "the classes, which it does not do here."
    )
    return Result(text, _draw(panels, "mean squared error") if options.draw else None)


def _report_errors(options: Options, correlation: float, curves: Curve, true_of_classes: list[float]) -> None:
    design = f"correlation {correlation} within the classes" if correlation else "the paper's design"
    true_text = ", ".join(f"{abs(bound):.4f}" for bound in true_of_classes)
    header = ("samples", *(f"{m} classes" for m in N_CLASSES))
    rows = []
    for i, n_samples in enumerate(N_SAMPLES):
        rows.append((str(n_samples), *(f"{curves[m][i]:.5f}" for m in N_CLASSES)))
    table = aligned(header, rows, (True,) * len(header))
    options.part(
        f"Mean squared error, {design}; the true bounds: {true_text}\n{table}\n",
        {
            "correlation": correlation,
            "classes": list(N_CLASSES),
            "samples": list(N_SAMPLES),
            "iterations": N_DRAWS,
            "truth": true_of_classes,
            "mean_squared_error": [curves[m] for m in N_CLASSES],
        },
    )


def dependency_bound(points: Floats, classes: NDArray[np.intp], random: np.random.Generator) -> float:
    """GMI's bound on the dependence of both features, by one spanning tree."""
    return float(dependency_matrix(RankedColumns.of(points), classes, [Draw.of(classes, random)])[0, 1])


def bayes_error_bound(points: Floats, classes: NDArray[np.intp]) -> float:
    """The sum of DpSelector's bounds on the error between every two classes on both features, by a tree for each."""
    pairs = ClassPairs(RankedColumns.of(points), classes)
    pairs.add(0)
    return float(pairs.bound_sums(np.array([1]), None)[0])


def figure_2(options: Options) -> Result:
    """Seconds of the pairwise bounds by those of the global tree, against the number of samples."""
    random = np.random.default_rng(options.seed)
    seconds_gmi: Curve = {m: [] for m in N_CLASSES}
    seconds_dp: Curve = {m: [] for m in N_CLASSES}
    progress = phase("timing")
    n_done = 0
    for m in N_CLASSES:
        for n in N_SAMPLES:
            points, classes = draw_classes(n, m, 0.0, random)
            runs_gmi = []
            runs_dp = []
            for _ in range(N_TIMED_RUNS):
                runs_gmi.append(_seconds(dependency_bound, points, classes, random))
                runs_dp.append(_seconds(bayes_error_bound, points, classes))
            seconds_gmi[m].append(float(np.median(runs_gmi)))
            seconds_dp[m].append(float(np.median(runs_dp)))
            n_done += 1
            progress(n_done, len(N_CLASSES) * len(N_SAMPLES))
    header = ["samples"]
    for m in N_CLASSES:
        header += [f"{m} classes: GMI ms", "Dp ms", "ratio"]
    rows = []
    for i, n in enumerate(N_SAMPLES):
        cells = [str(n)]
        for m in N_CLASSES:
            gmi = seconds_gmi[m][i]
            dp = seconds_dp[m][i]
            cells += [f"{1000 * gmi:.2f}", f"{1000 * dp:.2f}", f"{dp / gmi:.1f}"]
        rows.append(tuple(cells))
    options.part(
        aligned(tuple(header), rows, (True,) * len(header)) + "\n",
        {
            "classes": list(N_CLASSES),
            "samples": list(N_SAMPLES),
            "seconds_gmi": list(seconds_gmi.values()),
            "seconds_dp": list(seconds_dp.values()),
        },
    )
    text = (
        "GMI: one spanning tree of all samples for two features; Dp: one of every two classes. Medians of "
        f"{N_TIMED_RUNS} runs on one thread. The paper's figure has no numbers; it says the ratio is large for many "
        "classes."
    )
    if not options.draw:
        return Result(text)
    ratios = {}
    for m in N_CLASSES:
        ratios[m] = [dp / gmi for dp, gmi in zip(seconds_dp[m], seconds_gmi[m], strict=True)]
    return Result(text, _draw({"": ratios}, "seconds of Dp by those of GMI"))


def _seconds(work: Callable[..., float], *arguments: Any) -> float:
    start = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - start


def _draw(panels: dict[str, Curve], label: str) -> Figure:
    """A panel for each title, a line for each number of classes."""
    import matplotlib
    from matplotlib.figure import Figure

    names = [f"{m} classes" for m in N_CLASSES]
    with matplotlib.rc_context(PAPER_STYLE):
        figure = Figure(figsize=(5.2 * len(panels), 3.8), layout="constrained")
        all_axes = np.atleast_1d(figure.subplots(1, len(panels)))
        for axes, (title, curves) in zip(all_axes, panels.items(), strict=True):
            for m, name in zip(N_CLASSES, names, strict=True):
                colour, marker = colour_and_marker(name, names)
                axes.plot(N_SAMPLES, curves[m], color=colour, marker=marker, markersize=4, lw=1.6, label=name)
            axes.set(xscale="log", yscale="log", xlabel="samples", ylabel=label, title=title)
            axes.legend(frameon=False)
    return figure
