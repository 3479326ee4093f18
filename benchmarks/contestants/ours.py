"""bitsieve on codes: as a user calls it, and the counting engine alone, packing included."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import contextmanager, nullcontext

import numpy as np

import bitsieve
from benchmarks import engine
from benchmarks.memory import Peak
from bitsieve.methods.by_counts.interactions import Search


def fit(codes, classes):
    """ForwardSelector as users call it."""

    def run(criterion, k, estimator="plug-in"):
        selector = bitsieve.ForwardSelector(k, criterion=criterion, binning="none", estimator=estimator, n_jobs=1)
        return {"selected": selector.fit(codes, classes).selected_.tolist()}

    return run


def fit_rows(codes, classes):
    """The same on the codes as numpy users hold them, in C order, of a type that the option names."""
    tables = {}

    def run(criterion, k, dtype, n_jobs):
        if dtype not in tables:
            tables[dtype] = np.ascontiguousarray(codes, dtype)
        parameters = {"criterion": criterion, "binning": "none", "estimator": "plug-in", "n_jobs": n_jobs}
        start = time.perf_counter()
        fitted = bitsieve.ForwardSelector(k, **parameters).fit(tables[dtype], classes)
        return {"seconds": time.perf_counter() - start, "selected": fitted.selected_.tolist()}

    return run


def greedy(codes, classes):
    """Greedy selection by any criterion, estimator and stopping rule."""

    def run(criterion, k, estimator="plug-in", rule="none"):
        start = time.perf_counter()
        information = engine.pack(codes, classes, estimator=estimator)
        packing = time.perf_counter() - start
        chosen = engine.greedy(information, criterion, k, engine.stopping_rule_that_never_stops(rule))
        return {"selected": chosen, "packing_s": packing}

    return run


def blankets(codes):
    """The Markov blankets of the first columns, each among all others."""
    return lambda algorithm, targets, n_jobs: {
        "blankets": engine.blankets(codes, None, range(targets), algorithm, n_jobs)
    }


def blanket_of_class(codes, classes):
    """The Markov blanket of the class."""
    target = [codes.shape[1]]
    return lambda algorithm, n_jobs: {"blankets": engine.blankets(codes, classes, target, algorithm, n_jobs)}


def relevance(codes, classes):
    """I(Xi;C) of every feature."""
    return lambda: {"bits": engine.pack(codes, classes).relevance.tolist()}


def relevance_called(codes, classes):
    """The same by the public function."""
    return lambda: {"bits": bitsieve.mutual_information(codes, classes, binning="none", n_jobs=1).tolist()}


def tuples(codes, classes):
    """The strongest of all pairs or triples, and of every column."""

    def run(order, n_jobs=1):
        start = time.perf_counter()
        source = engine.pack(codes, classes, n_jobs).source
        packing = time.perf_counter() - start
        strongest = Search(order, "gain", 100).strongest(source)
        return {"packing_s": packing, "best": strongest.columns[0].tolist()}

    return run


def matrix(codes, classes):
    """The matrix of I(Xi;Xj), or of I(Xi;C|Xj)."""
    one_class = np.zeros_like(classes)

    def run(conditional, n_jobs=1, dtype="float64"):
        start = time.perf_counter()
        information = engine.pack(codes, classes if conditional else one_class, n_jobs)
        packing = time.perf_counter() - start
        if conditional:
            information.matrix("conditional_relevance", dtype=dtype)
        else:
            information.matrix("redundancy", dtype=dtype)
        return {"packing_s": packing}

    return run


def matrix_called(codes, classes):
    """The same by the public functions, on codes in Fortran order or in C order, numpy's default."""
    ordered = {"F": codes, "C": np.ascontiguousarray(codes)}

    def run(conditional, order="F", n_jobs=1):
        if conditional:
            bitsieve.conditional_mutual_information_matrix(ordered[order], classes, binning="none", n_jobs=n_jobs)
        else:
            bitsieve.mutual_information_matrix(ordered[order], binning="none", n_jobs=n_jobs)

    return run


def matrix_memory(codes, classes):
    """The peak of memory of the matrix job over what it needs: the result and twice the bit planes."""
    run_matrix = matrix(codes, classes)

    def run(conditional, n_jobs, dtype):
        with Peak() as peak:
            run_matrix(conditional, n_jobs, dtype)
        sizes = np.bincount(classes) if conditional else np.array([len(codes)])
        planes = planes_bytes(codes.shape[1], int(codes.max()) + 1, sizes)
        result = codes.shape[1] ** 2 * np.dtype(dtype).itemsize
        report = {**peak.told(), "result_mb": result / 1e6, "planes_mb": planes / 1e6}
        return report | ({"peak_over_allowed": peak.grown / (result + 2 * planes)} if peak.grown else {})

    return run


def planes_bytes(n_features, bins, class_sizes):
    """Bytes of the bit planes: bins - 1 for a feature, classes padded to words of 64, features padded to eight."""
    words = int(np.sum((np.asarray(class_sizes) + 63) // 64))
    return (n_features + 7) // 8 * 8 * (bins - 1) * words * 8


def matrix_on_two_cores(codes, classes):
    """The matrix bound to two cores, the second of which another process may keep busy."""
    cores = sorted(os.sched_getaffinity(0))[:2]
    if len(cores) < 2:
        raise SystemExit("this machine does not give a process two cores of its own")
    os.sched_setaffinity(0, cores)
    run_matrix = matrix(codes, classes)

    def run(n_jobs, busy):
        with kept_busy(cores[1]) if busy else nullcontext(), Peak() as timed:
            run_matrix(False, n_jobs)
        return {"seconds": timed.seconds}

    return run


@contextmanager
def kept_busy(core):
    """A process of its own that spins on `core` for as long as the block lasts."""
    spin = f"import os\nos.sched_setaffinity(0, [{core}])\nwhile True: pass"
    process = subprocess.Popen([sys.executable, "-c", spin])
    time.sleep(0.3)  # until it spins
    try:
        yield
    finally:
        process.kill()
        process.wait()


def fresh_pages(codes, classes):
    """The memory of the result alone: a fresh n x n matrix, each of its pages written once.

    What the system takes to hand out fresh pages is in every contestant's time that makes a matrix.
    """

    def run(conditional):
        np.empty((codes.shape[1], codes.shape[1])).reshape(-1)[::512] = 0

    return run


def fcbf(codes, classes):
    """The fast correlation-based filter."""
    return lambda: {"selected": engine.fcbf(engine.pack(codes, classes), codes.shape[1])}


def variational(codes, classes):
    """VMI; the nanoseconds are those of one likelihood of a candidate, a sample and a class."""

    def run(decomposition, k, n_jobs=1):
        with Peak() as timed:
            engine.variational(codes, classes, decomposition, k, n_jobs)
        evaluations = sum(codes.shape[1] - step for step in range(k)) * len(codes) * (int(classes.max()) + 1)
        return {"ns_an_evaluation": 1e9 * timed.seconds / evaluations}

    return run


def large(codes, classes):
    """Counting and ranking by one method on several threads, with the memory of the whole process."""

    def run(method, k, n_jobs):
        with Peak() as peak:
            with Peak() as packing:
                information = engine.pack(codes, classes, n_jobs)
            if method == "speccmi":
                engine.spectral(information, k)
            else:
                engine.greedy(information, method, k)
        n = codes.shape[1]
        report = peak.told()
        pairs = (n * (n + 1) / 2 if method == "speccmi" else (k - 1) * n) * (int(classes.max()) + 1)
        counting = peak.seconds - packing.seconds
        return {**report, "packing_s": packing.seconds, "ns_a_pair_and_class": 1e9 * counting / pairs}

    return run
