"""bitsieve, engine level: the full matrix of I(Xi;Xj), or of I(Xi;C|Xj), from codes already made."""

import time

import numpy as np

from bitsieve.information import PlugInInformation
from bitsieve.sources import make_source


def prepare(codes, classes):
    one_class = np.zeros_like(classes)

    def run(conditional, n_jobs=1, dtype="float64"):
        start = time.perf_counter()
        target = classes if conditional else one_class
        source = make_source(codes, target, n_classes=int(target.max()) + 1, n_jobs=n_jobs)
        packed = time.perf_counter()
        information = PlugInInformation(source)
        if conditional:
            matrix = information.conditional_mutual_information_matrix(dtype=dtype)
        else:
            matrix = information.mutual_information_matrix(dtype=dtype)
        done = time.perf_counter()
        return {"packing_s": packed - start, "matrix_s": done - packed, "result_bytes": matrix.nbytes}

    return run
