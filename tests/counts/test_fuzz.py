"""Random tables of any shape on every kernel and form against the reference in numpy: equal integers."""

from __future__ import annotations

import time

import numpy as np
import pytest

from bitsieve.counts.kernels import FORMS, TABLE, available_kernels
from bitsieve.counts.packed import PackedSource
from bitsieve.counts.reference import NaiveSource
from bitsieve.counts.terms import entropy_terms

KERNELS = [f"{name}:{form}" for name in available_kernels() if name != TABLE for form in FORMS] + [TABLE]
EDGES = (1, 2, 7, 8, 63, 64, 65, 127, 128, 129, 511, 512, 513)


def random_table(random):
    """Codes and classes whose sizes lie at the edges of words, groups and types as often as anywhere."""
    n_samples = int(random.choice(EDGES) if random.random() < 0.5 else random.integers(1, 1500))
    n_features = int(random.integers(1, 20))
    n_classes = int(random.choice([1, 2, 3, 5, 17, 300]))
    top = int(random.choice([1, 2, 3, 5, 10, 11, 63, 64, 65, 255, 256, 300, 5000, 65_536]))
    arities = random.integers(1, top + 1, n_features)
    codes = (random.random((n_samples, n_features)) ** random.integers(1, 4) * arities).astype(np.uint16)
    classes = random.integers(0, n_classes, n_samples)
    if random.random() < 0.3:
        codes = np.asfortranarray(codes)
    if codes.max() < 256 and random.random() < 0.5:
        codes = codes.astype(np.uint8)
    weights = random.integers(1, 4, n_samples) if random.random() < 0.3 else None
    return codes, classes, weights


def compare(seed):
    """All sums of one random table; the number of integers compared."""
    random = np.random.default_rng(seed)
    codes, classes, weights = random_table(random)
    kernel = KERNELS[seed % len(KERNELS)]
    packed = PackedSource(codes, classes, weights=weights, kernel=kernel, n_jobs=int(random.integers(1, 4)))
    naive = NaiveSource(codes, classes, weights=weights)
    terms = entropy_terms(packed.n_samples)
    pivot = int(random.integers(codes.shape[1]))
    columns = None if random.random() < 0.5 else np.sort(random.permutation(codes.shape[1])[: random.integers(1, 20)])
    pairs = [
        *zip(packed.marginal_sums(terms), naive.marginal_sums(terms), strict=True),
        *zip(packed.pair_sums(terms, pivot, columns, True), naive.pair_sums(terms, pivot, columns, True), strict=True),
    ]
    for found, wanted in pairs:
        assert np.array_equal(found, wanted), (seed, kernel)
    return sum(len(found) for found, _ in pairs)


def run(seconds, first):
    """Tables one after the other for so long; the number of integers compared."""
    end, seed, compared = time.monotonic() + seconds, first, 0
    while time.monotonic() < end:
        compared += compare(seed)
        seed += 1
    return compared


def test_random_tables_for_a_moment():
    for seed in range(60):
        compare(seed)


@pytest.mark.nightly
def test_random_tables_for_minutes():
    assert run(seconds=300, first=1_000_000) > 10_000
