"""Table 1 and figure 3: the accuracy of a linear classifier of digits on principal components chosen by four methods.

What the paper leaves open is read so: 30 principal components of 2,000 training images; of those images N give the
selection; a linear support vector machine learns from 10,000 other training images and is tested on the test images;
all images are drawn anew in each of ten runs. LSVC ranks by the weights of a linear support vector machine and ETC by
the importances of extremely randomised trees, both fitted to the same N images. The last rows are not in the paper: to
select k features, GMI leaves out 5 of the k + 5 most relevant ones; and k features are drawn at random.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.decomposition import PCA
from sklearn.svm import LinearSVC
from threadpoolctl import threadpool_limits

from bitsieve.counts.threads import run_blocks
from bitsieve.plots.figures import PAPER_STYLE, colour_and_marker
from bitsieve.utils.progress import phase
from bitsieve.utils.terminal_text import aligned
from papers.data.files import load_npz
from papers.item import Options, Result
from papers.selectors import as_published

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from papers.data.files import DataSet

    Floats = NDArray[np.float64]


# What the paper prints.
COUNTS = (10, 15, 20)  # features selected
SAMPLES = (100, 300, 500)  # from which they are selected; the text of the paper has 400 for the last

# Table 1: mean accuracy in percent, by the number of features and the method, for each number of samples.
TABLE_1 = {
    (10, "GMI"): (61.48, 61.47, 60.43),
    (10, "Dp"): (57.31, 51.57, 55.53),
    (10, "LSVC"): (20.00, 5.99, 8.40),
    (10, "ETC"): (10.69, 6.00, 7.09),
    (15, "GMI"): (70.01, 69.94, 66.48),
    (15, "Dp"): (64.86, 69.90, 71.71),
    (15, "LSVC"): (22.26, 9.86, 10.51),
    (15, "ETC"): (22.26, 9.84, 10.51),
    (20, "GMI"): (73.99, 73.94, 72.27),
    (20, "Dp"): (78.95, 77.83, 76.77),
    (20, "LSVC"): (22.40, 9.92, 13.42),
    (20, "ETC"): (24.67, 9.93, 12.77),
}


RUNS = 10
N_IMAGES = 2_000  # of which the principal components are computed
N_COMPONENTS = 30
N_LEARNED = 10_000  # images that the classifier learns from
CURVE = tuple(range(2, N_COMPONENTS + 1, 2))  # numbers of features of figure 3
CURVE_SAMPLES = 500
N_EXTRA = 5  # features that a relevance step keeps beyond those that GMI selects
RANDOM = "random components"
METHODS = {
    "GMI": "gmi",
    "Dp": "dp",
    "LSVC": "linear-svc",
    "ETC": "extra-trees",
    "relevance, GMI": "gmi",
    RANDOM: "",  # none
}


def table_1(options: Options) -> Result:
    """Accuracies with 10, 15 and 20 features, selected from 100, 300 and 500 images."""
    accuracies = _accuracies(options, SAMPLES, COUNTS)  # [run, samples, method, count]
    for count_index, k in enumerate(COUNTS):
        means = accuracies[..., count_index].mean(axis=0).T
        deviations = accuracies[..., count_index].std(axis=0).T
        rows = []
        for label, means_of_method, deviations_of_method in zip(METHODS, means, deviations, strict=True):
            published = [f" ({value:.2f})" for value in TABLE_1.get((k, label), ())] or [""] * len(SAMPLES)
            cells = zip(means_of_method, deviations_of_method, published, strict=True)
            rows.append((label, *(f"{mean:.2f} ± {deviation:.2f}{paper}" for mean, deviation, paper in cells)))
        header = (f"{k} features", *(f"N = {n}" for n in SAMPLES))
        options.part(
            aligned(header, rows, (False, *[True] * len(SAMPLES))) + "\n",
            {"features": k, "samples": list(SAMPLES)}
            | {"accuracy": {label: of_method.tolist() for label, of_method in zip(METHODS, means, strict=True)}}
            | {"published": {label: list(TABLE_1[k, label]) for label in METHODS if (k, label) in TABLE_1}},
        )
    return Result(
        f"Accuracy in percent, mean ± standard deviation over {RUNS} runs, in brackets the paper's. LSVC and ETC of "
        "the paper are near or below the 10 % of a guess, which no choice of features explains."
    )


def figure_3(options: Options) -> Result:
    """Accuracies against the number of features, selected from 500 images."""
    accuracies = _accuracies(options, (CURVE_SAMPLES,), CURVE)[:, 0].mean(axis=0)  # [method, count]
    rows = [(label, *(f"{value:.1f}" for value in accuracies[m])) for m, label in enumerate(METHODS)]
    options.part(
        aligned(("features:", *map(str, CURVE)), rows, (False, *[True] * len(CURVE))) + "\n",
        {"counts": list(CURVE), "samples": CURVE_SAMPLES}
        | {"accuracy": {label: accuracies[m].tolist() for m, label in enumerate(METHODS)}},
    )
    text = f"Accuracy in percent, mean over {RUNS} runs, features selected from {CURVE_SAMPLES} images."
    return Result(text, _draw(accuracies) if options.draw else None)


def _accuracies(options: Options, samples: tuple[int, ...], counts: tuple[int, ...]) -> Floats:
    train, test = _digits(options)
    accuracies = np.empty((RUNS, len(samples), len(METHODS), len(counts)))

    def work(run: int) -> None:
        accuracies[run] = _run(train, test, np.random.default_rng([options.seed, run]), samples, counts)

    with threadpool_limits(1):
        run_blocks(work, range(RUNS), options.n_jobs, phase("learning digits"))
    return 100.0 * accuracies


def _run(
    train_images: DataSet,
    test_images: DataSet,
    random: np.random.Generator,
    samples: tuple[int, ...],
    counts: tuple[int, ...],
) -> Floats:
    """The accuracies of one run, by number of samples, method and number of features."""
    n_images = min(N_IMAGES, len(train_images.y) // 2)
    order = random.permutation(len(train_images.y))[: n_images + N_LEARNED]
    analysed = order[:n_images]
    learned = order[n_images:]
    components = PCA(N_COMPONENTS, svd_solver="covariance_eigh").fit(train_images.X[analysed].astype(np.float64))
    selected_from = components.transform(train_images.X[analysed].astype(np.float64))
    train = components.transform(train_images.X[learned].astype(np.float64))
    test = components.transform(test_images.X.astype(np.float64))
    scale = np.abs(selected_from).max()  # one for all components, so that distances stay in proportion
    out = np.empty((len(samples), len(METHODS), len(counts)))
    for i, n in enumerate(samples):
        drawn = random.permutation(N_COMPONENTS)
        for m, label in enumerate(METHODS):
            if label == RANDOM:
                selections = [drawn[:k] for k in counts]
            else:
                selections = _selections(label, selected_from[:n] / scale, train_images.y[analysed[:n]], counts)
            for count_index, chosen in enumerate(selections):
                classifier = LinearSVC(dual=False).fit(train[:, chosen] / scale, train_images.y[learned])
                out[i, m, count_index] = classifier.score(test[:, chosen] / scale, test_images.y)
    return out


def _selections(label: str, X: Floats, y: NDArray[Any], counts: tuple[int, ...]) -> list[NDArray[np.intp]]:
    """The k features of a method, for every k of ``counts``."""
    if label.startswith("relevance"):
        n_relevant = {k: min(k + N_EXTRA, X.shape[1]) for k in counts}
        return [as_published(METHODS[label], k, relevance=n_relevant[k]).fit(X, y).selected_ for k in counts]
    ranking = as_published(METHODS[label], max(counts)).fit(X, y).selected_
    return [ranking[:k] for k in counts]


def _digits(options: Options) -> tuple[DataSet, DataSet]:
    """The training images and the test images."""
    if options.data_dir is None:
        raise ValueError("this needs mnist_train.npz and mnist_test.npz: give their directory by --data-dir")
    train, test = (load_npz(options.data_dir, name) for name in ("mnist_train", "mnist_test"))
    pixels = train.X.shape[1], test.X.shape[1]
    if pixels[0] != pixels[1] or pixels[0] < N_COMPONENTS:
        raise ValueError(
            f"the images of mnist_train and mnist_test have {pixels[0]:,} and {pixels[1]:,} pixels: give both as many, "
            f"and at least {N_COMPONENTS}"
        )
    return train, test


def _draw(accuracies: Floats) -> Figure:
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(PAPER_STYLE):
        figure = Figure(figsize=(6.4, 4.0), layout="constrained")
        axes = figure.add_subplot()
        for m, label in enumerate(METHODS):
            colour, marker = colour_and_marker(label, list(METHODS))
            axes.plot(CURVE, accuracies[m], color=colour, marker=marker, markersize=4, lw=1.6, label=label)
        axes.set(xlabel="number of features", ylabel="accuracy, %", ylim=(0, 100))
        axes.legend(frameon=False, loc="lower right")
    return figure
