"""ReliefF of scikit-rebate from PyPI, in one process."""

import numpy as np
from skrebate import ReliefF

PACKAGES = ("skrebate", "numpy")


def prepare(values, classes):
    table = np.ascontiguousarray(values)

    def run():
        fitted = ReliefF(n_features_to_select=1, n_neighbors=10, n_jobs=1).fit(table, classes)
        return {"weights": fitted.feature_importances_.tolist()}

    return run
