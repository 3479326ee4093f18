"""How often greedy matching, which the paper holds to be the best, is not, and what that costs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import issparse

from bitsieve.methods.by_samples.cutting_plane.columns import DenseColumns, SparseColumns
from bitsieve.methods.by_samples.cutting_plane.matching import match, match_exactly
from bitsieve.selectors.models import GDM
from bitsieve.utils.choice import TIE
from bitsieve.utils.messages import aligned
from bitsieve.utils.progress import phase
from papers.data.files import load_bundled
from papers.item import Options, Result
from papers.zhai2012.curves import SETS, load_split, synthetic
from papers.zhai2012.methods import Split, accuracy_of, columns_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

BUDGETS = (5, 10, 20, 50, 100)
TAUS = (0.1, 0.25, 0.5)
DRAWS = 5  # of weights of the samples, beside equal ones
K = 50


def table_matching(options: Options) -> Result:
    """Greedy and exact sets for equal and for drawn weights of the samples; then both as a whole."""
    step = phase("matching")
    header = ("data", "tau", "cuts", "greedy not best", "mean loss %", "largest loss %", "not proved")
    rows, whole = [], []
    splits = list(_splits(options))
    for done, split in enumerate(splits):
        for tau in TAUS:
            losses, open_ones = _losses(split, tau, options)
            short = losses > 1e-6
            rows.append(
                (
                    split.name,
                    f"{tau:g}",
                    str(len(losses)),
                    str(int(short.sum())),
                    f"{100 * losses.mean():.3f}",
                    f"{100 * losses.max():.3f}",
                    str(open_ones),
                )
            )
        whole.append((split.name, *(f"{100 * value:.2f}" for value in _accuracies(split, options))))
        step(done + 1, len(splits))
    first = aligned(header, rows, (False, *[True] * 6))
    second = aligned((f"accuracy, {K} features, %", "greedy", "disjoint", "exact"), whole, (False, True, True, True))
    options.part(first + "\n", {"matching": [dict(zip(header, row, strict=True)) for row in rows]})
    options.part(second + "\n", {"accuracy": [list(row) for row in whole]})
    return Result(
        f"Cuts: {len(BUDGETS)} numbers of features by {DRAWS + 1} weights of the samples, equal ones and "
        f"{DRAWS} drawn at random. The loss is of the sum of squares that a cut maximises. 'Not proved': branch and "
        "bound was cut short, the loss may be larger."
    )


def _splits(options: Options) -> Iterator[Split]:
    data = load_bundled("breast_wdbc")
    order = np.random.default_rng(options.seed).permutation(len(data.y))
    X, y = data.X[order], np.where(data.y[order] == data.y.max(), 1, -1)
    yield Split("breast cancer", X[:400], y[:400], X[400:], y[400:])
    yield synthetic(options.seed)[0]
    if options.data_dir is not None:
        for name in SETS:
            yield load_split(options.data_dir, name)


def _losses(split: Split, tau: float, options: Options) -> tuple[NDArray[np.float64], int]:
    """By how much of its sum of squares every greedy set falls short, and how many exact ones are not proved."""
    sparse = issparse(split.X)
    columns = (SparseColumns if sparse else DenseColumns)(split.X.tocsc() if sparse else split.X, options.n_jobs)
    random = np.random.default_rng(options.seed)
    n, least = len(split.y), 1 - tau - TIE
    losses, open_ones = [], 0
    for draw in range(DRAWS + 1):
        alpha = np.full(n, 1 / n) if draw == 0 else random.dirichlet(np.ones(n))
        scores = np.abs(columns.products((split.y * alpha)[:, None])[:, 0]) / np.sqrt(alpha @ alpha)
        for budget in BUDGETS:
            if budget > columns.n_features // 3:
                continue
            greedy = match(columns, scores, budget, least)
            best = match_exactly(columns, scores, budget, least)
            open_ones += best.gap > 0
            losses.append(1 - np.square(scores[greedy]).sum() / np.square(scores[best.columns]).sum())
    return np.array(losses), open_ones


def _accuracies(split: Split, options: Options) -> list[float]:
    found = []
    k = min(K, split.X.shape[1] // 3)
    for matching in ("greedy", "disjoint", "exact"):
        chosen = GDM(k, matching=matching, n_jobs=options.n_jobs).fit(split.X, split.y).selected_
        train, test = columns_of(split.X, chosen), columns_of(split.X_test, chosen)
        found.append(accuracy_of(train, split.y, test, split.y_test))
    return found
