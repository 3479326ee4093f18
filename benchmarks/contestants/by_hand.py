"""What one writes by hand in numpy: loops of numpy.bincount, and matrix products of one-hot codes (BLAS).

One greedy loop of JMI, MRMR and CMIM takes any function that counts one feature, the pivot, against all others. It
gives sums of c log2 c over the cells of tables: those of (pivot, feature), and if needed those of (pivot, feature,
class). With N samples and h = log2 N - sum / N an entropy, I(Xi;Xs) = h_i + h_s - h_is,
I(Xi,Xs;C) = h_is + h_c - h_isc and I(Xi;C|Xs) = h_is + h_sc - h_isc - h_s.
"""

import numpy as np

NEEDS_CLASSES = {"jmi": True, "mrmr": False, "cmim": True}


def terms_of(counts):
    """c log2 c of counts, 0 for 0."""
    counts = counts.astype(np.float64)
    return counts * np.log2(np.maximum(counts, 1.0))


def sums_with_classes(codes, classes, n_codes, n_classes):
    """Sums of c log2 c of each feature alone, of each feature with the class, of the class alone."""
    feature_sums = np.empty(codes.shape[1])
    joint_sums = np.empty(codes.shape[1])
    for j in range(codes.shape[1]):
        counts = np.bincount(classes * n_codes + codes[:, j], minlength=n_classes * n_codes)
        joint_sums[j] = terms_of(counts).sum()
        feature_sums[j] = terms_of(counts.reshape(n_classes, n_codes).sum(axis=0)).sum()
    return feature_sums, joint_sums, terms_of(np.bincount(classes)).sum()


def select(codes, classes, criterion, k, count_row):
    """Columns in the order of choice; `count_row(pivot, with_classes)` gives the two arrays of sums."""
    n_samples, n_features = codes.shape
    n_codes = int(codes.max()) + 1
    n_classes = int(classes.max()) + 1
    log_n = np.log2(n_samples)

    def entropy(sums):
        return log_n - sums / n_samples

    feature_sums, joint_sums, class_sum = sums_with_classes(codes, classes, n_codes, n_classes)
    h_feature = entropy(feature_sums)
    h_class = entropy(class_sum)
    h_feature_class = entropy(joint_sums)
    relevance = h_feature + h_class - h_feature_class
    is_free = np.ones(n_features, dtype=bool)
    total = np.full(n_features, np.inf) if criterion == "cmim" else np.zeros(n_features)
    selected = [int(np.argmax(relevance))]
    is_free[selected[0]] = False
    while len(selected) < k:
        last = selected[-1]
        pair_sums, triple_sums = count_row(last, NEEDS_CLASSES[criterion])
        h_pair = entropy(pair_sums)
        if criterion == "mrmr":
            total += h_feature + h_feature[last] - h_pair  # I(Xi;Xs)
            score = relevance - total / len(selected)
        elif criterion == "jmi":
            total += h_pair + h_class - entropy(triple_sums)  # I(Xi,Xs;C)
            score = total
        else:
            conditional = h_pair + h_feature_class[last] - entropy(triple_sums) - h_feature[last]  # I(Xi;C|Xs)
            total = np.minimum(total, conditional)
            score = total
        selected.append(int(np.argmax(np.where(is_free, score, -np.inf))))
        is_free[selected[-1]] = False
    return {"selected": selected}


def bincount_greedy(codes, classes):
    """A loop of numpy.bincount over the features."""
    n_codes = int(codes.max()) + 1
    n_classes = int(classes.max()) + 1

    def count_row(pivot, by_class):
        pairs = np.zeros(codes.shape[1])
        triples = np.zeros(codes.shape[1])
        joint = codes[:, pivot].astype(np.int64)
        shape: tuple[int, ...] = (n_codes, n_codes)
        if by_class:
            joint = classes.astype(np.int64) * n_codes + joint
            shape = (n_classes, *shape)
        joint *= n_codes
        for j in range(codes.shape[1]):
            counts = np.bincount(joint + codes[:, j], minlength=int(np.prod(shape))).reshape(shape)
            if by_class:
                triples[j] = terms_of(counts).sum()
                counts = counts.sum(axis=0)
            pairs[j] = terms_of(counts).sum()
        return pairs, triples

    def run(criterion, k):
        return select(codes, classes, criterion, k, count_row)

    return run


def one_hot(codes, n_codes):
    """(samples, features) to (samples, n_codes * features) float32; counts are exact up to 2^24."""
    encoded = codes[:, None, :] == np.arange(n_codes, dtype=codes.dtype)[:, None]
    return encoded.reshape(len(codes), -1).astype(np.float32)


def term_table(n_samples):
    """c log2 c for c = 0 .. n_samples."""
    count = np.arange(n_samples + 1, dtype=np.float64)
    return count * np.log2(np.maximum(count, 1.0))


def onehot_greedy(codes, classes):
    """The pivot's one-hot codes times all features'; the columns are laid out code by code."""
    n_samples, n_features = codes.shape
    n_codes = int(codes.max()) + 1
    n_classes = int(classes.max()) + 1
    term = term_table(n_samples)

    def run(criterion, k):
        encoded = one_hot(np.ascontiguousarray(codes), n_codes)

        def count_row(pivot, by_class):
            joint = codes[:, [pivot]].astype(np.int32)
            n_joint = n_codes
            if by_class:
                joint = classes[:, None] * n_codes + joint
                n_joint = n_classes * n_codes
            counts = (one_hot(joint, n_joint).T @ encoded).astype(np.intp).reshape(-1, n_codes, n_features)
            if not by_class:
                return term.take(counts).sum(axis=(0, 1)), None
            pooled = counts.reshape(n_classes, n_codes, n_codes, n_features).sum(axis=0)
            return term.take(pooled).sum(axis=(0, 1)), term.take(counts).sum(axis=(0, 1))

        return select(codes, classes, criterion, k, count_row)

    return run


def entropy(counts):
    shares = counts[counts > 0] / counts.sum()
    return -(shares * np.log2(shares)).sum()


def fcbf(codes, classes):
    """FCBF as its paper has it, over numpy.bincount."""
    n_codes = int(codes.max()) + 1
    n_classes = int(classes.max()) + 1

    def run():
        entropies = np.array([entropy(np.bincount(column)) for column in codes.T])
        class_entropy = entropy(np.bincount(classes))

        def uncertainty(x, entropy_of_x, n_codes_of_x, j):
            """The symmetric uncertainty of x and column j."""
            joint_entropy = entropy(np.bincount(x * n_codes + codes[:, j], minlength=n_codes_of_x * n_codes))
            total = entropy_of_x + entropies[j]
            return 2 * (total - joint_entropy) / total if total else 0.0

        class_uncertainty = np.array([uncertainty(classes, class_entropy, n_classes, j) for j in range(codes.shape[1])])
        remaining = np.argsort(-class_uncertainty, kind="stable")
        selected = []
        while len(remaining):
            best = remaining[0]
            others = remaining[1:]
            x = codes[:, best].astype(np.int64)
            shared = np.array([uncertainty(x, entropies[best], n_codes, j) for j in others])
            selected.append(int(best))
            remaining = others[shared < class_uncertainty[others] - 1e-10]
        return {"selected": selected}

    return run


def relieff(values, classes):
    """ReliefF sample by sample."""

    def run(n_neighbors=10):
        spans = np.ptp(values, axis=0)
        scaled = np.ascontiguousarray((values - values.min(axis=0)) / np.where(spans, spans, 1))
        priors = np.bincount(classes) / len(classes)
        weights = np.zeros(values.shape[1])
        for i, own_class in enumerate(classes):
            differences = np.abs(scaled - scaled[i])
            distances = differences.sum(axis=1)
            distances[i] = np.inf
            for c, prior in enumerate(priors):
                candidates = np.flatnonzero((classes == c) & (np.arange(len(classes)) != i))
                near = candidates[np.argsort(distances[candidates], kind="stable")[:n_neighbors]]
                mean_difference = differences[near].mean(axis=0)
                if c == own_class:
                    weights -= mean_difference
                else:
                    weights += prior / (1 - priors[own_class]) * mean_difference
        return {"weights": (weights / len(classes)).tolist()}

    return run


def parzen(values, classes):
    """Entropies of all pairs by scipy's kernel densities, full covariance, evaluated at the samples."""
    from scipy.stats import gaussian_kde

    def run():
        for i in range(values.shape[1]):
            for j in range(i):
                pair = values[:, [i, j]].T
                np.log2(gaussian_kde(pair)(pair)).mean()

    return run
