"""Costs of counting a pair by bit planes and by packed counters: the constants from which the engine chooses.

python -m benchmarks.kernel_costs [KERNEL ...]

Every pair of 256 random features is counted in both forms for several numbers of codes and classes, on one thread. The
four constants at the end of native/count/kernels/ are then fitted to the processor seconds, by least squares of their
logarithms. Run it on a machine at rest; the last column says how much slower than the better form the chosen one is.
"""

from __future__ import annotations

import sys
import time

import numpy as np
from scipy.optimize import least_squares

from bitsieve.counts.kernels import STORAGE_FORMS, TABLE, available_kernels
from bitsieve.counts.packed import PackedSource
from bitsieve.counts.source import sums_of
from bitsieve.counts.tables import PairFormula, make_entropy_terms

SAMPLES = 20_000
FEATURES = 256
CODES = (3, 5, 7, 10)
CLASSES = (1, 20, 50, 100, 300)


def main() -> None:
    for kernel in sys.argv[1:] or [name for name in available_kernels() if name != TABLE]:
        shapes = [(n_classes, n_codes) for n_classes in CLASSES for n_codes in CODES]
        seconds = np.array([[pair_ns(f"{kernel}:{form}", *shape) for form in STORAGE_FORMS] for shape in shapes])
        operations = np.array([model_operations(*shape) for shape in shapes])  # (shape, form, constant)
        costs = fitted_costs(operations, seconds)
        predicted = (operations * costs.reshape(2, 2)).sum(axis=2)
        regret = seconds[range(len(shapes)), predicted.argmin(axis=1)] / seconds.min(axis=1)
        print(f"{kernel}: {', '.join(f'{cost:.3g}' for cost in costs)}")
        for shape, (planes, counters), ratio in zip(shapes, seconds, regret, strict=True):
            print(f"{shape[0]:5} classes {shape[1]:3} codes: {planes:8.0f} {counters:8.0f} ns a pair  {ratio:.2f}")


def fitted_costs(operations: np.ndarray, seconds: np.ndarray) -> np.ndarray:
    """The four constants that predict the seconds best, by least squares of the logarithms."""

    def mismatch(log_costs: np.ndarray) -> np.ndarray:
        predicted = (operations * np.exp(log_costs).reshape(2, 2)).sum(axis=2)
        return np.log(predicted / seconds).reshape(-1)

    start = np.log([0.1, 0.5, 0.1, 2.0])
    return np.exp(least_squares(mismatch, start).x)


def model_operations(n_classes: int, n_codes: int) -> tuple[tuple[float, float], tuple[float, float]]:
    """What each constant is multiplied by, for the planes and for the counters."""
    words = n_classes * -(-(SAMPLES // n_classes) // 64)
    return (words * (n_codes - 1) ** 2, n_classes * n_codes**2), (SAMPLES, n_classes * n_codes)


def pair_ns(kernel: str, n_classes: int, n_codes: int) -> float:
    """Least processor time of some matrices, in nanoseconds a pair."""
    random = np.random.default_rng(0)
    codes = np.asfortranarray(random.integers(0, n_codes, (SAMPLES, FEATURES), dtype=np.uint8))
    source = PackedSource(codes, random.permutation(SAMPLES) % n_classes, n_jobs=1, kernel=kernel)
    entropy_table = make_entropy_terms(SAMPLES)
    nothing = np.zeros(FEATURES, np.int64)
    form = PairFormula(1, 1, nothing, nothing, 1.0, False)
    runs = []
    for _ in range(3):
        start = time.process_time()
        sums_of(source).matrix(entropy_table, form, np.float64)
        runs.append(time.process_time() - start)
    return min(runs) * 1e9 / (FEATURES * (FEATURES + 8) / 2)  # the groups on the diagonal are counted whole


if __name__ == "__main__":
    main()
