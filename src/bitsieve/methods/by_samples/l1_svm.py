"""The columns to which a linear support vector machine with an L1 penalty leaves weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bitsieve.diagnostics import UserError
from bitsieve.methods.by_samples.linear_solvers import standardised, summed_weights
from bitsieve.methods.by_samples.rows import Samples
from bitsieve.methods.method import ROWS, Method, MethodResult
from bitsieve.utils.arrays import Floats
from bitsieve.utils.choice import rank, top
from bitsieve.utils.parameters import check_above_zero, optional
from bitsieve.utils.progress import phase

if TYPE_CHECKING:
    from scipy.sparse import csc_array

PENALTY_GROWTH = 2**0.5  # factor from one C that is tried to the next
MAX_PENALTIES = 60
ROUGH_COLUMNS = 10  # columns of a rough fit, as a multiple of k
ROUGH_TOLERANCE = 1e-2
CLEAR_SHARE = 0.9  # a rough fit decides only below this share of k, and of the slope that gives a column weight


def l1_svm(samples: Samples, k: int, *, C: float | None = None) -> MethodResult:
    """Choose the columns to which an L1 penalty leaves the largest weights; see :class:`bitsieve.L1SVM`."""
    values = standardised(samples.values())
    codes = samples.classes
    phase("fitting the model")
    if C is None:
        penalty, weights = _smallest_penalty(values, codes, k)
    else:
        penalty = C
        weights = summed_weights(_l1_machine(values, codes, C))
    order = rank(weights)
    order = order[weights[order] > 0][:k]
    if not len(order):
        advice = "give columns of like size that vary with the classes" if C is None else "give a larger C"
        raise UserError(
            code="no-relation",
            message=f"no column has weight at C={penalty:.4g}",
            advice=advice,
        )
    return MethodResult(order, weights[order], extras={"C_": float(penalty)})


def _smallest_penalty(values: Floats | csc_array, codes: NDArray[np.int32], k: int) -> tuple[float, Floats]:
    """The first C of a growing series at which k columns have weight, and the weights; the last C if none does."""
    from sklearn.svm import l1_min_c

    penalty = float(l1_min_c(values, codes))
    is_too_small = _test_of_small_penalties(values, codes, k)
    for _ in range(MAX_PENALTIES):
        if not is_too_small(penalty):
            weights = summed_weights(_l1_machine(values, codes, penalty))
            if np.count_nonzero(weights) >= k:
                return penalty, weights
        penalty *= PENALTY_GROWTH
    return penalty, summed_weights(_l1_machine(values, codes, penalty))


def _test_of_small_penalties(values: Floats | csc_array, codes: NDArray[np.int32], k: int) -> Callable[[float], bool]:
    """A function that says whether a C clearly leaves fewer than k columns weight.

    It fits the columns with the steepest loss at weight 0 roughly. If few of them have weight, and at that fit the loss
    is flat in all other columns, no other column would have weight either.
    """
    n_classes = int(codes.max()) + 1
    positive_classes = np.arange(n_classes) if n_classes > 2 else np.array([1])
    signs = np.where(codes[:, None] == positive_classes, 1.0, -1.0)
    slopes_at_zero = np.abs(values.T @ signs).max(axis=1)
    steepest = np.sort(top(slopes_at_zero, min(ROUGH_COLUMNS * k, values.shape[1])))
    steepest_values = values[:, steepest]

    def is_too_small(C: float) -> bool:
        machine = _l1_machine(steepest_values, codes, C, tol=ROUGH_TOLERANCE)
        if np.count_nonzero(summed_weights(machine)) > CLEAR_SHARE * k:
            return False
        slack = np.maximum(0.0, 1 - signs * (steepest_values @ machine.coef_.T + machine.intercept_))
        slopes = 2 * C * np.abs(values.T @ (signs * slack)).max(axis=1)
        slopes[steepest] = 0.0
        return bool(slopes.max() < CLEAR_SHARE)

    return is_too_small


def _l1_machine(values: Floats | csc_array, codes: NDArray[np.int32], C: float, tol: float = 1e-4) -> Any:
    import warnings

    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import LinearSVC

    model = LinearSVC(penalty="l1", dual=False, C=C, random_state=0, tol=tol)
    with warnings.catch_warnings():  # near the smallest C its test of convergence is hardly ever met
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(values, codes)


METHODS = (
    Method(
        name="l1-svm",
        title="Linear support vector machine with an L1 penalty",
        formula="min_w sum_j |w_j| + C sum_i max(0, 1 - y_i (w'x_i + b))^2",
        paper="Yuan, Ho, Lin 2012",
        inputs="the values themselves: fits of scikit-learn's LinearSVC",
        cost="O(n d) an iteration",
        seconds=lambda n, d, k: 3e-7 * n * d,
        unit="weight",
        selector="bitsieve.selectors.models:L1SVM",
        run=l1_svm,
        required_capabilities=ROWS,
        bins=False,
        rules={"C": optional(check_above_zero)},
    ),
)
