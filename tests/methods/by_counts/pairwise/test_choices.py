"""The methods as they are called: what holds for k features of any table, whatever the parameters."""

from __future__ import annotations

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest

from bitsieve.information import make_information
from bitsieve.methods.by_counts.pairwise.quadratic import METHODS, eqpfs, qpfs
from bitsieve.methods.by_counts.pairwise.semidefinite import sdpcmi
from bitsieve.methods.by_counts.pairwise.spectral import speccmi
from bitsieve.optimize.nystrom import Nystrom

K = 3
ROUNDING = 1e-9  # bits; sums of at most 64 entries


@pytest.fixture
def made(information_of, make_table):
    """Eight columns, the last constant; Q, and its largest objective of K of them."""
    codes, classes = make_table(120, 8, n_codes=4, n_classes=3, seed=5)
    codes[:, 7] = 2
    information = information_of(codes, classes)
    q = information.matrix("mean_relevance")
    best = max(q[np.ix_(members, members)].sum() for members in map(list, combinations(range(8), K)))
    return SimpleNamespace(information=information, q=q, best=best)


def check_choice(found, made):
    """K columns, the constant behind all, and a certificate that holds."""
    members = found.order[:K]
    assert sorted(found.order.tolist()) == list(range(8))
    assert found.order[-1] == 7
    assert len(found.scores) == K
    objective = made.q[np.ix_(members, members)].sum()
    certificate = SimpleNamespace(**found.extras)
    assert certificate.objective_ == pytest.approx(objective, abs=ROUNDING)
    assert objective <= made.best + ROUNDING <= certificate.upper_bound_ + 2 * ROUNDING
    assert certificate.gap_ == pytest.approx(1 - certificate.objective_ / certificate.upper_bound_, abs=ROUNDING)
    return objective


SPECTRAL = [{}, {"memory": "4kB"}, {"approximation": "nystrom"}, {"approximation": Nystrom(0.5, variant="paper")}]


@pytest.mark.parametrize("parameters", [*SPECTRAL, {"dtype": "float32"}], ids=str)
def test_speccmi(made, parameters):
    plain = check_choice(speccmi(made.information, K, **parameters), made)
    swapped = check_choice(speccmi(made.information, K, refine="swap", **parameters), made)
    assert swapped >= plain - 1e-6 * plain  # of float32, which the swaps are judged by


@pytest.mark.parametrize("rounding", ["sphere", "align", "factor"])
def test_sdpcmi(made, rounding):
    plain = sdpcmi(made.information, K, rounding=rounding, n_roundings=10, refine=None)
    swapped = sdpcmi(made.information, K, rounding=rounding, n_roundings=10)
    assert check_choice(swapped, made) >= check_choice(plain, made) - ROUNDING
    assert plain.extras["membership_"][7] == 0
    assert plain.extras["weights_"][7] == -1
    assert plain.extras["membership_"].sum() == pytest.approx(K, abs=1e-6)  # the relaxation is solved to 1e-7 or so


QUADRATIC = [
    (qpfs, {"convexify": "shift"}),
    (qpfs, {"alpha": 0.4, "convexify": "shift"}),
    (qpfs, {"alpha": 0.4, "approximation": "nystrom"}),
    (qpfs, {"alpha": 0.4, "approximation": Nystrom(0.5, variant="paper")}),
    (eqpfs, {}),
    (eqpfs, {"alpha": 0.4}),
]


@pytest.mark.parametrize(("method", "parameters"), QUADRATIC, ids=lambda of: getattr(of, "__name__", str(of)))
def test_quadratic_programs(made, method, parameters):
    found = method(made.information, K, **parameters)
    weights = found.extras["weights_"]
    assert weights.sum() == pytest.approx(1, abs=1e-12)  # eight roundings
    assert weights.min() >= 0
    assert weights[7] == 0
    assert (np.diff(weights[found.order]) <= 0).all()
    assert found.scores.tolist() == weights[found.order[:K]].tolist()
    assert found.order[-1] == 7
    assert found.convergence_warning is None
    assert found.extras["alpha_"] == parameters.get("alpha", found.extras["alpha_"])
    assert 0 <= found.extras["alpha_"] <= 1


@pytest.mark.parametrize("method", [speccmi, sdpcmi, qpfs, eqpfs])
def test_constants_alone_have_no_weight(source, method):
    information = make_information("plug-in", source(np.full((6, 4), 3), np.arange(6) % 2))
    found = method(information, 2)
    assert found.order.tolist() == [0, 1, 2, 3]
    assert found.scores.tolist() == [0, 0]
    assert {found.extras.get(name, 0) for name in ("gap_", "objective_", "upper_bound_", "shift_")} == {0}


def test_copies_are_chosen_by_their_lowest_column(information_of, make_table):
    codes, classes = make_table(120, 5, n_codes=4, n_classes=3, seed=6)
    found = sdpcmi(information_of(np.column_stack([codes, codes]), classes), 2, n_roundings=10)
    members = found.order[:2].tolist()
    assert all(member < 5 or member - 5 in members for member in members)


def test_an_approximation_goes_with_a_given_balance_alone():
    check = METHODS[0].check
    check({"approximation": None, "alpha": None, "n_eigenvalues": None})
    check({"approximation": "nystrom", "alpha": 0.5, "n_eigenvalues": None})
    check({"approximation": "nystrom", "alpha": 0.5, "n_eigenvalues": 3})
    with pytest.raises(ValueError, match="alpha=None is not allowed with an approximation"):
        check({"approximation": "nystrom", "alpha": None, "n_eigenvalues": None})
    with pytest.raises(
        ValueError,
        match="variant='extension' is a variant about eigenvectors",
    ):
        check({"approximation": Nystrom(0.5, variant="extension"), "alpha": 0.5, "n_eigenvalues": None})


def test_rows_of_landmarks_take_no_more_than_is_given(made):
    """Four landmarks of seven columns that vary, eight bytes an entry."""
    asked = {"approximation": Nystrom(landmarks=[0, 2, 3, 6])}
    assert len(speccmi(made.information, K, memory=224, **asked).order) == 8
    with pytest.raises(ValueError, match="4 landmarks"):
        speccmi(made.information, K, memory=223, **asked)
