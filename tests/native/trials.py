"""Trials of the entry points of the extension: each compares one with its definition in numpy on a random problem."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bitsieve import _native
from bitsieve.counts.tables import EntropyTerms

if TYPE_CHECKING:
    from collections.abc import Callable

KERNELS = _native.kernel_names()
TRIALS: dict[str, Callable[[np.random.Generator, str], int]] = {}
TRIED: set[str] = set()


def trial(*entry_points):
    """The function is a trial of these entry points: with a generator and an instruction set it compares some numbers
    and returns how many."""

    def note(function):
        TRIALS[function.__name__] = function
        TRIED.update(entry_points)
        return function

    return note


def equal(found, wanted):
    """Both are the same integers; how many there are."""
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert found.shape == wanted.shape
    assert (found == wanted).all()
    return found.size


def near(found, wanted, relative, absolute=0.0):
    """Both are the same but for rounding; how many numbers there are."""
    np.testing.assert_allclose(found, wanted, rtol=relative, atol=absolute)
    return np.size(found)


def parts(values, ends):
    """The arrays that a native function returns one after the other."""
    return np.split(values, ends[:-1])


def terms_of(n_samples, random):
    """Entropy terms by a table that may be short, so that some are computed where it ends."""
    limit = int(random.choice([2, 9, n_samples + 1]))
    table = _native.term_table(n_samples, min(limit, n_samples + 1))
    return EntropyTerms(n_samples, _native.term_shift(n_samples), table)


def as_given(columns, random):
    """A table as a matrix of either order, as a matrix with gaps, or as a list of columns."""
    form = random.integers(4)
    if form == 0:
        return np.ascontiguousarray(columns)
    if form == 1:
        return np.asfortranarray(columns)
    if form == 2:
        return np.repeat(np.repeat(columns, 2, axis=0), 3, axis=1)[::2, ::3]
    return [column.copy() for column in columns.T]


def class_codes(random, n_samples):
    """Classes of which some may be missing, and how many there may be."""
    n_classes = int(random.choice([1, 2, 3, 5, 20]))
    return random.integers(0, n_classes, n_samples).astype(np.int32), n_classes


def size(random, most):
    """A number of samples, at the edges of words and blocks as often as anywhere."""
    edges = [n for n in (1, 2, 7, 8, 9, 63, 64, 65, 127, 128, 129) if n <= most]
    return int(random.choice(edges)) if random.random() < 0.5 else int(random.integers(1, most + 1))
