"""The bound straight from its formulas, in logarithms, a sample at a time: what the fast ones are compared with."""

from __future__ import annotations

from collections import Counter
from math import exp2, fsum, log2

import numpy as np

from bitsieve.utils.choice import pick

NOTHING = float("-inf")


def log_ratio(part, whole):
    """log2 of a share; of a condition that does not occur: 0, which no bound can see."""
    return 0.0 if whole == 0 else NOTHING if part == 0 else log2(part) - log2(whole)


class Bound:
    """mean_n log2 q(x_S|c_n) / q(x_S) of any S, in order."""

    def __init__(self, codes, classes, pairwise):
        self.codes, self.classes, self.pairwise = codes.tolist(), classes.tolist(), pairwise
        self.sizes = Counter(self.classes)
        self.singles, self.pairs = Counter(), Counter()
        for row, c in zip(self.codes, self.classes, strict=True):
            for f, code in enumerate(row):
                self.singles[f, code, c] += 1
                if pairwise:
                    self.pairs.update(((f, code), (g, other), c) for g, other in enumerate(row))

    def log_q(self, row, chosen, c):
        total = 0.0
        for place, f in enumerate(chosen):
            if not self.pairwise or place == 0:
                total += log_ratio(self.singles[f, row[f], c], self.sizes[c])
            else:
                given = [
                    log_ratio(self.pairs[(f, row[f]), (s, row[s]), c], self.singles[s, row[s], c])
                    for s in chosen[:place]
                ]
                total += fsum(given) / place if NOTHING not in given else NOTHING
        return total

    def __call__(self, chosen):
        values = []
        n = len(self.codes)
        for row, own in zip(self.codes, self.classes, strict=True):
            logs = {c: self.log_q(row, chosen, c) + log2(size / n) for c, size in self.sizes.items()}
            top = max(logs.values())
            mixed = top + log2(fsum(exp2(value - top) for value in logs.values()))
            values.append(logs[own] - log2(self.sizes[own] / n) - mixed)
        return fsum(values) / n


def forward(codes, classes, k, *, pairwise, restart=None):
    """Selected columns, bounds and restarts by the definition; constant columns are not known here."""
    bound = Bound(codes, classes, pairwise)
    chosen, selected, scores, restarts = [], [], [], []
    for _ in range(k):
        free = [f for f in range(codes.shape[1]) if f not in selected]
        values = np.array([bound([*chosen, f]) for f in free])
        place = pick(values)
        if restart is not None and chosen and values[place] - scores[-1] < restart:
            chosen = []
            restarts.append(len(selected))
            values = np.array([bound([f]) for f in free])
            place = pick(values)
        selected.append(free[place])
        chosen.append(free[place])
        scores.append(float(values[place]))
    return selected, scores, restarts
