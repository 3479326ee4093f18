"""FCBF against a case by hand and against a plain reading of its algorithm."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bitsieve
from bitsieve.information.protocol import class_uncertainty, pair_uncertainty
from bitsieve.methods.by_counts.blankets.fcbf import fcbf
from bitsieve.utils.progress import listening

# Four classes of two samples; a and b are the two bits of the class, both_set their product, coin tells nothing.
CLASSES = np.array([0, 0, 1, 1, 2, 2, 3, 3])
A, B, COIN = CLASSES >> 1, CLASSES & 1, np.arange(8) & 1
BOTH_SET, ALWAYS = A & B, np.zeros(8, int)


def groups_of(found):
    return [group.tolist() for group in found.extras["groups_"]]


@pytest.fixture(scope="module")
def run(information_of):
    def select(codes, classes, limit=None, **options):
        codes = np.asarray(codes)
        return fcbf(information_of(codes, classes), limit, **{"delta": 0.0, **options})

    return select


def uncertainty_by_definition(brute, x, y):
    both = brute.entropy(x) + brute.entropy(y)
    return 2 * brute.mutual_information(x, y) / both if both else 0.0


def plain_reading(brute, codes, classes, delta, strict):
    """The paper's algorithm over a list of features; 1e-10 decides what is equal, as everywhere."""

    def exceeds(a, b):
        return a > b + 1e-10 if strict else a >= b - 1e-10

    su = [uncertainty_by_definition(brute, column, classes) for column in codes.T]
    order = [(len(set(codes[:, j].tolist())) == 1, -round(su[j], 9), j) for j in range(len(su))]  # constants last
    listed = [j for *_, j in sorted(order) if exceeds(su[j], delta)]
    selected, groups = [], []
    while listed:
        p = listed.pop(0)
        gone = [q for q in listed if exceeds(uncertainty_by_definition(brute, codes[:, p], codes[:, q]), su[q])]
        selected.append(p)
        groups.append(sorted(gone))
        listed = [q for q in listed if q not in gone]
    return selected, groups, [su[p] for p in selected]


def test_by_hand(information_of, run):
    """SU(a,C) = SU(b,C) = 2*1 / (1+2) = 2/3; both_set has H = h(1/4) = 0.8112781 = I with the class (it follows from
    it), so SU = 2*0.8112781 / 2.8112781 = 0.5771596. It stays beside a: I = H - 1/2 = 0.3112781, as half of the
    samples (a = 1) leave one bit open; SU = 0.6225562 / 1.8112781 = 0.3437110 < 0.5771596. The copy of a goes
    (SU = 1 >= 2/3), and so does the coin (0 >= 0)."""
    codes = np.column_stack([COIN, BOTH_SET, A, A, B])
    found = run(codes, CLASSES)
    assert found.order.tolist() == [2, 4, 1]
    assert groups_of(found) == [[0, 3], [], []]
    # Given to seven places.
    assert np.abs(found.scores - [2 / 3, 2 / 3, 0.5771596]).max() <= 1e-7
    beside = pair_uncertainty(information_of(codes, CLASSES).pair(2, np.array([3, 1, 0])))
    assert np.abs(beside - [1, 0.3437110, 0]).max() <= 1e-7


def test_a_feature_that_is_the_class(run):
    """Then SU(p,q) = SU(q,C) for every q, to the last bit: ">=" removes all of them, ">" none that tells anything."""
    codes = np.column_stack([BOTH_SET, COIN, A, 3 - CLASSES])
    assert run(codes, CLASSES).order.tolist() == [3]
    strictly = run(codes, CLASSES, strict=True)
    assert strictly.order.tolist() == [3, 2, 0]
    assert groups_of(strictly) == [[], [], []]


def test_threshold(run):
    codes = np.column_stack([COIN, BOTH_SET, A, B])
    assert run(codes, CLASSES, delta=0.5).order.tolist() == [2, 3, 1]
    assert run(codes, CLASSES, delta=0.6).order.tolist() == [2, 3]
    assert run(codes, CLASSES, delta=2 / 3).order.tolist() == [2, 3]  # equal but for rounding
    with pytest.raises(ValueError, match=r"above delta=0.666667: the largest is 0.6667"):
        run(codes, CLASSES, delta=2 / 3, strict=True)
    with pytest.raises(ValueError, match=r"of at least delta=0.9: the largest is 0.6667"):
        run(codes, CLASSES, delta=0.9)


def test_nothing_tells(run):
    """The first column that varies is kept and removes the others; strictly, none has SU > 0."""
    codes = np.column_stack([ALWAYS, COIN, np.arange(8) & 1 ^ 1])
    found = run(codes, CLASSES)
    assert found.order.tolist() == [1]
    assert found.extras["groups_"][0].tolist() == [0, 2]
    with pytest.raises(ValueError, match="above delta=0: the largest is 0, give a smaller"):
        run(codes, CLASSES, strict=True)
    assert run(np.column_stack([ALWAYS, ALWAYS]), CLASSES).order.tolist() == [0]


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    n_samples=st.integers(4, 60),
    n_codes=st.integers(2, 4),
    n_classes=st.integers(2, 3),
    delta=st.sampled_from([0.0, 0.05, 0.3]),
    strict=st.booleans(),
)
def test_against_a_plain_reading(run, brute, make_table, seed, n_samples, n_codes, n_classes, delta, strict):
    codes, classes = make_table(n_samples, 7, n_codes=n_codes, n_classes=n_classes, seed=seed)
    codes = np.column_stack([codes, codes[:, 2], np.zeros(n_samples, np.uint8)])
    selected, groups, scores = plain_reading(brute, codes, classes, delta, strict)
    if not selected:
        with pytest.raises(ValueError, match="no column has a symmetric uncertainty"):
            run(codes, classes, delta=delta, strict=strict)
        return
    found = run(codes, classes, delta=delta, strict=strict)
    assert found.order.tolist() == selected
    assert groups_of(found) == groups
    # Sums of a dozen logarithms in floating point.
    assert np.abs(found.scores - scores).max() <= 1e-12


def test_every_feature_is_selected_or_removed_once(run, make_table):
    codes, classes = make_table(100, 40, seed=1)
    found = run(codes, classes)
    settled = np.concatenate([found.order, *found.extras["groups_"]])
    assert sorted(settled.tolist()) == list(range(40))


def test_a_limit_gives_the_first(run, make_table):
    codes, classes = make_table(200, 30, seed=2)
    everything = run(codes, classes)
    assert len(everything.order) > 4
    first = run(codes, classes, limit=3)
    assert first.order.tolist() == everything.order[:3].tolist()
    assert first.scores.tobytes() == everything.scores[:3].tobytes()
    assert groups_of(first) == [group.tolist() for group in everything.extras["groups_"][:3]]


def test_order_of_the_columns_does_not_matter(information_of, run, make_table):
    codes, classes = make_table(500, 25, n_codes=4, seed=3)
    scores = np.sort(class_uncertainty(information_of(codes, classes)))
    assert np.diff(scores).min() > 1e-9  # no ties, whose rule is the order of the columns
    order = np.random.default_rng(0).permutation(25)
    found, permuted = run(codes, classes), run(codes[:, order], classes)
    assert order[permuted.order].tolist() == found.order.tolist()
    assert permuted.scores.tobytes() == found.scores.tobytes()
    assert [sorted(order[group].tolist()) for group in permuted.extras["groups_"]] == [
        group.tolist() for group in found.extras["groups_"]
    ]


def test_names_of_codes_and_classes_do_not_matter(run, make_table):
    codes, classes = make_table(150, 20, n_codes=3, n_classes=3, seed=4)
    renamed = run(np.array([2, 0, 1], np.uint8)[codes], np.array([1, 2, 0])[classes])
    found = run(codes, classes)
    assert renamed.order.tolist() == found.order.tolist()
    assert renamed.scores.tobytes() == found.scores.tobytes()


def test_duplicates_change_nothing(run, make_table):
    """A copy at the end is removed by its original, or by what removed that."""
    codes, classes = make_table(150, 12, seed=5)
    twice = run(np.column_stack([codes, codes]), classes)
    found = run(codes, classes)
    assert twice.order.tolist() == found.order.tolist()
    for once, both in zip(found.extras["groups_"], twice.extras["groups_"], strict=True):
        assert set(both) >= set(once)


@pytest.mark.parametrize("n_jobs", [2, 5])
def test_threads_change_no_bit(information_of, make_table, n_jobs):
    codes, classes = make_table(400, 300, seed=6)
    one, several = (fcbf(information_of(codes, classes, n_jobs=jobs), 300) for jobs in (1, n_jobs))
    assert one.order.tolist() == several.order.tolist()
    assert one.scores.tobytes() == several.scores.tobytes()


def test_progress_ends_with_everything_settled(run, make_table):
    codes, classes = make_table(100, 30, seed=7)
    heard = []
    with listening(heard.append):
        run(codes, classes)
    steps = [(step.done, step.total) for step in heard if step.total]
    assert steps == sorted(steps)
    assert steps[-1] == (30, 30)


@pytest.mark.parametrize("delta", [-0.1, 1.1])
def test_a_threshold_outside_0_to_1_is_refused(delta):
    with pytest.raises(ValueError, match=rf"^delta={delta}\b"):
        bitsieve.FCBF(delta=delta).fit([[0, 1], [1, 0], [1, 1], [0, 0]], [0, 1, 1, 0])


def test_by_default_only_columns_beyond_chance_are_taken(run):
    random = np.random.default_rng(1)
    classes = np.arange(300) % 2
    codes = random.integers(0, 3, (300, 30))
    codes[:, 4] = np.where(random.random(300) < 0.5, classes, codes[:, 4])
    codes[:, 9] = np.where(random.random(300) < 0.35, classes, codes[:, 9])
    by_default = run(codes, classes, delta=None)
    assert by_default.order.tolist() == [4, 9]
    assert by_default.scores.tolist() == run(codes, classes).scores[:2].tolist()
    assert len(run(codes, classes).order) > 2


def test_noise_has_no_relevant_column_by_default(run):
    n_tables_with_columns = 0
    for seed in range(60):
        random = np.random.default_rng(seed)
        result = run(random.integers(0, 4, (120, 20)), random.integers(0, 2, 120), delta=None)
        assert len(result.extras["groups_"]) == len(result.scores) == len(result.order)
        n_tables_with_columns += len(result.order) > 0
    assert n_tables_with_columns <= 8  # of 60 tables at a rate of 0.05: more in one of 200 runs


def test_rows_in_groups_are_not_tested():
    random = np.random.default_rng(2)
    groups = np.repeat(np.arange(30), 4)
    y = np.repeat(random.integers(0, 2, 30), 4)
    X = random.normal(size=(120, 4))
    by_default = bitsieve.FCBF(binning="quantile").fit(X, y, groups=groups)
    assert by_default.selected_.tolist() == bitsieve.FCBF(binning="quantile", delta=0.0).fit(X, y).selected_.tolist()
