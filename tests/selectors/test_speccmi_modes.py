"""SpecCMI beyond its plain form: swaps, certificates, landmarks, and a limit of memory."""

from __future__ import annotations

import re
from itertools import combinations, product

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.datasets import load_breast_cancer, load_digits
from tests.cover import quick_and_slow

import bitsieve.methods.by_counts.pairwise.matrices as tiles
from bitsieve import Nystrom, SpecCMI, conditional_mutual_information_matrix, make_selector

ROUNDING = 1e-11  # of some hundred entries of a few bits


@pytest.fixture(scope="module")
def digits():
    return load_digits(return_X_y=True)


def q_of(X, y, **parameters):
    given = conditional_mutual_information_matrix(X, y, **parameters)
    return (given + given.T) / 2


def objective(q, members):
    return q[np.ix_(members, members)].sum()


# --- the certificate, and swaps --------------------------------------------------------------------------------------


@pytest.mark.each_value
@pytest.mark.parametrize("k", range(1, 9))
@pytest.mark.parametrize("refine", [None, "swap"])
@pytest.mark.parametrize("seed", range(2))
def test_the_best_subset_lies_between_objective_and_bound(make_table, seed, refine, k):
    codes, classes = make_table(100, 8, n_codes=3, n_classes=3, seed=seed)
    q = q_of(codes, classes, binning="none")
    best = max(objective(q, subset) for subset in combinations(range(8), k))
    for approximation in (None, "nystrom"):
        fitted = SpecCMI(k, binning="none", refine=refine, approximation=approximation).fit(codes, classes)
        assert abs(fitted.objective_ - objective(q, fitted.selected_)) <= ROUNDING
        assert fitted.objective_ <= best + ROUNDING
        assert best <= fitted.upper_bound_ + ROUNDING
        assert fitted.gap_ == (fitted.upper_bound_ - fitted.objective_) / fitted.upper_bound_ >= 0


@pytest.mark.parametrize("k", [1, 3, 7, 15])
def test_swaps_end_in_a_set_that_no_swap_improves(digits, k):
    X, y = digits
    plain, refined = SpecCMI(k, binning="none").fit(X, y), SpecCMI(k, binning="none", refine="swap").fit(X, y)
    assert refined.objective_ >= plain.objective_
    assert refined.upper_bound_ == plain.upper_bound_
    assert refined.weights_.tobytes() == plain.weights_.tobytes()
    q = q_of(X, y, binning="none")
    varying = set(np.flatnonzero(refined.weights_).tolist())
    chosen = refined.selected_.tolist()
    for out in range(k):
        kept = chosen[:out] + chosen[out + 1 :]
        for other in varying - set(chosen):
            assert objective(q, [*kept, other]) <= refined.objective_ + 1e-9  # gains below 1e-10 are none


def test_order_after_swaps(digits):
    """The selected by weight, then the others by weight, constants last; the scores are still the weights'."""
    X, y = digits
    found = SpecCMI(6, binning="none", refine="swap").fit(X, y)
    plain = SpecCMI(6, binning="none").fit(X, y)
    assert set(found.selected_) != set(plain.selected_)
    order = np.argsort(found.ranking_)
    assert sorted(found.ranking_.tolist()) == list(range(1, 65))
    assert order[:6].tolist() == found.selected_.tolist()
    by_weight = np.argsort(plain.ranking_).tolist()
    assert order[:6].tolist() == [i for i in by_weight if i in set(found.selected_)]
    assert order[6:].tolist() == [i for i in by_weight if i not in set(found.selected_)]
    assert found.scores_.tolist() == (found.eigenvalue_ * found.weights_[found.selected_] ** 2).tolist()


def test_all_features_leave_no_gap(make_table):
    codes, classes = make_table(100, 9, seed=1)
    fitted = SpecCMI(9, binning="none").fit(codes, classes)
    assert fitted.gap_ <= 1e-14  # the same entries summed in another order
    one = SpecCMI(1, binning="none", refine="swap").fit(codes, classes)
    assert one.selected_.tolist() == [int(np.argmax(one.relevance_))]
    assert one.gap_ == 0


@pytest.mark.parametrize("refine", [None, "swap"])
@pytest.mark.parametrize("approximation", [None, "nystrom"])
@pytest.mark.parametrize("memory", [None, 1])
def test_constant_columns_take_no_part(make_table, memory, approximation, refine):
    if memory and approximation:
        return
    codes, classes = make_table(100, 10, seed=2)
    parameters = {"binning": "none", "refine": refine, "approximation": approximation, "memory": memory}
    alone = SpecCMI(10, **parameters).fit(codes, classes)
    with_constants = np.insert(codes, [0, 5], 3, axis=1)
    fitted = SpecCMI(11, **parameters).fit(with_constants, classes)
    assert fitted.selected_[10] == 0
    assert fitted.ranking_[[0, 6]].tolist() == [11, 12]
    assert fitted.objective_ == alone.objective_
    assert (fitted.upper_bound_, fitted.gap_) == (alone.upper_bound_, alone.gap_)
    nothing = SpecCMI(2, **parameters).fit(np.ones((6, 3), int), [0, 1] * 3)
    assert (nothing.objective_, nothing.upper_bound_, nothing.gap_) == (0, 0, 0)
    assert nothing.landmarks_ is None


def test_example_1_of_the_paper():
    """I(S;C) = 1 and I(G;C|S) + I(S;C|G) = 0.2864: both features together have the objective 2."""
    samples = np.array([(s, int(s >= 2) ^ flip) for s in range(4) for flip in [0] * 19 + [1]])
    one = SpecCMI(1, binning="none").fit(samples, samples[:, 0] >= 2)
    assert (one.objective_, one.upper_bound_, one.gap_) == (1, 1, 0)
    both = SpecCMI(2, binning="none").fit(samples, samples[:, 0] >= 2)
    assert abs(both.objective_ - 2) <= 1e-12  # I(S;C) + I(G;C) + I(S;C) - I(G;C)


# --- landmarks -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", [None, "extension", "paper"])
def test_all_columns_as_landmarks_are_exact(digits, variant):
    X, y = digits
    exact = SpecCMI(10, binning="none").fit(X, y)
    fitted = SpecCMI(10, binning="none", approximation=Nystrom(1.0, variant=variant)).fit(X, y)
    assert fitted.landmarks_.tolist() == np.flatnonzero(exact.weights_).tolist()
    # The paper's factor takes a root of A, whose shift leaves a condition of at most 20: 1e-13 grows to 1e-11.
    assert np.abs(fitted.weights_ - exact.weights_).max() <= 1e-10
    assert abs(fitted.eigenvalue_ - exact.eigenvalue_) <= 1e-9
    assert fitted.selected_.tolist() == exact.selected_.tolist()
    assert (fitted.shift_ > 0) == (variant == "paper")


@pytest.mark.parametrize("variant", ["extension", "paper"])
def test_half_of_the_columns_rank_nearly_alike(digits, variant):
    X, y = digits
    exact = SpecCMI(10, binning="none").fit(X, y)
    for seed in range(5):
        settings = Nystrom(0.5, random_state=seed, variant=variant)
        fitted = SpecCMI(10, binning="none", approximation=settings).fit(X, y)
        # Seen: 0.99 and more of the extension, 0.94 and more of the paper's.
        assert spearmanr(fitted.weights_, exact.weights_).statistic > (0.97 if variant == "extension" else 0.9)
        assert abs(fitted.eigenvalue_ / exact.eigenvalue_ - 1) < 0.05
        assert len(fitted.landmarks_) == round(0.5 * (exact.weights_ > 0).sum())
        assert fitted.weights_[fitted.relevance_ == 0].max() <= exact.weights_.max()


def test_extension_by_its_formula(digits):
    X, y = digits
    landmarks = [40, 3, 20, 21, 33, 60]
    fitted = SpecCMI(5, binning="none", approximation=Nystrom(landmarks=landmarks)).fit(X, y)
    assert fitted.landmarks_.tolist() == sorted(landmarks)
    q = q_of(X, y, binning="none")
    values, vectors = np.linalg.eigh(q[np.ix_(fitted.landmarks_, fitted.landmarks_)])
    u = np.abs(vectors[:, -1])
    v = u @ q[fitted.landmarks_] / values[-1]
    v[fitted.landmarks_] = u
    v[fitted.weights_ == 0] = 0  # columns that do not vary are left out
    v /= np.linalg.norm(v)
    assert np.abs(fitted.weights_ - v).max() <= ROUNDING
    rows = q[fitted.landmarks_] @ v
    own = v[fitted.landmarks_]
    assert abs(fitted.eigenvalue_ - own @ rows / (own @ own)) <= ROUNDING


def test_only_rows_of_landmarks_are_counted(digits, monkeypatch):
    from bitsieve.counts.packed import PackedSums

    X, y = digits
    counted = []
    count = PackedSums.matrix_rows

    def counting(self, terms, form, pivots, columns, out):
        counted.append(out.size)
        count(self, terms, form, pivots, columns, out)

    matrix = PackedSums.matrix

    def of_selected(self, terms, form, dtype, columns, progress):
        assert len(columns) == 4  # the overlaps of what is selected; never of all
        counted.append(len(columns) ** 2)
        return matrix(self, terms, form, dtype, columns, progress)

    monkeypatch.setattr(PackedSums, "matrix_rows", counting)
    monkeypatch.setattr(PackedSums, "matrix", of_selected)
    fitted = SpecCMI(4, binning="none", approximation=Nystrom(0.1)).fit(X, y)
    varying = int((fitted.binner_.n_bins_ > 1).sum())
    assert sum(counted) == len(fitted.landmarks_) * varying + 2 * 4 * 4  # overlaps, and what is informative


def test_the_same_draw_for_any_number_of_threads_and_again(digits):
    X, y = digits
    settings = Nystrom(0.3, random_state=5)
    one = SpecCMI(5, binning="none", approximation=settings, n_jobs=1).fit(X, y)
    two = SpecCMI(5, binning="none", approximation=settings, n_jobs=3).fit(X, y)
    assert one.weights_.tobytes() == two.weights_.tobytes()
    assert one.eigenvalue_ == two.eigenvalue_
    other = SpecCMI(5, binning="none", approximation=Nystrom(0.3, random_state=6)).fit(X, y)
    assert other.landmarks_.tolist() != one.landmarks_.tolist()


def test_swaps_make_up_for_landmarks(digits):
    """Refined by exact rows, the approximation reaches a set that no single swap of the exact objective improves."""
    X, y = digits
    settings = Nystrom(0.2, random_state=1)
    plain = SpecCMI(8, binning="none", approximation=settings).fit(X, y)
    refined = SpecCMI(8, binning="none", approximation=settings, refine="swap").fit(X, y)
    exact = SpecCMI(8, binning="none", refine="swap").fit(X, y)
    assert refined.objective_ > plain.objective_
    assert refined.objective_ >= 0.99 * exact.objective_
    assert refined.upper_bound_ >= exact.upper_bound_


# --- memory ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow("matrices of thousands of columns")
@pytest.mark.parametrize(
    ("dtype", "refine"),
    quick_and_slow(
        product(["float64", "float32"], [None, "swap"]),
        quick={("float64", "swap"), ("float32", None)},
        reason="the same tiles by the other search",
    ),
)
def test_tiles_give_the_weights_of_the_whole(digits, refine, dtype, monkeypatch):
    monkeypatch.setattr(tiles, "TILE_ROWS", 20)
    monkeypatch.setattr(tiles, "TILE_COLUMNS", 24)
    X, y = digits
    whole = SpecCMI(9, binning="none", refine=refine, dtype=dtype).fit(X, y)
    results = set()
    for memory, n_jobs in ((1, 1), (1, 2), (12_000, 2), ("14kB", 1)):
        parts = SpecCMI(9, binning="none", refine=refine, dtype=dtype, memory=memory, n_jobs=n_jobs).fit(X, y)
        # The same entries, their products added in another order; the first eigenvalue stands far apart.
        assert np.abs(parts.weights_ - whole.weights_).max() <= 1e-12
        assert abs(parts.eigenvalue_ - whole.eigenvalue_) <= 1e-10
        assert parts.ranking_.tolist() == whole.ranking_.tolist()
        assert parts.selected_.tolist() == whole.selected_.tolist()
        assert parts.objective_ == pytest.approx(whole.objective_, rel=1e-14)  # summed in the same order
        if dtype == "float64":
            assert parts.upper_bound_ == whole.upper_bound_
        results.add(parts.weights_.tobytes())
    assert len(results) == 1  # what is kept and who counts does not move a bit


def test_enough_memory_is_the_whole(digits):
    X, y = digits
    plain = SpecCMI(5, binning="none").fit(X, y)
    assert SpecCMI(5, binning="none", memory="1MB").fit(X, y).weights_.tobytes() == plain.weights_.tobytes()


# --- mistakes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"refine": "swaps"}, "refine='swaps' is not allowed: give None or 'swap'"),
        ({"refine": True}, "refine=True is not allowed: give None or 'swap'"),
        (
            {"approximation": "nystroem"},
            "approximation='nystroem' is not allowed: give None, 'nystrom' or Nystrom(...)",
        ),
        ({"memory": "4 elephants"}, "memory='4 elephants' is not allowed: give a number with a unit, such as"),
        ({"memory": 0}, "memory=0 is not allowed"),
        ({"memory": -5}, "memory=-5 is not allowed"),
        ({"memory": True}, "memory=True is not allowed"),
        ({"memory": 1e9}, "memory=1000000000.0 is not allowed"),
        ({"n_features_to_select": 0}, "n_features_to_select=0 is not allowed"),
        ({"approximation": Nystrom(landmarks=[3, 30])}, "landmark 30 is not a column: the table has 30"),
        (
            {"approximation": Nystrom(0.5), "memory": "1kB"},
            "rows of 14 landmarks take 3.02e-06 GB, more than 1e-06 GB: give a lower sampling_rate or more",
        ),
    ],
)
def test_mistakes(parameters, message):
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.raises(ValueError, match=f"^{re.escape(message)}") as caught:
        SpecCMI(**{"n_features_to_select": 2, **parameters}).fit(X, y)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "parameters",
    [{"sampling_rate": 0}, {"sampling_rate": 1.01}, {"landmarks": [1, 2, 1]}, {"landmarks": [-1]}, {"variant": "one"}],
)
def test_mistaken_settings_are_refused_where_they_are_made(parameters):
    with pytest.raises(ValueError, match=r"is not allowed|more than once|is not known"):
        Nystrom(**parameters)


def test_by_name():
    X, y = load_breast_cancer(return_X_y=True)
    fitted = make_selector("speccmi", 5, refine="swap", approximation="nystrom").fit(X, y)
    assert len(fitted.landmarks_) == 14
    assert fitted.objective_ > 0
