"""Figures 1 and 2: the error of the estimator against the number of samples, and its seconds beside a tree a pair.

The classes of the paper are normal with covariance 0.1 I and means "mu = 0.5" apart, which it does not place: here they
are on a square grid of side 0.5. The two features are then independent within each class, so that the true bound is 0
and figure 1 shows nothing but the spread of the estimator. Beside it stands the same design with a correlation of 0.8
within the classes, for which the bound is an integral.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.counts.threads import run_blocks
from bitsieve.methods.by_samples.spanning_tree.bayes_error import ClassPairs
from bitsieve.methods.by_samples.spanning_tree.dependency import Draw, dependency_matrix
from bitsieve.methods.by_samples.spanning_tree.tree import RankedColumns
from bitsieve.plots.figures import STYLE, style
from bitsieve.utils.messages import aligned
from bitsieve.utils.progress import phase
from papers.item import Options, Result

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

CLASSES = (2, 5, 10)
SAMPLES = (100, 200, 400, 800, 1600, 3200)
SIDE, VARIANCE = 0.5, 0.1
CORRELATIONS = (0.0, 0.8)
ITERATIONS = 50
ROUNDS = 5  # of timing; the median counts


def means_of(n_classes: int) -> Floats:
    """The first points of a square grid, shape (n_classes, 2)."""
    width = int(np.ceil(np.sqrt(n_classes)))
    return SIDE * np.column_stack(np.divmod(np.arange(n_classes), width)[::-1]).astype(np.float64)


def draw_classes(
    n_samples: int, n_classes: int, correlation: float, random: np.random.Generator
) -> tuple[Floats, NDArray[np.intp]]:
    """As many samples of every class, as far as the number divides: two features and the class."""
    classes = np.arange(n_samples) % n_classes
    noise = random.standard_normal((n_samples, 2))
    noise[:, 1] = correlation * noise[:, 0] + np.sqrt(1.0 - correlation**2) * noise[:, 1]
    return means_of(n_classes)[classes] + np.sqrt(VARIANCE) * noise, classes


def true_bound(n_classes: int, correlation: float, step: float = 0.01) -> float:
    """``1 - 2 int f g / (f + g)``, f the density of both features and g that of independent ones within the classes.

    The integral is a sum over a grid, whose error falls faster than any power of ``step``: the integrand is smooth and
    dies away at the border.
    """
    means, border = means_of(n_classes), 8.0 * np.sqrt(VARIANCE)
    x, y = np.meshgrid(*(np.arange(means[:, k].min() - border, means[:, k].max() + border, step) for k in (0, 1)))
    f, g = (sum(_normal(x - mean[0], y - mean[1], c) for mean in means) / n_classes for c in (correlation, 0.0))
    return float(1.0 - 2.0 * step**2 * (f * g / np.maximum(f + g, np.finfo(float).tiny)).sum())


def _normal(x: Floats, y: Floats, correlation: float) -> Floats:
    left = 1.0 - correlation**2
    exponent = (x * x - 2.0 * correlation * x * y + y * y) / (2.0 * VARIANCE * left)
    return np.asarray(np.exp(-exponent) / (2.0 * np.pi * VARIANCE * np.sqrt(left)))


def figure_1(options: Options) -> Result:
    """The mean squared error of the bound against the number of samples, for 2, 5 and 10 classes."""
    cases = [(c, m, n) for c in CORRELATIONS for m in CLASSES for n in SAMPLES]
    errors: dict[tuple[float, int, int], float] = {}
    truth = {(c, m): true_bound(m, c) for c in CORRELATIONS for m in CLASSES}

    def work(case: tuple[float, int, int]) -> None:
        correlation, n_classes, n_samples = case
        random = np.random.default_rng([options.seed, *map(int, (100 * correlation, n_classes, n_samples))])
        found = []
        for _ in range(ITERATIONS):
            points, classes = draw_classes(n_samples, n_classes, correlation, random)
            found.append(_bound(points, classes, random))
        errors[case] = float(np.mean((np.array(found) - truth[correlation, n_classes]) ** 2))

    run_blocks(work, cases, options.n_jobs, phase("drawing samples"))
    for correlation in CORRELATIONS:
        rows = [(str(n), *(f"{errors[correlation, m, n]:.5f}" for m in CLASSES)) for n in SAMPLES]
        header = ("samples", *(f"{m} classes" for m in CLASSES))
        design = f"correlation {correlation} within the classes" if correlation else "the paper's design"
        true = ", ".join(f"{abs(truth[correlation, m]):.4f}" for m in CLASSES)
        options.part(
            f"Mean squared error, {design}; the true bounds: {true}\n" + aligned(header, rows, (True,) * 4) + "\n",
            {"correlation": correlation, "classes": list(CLASSES), "samples": list(SAMPLES), "iterations": ITERATIONS}
            | {"truth": [truth[correlation, m] for m in CLASSES]}
            | {"mean_squared_error": [[errors[correlation, m, n] for n in SAMPLES] for m in CLASSES]},
        )
    text = (
        f"Means of {ITERATIONS} draws. In the paper's figure the error falls with the samples, as here, and rises with "
        "the classes, which it does not do here."
    )
    return Result(text, _draw_errors(errors) if options.draw else None)


def _bound(points: Floats, classes: NDArray[np.intp], random: np.random.Generator) -> float:
    return float(dependency_matrix(RankedColumns.of(points), classes, [Draw.of(classes, random)])[0, 1])


def _pairs(points: Floats, classes: NDArray[np.intp]) -> float:
    """The sum of the bounds on the error between every two classes on both features."""
    pairs = ClassPairs(RankedColumns.of(points), classes)
    pairs.add(0)
    return float(pairs.bound_sums(np.array([1]), None)[0])


def figure_2(options: Options) -> Result:
    """Seconds of the pairwise bounds by those of the global tree, against the number of samples."""
    random = np.random.default_rng(options.seed)
    seconds: dict[tuple[int, int], tuple[float, float]] = {}
    step = phase("timing")
    for place, (m, n) in enumerate((m, n) for m in CLASSES for n in SAMPLES):
        points, classes = draw_classes(n, m, 0.0, random)
        rounds = [(_seconds(_bound, points, classes, random), _seconds(_pairs, points, classes)) for _ in range(ROUNDS)]
        one, pairs = np.median(rounds, axis=0).tolist()
        seconds[m, n] = one, pairs
        step(place + 1, len(CLASSES) * len(SAMPLES))
    rows = []
    for n in SAMPLES:
        cells = [str(n)]
        for one, pairs in (seconds[m, n] for m in CLASSES):
            cells += [f"{1000 * one:.2f}", f"{1000 * pairs:.2f}", f"{pairs / one:.1f}"]
        rows.append(tuple(cells))
    header = ("samples", *(text for m in CLASSES for text in (f"{m} classes: GMI ms", "Dp ms", "ratio")))
    options.part(
        aligned(header, rows, (True,) * len(header)) + "\n",
        {"classes": list(CLASSES), "samples": list(SAMPLES)}
        | {"seconds_gmi": [[seconds[m, n][0] for n in SAMPLES] for m in CLASSES]}
        | {"seconds_dp": [[seconds[m, n][1] for n in SAMPLES] for m in CLASSES]},
    )
    text = (
        "GMI: one spanning tree of all samples for two features; Dp: one of every two classes. Medians of "
        f"{ROUNDS} runs on one thread. The paper's figure has no numbers; it says the ratio is large for many classes."
    )
    return Result(text, _draw_ratios(seconds) if options.draw else None)


def _seconds(work: Any, *arguments: Any) -> float:
    start = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - start


def _draw_errors(errors: dict[tuple[float, int, int], float]) -> Any:
    panels = {
        "independent within the classes" if not correlation else f"correlation {correlation} within the classes": {
            f"{m} classes": [errors[correlation, m, n] for n in SAMPLES] for m in CLASSES
        }
        for correlation in CORRELATIONS
    }
    return _draw(panels, "mean squared error")


def _draw_ratios(seconds: dict[tuple[int, int], tuple[float, float]]) -> Any:
    lines = {f"{m} classes": [seconds[m, n][1] / seconds[m, n][0] for n in SAMPLES] for m in CLASSES}
    return _draw({"": lines}, "seconds of Dp by those of GMI")


def _draw(panels: dict[str, dict[str, list[float]]], label: str) -> Any:
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(5.2 * len(panels), 3.8), layout="constrained")
        for axes, (title, lines) in zip(np.atleast_1d(figure.subplots(1, len(panels))), panels.items(), strict=True):
            for name, values in lines.items():
                colour, marker = style(name, list(lines))
                axes.plot(SAMPLES, values, color=colour, marker=marker, markersize=4, lw=1.6, label=name)
            axes.set(xscale="log", yscale="log", xlabel="samples", ylabel=label, title=title)
            axes.legend(frameon=False)
    return figure
