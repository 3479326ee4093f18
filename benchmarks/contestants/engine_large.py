"""bitsieve, engine level: counting and ranking of one method from codes already made, on `n_jobs` threads."""

import time

from bitsieve.by_counts.criteria import make_criterion
from bitsieve.by_counts.greedy.forward import forward_select
from bitsieve.by_counts.pairwise.spectral import spectral_ranking
from bitsieve.counts.packed import MemoryCounts
from bitsieve.information.pairwise import PairwiseInformation


def prepare(codes, classes):
    n_classes = int(classes.max()) + 1

    def run(method, k, n_jobs):
        start = time.perf_counter()
        information = PairwiseInformation(MemoryCounts(codes, classes, n_classes=n_classes, n_jobs=n_jobs))
        packed = time.perf_counter()
        if method == "speccmi":
            selected = spectral_ranking(information).order[:k]
        else:
            selected = forward_select(information, make_criterion(method), k).selected
        done = time.perf_counter()
        return {
            "packing_s": packed - start,
            "counting_and_ranking_s": done - packed,
            "first": [int(j) for j in selected[:5]],
            "packed_bytes": information.source.nbytes,
        }

    return run
