"""What may grow: one of each kind is added from a module of its own, by the documented registration alone.

No file of the package is touched. ARCHITECTURE: if adding one needs a change anywhere else, the design has failed.
"""

from __future__ import annotations

import json

import pytest
from scipy.sparse import csr_array
from sklearn.datasets import load_wine

import bitsieve
from bitsieve.cli import main
from bitsieve.methods import registry
from bitsieve.methods.by_counts.criteria import CRITERIA

CRITERION = '''
from dataclasses import dataclass

from bitsieve.methods.by_counts.criteria.base import Criterion


@dataclass(frozen=True)
class HalfJMI(Criterion):
    """A share of what the candidate and each chosen feature carry together."""

    name = "half-jmi"
    title = "Half of joint mutual information"
    formula = "share sum_s I(Xi,Xs;C)"
    paper = "Nobody 2026"
    needs = "class pairs"

    share: float = 0.5

    def fold(self, folded, pair):
        return folded + pair.joint_relevance

    def score(self, folded, relevance, n_selected):
        return self.share * folded
'''

FAMILY = """
import numpy as np

from bitsieve.common.defaults import BINNING
from bitsieve.methods.found import Found, rank_all
from bitsieve.methods.method import DENSE_ROWS, Method, defaults_of
from bitsieve.selectors.base import ColumnSelector
from bitsieve.selectors.counted import CountSelector


def lowest_entropy(information, k, *, weight=1.0):
    scores = -weight * information.entropy
    varying = np.flatnonzero(information.varies)
    return rank_all(varying[np.argsort(-scores[varying], kind="stable")], information.varies, scores, k)


def widest(samples, k, *, largest_first=True):
    numbers, varies = samples.numbers()
    spread = np.ptp(numbers, axis=0)
    order = np.argsort(-spread if largest_first else spread, kind="stable")
    return Found(order[:k], spread[order[:k]], extras={"spread_": spread})


METHODS = (
    Method("lowest-entropy", "Lowest entropy", "-H(Xi)", "Nobody 2026", "each feature", "O(n d)", lowest_entropy,
           selector="temporary_family:LowestEntropy", parameters=defaults_of(lowest_entropy)),
    Method("widest", "Widest range", "max Xi - min Xi", "Nobody 2026", "the values themselves", "O(n d)", widest,
           unit="weight", selector="temporary_family:Widest", parameters=defaults_of(widest), requires=DENSE_ROWS,
           bins=False),
)


class LowestEntropy(CountSelector):
    described = METHODS[:1]

    def __init__(self, n_features_to_select=None, *, weight=1.0, binning=BINNING, n_jobs=None):
        self.n_features_to_select = n_features_to_select
        self.weight = weight
        self.binning = binning
        self.n_jobs = n_jobs


class Widest(ColumnSelector):
    described = METHODS[1:]

    def __init__(self, n_features_to_select=None, *, largest_first=True):
        self.n_features_to_select = n_features_to_select
        self.largest_first = largest_first
"""


@pytest.fixture
def wine(tmp_path):
    """Measurements of wines and their kind, as a frame and as a file."""
    frame = load_wine(as_frame=True).frame
    path = tmp_path / "wine.csv"
    frame.to_csv(path, index=False)
    return frame, str(path)


@pytest.fixture
def modules(tmp_path, monkeypatch):
    """The two modules, to be imported from a folder outside the package."""
    (tmp_path / "temporary_criterion.py").write_text(CRITERION)
    (tmp_path / "temporary_family.py").write_text(FAMILY)
    monkeypatch.syspath_prepend(tmp_path)


def printed(capsys, *arguments):
    capsys.readouterr()
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def described(name):
    return next(method for method in bitsieve.list_methods() if method.name == name)


def test_a_criterion(modules, monkeypatch, wine, capsys):
    """One line of CRITERIA: the same choices as jmi, at half the scores."""
    from temporary_criterion import HalfJMI

    monkeypatch.setitem(CRITERIA, HalfJMI.name, HalfJMI)
    frame, path = wine
    assert described("half-jmi").parameters["share"] == 0.5
    ours = bitsieve.select(frame, "target", method="half-jmi", n_features_to_select=4)
    jmi = bitsieve.select(frame, "target", method="jmi", n_features_to_select=4)
    assert ours.features == jmi.features
    assert ours.scores[1:].tolist() == (jmi.scores[1:] / 2).tolist()
    assert ours.selector.get_params()["criterion"] == "half-jmi"
    quarter = bitsieve.make_selector("half-jmi", 4, share=0.25).fit(frame.drop(columns="target"), frame["target"])
    assert quarter.scores_[1:].tolist() == (jmi.scores[1:] / 4).tolist()
    found = printed(capsys, "select", path, "--target", "target", "--method", "half-jmi", "--features", "4")
    assert [feature["name"] for feature in found["features"]] == jmi.features
    assert "half-jmi" in {method["name"] for method in printed(capsys, "methods")}


@pytest.mark.parametrize(
    ("name", "parameters"), [("lowest-entropy", {"weight": 1.0}), ("widest", {"largest_first": True})]
)
def test_a_method_family(modules, monkeypatch, wine, capsys, name, parameters):
    """One line of MODULES for each method: one on counts, one on rows."""
    monkeypatch.setitem(registry.MODULES, name, "temporary_family")
    frame, path = wine
    X, y = frame.drop(columns="target"), frame["target"]
    assert described(name).parameters == parameters
    selection = bitsieve.select(frame, "target", method=name, n_features_to_select=3)
    fitted = bitsieve.make_selector(name, 3).fit(X, y)
    assert selection.features == [X.columns[j] for j in fitted.selected_]
    assert selection.selector.selected_.tolist() == fitted.selected_.tolist()
    if name == "widest":
        assert selection.features == (X.max() - X.min()).nlargest(3).index.tolist()
        with pytest.raises(ValueError, match=r"^the table is sparse, but Widest needs dense rows"):
            fitted.fit(csr_array(X.to_numpy()), y)
    found = printed(capsys, "select", path, "--target", "target", "--method", name, "--features", "3")
    assert [feature["name"] for feature in found["features"]] == selection.features
    assert name in {method["name"] for method in printed(capsys, "methods")}
