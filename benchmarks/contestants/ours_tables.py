"""bitsieve on tables of numbers and on files: binning, ReliefF, error curves, whole processes of the command line."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time

import numpy as np

import bitsieve
from benchmarks import engine
from benchmarks.contestants.problems import on_grid
from benchmarks.memory import Peak

KILO = 1 if sys.platform == "darwin" else 1024  # the unit of ru_maxrss in bytes


def binner(values, classes):
    """A binner, fitted, then the codes made."""

    def run(kind, n_jobs=1):
        if kind == "MDL":
            made = bitsieve.MDLBinner(n_jobs=n_jobs)
        else:
            made = bitsieve.EqualFrequencyBinner(n_bins=10, n_jobs=n_jobs)
        made.fit(values, classes).transform(values)

    return run


def forward(values, classes):
    """Bins found, then columns chosen one at a time."""

    def run(k, **how):
        selector = bitsieve.ForwardSelector(k, criterion="mrmr", n_jobs=1, **how)
        return {"selected": selector.fit(values, classes).selected_.tolist()}

    return run


def relieff(values, classes):
    """ReliefF with ten neighbours."""
    return lambda n_jobs=1: {"weights": bitsieve.ReliefF(1, n_jobs=n_jobs).fit(values, classes).weights_.tolist()}


def trees(values, classes):
    """The same spanning tree again and again, of points already sorted."""

    def run(times, levels):
        points = on_grid(values, levels)
        for _ in range(times):
            edges = engine.spanning_tree(points)
        return {"weight": float(np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1).sum())}

    return run


def geometric(values, classes):
    """GMI or DpSelector as users call them."""

    def run(method, k, n_jobs):
        selector = bitsieve.make_selector(method, k, n_jobs=n_jobs)
        return {"selected": selector.fit(values, classes).selected_.tolist()}

    return run


def parzen(values, classes):
    """The similarities of all pairs by Parzen windows."""
    from bitsieve.methods.by_samples.parzen.pairs import ParzenPairs
    from bitsieve.methods.by_samples.rows import standardize

    def run(n_jobs=1):
        ParzenPairs(standardize(values), n_jobs=n_jobs).relevance_matrix()

    return run


def parzen_kernels(values, classes):
    """The same, every kernel summed by itself."""
    from bitsieve.methods.by_samples import parzen as module

    module.MAX_NODES = 0
    return parzen(values, classes)


def clusters(values, classes):
    """Dominant sets of the correlations of all pairs."""

    def run():
        bitsieve.DominantSetClusters(similarity="rho").fit(values)

    return run


def process(table):
    """A whole Python process: wall and processor seconds, peak of memory. "TABLE" stands for the file's path."""

    def run(arguments):
        words = [sys.executable, *(table if word == "TABLE" else word for word in arguments)]
        # Modules are compiled when they are installed: ours must keep what the first round compiles.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        start = time.perf_counter()
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
        with subprocess.Popen(words, text=True, env=environment, **streams) as child:
            error_lines = child.stderr.read().strip().splitlines()
            _, status, usage = os.wait4(child.pid, 0)
            seconds = time.perf_counter() - start
            child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise RuntimeError(error_lines[-1] if error_lines else f"exit status {child.returncode}")
        report = {"seconds": seconds, "processor_s": usage.ru_utime + usage.ru_stime}
        # The system accounts our own peak to every child that we start: below it nothing is known.
        parent_peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return report | ({"peak_mb": usage.ru_maxrss * KILO / 1e6} if usage.ru_maxrss > parent_peak else {})

    return run


def curve(values, classes):
    """Predictions of a classifier for growing numbers of features, one training and one test part."""
    from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
    from sklearn.svm import SVC

    svm = SVC(kernel="linear", C=1)
    nearest = KNeighborsClassifier(3, algorithm="brute")
    plain = {"linear-svm": svm, "knn": nearest, "ncm": NearestCentroid()}
    stops = np.arange(10, min(100, values.shape[1]) + 1)

    def run(classifier, train, anew):
        scaled = values / np.abs(values[:train]).max(axis=0)
        grow = engine.Refit(plain[classifier]) if anew else engine.MODELS[classifier].predict
        predicted = list(grow(scaled[:train], classes[:train], scaled[train:], stops))
        return {"predicted": np.array(predicted).tolist()}

    return run


def protocol(train, train_classes, test, test_classes):
    """Select on ten bins of equal frequency, classify by the nearest class mean: seconds, errors, memory."""

    def run(k, n_jobs):
        counts = range(10, k + 1, 10)
        report = {}
        rankings = {}
        with Peak() as peak:
            for method in ("mim", "mrmr", "jmi"):
                start = time.perf_counter()
                binning = bitsieve.EqualFrequencyBinner(n_bins=10, n_jobs=n_jobs)
                selector = bitsieve.make_selector(method, k, binning=binning, estimator="plug-in", n_jobs=n_jobs)
                rankings[method] = selector.fit(train, train_classes).selected_
                report[f"fit_{method}_s"] = time.perf_counter() - start
            tables = (train, train_classes, test, test_classes)
            start = time.perf_counter()
            _, wrong = engine.nearest_mean_curves(*tables, rankings, counts, n_jobs=n_jobs)
            report["classify_3_rankings_s"] = time.perf_counter() - start
        errors = {f"error_{method}_percent": 100 * float(n_wrong[-1]) / len(test) for method, n_wrong in wrong.items()}
        anew = classify_anew(*tables, rankings["mim"], counts)
        return {"seconds": peak.seconds, **report, **anew, **errors, **peak.told()}

    return run


def classify_anew(train, train_classes, test, test_classes, order, counts):
    """Seconds of one ranking by what NearestCentroid asks to predict, for every count, scaled up from 1000 samples."""
    from sklearn.metrics import pairwise_distances_argmin

    scale, means = engine.class_means(train, train_classes, order)
    values = test[:1000, order] / scale
    truth = test_classes[:1000]
    start = time.perf_counter()
    theirs = [int((pairwise_distances_argmin(values[:, :k], means[:, :k]) != truth).sum()) for k in counts]
    seconds = (time.perf_counter() - start) * len(test) / len(truth)
    _, ours = engine.nearest_mean_curves(train, train_classes, test[:1000], truth, {"mim": order}, counts)
    return {"scikit_learn_1_ranking_s": seconds, "same_errors_on_piece": ours["mim"].tolist() == theirs}
