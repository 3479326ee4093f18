"""The memory of the result alone: a fresh n x n matrix of float64, each of its pages written once.

What the system takes to hand out fresh pages is in every contestant's time that makes a matrix; on a virtual machine
it may be more than the counting.
"""

import numpy as np

PACKAGES = ("numpy",)


def prepare(codes, classes):
    n_features = codes.shape[1]

    def run(conditional):
        np.empty((n_features, n_features)).reshape(-1)[::512] = 0

    return run
