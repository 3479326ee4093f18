"""ReliefF sample by sample in numpy: what one writes by hand."""

import numpy as np

PACKAGES = ("numpy",)


def prepare(values, classes):
    def run(n_neighbors=10):
        spans = np.ptp(values, axis=0)
        scaled = np.ascontiguousarray((values - values.min(axis=0)) / np.where(spans, spans, 1))
        priors = np.bincount(classes) / len(classes)
        weights = np.zeros(values.shape[1])
        for i, own in enumerate(classes):
            apart = np.abs(scaled - scaled[i])
            distances = apart.sum(axis=1)
            distances[i] = np.inf
            for c, prior in enumerate(priors):
                of_class = np.flatnonzero((classes == c) & (np.arange(len(classes)) != i))
                near = of_class[np.argsort(distances[of_class], kind="stable")[:n_neighbors]]
                weights += (-1 if c == own else prior / (1 - priors[own])) * apart[near].mean(axis=0)
        return {"weights": (weights / len(classes)).tolist()}

    return run
