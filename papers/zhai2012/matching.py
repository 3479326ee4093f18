"""How often greedy matching, which the paper holds to be optimal, is not, and how much it loses then."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import issparse

from bitsieve.methods.by_samples.cutting_plane.columns import ColumnVectors, DenseColumns, SparseColumns
from bitsieve.methods.by_samples.cutting_plane.matching import match, match_exactly
from bitsieve.selectors.models import GDM
from bitsieve.utils.choice import TIE
from bitsieve.utils.progress import phase
from bitsieve.utils.terminal_text import aligned
from papers.data.files import load_bundled
from papers.item import Options, Result
from papers.zhai2012.curves import SETS, load_split, synthetic
from papers.zhai2012.methods import Split, accuracy_of, columns_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

BUDGETS = (5, 10, 20, 50, 100)
TAUS = (0.1, 0.25, 0.5)
N_DRAWS = 5  # weights of the samples that are drawn, beside equal ones
MAX_ACCURACY_FEATURES = 50
MIN_LOSS = 1e-6  # a smaller one is rounding


def table_matching(options: Options) -> Result:
    """Greedy and exact sets for equal and for drawn weights of the samples; then the accuracies of whole selections."""
    progress = phase("matching")
    header = ("data", "tau", "cuts", "greedy not best", "mean loss %", "largest loss %", "not proved")
    rows = []
    accuracy_rows = []
    splits = list(_splits(options))
    for n_done, split in enumerate(splits, 1):
        for tau in TAUS:
            losses, n_not_proved = _losses(split, tau, options)
            is_not_best = losses > MIN_LOSS
            rows.append(
                (
                    split.name,
                    f"{tau:g}",
                    str(len(losses)),
                    str(int(is_not_best.sum())),
                    f"{100 * losses.mean():.3f}",
                    f"{100 * losses.max():.3f}",
                    str(n_not_proved),
                )
            )
        accuracy_rows.append((split.name, *(f"{100 * value:.2f}" for value in _accuracies(split, options))))
        progress(n_done, len(splits))
    matching_text = aligned(header, rows, (False, *[True] * 6))
    accuracy_header = (f"accuracy, {MAX_ACCURACY_FEATURES} features, %", "greedy", "disjoint", "exact")
    accuracy_text = aligned(accuracy_header, accuracy_rows, (False, True, True, True))
    options.part(matching_text + "\n", {"matching": [dict(zip(header, row, strict=True)) for row in rows]})
    options.part(accuracy_text + "\n", {"accuracy": [list(row) for row in accuracy_rows]})
    return Result(
        f"Cuts: {len(BUDGETS)} numbers of features by {N_DRAWS + 1} weights of the samples, equal ones and "
        f"{N_DRAWS} drawn at random. The loss is of the sum of squares that a cut maximises. 'Not proved': branch and "
        "bound was cut short, the loss may be larger."
    )


def _splits(options: Options) -> Iterator[Split]:
    data = load_bundled("breast_wdbc")
    order = np.random.default_rng(options.seed).permutation(len(data.y))
    X = data.X[order]
    y = np.where(data.y[order] == data.y.max(), 1, -1)
    yield Split("breast cancer", X[:400], y[:400], X[400:], y[400:])
    yield synthetic(options.seed)[0]
    if options.data_dir is not None:
        for name in SETS:
            yield load_split(options.data_dir, name)


def _losses(split: Split, tau: float, options: Options) -> tuple[NDArray[np.float64], int]:
    """The relative losses of greedy sets against exact ones, and how many of these are not proved to be optimal."""
    columns: ColumnVectors
    if issparse(split.X):
        columns = SparseColumns(split.X.tocsc(), options.n_jobs)
    else:
        columns = DenseColumns(split.X, options.n_jobs)
    random = np.random.default_rng(options.seed)
    n = len(split.y)
    min_correlation = 1 - tau - TIE
    losses = []
    n_not_proved = 0
    for draw in range(N_DRAWS + 1):
        alpha = np.full(n, 1 / n) if draw == 0 else random.dirichlet(np.ones(n))
        scores = np.abs(columns.products((split.y * alpha)[:, None])[:, 0]) / np.sqrt(alpha @ alpha)
        for budget in BUDGETS:
            if budget > columns.n_features // 3:
                continue
            greedy = match(columns, scores, budget, min_correlation)
            exact = match_exactly(columns, scores, budget, min_correlation)
            n_not_proved += exact.gap > 0
            sum_of_greedy = np.square(scores[greedy]).sum()
            sum_of_exact = np.square(scores[exact.columns]).sum()
            losses.append(1 - sum_of_greedy / sum_of_exact)
    return np.array(losses), n_not_proved


def _accuracies(split: Split, options: Options) -> list[float]:
    accuracies = []
    k = min(MAX_ACCURACY_FEATURES, split.X.shape[1] // 3)
    for matching in ("greedy", "disjoint", "exact"):
        chosen = GDM(k, matching=matching, n_jobs=options.n_jobs).fit(split.X, split.y).selected_
        train = columns_of(split.X, chosen)
        test = columns_of(split.X_test, chosen)
        accuracies.append(accuracy_of(train, split.y, test, split.y_test))
    return accuracies
