"""bitsieve, engine level: counting and ranking of one method from codes already made, on `n_jobs` threads."""

import time

from bitsieve.by_counts.criteria import make_criterion
from bitsieve.by_counts.greedy.forward import forward_select
from bitsieve.by_counts.pairwise.conditional_matrix import conditional_matrix
from bitsieve.by_counts.pairwise.spectral import rank_by_spectrum
from bitsieve.information import PlugInInformation
from bitsieve.sources import make_source


def prepare(codes, classes):
    n_classes = int(classes.max()) + 1

    def run(method, k, n_jobs):
        start = time.perf_counter()
        information = PlugInInformation(make_source(codes, classes, n_classes=n_classes, n_jobs=n_jobs))
        packed = time.perf_counter()
        if method == "speccmi":
            selected = rank_by_spectrum(conditional_matrix(information)).order[:k]
        else:
            selected = forward_select(information, make_criterion(method), k).order
        done = time.perf_counter()
        return {
            "packing_s": packed - start,
            "counting_and_ranking_s": done - packed,
            "first": [int(j) for j in selected[:5]],
            "packed_bytes": information.source.nbytes,
        }

    return run
