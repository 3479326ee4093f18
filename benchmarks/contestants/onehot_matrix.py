"""The matrices of I(Xi;Xj) and I(Xi;C|Xj) by a matrix product of one-hot codes in numpy (BLAS).

It goes in blocks of the upper triangle; the terms c log2 c are looked up, and only their sums over the cells
of each pair are kept.
"""

import numpy as np

from benchmarks.contestants.onehot_greedy import one_hot, term_table

PACKAGES = ("numpy",)
BLOCK = 128  # features in a block


def prepare(codes, classes):
    n_samples, n_features = codes.shape
    n_codes, n_classes = int(codes.max()) + 1, int(classes.max()) + 1
    term = term_table(n_samples)
    starts = range(0, n_features, BLOCK)

    def encode(rows):
        taken = np.ascontiguousarray(codes[rows])
        return {i: one_hot(taken[:, i : i + BLOCK], n_codes) for i in starts}

    def count(encoded, i, j):
        counts = (encoded[i].T @ encoded[j]).astype(np.intp)
        return counts.reshape(n_codes, counts.shape[0] // n_codes, n_codes, -1)

    def put(matrix, i, j, counts):
        block = term.take(counts).sum(axis=(0, 2))
        matrix[i : i + block.shape[0], j : j + block.shape[1]] = block
        matrix[j : j + block.shape[1], i : i + block.shape[0]] = block.T

    def entropies(sums):
        return np.log2(n_samples) - sums / n_samples

    def run(conditional):
        pairs, triples = np.empty((n_features, n_features)), np.zeros((n_features, n_features))
        by_class = [encode(classes == c) for c in range(n_classes)] if conditional else [encode(slice(None))]
        for i in starts:
            for j in starts[i // BLOCK :]:
                tables = [count(encoded, i, j) for encoded in by_class]
                put(pairs, i, j, sum(tables))
                if conditional:
                    put(triples, i, j, np.concatenate(tables))
        h_pair = entropies(pairs)
        alone = np.diag(h_pair)
        if not conditional:
            matrix = alone[:, None] + alone[None, :] - h_pair
        else:
            h_triple = entropies(triples)
            matrix = h_pair + np.diag(h_triple)[None, :] - h_triple - alone[None, :]
        return {"result_bytes": matrix.nbytes, "corner": matrix[:3, :3].tolist()}

    return run
