"""ITMO_FS from PyPI (its MultivariateFilter) on the same codes.

It keeps nothing from step to step: every step scores every pair with the selected features anew.
"""

import numpy as np
from ITMO_FS.filters.multivariate import MultivariateFilter

PACKAGES = ("ITMO_FS", "numpy", "scikit-learn")


def prepare(codes, classes):
    table, target = np.ascontiguousarray(codes, dtype=np.int64), classes.astype(np.int64)

    def run(criterion, k):
        chosen = MultivariateFilter(criterion.upper(), k)
        chosen.fit(table, target)
        return {"selected": [int(j) for j in chosen.selected_features]}

    return run
