"""scikit-learn's mutual_info_classif with discrete features, in bits."""

import numpy as np
from sklearn.feature_selection import mutual_info_classif

PACKAGES = ("scikit-learn", "numpy")


def prepare(codes, classes):
    def run():
        nats = mutual_info_classif(codes, classes, discrete_features=True, n_jobs=1)
        return {"bits": (nats / np.log(2)).tolist()}

    return run
