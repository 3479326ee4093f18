"""What selected features stand for, against every pair looked at by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_breast_cancer
from tests.cover import quick_and_slow

import bitsieve
from bitsieve import GDM, ZeroApartBinner, affiliated, list_methods, make_selector
from papers.data.sparse_groups import make_sparse_groups

pandas = pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True, as_frame=True)


def by_hand(selected, nearness, tau):
    """Every column that was not selected to the nearest selected one."""
    groups = [[] for _ in selected]
    for j in range(len(nearness)):
        if j not in selected:
            near = [round(abs(nearness[j, s]), 10) for s in selected]
            if max(near) >= 1 - tau:
                groups[int(np.argmax(near))].append((-max(near), j))
    return [[j for _, j in sorted(group)] for group in groups]


@pytest.mark.parametrize(
    "name",
    quick_and_slow(
        [m.name for m in list_methods() if not m.same_as and "sdp" not in m.name],
        quick={"mrmr", "speccmi", "relieff"},
        reason="the columns of a selection, whichever method chose them",
    ),
)
def test_every_method_s_result_by_correlation(cancer, name):
    X, y = cancer
    selector = make_selector(name, 4).fit(X, y)
    found = affiliated(selector, X, tau=0.2)
    assert found.selected.tolist() == selector.selected_.tolist()
    rho = np.corrcoef(X.to_numpy(), rowvar=False)
    assert [group.tolist() for group in found.groups] == by_hand(selector.selected_.tolist(), rho, 0.2)
    for j, group, values in zip(found.selected, found.groups, found.nearness, strict=True):
        np.testing.assert_allclose(values, rho[group, j], atol=1e-12)


@pytest.mark.parametrize("binning", [None, "uniform"])
def test_by_information(cancer, brute, binning):
    """Through the fitted binner of a selector that has one, or by a binning that is given."""
    X, y = cancer
    X = X.iloc[:, :12]
    selector = make_selector("jmi", 3, binning="quantile").fit(X, y)
    binner = selector.binner_ if binning is None else make_selector("jmi", 3, binning=binning).fit(X, y).binner_
    codes = np.asarray(binner.transform(X))
    uncertainty = np.eye(12)
    for i in range(12):
        for j in range(i):
            shared = 2 * brute.mutual_information(codes[:, i], codes[:, j])
            uncertainty[i, j] = uncertainty[j, i] = shared / (brute.entropy(codes[:, i]) + brute.entropy(codes[:, j]))
    found = affiliated(selector, X, tau=0.7, by="information", binning=binning)
    assert [group.tolist() for group in found.groups] == by_hand(selector.selected_.tolist(), uncertainty, 0.7)
    assert sum(map(len, found.groups)) > 2
    for j, group, values in zip(found.selected, found.groups, found.nearness, strict=True):
        np.testing.assert_allclose(values, uncertainty[group, j], atol=1e-9)  # fixed-point terms


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_matrix])
def test_sparse_is_as_dense(kind):
    made = make_sparse_groups(500, 400, n_nonzeros=20, n_groups=6, n_present=2, random_state=1)
    for selector in (GDM(6).fit(made.X, made.y), make_selector("l1-svm", 6).fit(made.X, made.y)):
        from_sparse = affiliated(selector, kind(made.X), n_jobs=2)
        from_dense = affiliated(selector, made.X.toarray())
        assert [g.tolist() for g in from_sparse.groups] == [g.tolist() for g in from_dense.groups]
        affiliates = np.concatenate(from_sparse.groups)
        planted = np.unique(made.groups[from_sparse.selected])
        expected = np.setdiff1d(np.flatnonzero(np.isin(made.groups, planted[planted >= 0])), from_sparse.selected)
        assert sorted(affiliates.tolist()) == expected.tolist()


def test_of_a_selection(cancer):
    X, y = cancer
    selection = bitsieve.select(X, y, method="mrmr", n_features_to_select=3)
    found = affiliated(selection, X)
    assert found.selected.tolist() == selection.indices.tolist()


@pytest.mark.parametrize("binning", [None, "uniform"])
def test_shared_information_in_sparse_tables(binning):
    made = make_sparse_groups(400, 300, n_nonzeros=20, n_groups=6, n_present=2, random_state=2)
    selector = make_selector("mrmr", 8).fit(made.X, made.y)
    mine = affiliated(selector, made.X, by="information", tau=0.6, binning=binning, n_jobs=2)
    dense = None if binning is None else ZeroApartBinner(binning)
    theirs = affiliated(selector, made.X.toarray(), by="information", tau=0.6, binning=dense)
    assert [group.tolist() for group in mine.groups] == [group.tolist() for group in theirs.groups]
    assert [near.tolist() for near in mine.nearness] == [near.tolist() for near in theirs.nearness]
    affiliates = np.concatenate(mine.groups)
    assert len(affiliates)
    assert (made.groups[affiliates] >= 0).all()


def test_columns_that_do_not_vary_and_columns_of_two_categories():
    table = pandas.DataFrame({"a": ["x", "y"] * 5, "b": [0.0, 1.0] * 5, "c": [1.0] * 10, "d": [True, False] * 5})
    selector = make_selector("mim", 1).fit(table, [0, 1] * 5)
    found = affiliated(selector, table)
    assert [group.tolist() for group in found.groups] == [[1, 3]]
    np.testing.assert_allclose(found.nearness[0], [1.0, -1.0])
    with_constant = make_selector("mim", 4).fit(table, [0, 1] * 5)
    assert [len(group) for group in affiliated(with_constant, table).groups] == [0] * 4


def test_mistakes(cancer):
    X, y = cancer
    selector, plain = make_selector("mim", 2).fit(X, y), make_selector("mim", 2).fit(X.to_numpy(), y)
    with pytest.raises(ValueError, match=r"^tau=1 is not allowed: give a number inside 0 and 1"):
        affiliated(selector, X, tau=1)
    with pytest.raises(ValueError, match=r"^by='cosine' is not allowed: give 'correlation' or 'information'$"):
        affiliated(selector, X, by="cosine")
    with pytest.raises(ValueError, match="X has 3 features, but ForwardSelector is expecting 30"):
        affiliated(plain, X.to_numpy()[:, :3])
    with pytest.raises(ValueError, match=r"^the table is sparse, but this method needs dense rows: use"):
        affiliated(plain, sparse.csr_array(X.to_numpy()), by="information")
    with pytest.raises(ValueError, match="is not fitted yet"):
        affiliated(make_selector("mim", 2), X)
    words = pandas.DataFrame({"a": ["x", "y", "z"] * 4, "b": range(12)})
    fitted = make_selector("mim", 1, binning="quantile").fit(words, [0, 1] * 6)
    with pytest.raises(
        ValueError, match=r"affiliated\(by='correlation'\) needs numbers, and 1 of the columns hold more"
    ):
        affiliated(fitted, words)
    assert len(affiliated(fitted, words, by="information").groups) == 1
