"""The train/test protocol on many-class data: select on 10 equal-frequency bins, classify by the nearest class mean.

    python -m benchmarks.large_protocol [--quick] [--full] [--threads N]

512 features, 200 of them selected, errors for 10, 20 ... 200. The whole job has 1,246,991 training and 309,684 test
samples of 3,740 classes; without --full it is a tenth of each. Beside the classification: what scikit-learn's
NearestCentroid does to predict, anew for every number of features, on the first test samples.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.harness import parser, print_table, seconds_text, significant, write_result
from benchmarks.worker import reset_peak, status
from bitsieve.binning import EqualFrequencyBinner
from bitsieve.evaluation.train_test import class_means, nearest_mean_curves
from bitsieve.information import PlugInInformation
from bitsieve.selectors.counted import Counted
from bitsieve.selectors.registry import make_selector
from bitsieve.sources import make_source

METHODS = ("mim", "mrmr", "jmi")
COUNTS = range(10, 201, 10)
PIECE = 1000  # test samples of the program beside ours
THEIRS = "scikit-learn, 1 ranking, scaled"
ROWS_AT_ONCE = 1 << 14


@dataclass(frozen=True)
class Protocol:
    """The size of a job."""

    train: int
    test: int
    classes: int
    features: int = 512


FULL = Protocol(1_246_991, 309_684, 3_740)
TENTH = Protocol(124_699, 30_968, 374)
QUICK = Protocol(12_000, 3_000, 40)


def main() -> None:
    options = parser(__doc__, rounds=1)
    options.add_argument("--full", action="store_true", help="the whole job and not a tenth")
    options.add_argument("--threads", type=int, default=2, help="(default: %(default)s)")
    arguments = options.parse_args()
    protocol = QUICK if arguments.quick else FULL if arguments.full else TENTH
    record = measure(protocol, arguments.threads)
    rows = [[step, seconds_text(seconds)] for step, seconds in record["seconds"].items()]
    print_table(f"{protocol}, {arguments.threads} threads", ["step", "seconds"], rows)
    print_table("Errors in percent", ["features", *METHODS], list(zip(COUNTS, *record["errors"].values(), strict=True)))
    print(f"peak {record['peak_mb']} MB, of which the tables {record['tables_mb']} MB")
    claim = "Selecting and classifying by the nearest class mean, many classes, two tables of bytes, within memory"
    write_result("large_protocol", {"claim": claim, **record}, quick=arguments.quick)


def measure(protocol: Protocol, threads: int) -> dict[str, Any]:
    """Seconds of each step, errors, and the peak of memory."""
    train, y_train = make_samples(protocol, protocol.train, seed=1)
    test, y_test = make_samples(protocol, protocol.test, seed=2)
    reset_peak()
    seconds: dict[str, float] = {}
    with _Timed(seconds, "binning and packing"):
        counted = count(train, y_train, threads)
    rankings = {}
    for method in METHODS:
        selector = make_selector(method, COUNTS[-1], n_jobs=threads)
        with _Timed(seconds, f"selecting, {method}"):
            rankings[method] = selector.fit_counted(counted).selected_
    del counted
    with _Timed(seconds, f"classifying, {len(METHODS)} rankings"):
        counts, errors = nearest_mean_curves(train, y_train, test, y_test, rankings, COUNTS, n_jobs=threads)
    peak = status("VmHWM")
    piece = min(PIECE, len(test))
    order = rankings["mim"]
    scale, means = class_means(train, y_train, order)
    with _Timed(seconds, THEIRS):
        theirs = asked_anew(test[:piece, order] / scale, means, y_test[:piece])
    seconds[THEIRS] = significant(seconds[THEIRS] * len(test) / piece)
    _, ours = nearest_mean_curves(train, y_train, test[:piece], y_test[:piece], {"mim": order}, COUNTS)
    return {
        "protocol": vars(protocol),
        "threads": threads,
        "counts": counts.tolist(),
        "seconds": seconds,
        "errors": {method: [significant(100 * e / len(test)) for e in wrong] for method, wrong in errors.items()},
        "same_errors_on_piece": ours["mim"].tolist() == theirs,
        "peak_mb": peak and significant(peak / 1e6),
        "tables_mb": significant((train.nbytes + test.nbytes) / 1e6),
    }


def make_samples(protocol: Protocol, n_samples: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Bytes (n_samples, features) and classes: every class a point in 24 dimensions, seen by features of unequal noise.

    Two features each share most of their view and their noise. Sizes of classes are unequal, as in handwriting; the
    same seed gives the same samples.
    """
    world = np.random.default_rng(0)
    points = world.normal(size=(protocol.classes, 24))
    views = protocol.features // 2
    view = world.normal(size=(24, views)) / np.sqrt(24)
    noise = world.uniform(2, 8, views)
    shares = world.dirichlet(np.full(protocol.classes, 20.0))
    random = np.random.default_rng([3, seed])
    y = random.choice(protocol.classes, n_samples, p=shares).astype(np.int32)
    X = np.empty((n_samples, protocol.features), np.uint8)
    for start in range(0, n_samples, ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        seen = points[y[rows]] @ view
        seen += random.normal(size=seen.shape) * noise
        seen = np.repeat(seen, 2, axis=1)
        seen += random.normal(size=seen.shape)
        X[rows] = np.clip(128 + 12 * seen, 0, 255)
    return X, y


def count(train: np.ndarray, y_train: np.ndarray, threads: int) -> Counted:
    """10 equal-frequency bins, packed."""
    from sklearn.base import BaseEstimator

    from bitsieve.table.columns import read_columns
    from bitsieve.table.target import read_target

    columns, target = read_columns(BaseEstimator(), train, reset=True), read_target(y_train)
    binner = EqualFrequencyBinner(n_bins=10, n_jobs=threads).fit_columns(columns, target)
    codes = binner.codes(columns)
    source = make_source(codes, target.codes, n_classes=target.n_classes, n_jobs=threads)
    return Counted(columns, target, binner, PlugInInformation(source))


def asked_anew(values: np.ndarray, means: np.ndarray, truth: np.ndarray) -> list[int]:
    """Errors for every number of features by what scikit-learn's NearestCentroid asks to predict."""
    from sklearn.metrics import pairwise_distances_argmin

    return [int((pairwise_distances_argmin(values[:, :k], means[:, :k]) != truth).sum()) for k in COUNTS]


class _Timed:
    """Adds the seconds inside it to a record."""

    def __init__(self, seconds: dict[str, float], step: str) -> None:
        self.seconds, self.step = seconds, step

    def __enter__(self) -> None:
        self.start = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        self.seconds[self.step] = significant(time.perf_counter() - self.start)


if __name__ == "__main__":
    main()
