"""bitsieve, engine level: codes already made, packing included, no estimator around it."""

import time

from bitsieve.by_counts.criteria import make_criterion
from bitsieve.by_counts.greedy.forward import forward_select
from bitsieve.counts.packed import MemoryCounts
from bitsieve.information.pairwise import PairwiseInformation


def prepare(codes, classes):
    n_classes = int(classes.max()) + 1

    def run(criterion, k):
        start = time.perf_counter()
        source = MemoryCounts(codes, classes, n_classes=n_classes, n_jobs=1)
        packing = time.perf_counter() - start
        chosen = forward_select(PairwiseInformation(source), make_criterion(criterion), k)
        return {"selected": [int(j) for j in chosen.selected], "packing_s": packing}

    return run
