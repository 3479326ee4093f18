"""What a selection for times costs, beside one with two classes, and beside one Cox model or log-rank test a column.

``python -m benchmarks.survival [RUNS] [classes] [columns]`` prints two tables, or the one that is named, of medians of
RUNS (default: 5) interleaved runs in processor time, on one thread:

* a selection of 50 of 400 columns of 20,000 rows for a time to an event, over the same for two classes, where the four
  codes of a column are equally frequent, and where one has half of the rows;
* the relevance of every column of 1,000 rows, over a univariate Cox model a column by scikit-survival, and by lifelines
  where that is installed. mRMRe, which ranks by concordance, is an archived package of R and takes no part.
"""

from __future__ import annotations

import sys
import time
from functools import partial
from importlib.util import find_spec
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bitsieve import ForwardSelector

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

CRITERIA = ("mim", "jmi", "mrmr", "cmim", "cmim2")
TABLES = ("classes", "columns")


class Patients(NamedTuple):
    """Columns of codes, and for every row a time and whether the event happened then."""

    X: NDArray
    time: NDArray
    event: NDArray

    @property
    def structured(self) -> NDArray:
        """The event and the time as scikit-survival has them."""
        y = np.empty(len(self.time), dtype=[("event", bool), ("time", float)])
        y["event"] = self.event
        y["time"] = self.time
        return y


def patients(random: np.random.Generator, n_rows: int, n_columns: int, *, is_skewed: bool = False) -> Patients:
    """Columns of four codes, three of which change the hazard."""
    shape = (n_rows, n_columns)
    X = np.minimum(random.geometric(0.5, shape) - 1, 3) if is_skewed else random.integers(0, 4, shape)
    hazard = np.exp(0.3 * (X[:, 0] == 1) + 0.3 * (X[:, 1] == 2) - 0.3 * X[:, 2])
    death = random.exponential(1 / hazard)
    end_of_study = random.exponential(1.0, n_rows)
    return Patients(X.astype(np.uint8), np.minimum(death, end_of_study), death <= end_of_study)


def seconds(work: Callable[[], object]) -> float:
    """The processor time of some work."""
    start = time.process_time()
    work()
    return time.process_time() - start


def medians(works: dict[str, Callable[[], object]], n_runs: int) -> dict[str, float]:
    """The median processor time of every work, in interleaved runs."""
    runs = [[seconds(work) for work in works.values()] for _ in range(n_runs)]
    return {name: median(times) for name, times in zip(works, zip(*runs, strict=True), strict=True)}


def select(sample: Patients, criterion: str, n_columns: int, *, for_time: bool) -> None:
    """Select columns for the time, or for the event as a class."""
    selector = ForwardSelector(n_columns, criterion=criterion, binning="none", n_jobs=1)
    selector.fit(sample.X, sample.structured if for_time else sample.event.astype(int))


def print_classes(n_runs: int, n_rows: int = 20_000, n_columns: int = 400) -> None:
    """The cost of a selection for a time, as a multiple of that for two classes."""
    print("| criterion | codes equally frequent | one code in half of the rows |\n|---|---|---|")
    samples = [patients(np.random.default_rng(0), n_rows, n_columns, is_skewed=skewed) for skewed in (False, True)]
    for criterion in CRITERIA:
        ratios = []
        for sample in samples:
            works = {
                "classes": partial(select, sample, criterion, n_columns // 8, for_time=False),
                "time": partial(select, sample, criterion, n_columns // 8, for_time=True),
            }
            times = medians(works, n_runs)
            ratios.append(times["time"] / times["classes"])
        print(f"| {criterion} | {' | '.join(f'{ratio:.1f}' for ratio in ratios)} |", flush=True)


def cox_by_scikit_survival(sample: Patients) -> None:
    """A Cox model of every column alone, its codes as dummies."""
    from sksurv.linear_model import CoxPHSurvivalAnalysis

    for column in sample.X.T:
        dummies = (column[:, None] == np.arange(1, 4)).astype(float)
        CoxPHSurvivalAnalysis(alpha=1e-9).fit(dummies, sample.structured)


def cox_by_lifelines(sample: Patients) -> None:
    """The same by lifelines."""
    import pandas as pd
    from lifelines import CoxPHFitter

    for column in sample.X.T:
        rows = pd.DataFrame({f"code {c}": (column == c).astype(float) for c in range(1, 4)})
        rows = rows.assign(time=sample.time, event=sample.event)
        CoxPHFitter().fit(rows, "time", "event")


def print_columns(n_runs: int, n_rows: int = 1_000, n_columns: int = 100) -> None:
    """The seconds of a look at every column."""
    sample = patients(np.random.default_rng(1), n_rows, n_columns)
    works: dict[str, Callable[[], object]] = {
        "bitsieve, mim": partial(select, sample, "mim", n_columns, for_time=True),
        "bitsieve, jmi": partial(select, sample, "jmi", n_columns, for_time=True),
    }
    if find_spec("sksurv"):
        works["scikit-survival, a Cox model a column"] = partial(cox_by_scikit_survival, sample)
    if find_spec("lifelines"):
        works["lifelines, a Cox model a column"] = partial(cox_by_lifelines, sample)
    print("| program | seconds | over mim |\n|---|---|---|")
    times = medians(works, n_runs)
    for name, median_time in times.items():
        print(f"| {name} | {median_time:.3f} | {median_time / times['bitsieve, mim']:.0f} |", flush=True)


def main(arguments: list[str]) -> None:
    """Print the tables."""
    n_runs = next((int(argument) for argument in arguments if argument.isdecimal()), 5)
    names = [argument for argument in arguments if argument in TABLES] or TABLES
    if "classes" in names:
        print_classes(n_runs)
    if "columns" in names:
        print_columns(n_runs)


if __name__ == "__main__":
    main(sys.argv[1:])
