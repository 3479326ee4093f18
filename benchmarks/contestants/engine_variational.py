"""bitsieve, engine level: codes already made, tables and sorting included, no estimator around it."""

import numpy as np

from bitsieve.by_samples.variational.code_tables import CodeTable
from bitsieve.by_samples.variational.codes import NaiveBound, PairwiseBound
from bitsieve.by_samples.variational.search import variational_select

KINDS = {"naive": NaiveBound, "pairwise": PairwiseBound}


def prepare(codes, classes):
    def run(decomposition, k, n_jobs=1):
        order = np.argsort(classes, kind="stable")
        table = CodeTable(codes[order], np.bincount(classes).astype(np.int64), n_jobs)
        chosen = variational_select(KINDS[decomposition](table), k)
        return {"selected": [int(j) for j in chosen.selected], "bounds": [float(bound) for bound in chosen.scores]}

    return run
