"""S. Gao, G. Ver Steeg, A. Galstyan, "Variational information maximization for feature selection", NIPS 2016."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.common.layout import aligned
from bitsieve.datasets.tree_model import make_tree_model, tree_model_information
from bitsieve.experiments.gao2016_parity import table_parity
from bitsieve.experiments.item import Item, Options, Result
from bitsieve.selectors.vmi import VMI

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

N_SAMPLES = 5000
BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#8c8c8c"  # of Okabe and Ito: told apart by most colour-blind readers


def figure_3(options: Options) -> Result:
    """The bound as features of the tree model are added, and what every feature tells alone."""
    X, y = make_tree_model(N_SAMPLES, random_state=options.seed)
    naive, pairwise = (
        VMI(9, decomposition=decomposition, binning=None, n_jobs=options.n_jobs).fit(X, y)
        for decomposition in ("naive", "pairwise")
    )
    alone, exact = naive.alone_, tree_model_information()
    mim = np.lexsort((np.arange(9), -exact.round(9)))  # equal ones by column
    header = ("step", "VMI naive", "bound (bits)", "VMI pairwise", "bound (bits)", "MIM", "I(xi;y) (bits)")
    rows = [
        (str(step + 1), _name(a), f"{bound:.4f}", _name(b), f"{other:.4f}", _name(c), f"{exact[c]:.4f}")
        for step, (a, bound, b, other, c) in enumerate(
            zip(naive.selected_, naive.scores_, pairwise.selected_, pairwise.scores_, mim, strict=True)
        )
    ]
    own = [(_name(j), f"{alone[j]:.4f}", f"{exact[j]:.4f}") for j in range(9)]
    best = int(np.argmax(naive.scores_)) + 1
    text = "\n".join(
        (
            f"Tree model, {N_SAMPLES:,} samples, seed {options.seed}, Gaussian kernel densities within each class.",
            "",
            aligned(header, rows, (True, False, True, False, True, False, True)),
            "",
            aligned(("feature", "bound alone (bits)", "I(xi;y), exact (bits)"), own, (False, True, True)),
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


def _draw(naive: VMI, pairwise: VMI, alone: NDArray[np.float64], exact: NDArray[np.float64]) -> Any:
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
    "table parity": Item("selections on the lung data compared with those of the authors' programs", table_parity),
}
