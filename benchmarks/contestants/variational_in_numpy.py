"""The variational bound in plain numpy: logarithms of likelihoods by sample and class, a candidate at a time."""

import numpy as np


def log_shares(counts, given):
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log2(counts) - np.log2(given)
    return np.where(given > 0, logs, 0.0)


def prepare(codes, classes):
    n_samples, n_features = codes.shape
    n_classes, n_codes = int(classes.max()) + 1, int(codes.max()) + 1
    sizes = np.bincount(classes)
    own = np.arange(n_samples), classes

    def alone(f):
        """log2 p(x_f|c), by sample and class."""
        counts = np.bincount(classes * n_codes + codes[:, f], minlength=n_classes * n_codes).reshape(n_classes, n_codes)
        return log_shares(counts, sizes[:, None])[:, codes[:, f]].T

    def beside(f, s):
        """log2 p(x_f|x_s,c)."""
        cells = (classes * n_codes + codes[:, s]) * n_codes + codes[:, f]
        counts = np.bincount(cells, minlength=n_classes * n_codes**2).reshape(n_classes, n_codes, n_codes)
        return log_shares(counts, counts.sum(axis=2, keepdims=True))[:, codes[:, s], codes[:, f]].T

    def run(decomposition, k, n_jobs=1):
        log_q = np.broadcast_to(np.log2(sizes / n_samples), (n_samples, n_classes)).copy()
        state = [alone(f) for f in range(n_features)]
        selected, bounds = [], []
        for step in range(k):
            exponent = 1 / step if step and decomposition == "pairwise" else 1.0
            values = np.full(n_features, -np.inf)
            for f in set(range(n_features)).difference(selected):
                logs = log_q + state[f] * exponent
                top = logs.max(axis=1, keepdims=True)
                mixed = top[:, 0] + np.log2(np.exp2(logs - top).sum(axis=1))
                values[f] = (logs[own] - np.log2(sizes / n_samples)[classes] - mixed).mean()
            best = int(np.argmax(values))
            selected.append(best)
            bounds.append(float(values[best]))
            log_q += state[best] * exponent
            if decomposition == "pairwise":
                for f in set(range(n_features)).difference(selected):
                    state[f] = beside(f, best) + (state[f] if step else 0.0)
        return {"selected": selected, "bounds": bounds}

    return run
