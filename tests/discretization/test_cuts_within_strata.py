import numpy as np
import pytest

import bitsieve
from bitsieve import _native
from bitsieve.counts.search import Parts, shuffled
from bitsieve.counts.tables import make_entropy_terms
from bitsieve.discretization.cuts_within_strata import ClassShares, SortedColumn, cuts_within_strata


def cuts(values, classes, strata):
    classes = classes.astype(np.int32)
    n_classes = int(classes.max()) + 1
    return cuts_within_strata(values, classes, strata, n_classes, ClassShares.of_rows(strata, classes, n_classes))


@pytest.mark.parametrize("seed", range(60))
def test_one_stratum_has_the_cuts_of_fayyad_and_irani(seed):
    random = np.random.default_rng(seed)
    n_samples = int(random.integers(20, 200))
    n_classes = int(random.integers(2, 5))
    classes = np.append(random.integers(0, n_classes, n_samples - 1), n_classes - 1).astype(np.int32)
    values = np.round(random.normal(size=n_samples) + random.choice([0, 0.7, 2]) * classes, int(random.integers(0, 4)))
    terms = make_entropy_terms(n_samples)
    expected, _ = _native.mdl_cuts([values], classes.reshape(1, -1), n_classes, terms.table, terms.shift, None)
    assert cuts(values, classes, np.zeros(n_samples, np.int64)).tolist() == expected.tolist()


def batches(seed, n_samples=400, n_strata=4):
    random = np.random.default_rng(seed)
    strata = np.arange(n_samples) % n_strata
    classes = (random.random(n_samples) < 0.2 + 0.6 * strata / (n_strata - 1)).astype(int)
    return random, strata, classes


@pytest.mark.parametrize("seed", range(20))
def test_a_column_that_follows_the_batch_is_not_cut(seed):
    random, strata, classes = batches(seed)
    follows = 3.0 * strata + random.normal(size=len(strata))
    assert len(cuts(follows, classes, np.zeros(len(strata), np.int64))) > 0
    assert len(cuts(follows, classes, strata)) == 0


@pytest.mark.parametrize("seed", range(5))
def test_an_effect_in_all_batches_is_cut(seed):
    random, strata, classes = batches(seed)
    assert len(cuts(random.normal(size=len(strata)) + 1.2 * classes, classes, strata)) > 0


def test_missing_values_take_no_part_and_weights_repeat_rows():
    random, strata, classes = batches(seed=1)
    values = random.normal(size=len(strata)) + 1.2 * classes
    values[::7] = np.nan
    present = ~np.isnan(values)
    shares = ClassShares.of_rows(strata, classes, 2)
    with_missing = cuts_within_strata(values, classes.astype(np.int32), strata, 2, shares)
    without = cuts_within_strata(values[present], classes[present].astype(np.int32), strata[present], 2, shares)
    assert with_missing.tolist() == without.tolist()
    weights = random.integers(1, 4, len(strata))
    frame = np.column_stack([values, random.normal(size=len(strata))])
    options = {"n_features_to_select": 1, "criterion": "mim", "target_kind": "classes"}
    rows = np.repeat(np.arange(len(strata)), weights)
    weighted = bitsieve.ForwardSelector(**options).fit(frame, classes, sample_weight=weights, strata=strata)
    repeated = bitsieve.ForwardSelector(**options).fit(frame[rows], classes[rows], strata=strata[rows])
    edges = [selector.binner_.bin_edges_[0].tolist() for selector in (weighted, repeated)]
    assert edges[0] == edges[1]
    assert weighted.relevance_.tolist() == repeated.relevance_.tolist()


def test_sparse_tables_are_cut_within_strata():
    from scipy.sparse import csr_array

    random, strata, classes = batches(seed=2)
    values = np.where(random.random(len(strata)) < 0.5, 0.0, random.normal(size=len(strata)) + 2 * classes + 5)
    follows = np.where(random.random(len(strata)) < 0.5, 0.0, strata + 1.0)
    X = csr_array(np.column_stack([follows, values]))
    selector = bitsieve.ForwardSelector(1, criterion="mim", target_kind="classes").fit(X, classes, strata=strata)
    assert selector.selected_.tolist() == [1]
    assert abs(selector.relevance_[0]) < 0.02


def test_a_weight_repeats_a_row():
    random, strata, classes = batches(seed=3)
    values = strata + 2.0 * classes + random.normal(size=len(strata))
    weights = random.integers(1, 5, len(values))
    repeated = [np.repeat(array, weights) for array in (values, classes, strata)]
    shares = ClassShares.of_rows(strata, classes, 2, weights)
    weighted = cuts_within_strata(values, classes.astype(np.int32), strata, 2, shares, weights)
    assert len(weighted) > 0
    assert weighted.tolist() == cuts(*repeated).tolist()


@pytest.mark.parametrize("seed", range(30))
def test_a_shuffle_that_may_not_be_cut_has_no_cuts(seed):
    random = np.random.default_rng(seed)
    n_samples = int(random.integers(2, 400))
    n_classes = int(random.integers(2, 6))
    strata = random.integers(0, random.integers(1, 12), n_samples)
    classes = random.integers(0, n_classes, n_samples).astype(np.int32)
    weights = random.integers(1, 4, n_samples) if seed % 3 == 0 else None
    values = np.round(random.normal(size=n_samples) + 2 * random.random() * classes, int(random.integers(0, 4)))
    values[random.random(n_samples) < 0.3 * random.random()] = np.nan
    shares = ClassShares.of_rows(strata, classes, n_classes, weights)
    vectors = np.concatenate([classes[None], shuffled(classes, Parts.of(strata), np.arange(15, dtype=np.uint64))])
    column = SortedColumn.of_values(values, strata, n_classes, shares, weights)
    for labels, may_be_cut in zip(vectors, column.may_be_cut(vectors), strict=True):
        expected = cuts_within_strata(values, labels, strata, n_classes, shares, weights)
        assert column.cuts(labels).tolist() == expected.tolist()
        assert may_be_cut or not len(expected)


def test_most_shuffles_need_no_exact_gain():
    random, strata, classes = batches(seed=4)
    vectors = shuffled(classes.astype(np.int32), Parts.of(strata), np.arange(100, dtype=np.uint64))
    column = SortedColumn.of_values(random.normal(size=400), strata, 2, ClassShares.of_rows(strata, classes, 2))
    assert column.may_be_cut(vectors).sum() < 10


def test_two_values_are_cut_in_the_middle():
    strata = np.arange(80) % 2
    classes = np.arange(80) // 2 % 2
    assert cuts(np.where(classes == 1, 1.5, 0.5), classes, strata).tolist() == [1.0]
    assert cuts(np.where(strata == 1, 1.5, 0.5), classes, strata).tolist() == []
    assert cuts(np.full(80, 0.5), classes, strata).tolist() == []
