"""A draw halves the samples and shuffles the second half within the classes."""

import numpy as np

from bitsieve.methods.by_samples.spanning_tree.dependency import Draw


def test_the_halves_and_the_partners():
    classes = np.random.default_rng(0).integers(0, 4, 101)
    draw = Draw.of(classes, np.random.default_rng(1))
    assert len(draw.original) == len(draw.permuted) == 50
    assert len(set(draw.original) | set(draw.permuted)) == 100
    assert np.array_equal(np.sort(draw.partner), np.sort(draw.permuted))
    assert np.array_equal(classes[draw.partner], classes[draw.permuted])
    assert (draw.partner != draw.permuted).any()


def test_every_sample_of_the_class_is_as_likely_a_partner():
    classes = np.repeat([0, 1], 6)
    random = np.random.default_rng(2)
    counts = np.zeros((12, 12))
    for _ in range(6000):
        draw = Draw.of(classes, random)
        counts[draw.permuted, draw.partner] += 1
    assert (counts[:6, 6:] == 0).all()
    assert (counts[6:, :6] == 0).all()
    apart = counts[:6, :6][~np.eye(6, dtype=bool)]
    assert np.abs(apart - apart.mean()).max() < 5 * np.sqrt(apart.mean())


def test_a_sample_alone_in_its_class_is_its_own_partner():
    draw = Draw.of(np.arange(20), np.random.default_rng(3))
    assert np.array_equal(draw.partner, draw.permuted)


def test_the_same_seed_draws_the_same():
    classes = np.random.default_rng(4).integers(0, 3, 60)
    one, other, third = (Draw.of(classes, np.random.RandomState(seed)) for seed in (5, 5, 6))
    assert np.array_equal(one.original, other.original)
    assert np.array_equal(one.partner, other.partner)
    assert not np.array_equal(one.original, third.original)
