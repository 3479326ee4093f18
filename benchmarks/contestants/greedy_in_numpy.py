"""The greedy loop of JMI, MRMR and CMIM in numpy, over any way of counting one feature against all.

Both ways hand over sums of c log2 c over the cells of tables: those of (pivot, feature), and those of
(pivot, feature, class) when asked. From them, with N samples and h = log2 N - sum / N an entropy,
I(Xi;Xs) = h_i + h_s - h_is, I(Xi,Xs;C) = h_is + h_c - h_isc and I(Xi;C|Xs) = h_is + h_sc - h_isc - h_s.
"""

import numpy as np

NEEDS_CLASSES = {"jmi": True, "mrmr": False, "cmim": True}


def terms_of(counts):
    """c log2 c of counts, 0 for 0."""
    counts = counts.astype(np.float64)
    return counts * np.log2(np.maximum(counts, 1.0))


def sums_with_classes(codes, classes, n_codes, n_classes):
    """Sums of c log2 c of each feature alone, of each feature with the class, of the class alone."""
    alone, with_class = np.empty(codes.shape[1]), np.empty(codes.shape[1])
    for j in range(codes.shape[1]):
        counts = np.bincount(classes * n_codes + codes[:, j], minlength=n_classes * n_codes)
        with_class[j] = terms_of(counts).sum()
        alone[j] = terms_of(counts.reshape(n_classes, n_codes).sum(axis=0)).sum()
    return alone, with_class, terms_of(np.bincount(classes)).sum()


def select(codes, classes, criterion, k, count_row):
    """Columns in the order of choice; `count_row(pivot, with_classes)` gives the two arrays of sums."""
    n_samples, n_features = codes.shape
    n_codes, n_classes = int(codes.max()) + 1, int(classes.max()) + 1
    alone, with_class, of_class = sums_with_classes(codes, classes, n_codes, n_classes)
    top = np.log2(n_samples)
    h, h_c, h_with = top - alone / n_samples, top - of_class / n_samples, top - with_class / n_samples
    relevance = h + h_c - h_with
    free = np.ones(n_features, dtype=bool)
    total = np.full(n_features, np.inf) if criterion == "cmim" else np.zeros(n_features)
    selected = [int(np.argmax(relevance))]
    free[selected[0]] = False
    while len(selected) < k:
        pivot = selected[-1]
        pairs, triples = count_row(pivot, NEEDS_CLASSES[criterion])
        h_pair = top - pairs / n_samples
        if criterion == "mrmr":
            total += h + h[pivot] - h_pair
            score = relevance - total / len(selected)
        elif criterion == "jmi":
            total += h_pair + h_c - (top - triples / n_samples)
            score = total
        else:
            conditional = h_pair + h_with[pivot] - (top - triples / n_samples) - h[pivot]
            total = score = np.minimum(total, conditional)
        selected.append(int(np.argmax(np.where(free, score, -np.inf))))
        free[selected[-1]] = False
    return {"selected": selected}
