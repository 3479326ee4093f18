"""A table that is packed in batches is the table that is packed at once, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

from bitsieve.counts.kernels import ENVIRONMENT_VARIABLE
from bitsieve.counts.packed import PackedSource, PageRelease
from bitsieve.counts.packed_batches import PackedBatches
from bitsieve.counts.source import sums_of
from bitsieve.counts.tables import make_entropy_terms

N = 1000
RANDOM = np.random.default_rng(5)
CODES = np.column_stack([RANDOM.integers(0, arity, N) for arity in [2, 3, 10, 2, 300, 1, 7, 5, 2, 64, 100]])
CODES[0] = CODES.max(axis=0)
CLASSES = RANDOM.integers(0, 4, N)
ARITIES = (CODES.max(axis=0) + 1).astype(np.int32)


def filled(batches, ends, weights=None, order="F"):
    planes, wide = np.zeros(batches.plane_words, np.uint64), np.zeros(batches.wide_codes, np.uint16)
    batches.use(planes, wide)
    for first, last in zip([0, *ends], [*ends, N], strict=True):
        rows = slice(first, last)
        batches.add(
            np.asarray(CODES[rows].astype(np.uint16), order=order),
            CLASSES[rows],
            None if weights is None else weights[rows],
        )
    return planes, wide


def all_sums(source):
    terms = make_entropy_terms(source.n_samples)
    pairs = [sums_of(source).pair_sums(terms, pivot, None, True) for pivot in range(source.n_features)]
    return np.array([*sums_of(source).marginal_sums(terms), *(part for pair in pairs for part in pair)])


def test_pages_are_given_back_after_every_block_of_groups():
    whole = PackedSource(CODES, CLASSES)
    batches = PackedBatches(whole.class_sizes, whole.arities)
    released = []
    page_release = PageRelease(lambda: released.append(True), max_bytes=1)
    batches.use(np.zeros(batches.plane_words, np.uint64), np.zeros(batches.wide_codes, np.uint16), page_release)
    batches.add(np.asfortranarray(CODES.astype(np.uint16)), CLASSES)
    source = batches.finish()
    n_groups = len(source.all_groups)
    assert n_groups > 1
    assert len(released) == 2 * n_groups
    assert all_sums(source).tolist() == all_sums(whole).tolist()
    columns = np.array([0, 4, 9, 2])
    released.clear()
    counts = sums_of(source).cell_counts(2, columns, True)
    assert len(released) == len(columns)
    for mine, theirs in zip(counts, sums_of(whole).cell_counts(2, columns, True), strict=True):
        assert mine.tolist() == theirs.tolist()
    for mine, theirs in zip(source.tables(2, columns, True), whole.tables(2, columns, True), strict=True):
        assert mine.occupied()[1].tolist() == theirs.occupied()[1].tolist()


@pytest.mark.each_value
@pytest.mark.parametrize("kernel", ["planes", "counters", "table"])
@pytest.mark.parametrize("ends", [[], [1, 64, 65, 700], [333, 333, 999]])
@pytest.mark.parametrize("weighted", [False, True])
def test_batches_are_the_whole(kernel, ends, weighted, monkeypatch):
    from bitsieve.counts.kernels import available_kernels

    first = available_kernels()[0]
    monkeypatch.setenv("BITSIEVE_FORCE_KERNEL", "table" if kernel == "table" else f"{first}:{kernel}")
    weights = RANDOM.integers(1, 4, N) if weighted else None
    whole = PackedSource(CODES, CLASSES, weights=weights)
    batches = PackedBatches(whole.class_sizes, whole.arities)
    for order in ("F", "C"):
        planes, wide = filled(PackedBatches(whole.class_sizes, whole.arities), ends, weights, order)
        filled_again = filled(batches, ends, weights, order)
        assert planes.tobytes() == filled_again[0].tobytes()
        source = batches.finish()
        assert all_sums(source).tolist() == all_sums(whole).tolist()
        assert source.codes(4).tolist() == whole.codes(4).tolist()
        again = PackedBatches(whole.class_sizes, whole.arities)
        again.use(planes, wide)
        assert all_sums(again.reopen()).tolist() == all_sums(whole).tolist()
        batches = PackedBatches(whole.class_sizes, whole.arities)


@pytest.mark.parametrize("n_classes", [1, 2, 5, 40])
@pytest.mark.parametrize("ends", [[], [1, 64, 65, 700], [128, 256]])
def test_columns_of_bytes_are_packed_by_the_bits_of_their_classes(n_classes, ends):
    """The same words as code by code, which is how rows side by side are packed."""
    codes, classes = (CODES[:, [0, 1, 2, 5, 9, 10]] % 60).astype(np.uint8), CLASSES * 10 % n_classes
    sizes, arities = np.bincount(classes, minlength=n_classes), codes.max(axis=0).astype(np.int32) + 1
    words = []
    for order in ("F", "C"):
        batches = PackedBatches(sizes, arities)
        words.append(np.zeros(batches.plane_words, np.uint64))
        batches.use(words[-1], np.zeros(batches.wide_codes, np.uint16))
        for first, last in zip([0, *ends], [*ends, N], strict=True):
            batches.add(np.asarray(codes[first:last], order=order), classes[first:last])
        batches.finish()
    assert words[0].any() == bool(batches.plane_words)  # the table kernel has none
    assert words[0].tobytes() == words[1].tobytes()
    batches = PackedBatches(sizes, np.maximum(arities - 1, 1))
    batches.use(np.zeros(batches.plane_words, np.uint64), np.zeros(batches.wide_codes, np.uint16))
    with pytest.raises(ValueError, match="a code is not below the arity of its feature"):
        batches.add(np.asfortranarray(codes), classes)


def test_missing_rows_are_noticed():
    batches = PackedBatches(np.bincount(CLASSES) + 1, ARITIES)
    filled(batches, [])
    with pytest.raises(ValueError, match=r"^1,000 samples were packed of 1,004: the data is not what it was before"):
        batches.finish()


@pytest.mark.parametrize("kernel", ["planes", "counters", "table"])
def test_spoiled_storage_is_refused(kernel, monkeypatch):
    from bitsieve.counts.kernels import available_kernels

    first = available_kernels()[0]
    monkeypatch.setenv("BITSIEVE_FORCE_KERNEL", "table" if kernel == "table" else f"{first}:{kernel}")
    batches = PackedBatches(np.bincount(CLASSES), ARITIES)
    planes, wide = filled(batches, [])
    for array in (planes, wide):
        if not len(array):
            continue
        spoiled = [one.copy() for one in (planes, wide)]
        spoiled[0 if array is planes else 1][:] = np.iinfo(array.dtype).max
        again = PackedBatches(np.bincount(CLASSES), ARITIES)
        again.use(*spoiled)
        with pytest.raises(ValueError, match="a code is not below the arity of its feature"):
            again.reopen()


def test_planes_say_which_kernel_they_are_laid_out_for(monkeypatch):
    monkeypatch.setenv(ENVIRONMENT_VARIABLE, "portable:planes")
    assert PackedBatches.kernel() == "portable:planes"


def test_the_kernel_is_known_before_and_after_the_planes_are_made():
    made = PackedBatches(np.array([2, 3]), np.array([2, 3], np.int32))
    assert made.kernel() == PackedBatches.kernel()
