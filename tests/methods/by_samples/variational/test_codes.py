"""Bounds on codes against the formulas, and what must hold of any bound."""

from __future__ import annotations

import numpy as np
import pytest
from variational_reference import Bound, forward

from bitsieve.methods.by_samples.variational import codes as codes_module
from bitsieve.methods.by_samples.variational.bounds import RESTART_GAIN, variational_select
from bitsieve.methods.by_samples.variational.codes import CodeTable, NaiveBound, PairwiseBound
from bitsieve.utils.choice import TIE, pick

KINDS = {"naive": NaiveBound, "pairwise": PairwiseBound}
ROUNDING = 1e-12  # bits: two programs' roundings of some hundred logarithms of size 10


def problem(seed, n_samples=40, n_features=8, n_codes=3, n_classes=3):
    random = np.random.default_rng(seed)
    classes = np.sort(np.concatenate([np.arange(n_classes), random.integers(0, n_classes, n_samples - n_classes)]))
    noise = random.integers(0, n_codes, (n_samples, n_features))
    follows = random.random((n_samples, n_features)) < random.random(n_features)
    return np.where(follows, (classes[:, None] + np.arange(n_features)) % n_codes, noise).astype(np.uint8), classes


def bound_of(kind, codes, classes, n_jobs=None):
    return KINDS[kind](CodeTable(codes, np.bincount(classes).astype(np.int64), n_jobs))


@pytest.mark.each_value
@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(10))
def test_forward_by_the_formulas(kind, seed, restart):
    codes, classes = problem(seed, n_samples=30 + seed, n_classes=2 + seed % 3)
    found = variational_select(bound_of(kind, codes, classes), 8, "restart" if restart else "continue")
    gain = RESTART_GAIN if restart else None
    selected, scores, restarts = forward(codes, classes, 8, pairwise=kind == "pairwise", restart=gain)
    assert found.selected.tolist() == selected
    assert found.extras["restarts_"].tolist() == restarts
    assert np.abs(found.scores - scores).max() <= ROUNDING
    if restart:
        assert restarts


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(5))
def test_never_above_the_information_of_the_set(kind, seed, brute):
    """With plug-in probabilities: equal for one feature, for two if pairwise, and never more."""
    codes, classes = problem(seed, n_samples=60, n_features=6)
    found = variational_select(bound_of(kind, codes, classes), 6)
    for size in range(1, 7):
        joint = np.unique(codes[:, found.selected[:size]], axis=0, return_inverse=True)[1].reshape(-1)
        information = brute.mutual_information(joint, classes)
        assert found.scores[size - 1] <= information + ROUNDING
        if size == 1 or (size == 2 and kind == "pairwise"):
            assert abs(found.scores[size - 1] - information) <= ROUNDING
    alone = [brute.mutual_information(codes[:, j], classes) for j in range(6)]
    assert np.abs(found.extras["alone_"] - alone).max() <= ROUNDING


@pytest.mark.parametrize("seed", range(3))
def test_streamed_sums_are_the_kept_ones(seed, monkeypatch):
    """The state of all features, of some, of none: in_float32 bounds alike, and the exact ones the same."""
    codes, classes = problem(seed, n_samples=100, n_features=20)
    monkeypatch.setattr(codes_module, "LIKELIHOODS_A_THREAD", 1)
    results = []
    for kept in (1 << 30, 10 * 13 * 3 * 32, 0):
        monkeypatch.setattr(codes_module, "STATE_BYTES", kept)
        monkeypatch.setattr(codes_module, "EXACT_BYTES", kept // 4)  # also: candidates of one exact call
        bound = bound_of("pairwise", codes, classes, n_jobs=2)
        results.append(variational_select(bound, 20, "restart"))
        assert bound.n_with_state == min(kept // (13 * 3 * 32), 20)
    for other in results[1:]:
        assert other.selected.tolist() == results[0].selected.tolist()
        assert other.scores.tobytes() == results[0].scores.tobytes()


def test_columns_permuted():
    codes, classes = problem(3, n_samples=200, n_features=12)
    order = np.random.default_rng(0).permutation(12)
    plain = variational_select(bound_of("naive", codes, classes), 6)
    other = variational_select(bound_of("naive", codes[:, order], classes), 6)
    assert order[other.selected].tolist() == plain.selected.tolist()
    assert other.scores.tobytes() == plain.scores.tobytes()


def test_copies_tie_to_the_lowest_column():
    codes, classes = problem(1, n_samples=200, n_features=5)
    codes = np.column_stack([codes, codes])
    for kind in KINDS:
        found = variational_select(bound_of(kind, codes, classes), 5)
        assert found.selected[0] < 5


def test_constant_columns_come_last():
    codes, classes = problem(2, n_features=6)
    codes[:, [0, 3]] = 1
    for kind in KINDS:
        found = variational_select(bound_of(kind, codes, classes), 6)
        assert found.selected[4:].tolist() == [0, 3]
        assert found.extras["alone_"][[0, 3]].tolist() == [0, 0]
        assert found.scores[4:] == pytest.approx(found.scores[3], abs=ROUNDING)  # a constant changes no likelihood


@pytest.mark.parametrize("kind", KINDS)
def test_codes_unseen_in_a_class_exclude_it(kind):
    """Codes 2 and 0 name classes 1 and 0 for certain: H(C) less what the samples of code 1 leave open."""
    classes = np.array([0] * 8 + [1] * 8)
    codes = np.array([[0] * 4 + [1] * 8 + [2] * 4, [0] * 8 + [1] * 8]).T.astype(np.uint8)
    found = variational_select(bound_of(kind, codes[:, [0, 0, 1]], classes), 3)
    assert found.selected.tolist() == [2, 0, 1]
    assert found.extras["alone_"].tolist() == [0.5, 0.5, 1.0]
    # 2^x is right to 4e-14 where a likelihood is 2^(S/m).
    assert found.scores == pytest.approx([1.0, 1.0, 1.0], abs=1e-13)


@pytest.mark.parametrize(
    "kind", ["naive", pytest.param("pairwise", marks=pytest.mark.slow("its reference sums over 45,000 pairs"))]
)
def test_two_thousand_features_underflow_nothing(kind):
    """A product of 2,000 likelihoods near 1/8 is 2^-6000; the bound is still that of the logarithms."""
    random = np.random.default_rng(0)
    classes = np.repeat([0, 1], 12)
    order = np.arange(2000 if kind == "naive" else 300)  # the pairwise reference looks at every pair of them
    codes = random.integers(0, 8, (24, len(order))).astype(np.uint8)
    codes[:2], codes[12:14] = 7, 7  # no class is excluded by these samples
    bound = bound_of(kind, codes, classes)
    for f in order[:-1].tolist():
        bound.add(f)
    value = bound.best(order[-1:])[1]
    exact = Bound(codes, classes, kind == "pairwise")(order.tolist())
    assert np.isfinite(value)
    # Roundings of 2,000 logarithms that add up to some 6,000 bits; pairwise, of 300 powers of 4e-14.
    assert abs(value - exact) <= 1e-10


def test_a_class_left_for_dead_comes_back():
    """Features 0 to 299 make the sample's own class 2^-300 as likely as the other, the last one excludes the other."""
    n = 40
    classes = np.repeat([0, 1], n)
    codes = np.zeros((2 * n, 301), np.uint8)
    codes[:n, :300] = 1  # class 0: code 1, but for its first sample, which has the code of class 1
    codes[0, :300] = 0
    codes[n + 1, :300] = 1
    codes[0, 300] = 1  # held by that sample alone
    bound = bound_of("naive", codes, classes)
    for f in range(300):
        bound.add(f)
    exact = Bound(codes, classes, False)(list(range(301)))
    assert abs(bound.values(np.array([300]))[0] - exact) <= 1e-10  # logarithms of some 1,600 bits
    assert exact > Bound(codes, classes, False)(list(range(300)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [(400, 12, 3, 4), (50, 20, 6, 7), (3000, 10, 2, 2), (120, 8, 30, 3)])
def test_single_precision_finds_double_precision_decides(kind, shape):
    """Rough bounds err by more than ties are wide, and by less than they say; the best of the exact ones is chosen."""
    codes, classes = problem(0, *shape)
    bound = bound_of(kind, codes, classes)
    left = np.arange(codes.shape[1])
    chosen = int(np.argmax(bound.single_bounds()))
    most = 0.0
    while len(left) > 1:
        bound.add(chosen)
        left = left[left != chosen]
        in_float32 = bound.float32_values(left)  # once a step: it takes the last feature into the state
        chosen, value = bound.best_of(left, in_float32)
        exact = bound.values(left)
        place = pick(exact)
        assert (chosen, value) == (left[place], exact[place])
        assert np.abs(in_float32 - exact).max() <= bound.float32_error() < 1e-4
        most = max(most, np.abs(in_float32 - exact).max())
    assert most > TIE


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_the_first_that_reaches_the_entropy_of_the_classes(kind, seed, monkeypatch):
    """It is the choice of all exact bounds, of which no more than a few are computed."""
    codes, classes = problem(seed, n_samples=60, n_features=300, n_classes=2)
    codes[:, [40, 250]] = classes[:, None]  # the first chosen leaves nothing open, nor does any set with it
    bound, reference = bound_of(kind, codes, classes), bound_of(kind, codes, classes)
    tried = []
    all_values = type(bound).values
    monkeypatch.setattr(bound, "values", lambda some: tried.append(len(some)) or all_values(bound, some))
    left, chosen = np.arange(300), int(pick(bound.single_bounds()))
    for _ in range(5):
        bound.add(chosen)
        reference.add(chosen)
        left = left[left != chosen]
        chosen, value = bound.best(left)
        exact = reference.values(left)
        place = pick(exact)
        assert (chosen, value) == (left[place], exact[place])
        assert exact.max() <= bound.posterior.entropy + ROUNDING
    assert sum(tried) <= 5 * codes_module.N_TRIED_FIRST


@pytest.mark.parametrize("kind", KINDS)
def test_a_step_that_is_skipped_in_float32_is_made_up_for(kind):
    """The state lacks two chosen features, as two steps needed no bound in float32: the next has the bounds of all."""
    codes, classes = problem(4, n_samples=80, n_features=12)
    at_once, in_steps = bound_of(kind, codes, classes), bound_of(kind, codes, classes)
    left = np.arange(3, 12)
    for feature in range(3):
        at_once.add(feature)
        in_steps.add(feature)
        expected = in_steps.float32_values(left)
    assert at_once.float32_values(left).tobytes() == expected.tobytes()


def test_natural_end():
    classes = np.repeat([0, 1], 8)
    informative = np.array([0] * 7 + [1] * 7 + [0] * 2)
    codes = np.column_stack([informative, informative, np.arange(16) % 2]).astype(np.uint8)
    found = variational_select(bound_of("naive", codes, classes), 3, "stop")
    assert found.selected.tolist() == [0]  # a copy lowers the bound, noise leaves it
    nothing = np.column_stack([np.arange(16) % 2, np.arange(16) // 2 % 2]).astype(np.uint8)
    found = variational_select(bound_of("naive", nothing, classes), 2, "stop")
    assert found.selected.tolist() == [0]  # one at least
    assert found.scores.tolist() == [0.0]


def test_tables_that_do_not_fit_are_refused(monkeypatch):
    codes, classes = problem(0)
    monkeypatch.setattr(codes_module, "MAX_TABLE_BYTES", 500)
    with pytest.raises(ValueError, match=r"with column . of 3 codes need .* GiB: use fewer bins$"):
        variational_select(bound_of("pairwise", codes[:, :4], classes), 2)
