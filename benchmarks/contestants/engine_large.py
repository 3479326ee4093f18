"""bitsieve on codes with very many classes: SPECCMI and EMRMR on one count source, step by step."""

import time

import numpy as np

from bitsieve.by_counts.criteria import make_criterion
from bitsieve.by_counts.greedy import forward_select
from bitsieve.by_counts.pick import rank
from bitsieve.information.pairwise import PairwiseInformation
from bitsieve.optimize.eigen import dominant_eigenvector
from bitsieve.sources.memory import MemoryCounts


def prepare(codes, classes):
    def run(threads, k):
        times = [time.perf_counter()]
        source = MemoryCounts(codes, classes, n_jobs=threads)
        information = PairwiseInformation(source)
        times.append(time.perf_counter())
        matrix = information.conditional_mutual_information_matrix(np.float64, symmetric=True)
        times.append(time.perf_counter())
        order = rank(dominant_eigenvector(matrix).vector)
        times.append(time.perf_counter())
        chosen = forward_select(information, make_criterion("emrmr"), k)
        times.append(time.perf_counter())
        steps = ("packing", "SPECCMI: counting", "SPECCMI: ranking", "EMRMR")
        return {
            "seconds": {step: end - start for step, start, end in zip(steps, times, times[1:], strict=False)},
            "tallied": bool(source.packed.tallied),
            "first": {"speccmi": order[:10].tolist(), "emrmr": chosen.selected[:10].tolist()},
        }

    return run
