"""bitsieve, engine level: codes already made, packing included, no estimator around it."""

import time

from bitsieve.by_counts.criteria import make_criterion
from bitsieve.by_counts.greedy.forward import forward_select
from bitsieve.information import PlugInInformation
from bitsieve.sources import make_source


def prepare(codes, classes):
    n_classes = int(classes.max()) + 1

    def run(criterion, k):
        start = time.perf_counter()
        source = make_source(codes, classes, n_classes=n_classes, n_jobs=1)
        packing = time.perf_counter() - start
        chosen = forward_select(PlugInInformation(source), make_criterion(criterion), k)
        return {"selected": [int(j) for j in chosen.order], "packing_s": packing}

    return run
