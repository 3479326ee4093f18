"""Backward elimination against a case by hand and against a direct computation of every blanket."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitsieve.methods.by_counts.blankets.koller_sahami import koller_sahami
from bitsieve.utils.choice import pick
from bitsieve.utils.progress import PhaseProgress, listening


@pytest.fixture(scope="module")
def run(information_of):
    def eliminate(codes, classes, size, **options):
        return koller_sahami(information_of(codes, classes), codes.shape[1], blanket_size=size, **options)

    return eliminate


def known_together(codes, columns):
    """One code for every combination of some columns that occurs."""
    if not len(columns):
        return np.zeros(len(codes), int)
    return np.unique(codes[:, columns], axis=0, return_inverse=True)[1].ravel()


def direct(brute, codes, classes, size, rule):
    """Everything computed anew for every feature left, at every step."""

    def nearness(i, j):
        if rule == "redundancy":
            return brute.mutual_information(codes[:, i], codes[:, j])
        return -brute.conditional_information(codes[:, i], classes, codes[:, j])

    varies = [len(np.unique(column)) > 1 for column in codes.T]
    dropped = [j for j in range(codes.shape[1])[::-1] if not varies[j]]
    scores = [0.0] * len(dropped)
    while len(dropped) < codes.shape[1]:
        left = [j for j in range(codes.shape[1]) if j not in dropped]
        deltas = {}
        for i in left:
            # Nine digits: what is equal but for rounding is equal.
            blanket = sorted((j for j in left if j != i), key=lambda j: (-round(nearness(i, j), 9), j))[:size]
            deltas[i] = brute.conditional_information(codes[:, i], classes, known_together(codes, blanket))
        worst = min(left, key=lambda i: (round(deltas[i], 9), -i))
        dropped.append(worst)
        scores.append(deltas[worst])
    return dropped[::-1], scores[::-1]


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n_samples=st.integers(8, 60),
    size=st.integers(0, 4),
    rule=st.sampled_from(["relevance", "redundancy"]),
)
def test_against_a_direct_computation(run, brute, make_table, seed, n_samples, size, rule):
    codes, classes = make_table(n_samples, 5, n_codes=3, n_classes=2, seed=seed)
    codes = np.insert(codes, seed % 6, 0, axis=1)  # a constant anywhere
    found = run(codes, classes, size, blanket=rule)
    order, scores = direct(brute, codes, classes, size, rule)
    assert found.order.tolist() == order
    assert np.abs(found.scores - scores).max() <= 1e-12  # a few dozen logarithms in floating point


def test_by_hand(run):
    """The class is a xor b, hint the class but for one of eight samples, echo a copy of hint.

    With blankets of one: echo's is hint (beside it echo tells nothing; of the others nothing tells less), so echo is
    the first to go: hint's delta is 0 too, but of equals the highest column is dropped. Beside its blanket
    everything that is left still tells something, as I(a;C|b) = 1.
    """
    a, b = np.array([0, 0, 1, 1] * 2), np.array([0, 1, 0, 1] * 2)
    classes = a ^ b
    hint = classes.copy()
    hint[0] ^= 1
    found = run(np.column_stack([a, hint, b, hint]), classes, 1)
    assert found.order[-1] == 3
    assert found.scores[-1] == 0
    assert sorted(found.order.tolist()) == [0, 1, 2, 3]


def test_without_blankets_the_order_is_that_of_relevance(information_of, run, make_table):
    codes, classes = make_table(300, 20, n_codes=4, seed=1)
    information = information_of(codes, classes)
    found = run(codes, classes, 0)
    assert found.order.tolist() == np.argsort(-information.relevance, kind="stable").tolist()
    assert found.scores.tobytes() == information.relevance[found.order].tobytes()


def test_a_blanket_of_one_is_a_pair(information_of, run, make_table):
    """I(Xi;C|M_i) by a partition has the bits of the matrix of pairs."""
    codes, classes = make_table(200, 12, seed=2)
    matrix = information_of(codes, classes).matrix("conditional_relevance")
    found = run(codes, classes, 1)
    for place, (feature, score) in enumerate(zip(found.order[1:], found.scores[1:], strict=True), 1):
        longer = matrix[feature, found.order[:place]]
        assert score == longer[pick(-longer)]


def test_the_last_one_has_no_blanket(information_of, run, make_table):
    codes, classes = make_table(100, 6, seed=3)
    found = run(codes, classes, 3)
    information = information_of(codes, classes)
    assert found.scores[0] == information.relevance[found.order[0]]


def test_duplicates_go_first(run, make_table):
    codes, classes = make_table(200, 8, n_codes=4, seed=4)
    found = run(np.column_stack([codes, codes]), classes, 1)
    assert sorted(found.order[8:].tolist()) == list(range(8, 16))
    assert (np.abs(found.scores[8:]) <= 1e-10).all()  # the tie rule's width
    assert found.order[:8].tolist() == run(codes, classes, 1).order.tolist()


def test_order_of_the_columns_does_not_matter(run, make_table):
    codes, classes = make_table(500, 15, n_codes=4, n_classes=3, seed=8)
    order = np.random.default_rng(0).permutation(15)
    found, permuted = run(codes, classes, 2), run(codes[:, order], classes, 2)
    assert np.diff(np.sort(found.scores)).min() > 1e-6  # no ties, whose rule is the order of the columns
    assert order[permuted.order].tolist() == found.order.tolist()
    assert permuted.scores.tobytes() == found.scores.tobytes()


@pytest.mark.parametrize("n_jobs", [2, 5])
def test_threads_change_no_bit(information_of, make_table, n_jobs):
    codes, classes = make_table(300, 60, seed=6)
    one, several = (
        koller_sahami(information_of(codes, classes, n_jobs=jobs), 60, blanket_size=2) for jobs in (1, n_jobs)
    )
    assert one.order.tolist() == several.order.tolist()
    assert one.scores.tobytes() == several.scores.tobytes()


def test_progress(run, make_table):
    codes, classes = make_table(50, 5, seed=7)
    heard = []
    with listening(heard.append):
        run(codes, classes, 1)
    assert [progress.phase for progress in heard if progress.total is None] == ["counting pairs", "ranking"]
    assert [(step.done, step.total) for step in heard[heard.index(PhaseProgress("ranking")) + 1 :]] == [
        (1, 5),
        (2, 5),
        (3, 5),
        (4, 5),
        (5, 5),
    ]


def test_nothing_varies(run):
    found = run(np.zeros((6, 3), np.uint8), np.array([0, 1] * 3), 2)
    assert found.order.tolist() == [0, 1, 2]
    assert found.scores.tolist() == [0, 0, 0]
