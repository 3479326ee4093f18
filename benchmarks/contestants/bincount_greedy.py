"""A loop of numpy.bincount over the features: what one writes by hand."""

import numpy as np

from benchmarks.contestants.greedy_in_numpy import select, terms_of

PACKAGES = ("numpy",)


def prepare(codes, classes):
    n_codes, n_classes = int(codes.max()) + 1, int(classes.max()) + 1

    def count_row(pivot, with_classes):
        pairs, triples = np.zeros(codes.shape[1]), np.zeros(codes.shape[1])
        joint = codes[:, pivot].astype(np.int64)
        shape: tuple[int, ...] = (n_codes, n_codes)
        if with_classes:
            joint = classes.astype(np.int64) * n_codes + joint
            shape = (n_classes, *shape)
        joint *= n_codes
        for j in range(codes.shape[1]):
            counts = np.bincount(joint + codes[:, j], minlength=int(np.prod(shape))).reshape(shape)
            if with_classes:
                triples[j] = terms_of(counts).sum()
                counts = counts.sum(axis=0)
            pairs[j] = terms_of(counts).sum()
        return pairs, triples

    def run(criterion, k):
        return select(codes, classes, criterion, k, count_row)

    return run
