"""Error curves of a classifier for 10 to 100 features: grown feature by feature, and fitted anew for every number.

    python -m benchmarks.comparison [--quick] [--rounds N]

One training and one test part, the columns in a given order; both give the same predictions on these tables but for
rounding. A comparison repeats this for every fold and method.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from benchmarks.data import Shape, make_values
from benchmarks.harness import interleave, parser, print_table, ratio, seconds_text, significant, summary, write_result
from bitsieve.evaluation.classifiers import CLASSIFIERS
from bitsieve.evaluation.classifiers.refit import refit

if TYPE_CHECKING:
    from collections.abc import Callable

SHAPES = ((Shape(62, 2000, 3, 2), 61), (Shape(1000, 200, 3, 3), 900), (Shape(4000, 100, 3, 10), 3600))
QUICK_SHAPES = ((Shape(62, 200, 3, 2), 61), (Shape(300, 100, 3, 3), 270))
ANEW = {
    "linear-svm": SVC(kernel="linear", C=1),
    "knn": KNeighborsClassifier(3, algorithm="brute"),
    "ncm": NearestCentroid(),
}


def main() -> None:
    arguments = parser(__doc__, rounds=3).parse_args()
    records = []
    with threadpool_limits(1):
        for shape, n_train in QUICK_SHAPES if arguments.quick else SHAPES:
            records += [measure(shape, n_train, name, arguments.rounds) for name in ANEW]
    rows = [
        [r["job"], *(seconds_text(r[who]["median_s"]) for who in ("grown", "anew")), f"{r['anew_over_grown']:.3g}x"]
        for r in records
    ]
    print_table("Seconds for all numbers of features, one fold, one core", ["job", "grown", "anew", "ratio"], rows)
    claim = "Error curves cost one pass over distances or inner products a feature"
    write_result("comparison", {"claim": claim, "jobs": records}, quick=arguments.quick)


def measure(shape: Shape, n_train: int, name: str, rounds: int) -> dict[str, Any]:
    """Seconds of both ways with one classifier, and the share of equal predictions."""
    values, classes = make_values(shape)
    train, test = values[:n_train], values[n_train:]
    train, test = train / np.abs(train).max(axis=0), test / np.abs(train).max(axis=0)
    stops = np.arange(10, min(100, shape.features) + 1)
    predicted: dict[str, np.ndarray] = {}

    def job(who: str, grow: Any) -> Callable[[], float]:
        def run() -> float:
            start = time.perf_counter()
            predicted[who] = np.array(list(grow(train, classes[:n_train], test, stops)))
            return time.perf_counter() - start

        return run

    jobs = {"grown": job("grown", CLASSIFIERS[name]), "anew": job("anew", refit(ANEW[name]))}
    seconds = interleave(jobs, rounds, patience_s=20.0)
    return {
        "job": f"{name} {shape.name} {len(stops)} numbers",
        **{who: summary(times) for who, times in seconds.items()},
        "anew_over_grown": significant(ratio(seconds["anew"], seconds["grown"])),
        "equal_predictions": significant(float((predicted["grown"] == predicted["anew"]).mean())),
    }


if __name__ == "__main__":
    main()
