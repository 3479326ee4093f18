"""FCBF as its paper has it, over numpy.bincount: what one writes by hand."""

import numpy as np

PACKAGES = ("numpy",)


def entropy(counts):
    shares = counts[counts > 0] / counts.sum()
    return -(shares * np.log2(shares)).sum()


def prepare(codes, classes):
    n_codes, n_classes = int(codes.max()) + 1, int(classes.max()) + 1

    def run():
        alone = np.array([entropy(np.bincount(column)) for column in codes.T])
        class_entropy = entropy(np.bincount(classes))

        def uncertainty(x, h_x, n_x, j):
            both = entropy(np.bincount(x * n_codes + codes[:, j], minlength=n_x * n_codes))
            total = h_x + alone[j]
            return 2 * (total - both) / total if total else 0.0

        with_class = np.array([uncertainty(classes, class_entropy, n_classes, j) for j in range(codes.shape[1])])
        left = np.argsort(-with_class, kind="stable")
        selected = []
        while len(left):
            p, rest = left[0], left[1:]
            x = codes[:, p].astype(np.int64)
            between = np.array([uncertainty(x, alone[p], n_codes, j) for j in rest])
            selected.append(int(p))
            left = rest[between < with_class[rest] - 1e-10]
        return {"selected": selected}

    return run
