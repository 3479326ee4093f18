"""S. Gao, G. Ver Steeg, A. Galstyan, "Variational information maximization for feature selection", NIPS 2016.
doi:10.48550/arXiv.1606.02827

Figure 3 is of their tree model (section 4, supplement D): a class, three features that follow it, and two that follow
each of those.

    y in {0, 1}, fair;  x1 = y + e,  x2 = y / 1.5 + e,  x3 = y / 2.25 + e
    x4, x5 = x1 + e;  x6, x7 = x2 + e;  x8, x9 = x3 + e;  every e a normal number of its own

Given x1, x4 and x5 carry no more information about y, though alone they carry more than x2 does.

The parity table compares selections on the public lung data (73 samples, 325 genes, 7 classes) with those of the
authors' programs. These restart where the bound grows by less than 0.01 nats. The pairwise one reads wrong cells where
a class lacks a state; it is compared with that repaired, up to the tenth choice, where exact ties begin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bitsieve.selectors.forward import VMI
from bitsieve.utils.messages import one_line
from bitsieve.utils.terminal_text import aligned
from papers import gao2016_errors
from papers.gao2016_errors import table_errors
from papers.item import Item, Options, Result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure
    from numpy.typing import NDArray


SLOPES = (1.0, 1 / 1.5, 1 / 2.25)  # of x1, x2, x3 on the class
PARENTS = (0, 0, 1, 1, 2, 2)  # of x4 ... x9


def make_tree_model(
    n_samples: int = 5000, *, random_state: int | np.random.Generator | None = None
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Draw samples of the tree model.

    Parameters
    ----------
    n_samples : int, default=5000
        As in the paper.
    random_state : int or numpy Generator, optional

    Returns
    -------
    X : ndarray of shape (n_samples, 9)
    y : ndarray of shape (n_samples,)

    Raises
    ------
    ValueError
        If ``n_samples`` is less than 1.

    Examples
    --------
    >>> from papers.gao2016 import make_tree_model
    >>> X, y = make_tree_model(1000, random_state=0)
    >>> X.shape, sorted(set(y.tolist()))
    ((1000, 9), [0, 1])
    """
    if n_samples < 1:
        raise ValueError(f"n_samples={one_line(n_samples)} is not allowed: give a whole number from 1")
    random = np.random.default_rng(random_state)
    y = random.integers(0, 2, n_samples)
    X = random.standard_normal((n_samples, 9))
    X[:, :3] += y[:, None] * np.array(SLOPES)
    X[:, 3:] += X[:, PARENTS]
    return X, y


def tree_model_information() -> NDArray[np.float64]:
    """I(xi;y) of every feature of the tree model, exact.

    Given the class a feature is a normal number of variance 1 (x1 to x3) or 2, the means of the classes its slope
    apart; the information of two such equal bells is integrated numerically.

    Returns
    -------
    information : ndarray of shape (9,)
        In bits, to 1e-10.
    """
    slopes = np.array([*SLOPES, *(SLOPES[parent] for parent in PARENTS)])
    deviations = np.sqrt([1.0] * 3 + [2.0] * 6)
    return np.array([_two_bells(distance) for distance in slopes / deviations])


def _two_bells(distance: float) -> float:
    """I(x;y) of y fair and x normal around 0 or ``distance``, of variance 1: 1 - E log2(1 + p(x|other) / p(x|own))."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(100)  # of exp(-x^2 / 2)
    log_odds = distance * (nodes - distance / 2)  # of the other class, at x around 0; the classes are alike
    return float(1 - (weights * np.logaddexp2(0, log_odds / np.log(2))).sum() / weights.sum())


FILE = "lung_d3.npz"

# Columns in file order, counted from 0.
NAIVE = (
    *(22, 125, 243, 163, 93, 108, 33, 10, 242, 130, 150, 83, 96, 50, 112, 19, 132, 166, 44, 133, 212, 311, 218, 269),
    *(29, 18, 136, 6, 123, 210, 257, 3, 268, 35, 67, 104, 14, 80, 206, 82, 40, 146, 176, 62, 20, 192, 237, 52, 61),
    *(103, 41, 154, 56, 49, 304, 260, 285, 55, 217, 186, 189, 223, 24, 59, 115, 13, 11, 98, 110, 259, 147, 248, 126),
    *(46, 203, 196, 39, 85, 194, 114, 204, 244, 172, 70, 2, 298, 78, 142, 54, 174, 48, 90, 171, 23, 267, 181, 57, 232),
    *(162, 124),
)
NAIVE_NATS = (0.536068, 0.929746, 1.29322, 1.56056, 1.68928, 1.74789, 1.77936, 0.530955, 0.958064, 1.29036, 1.4909)
PAIRWISE = (22, 163, 20, 80, 283, 10, 242, 269, 130)


def table_parity(options: Options) -> Result:
    """How many choices agree, from the first on, and how far the bounds are apart."""
    X, y = _lung(options)
    rows = []
    for decomposition, published, nats in (("naive", NAIVE, NAIVE_NATS), ("pairwise", PAIRWISE, ())):
        fitted = VMI(
            len(published), decomposition=decomposition, on_plateau="restart", binning="none", n_jobs=options.n_jobs
        ).fit(X, y)
        bounds = fitted.scores_[: len(nats)] * np.log(2)
        difference = f"{np.abs(bounds - nats).max():.1e}" if nats else "-"
        rows.append(
            (
                decomposition,
                f"{agreeing(fitted.selected_.tolist(), published)} of {len(published)}",
                " ".join(map(str, fitted.restarts_[:12])),
                difference,
            )
        )
    header = ("decomposition", "choices that agree", "restarts after", "first bounds apart (nats)")
    text = aligned(header, rows, (False, True, False, True))
    note = (
        "The authors' bounds are known to 6 digits; of the pairwise program the choices before exact ties are listed."
    )
    return Result(f"{text}\n\n{note}")


def agreeing(ours: Sequence[int], theirs: Sequence[int]) -> int:
    """How many choices are the same before the first that differs."""
    for position, (our_choice, their_choice) in enumerate(zip(ours, theirs, strict=True)):
        if our_choice != their_choice:
            return position
    return len(theirs)


def _lung(options: Options) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    if options.data_dir is None:
        raise ValueError(f"this table needs {FILE}: give the directory that holds it by --data-dir")
    path = options.data_dir / FILE
    if not path.is_file():
        raise ValueError(f"there is no {FILE} in {str(options.data_dir)!r}: give the directory that holds it")
    with np.load(path) as arrays:
        X, y = arrays["X"], arrays["y"]
    if X.shape != (73, 325):
        raise ValueError(f"{str(path)!r} holds {X.shape[0]} x {X.shape[1]} values, the lung data has 73 x 325")
    return X.astype(np.int64), y.astype(np.int64)


N_SAMPLES = 5000
BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#8c8c8c"  # of Okabe and Ito, for colour-blind readers too


def figure_3(options: Options) -> Result:
    """The bound as features of the tree model are added, and the information of every feature alone."""
    X, y = make_tree_model(N_SAMPLES, random_state=options.seed)
    naive, pairwise = (
        VMI(9, decomposition=decomposition, on_plateau="continue", binning=None, n_jobs=options.n_jobs).fit(X, y)
        for decomposition in ("naive", "pairwise")
    )
    alone = naive.alone_
    exact = tree_model_information()
    mim = np.lexsort((np.arange(9), -exact.round(9)))  # a tie goes to the lower column
    header = ("step", "VMI naive", "bound (bits)", "VMI pairwise", "bound (bits)", "MIM", "I(xi;y) (bits)")
    rows = [
        (str(step + 1), _name(a), f"{bound:.4f}", _name(b), f"{other:.4f}", _name(c), f"{exact[c]:.4f}")
        for step, (a, bound, b, other, c) in enumerate(
            zip(naive.selected_, naive.scores_, pairwise.selected_, pairwise.scores_, mim, strict=True)
        )
    ]
    rows_of_features = [(_name(j), f"{alone[j]:.4f}", f"{exact[j]:.4f}") for j in range(9)]
    best = int(np.argmax(naive.scores_)) + 1
    text = "\n".join(
        (
            f"Tree model, {N_SAMPLES:,} samples, seed {options.seed}, Gaussian kernel densities within each class.",
            "",
            aligned(header, rows, (True, False, True, False, True, False, True)),
            "",
            aligned(("feature", "bound alone (bits)", "I(xi;y), exact (bits)"), rows_of_features, (False, True, True)),
            "",
            f"VMI naive: the bound is greatest after {best} features, {_names(naive.selected_[:best])}.",
            f"MIM: the three greatest I(xi;y) are those of {_names(mim[:3])}.",
        )
    )
    return Result(text, _draw(naive, pairwise, alone, exact) if options.draw else None)


def _name(j: int) -> str:
    return f"x{j + 1}"


def _names(columns: Sequence[int] | NDArray[np.intp]) -> str:
    return ", ".join(_name(int(j)) for j in columns)


def _draw(naive: VMI, pairwise: VMI, alone: NDArray[np.float64], exact: NDArray[np.float64]) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(3, 2))
    steps = np.arange(1, 10)
    for fitted, label, colour, marker, lift in (
        (naive, "VMI naive", BLUE, "o", -16),
        (pairwise, "VMI pairwise", ORANGE, "s", 8),
    ):
        left.plot(steps, fitted.scores_, color=colour, marker=marker, label=label)
        for step, j, bound in zip(steps, fitted.selected_, fitted.scores_, strict=True):
            left.annotate(
                _name(j), (step, bound), (0, lift), textcoords="offset points", ha="center", color=colour, fontsize=9
            )
    left.set(xlabel="features chosen", ylabel="lower bound of I(S;y), bits", xticks=steps)
    left.margins(y=0.15)
    left.legend(frameon=False, loc="lower center")
    right.bar(steps - 0.2, alone, 0.4, color=BLUE, label="bound alone")
    right.bar(steps + 0.2, exact, 0.4, color=GREY, label="I(xi;y), exact")
    right.set(xlabel="feature", ylabel="bits", xticks=steps, xticklabels=[_name(j) for j in range(9)])
    right.legend(frameon=False)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="y", color="#e6e6e6")
        axes.set_axisbelow(True)
    return figure


ITEMS: dict[str, Item] = {
    "figure 3": Item("the tree model: bound after each choice, and every feature alone", figure_3, has_figure=True),
    "table errors": Item(
        "the supplement's errors of eight methods, 10 to 100 features", table_errors, sets=gao2016_errors.SETS
    ),
    "table parity": Item("selections on the lung data compared with those of the authors' programs", table_parity),
}
