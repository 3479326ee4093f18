"""Dominant-set selectors: similarities by their definitions, the choice within sets, and what is refused."""

from __future__ import annotations

from itertools import cycle, product

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from tests.cover import quick_and_slow

from bitsieve import DominantSetClusters, DominantSetMII, EqualWidthBinner
from bitsieve.dataset.read import read_xy
from bitsieve.methods.by_samples.similarities import SIMILARITIES, find_similarity
from bitsieve.pipeline.samples import TableSamples
from bitsieve.utils.memory import check_memory

pandas = pytest.importorskip("pandas")
KINDS = SIMILARITIES[1:]
INFORMATION = ["parzen", "parzen-posterior", "second-order", "binned"]


@pytest.fixture(scope="module")
def tumours():
    X, y = load_breast_cancer(return_X_y=True)
    return X[:, :12], y


def matrix(X, kind, memory=None, n_jobs=None):
    samples = TableSamples(read_xy(X, None), "a test")
    similarity, _ = find_similarity(samples, kind, "scott", check_memory(memory), n_jobs)
    return np.stack([similarity.row(i) for i in range(similarity.n)])


def share(x, y, brute):
    """2 I / (H + H)."""
    return 2 * brute.mutual_information(x, y) / (brute.entropy(x) + brute.entropy(y))


@pytest.mark.parametrize("kind", ["distinct", "binned"])
def test_similarity_by_counts(tumours, brute, kind):
    X = np.column_stack([tumours[0][:, :3].round(1), np.arange(569) % 7])
    codes = X if kind == "distinct" else EqualWidthBinner(n_bins=10).fit_transform(X)
    if kind == "binned":
        codes[:, 3] = X[:, 3]
    expected = [[share(a, b, brute) for b in codes.T] for a in codes.T]
    # Fixed-point sums are right to 1e-13 bits; the definition adds up hundreds of floats.
    assert matrix(X, kind) + np.eye(4) == pytest.approx(np.array(expected), abs=1e-11)


def test_similarity_by_lines(tumours):
    X = tumours[0][:, :5]
    rho = np.corrcoef(X.T)
    outside = ~np.eye(5, dtype=bool)
    assert matrix(X, "rho")[outside] == pytest.approx(np.abs(rho)[outside], abs=1e-12)  # rounding
    variances = X.var(axis=0)
    errors = (variances[:, None] + variances) / 2 * (1 - rho**2)
    assert matrix(X, "error")[outside] == pytest.approx((1 - errors / errors[outside].max())[outside], abs=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_on_demand_are_those_of_the_matrix(tumours, kind):
    X, _ = tumours
    assert matrix(X, kind, memory="200B").tobytes() == matrix(X, kind, n_jobs=3).tobytes()


@pytest.mark.slow("every combination; golden results hold the usual ones")
@pytest.mark.parametrize(
    ("kind", "information"),
    quick_and_slow(
        product(KINDS, INFORMATION),
        quick={*zip(KINDS, cycle(INFORMATION), strict=False)},
        reason="the same similarity of other information",
    ),
)
def test_every_combination(tumours, kind, information):
    X, y = tumours
    fitted = DominantSetMII(6, similarity=kind, information=information).fit(X, y)
    other = DominantSetMII(6, similarity=kind, information=information, memory="1KB", n_jobs=3).fit(X, y)
    assert fitted.selected_.tolist() == other.selected_.tolist()
    assert fitted.scores_.tobytes() == other.scores_.tobytes()
    assert fitted.similarity_ == kind
    assert sorted(np.concatenate(fitted.sets_).tolist()) == list(range(12))
    assert len(fitted.cohesiveness_) == len(fitted.sets_)
    place = {int(j): p for p, members in enumerate(fitted.sets_) for j in members}
    assert sorted(places := [place[int(j)] for j in fitted.selected_]) == places
    for j, group in zip(fitted.selected_, fitted.groups_, strict=True):
        assert sorted([j, *group]) == fitted.sets_[place[int(j)]].tolist()


def test_a_permutation_of_columns_permutes_the_answer(tumours):
    X, y = tumours
    order = np.random.default_rng(0).permutation(12)
    plain, moved = DominantSetMII(7).fit(X, y), DominantSetMII(7).fit(X[:, order], y)
    assert order[moved.selected_].tolist() == plain.selected_.tolist()
    assert moved.scores_ == pytest.approx(plain.scores_, abs=1e-9)  # sums in another order, on a grid right to 1e-11


def test_auto_similarity():
    X, y = load_iris(return_X_y=True)
    assert DominantSetMII(1).fit(X, y).similarity_ == "distinct"
    noise = np.random.default_rng(0).standard_normal(X.shape)
    assert DominantSetMII(1).fit(X + 1e-3 * noise, y).similarity_ == "parzen"
    clusters = DominantSetClusters().fit(X + 1e-3 * noise)
    assert clusters.similarity_ == "parzen"
    windows = DominantSetClusters(similarity="parzen", bandwidth="log").fit(X + 1e-3 * noise)
    assert clusters.similarity_matrix_.tobytes() == windows.similarity_matrix_.tobytes()


@pytest.mark.parametrize(
    ("n_codes", "n_few", "n_quantities", "kind"),
    [(5, 5, 0, "distinct"), (5, 4, 1, "parzen"), (1, 8, 1, "parzen"), (1, 9, 1, "distinct"), (1, 4, 5, "parzen")],
)
def test_auto_looks_for_codes_beside_quantities(n_codes, n_few, n_quantities, kind):
    """A tenth of the columns of each sort: 10 values, 20 values, and 200 in as many samples."""
    place = np.arange(200)
    X = np.column_stack([place % 10] * n_codes + [place % 20] * n_few + [place**2] * n_quantities).astype(float)
    assert DominantSetClusters().fit(X).similarity_ == kind


def test_exclusive_or_of_three_inside_one_set():
    """Three features that tell nothing by themselves or in pairs: chosen by the whole, passed over by second order."""
    random = np.random.default_rng(1)
    bits = random.integers(0, 2, (600, 3))
    y = bits.sum(axis=1) % 2
    noise = random.standard_normal((600, 2)) + 0.3 * y[:, None]
    X = np.column_stack([bits + 0.1 * random.standard_normal((600, 3)), noise])
    together = np.ones((5, 5)) - np.eye(5)  # all in one set
    whole = DominantSetMII(5, similarity=together, bandwidth=0.3).fit(X, y)
    # Once two of the three are in, the third brings nearly all of the 1 bit.
    third = max(whole.selected_.tolist().index(j) for j in range(3))
    assert whole.scores_[third] > 0.5
    second = DominantSetMII(5, similarity=together, information="second-order", bandwidth=0.3).fit(X, y)
    assert second.scores_[max(second.selected_.tolist().index(j) for j in range(3))] < 0.3


def test_auto_ends_before_the_first_loss(tumours):
    X, y = tumours
    whole = DominantSetMII(12).fit(X, y)
    auto = DominantSetMII("auto").fit(X, y)
    losses = np.flatnonzero(whole.scores_[1:] < -1e-10)
    assert len(auto.selected_) == (losses[0] + 1 if len(losses) else 12)
    assert auto.scores_.tobytes() == whole.scores_[: len(auto.selected_)].tobytes()


def test_constants_duplicates_and_few_samples():
    random = np.random.default_rng(0)
    y = np.arange(12) % 3
    x = random.standard_normal(12) + y
    X = np.column_stack([np.full(12, 3.0), x, x, random.standard_normal((12, 20))])
    fitted = DominantSetMII(23).fit(X, y)
    assert fitted.selected_[-1] == 0
    assert fitted.scores_[-1] == 0
    assert fitted.groups_[-1].tolist() == []
    assert any({1, 2} <= set(members.tolist()) for members in fitted.sets_)
    assert DominantSetMII("auto").fit(X, y).selected_.tolist()[0] != 0
    nothing = DominantSetMII(2).fit(np.ones((12, 3)), y)
    assert nothing.selected_.tolist() == [0, 1]
    assert nothing.scores_.tolist() == [0, 0]


def refused(estimator, X, y, *parts):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - all parts of the line are looked at
        estimator.fit(X, y)
    message = str(caught.value)
    assert "\n" not in message
    for part in parts:
        assert part in message


def test_what_is_refused(tumours):
    X, y = tumours
    missing = X.copy()
    missing[3, 2] = np.nan
    for kind in SIMILARITIES:
        refused(DominantSetMII(2, similarity=kind), missing, y, "1 column holds missing values (NaN): 'x2'", "impute")
        refused(DominantSetClusters(similarity=kind), missing, None, "'x2'")
    refused(DominantSetMII(0), X, y, "give a whole number from 1 to 12")
    refused(DominantSetMII(2, similarity="cosine"), X, y, "similarity='cosine'", "'distinct'")
    refused(DominantSetMII(2, similarity=np.ones(3)), X, y, "square array")
    refused(DominantSetMII(2, similarity=np.ones((3, 3))), X, y, "(3, 3)", "12 features")
    lopsided = np.ones((12, 12))
    lopsided[0, 1] = 0.5
    refused(DominantSetMII(2, similarity=lopsided), X, y, "those of i, j and j, i equal")
    refused(DominantSetMII(2, similarity=-np.ones((12, 12))), X, y, "0 or more")
    refused(DominantSetMII(2, bandwidth=0), X, y, "'scott' or 'log', or a number above 0")
    refused(DominantSetMII(2, information="all"), X, y, "second-order")
    refused(DominantSetMII(2, memory="much"), X, y, "'4GB'")
    frame = pandas.DataFrame({"size": ["s", "m", "l"] * 4, "x": np.arange(12.0)})
    refused(DominantSetMII(1), frame, np.arange(12) % 2, "more than two categories: 'size'")


def test_categories_by_counts():
    frame = pandas.DataFrame({"size": ["s", "m", "l"] * 8, "half": [0.5, 1.5] * 12, "shade": ["a", "b", "b"] * 8})
    y = np.arange(24) % 3
    fitted = DominantSetMII(2, similarity="distinct", information="binned").fit(frame, y)
    assert fitted.selected_[0] == 0
    assert any({0, 2} <= set(members.tolist()) for members in fitted.sets_)


def test_frequency_weights_are_repeated_samples(tumours):
    X, y = tumours
    X, y = X[:80], y[:80]
    weights = np.arange(80) % 3
    one = DominantSetMII(4).fit(X, y, sample_weight=weights)
    other = DominantSetMII(4).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert one.selected_.tolist() == other.selected_.tolist()
    assert one.scores_.tobytes() == other.scores_.tobytes()


def test_clusters(tumours):
    """Radius, perimeter and area are one cluster; what stands for it is its most central member."""
    X, _ = tumours
    X = np.column_stack([X, np.ones(len(X))])
    fitted = DominantSetClusters(similarity="rho").fit(X)
    assert {0, 2, 3} <= set(fitted.groups_[0].tolist())
    assert fitted.groups_[-1].tolist() == [12]
    assert not fitted.support_[12]
    for label, group in enumerate(fitted.groups_):
        assert (fitted.labels_[group] == label).all()
        assert fitted.weights_[group].sum() == pytest.approx(1)
    for j, group in zip(fitted.selected_, fitted.groups_, strict=False):
        assert fitted.weights_[j] >= fitted.weights_[group].max() - 1e-10
    assert fitted.transform(X).shape == (569, len(fitted.groups_) - 1)
    assert fitted.similarity_matrix_.shape == (13, 13)
    assert DominantSetClusters(similarity="rho", memory="500B").fit(X).similarity_matrix_ is None


def test_similarities_given(tumours):
    X, y = tumours
    given = np.abs(np.corrcoef(X.T))
    given = (given + given.T) / 2
    by_hand, own = (DominantSetMII(5, similarity=similarity).fit(X, y) for similarity in (given, "rho"))
    assert by_hand.similarity_ == "given"
    assert by_hand.selected_.tolist() == own.selected_.tolist()
    assert [group.tolist() for group in by_hand.sets_] == [group.tolist() for group in own.sets_]
    assert (np.diagonal(given) > 0.99).all()  # left as it was
