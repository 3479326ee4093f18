"""What may grow: one of each kind is added from a module of its own, by the documented registration alone.

No file of the package is touched. ARCHITECTURE: if adding one needs a change anywhere else, the design has failed.
"""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import load_wine

import bitsieve
from bitsieve.cli import main
from bitsieve.discretization.registry import RULES, make_binner
from bitsieve.engines import registry as engines
from bitsieve.evaluate.models import MODELS, Model
from bitsieve.information import ESTIMATORS
from bitsieve.io import formats
from bitsieve.io.formats import Format
from bitsieve.methods import registry
from bitsieve.methods.by_counts.criteria import CRITERIA
from bitsieve.methods.by_counts.stopping import STOPPING_RULES

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
    required_tables = "class pairs"

    share: float = 0.5

    def fold(self, folded, pair):
        return folded + pair.joint_relevance

    def score(self, folded, relevance, n_selected):
        return self.share * folded
'''

FAMILY = '''
import numpy as np

from bitsieve.methods.method import DENSE_ROWS, Method, MethodResult, rank_all


def lowest_entropy(information, k, *, weight=1.0):
    """Choose the columns of the lowest entropy."""
    scores = -weight * information.entropy
    varying = np.flatnonzero(information.varies)
    return rank_all(varying[np.argsort(-scores[varying], kind="stable")], information.varies, scores, k)


def widest(samples, k, *, largest_first=True):
    """Choose the columns of the widest range."""
    numbers, varies = samples.numbers()
    spread = np.ptp(numbers, axis=0)
    order = np.argsort(-spread if largest_first else spread, kind="stable")
    return MethodResult(order[:k], spread[order[:k]], extras={"spread_": spread})


METHODS = (
    Method("lowest-entropy", "Lowest entropy", "-H(Xi)", "Nobody 2026", "each feature", "O(n d)", lowest_entropy),
    Method("widest", "Widest range", "max Xi - min Xi", "Nobody 2026", "the values themselves", "O(n d)", widest,
           unit="weight", required_capabilities=DENSE_ROWS, bins=False),
)
'''

STOPPING_RULE = '''
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bitsieve.methods.by_counts.stopping.single import SingleStopping


@dataclass(frozen=True)
class ShareStopping(SingleStopping):
    """Take no column that adds less than a share of the bits of the class."""

    name: ClassVar[str] = "share"
    unit: ClassVar[str] = "share"
    share: float = 0.1

    def value(self, conditional, candidate, n_candidates, search=None):
        return float(conditional.conditional_relevance(np.array([candidate]))[0] / np.log2(3))

    def stops(self, value):
        return value < self.share

    def reason(self, value, basis=""):
        return f"it adds {value:.3f} of the class < {self.share:g}"
'''

ENGINE = """
from itertools import accumulate

from bitsieve.engines.cluster import ClusterSource
from bitsieve.engines.data_partitions import DataPartitions, has_samples, in_order, partitions_with_samples


class Drawers:
    def __init__(self, *frames):
        self.frames = frames


class DrawerPartitions(DataPartitions):
    n_requests = 0  # to any partitions

    def __init__(self, members):
        self.members = list(members)

    def total(self, task, work, merge):
        DrawerPartitions.n_requests += 1
        return merge([work(*objects) for objects in self.members])

    def map(self, task, work):
        return DrawerPartitions([(work(*objects),) for objects in self.members])

    def zipped(self, other):
        return DrawerPartitions([first + second for first, second in zip(self.members, other.members, strict=True)])

    def with_samples(self):
        indices = partitions_with_samples(self.total("facts", has_samples, in_order))
        return DrawerPartitions([self.members[i] for i in indices])

    def numbered(self, n_rows):
        first_rows = accumulate(n_rows, initial=0)
        return DrawerPartitions([(first, *objects) for first, objects in zip(first_rows, self.members)])


class DrawerSource(ClusterSource):
    def __init__(self, data):
        self.data = data
        self.labels = list(data.frames[0].columns)
        self.n_columns = len(self.labels)

    def open_partitions(self, columns, y, weights):
        return DrawerPartitions([(frame, y, weights) for frame in self.data.frames])

    def take(self, roles, names):
        raise NotImplementedError  # nothing here reads the rows again
"""

FORMAT = """
import json
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from bitsieve.io.column_file import ColumnFile

FIRST_BYTES = b"COLUMNS!"  # then one object of JSON, which has a list for every column


@dataclass(frozen=True)
class AllRows:
    path: Path

    def batches(self, columns, rows):
        table = pa.table(json.loads(self.path.read_bytes().removeprefix(FIRST_BYTES)))
        table = table if columns is None else table.select(list(columns))
        for first in range(0, table.num_rows, rows or table.num_rows):
            yield table.slice(first, rows)


class JsonColumns(ColumnFile):
    n_rows = None  # not known before the rows are read

    @property
    def types(self):
        (table,) = AllRows(self.path).batches(None, None)
        return dict(zip(table.schema.names, table.schema.types))

    @property
    def names(self):
        return list(self.types)

    def partitions(self, *, in_one_block):
        return [AllRows(self.path)]
"""

ESTIMATOR = """
from bitsieve.information.plug_in import SumInformation
from bitsieve.counts.tables import EntropyTerms, make_entropy_terms


class HalvedInformation(SumInformation):
    estimator = "halved"

    @staticmethod
    def terms_of(n_samples):
        plain = make_entropy_terms(n_samples)
        return EntropyTerms(n_samples, plain.shift, plain.table // 2)
"""

BINNER = """
import numpy as np

from bitsieve.discretization.base import CutBinning


class MiddleBinning(CutBinning):
    requires = "ends"
    side = "right"  # where a value on a cut goes

    def __init__(self, *, share=0.5, missing="error", n_jobs=None):
        self.share = share
        self.missing = missing
        self.n_jobs = n_jobs

    def cut_column(self, values, classes, weights):
        low, high = values.min(), values.max()
        return np.array([low + self.share * (high - low)] if low < high else [])
"""

CLASSIFIER = """
import numpy as np


def most_frequent(train, labels, test, stops):
    for _ in stops:
        yield np.full(len(test), np.bincount(labels).argmax())
"""
MODULES = {
    "criterion": CRITERION,
    "family": FAMILY,
    "stopping": STOPPING_RULE,
    "engine": ENGINE,
    "format": FORMAT,
    "estimator": ESTIMATOR,
    "binner": BINNER,
    "classifier": CLASSIFIER,
}


@pytest.fixture
def wine(tmp_path):
    """Measurements of wines and their kind, as a frame and as a file."""
    frame = load_wine(as_frame=True).frame
    path = tmp_path / "wine.csv"
    frame.to_csv(path, index=False)
    return frame, str(path)


@pytest.fixture
def modules(tmp_path, monkeypatch):
    """The modules, to be imported from a folder outside the package."""
    for name, text in MODULES.items():
        (tmp_path / f"temporary_{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)


def printed(capsys, *arguments):
    capsys.readouterr()
    assert main([*arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def selected_in_every_way(frame, path, capsys, method, k):
    """The features that every front door selects by a method, which must be the same."""
    X, y = frame.drop(columns="target"), frame["target"]
    command = ["select", path, "--target", "target", "--method", method, "--features", str(k)]
    places = bitsieve.select(X.to_numpy(), y.to_numpy(), method=method, n_features_to_select=k).indices
    doors = {
        "arrays": [X.columns[j] for j in places],
        "frame": bitsieve.select(frame, "target", method=method, n_features_to_select=k).features,
        "file": bitsieve.select(path, "target", method=method, n_features_to_select=k).features,
        "fit": [X.columns[j] for j in bitsieve.make_selector(method, k).fit(X, y).selected_],
        "command": [feature["name"] for feature in printed(capsys, *command)["features"]],
    }
    (features,) = set(map(tuple, doors.values()))
    assert compared_errors(frame, method, {})
    return list(features)


def compared_errors(frame, method, parameters):
    """What `compare` counts of one method."""
    settings = {"features": [2], "folds": 3, "baselines": False, "parameters": parameters}
    return bitsieve.compare(frame, "target", methods=[method], **settings).errors.tolist()


def described(name):
    return next(method for method in bitsieve.list_methods() if method.name == name)


def test_a_criterion(modules, monkeypatch, wine, capsys):
    """One line of CRITERIA: the same choices as jmi, at half the scores."""
    monkeypatch.setitem(CRITERIA.homes, "half-jmi", "temporary_criterion:HalfJMI")
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
    assert selected_in_every_way(frame, path, capsys, "half-jmi", 4) == jmi.features


def test_a_stopping_rule(modules, monkeypatch, wine, capsys):
    """One line of STOPPING_RULES: as the threshold of so many bits, which is a share of log2(3) here."""
    from temporary_stopping import ShareStopping

    monkeypatch.setitem(STOPPING_RULES.homes, ShareStopping.name, "temporary_stopping:ShareStopping")
    frame, path = wine
    X, y = frame.drop(columns="target"), frame["target"]
    bits = 0.1 * float(np.log2(3))
    expected = bitsieve.select(frame, "target", method="cmi", stopping=bitsieve.ThresholdStopping(bits))
    assert 1 < len(expected.features) < 13
    ours = bitsieve.select(frame, "target", method="cmi", stopping="share")
    assert ours.features == expected.features
    assert ours.to_dict()["stopping"]["by"] == "share"
    fitted = bitsieve.ForwardSelector("auto", criterion="cmi", stopping="share").fit(X, y)
    assert [X.columns[j] for j in fitted.selected_] == expected.features
    assert fitted.stopping_reason_.endswith("of the class < 0.1")
    other = bitsieve.select(frame, "target", method="cmi", stopping=ShareStopping(share=0.4))
    assert len(other.features) < len(expected.features)
    command = ["select", path, "--target", "target", "--method", "cmi", "--stop", "share"]
    assert [feature["name"] for feature in printed(capsys, *command)["features"]] == expected.features
    compared = compared_errors(frame, "cmi", {"stopping": "share"})
    assert compared == compared_errors(frame, "cmi", {"stopping": bitsieve.ThresholdStopping(bits)})


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
    again = pickle.loads(pickle.dumps(fitted))
    assert again.get_params() == fitted.get_params()
    assert again.transform(X).columns.tolist() == fitted.transform(X).columns.tolist()
    ((parameter, default),) = parameters.items()
    assert getattr(bitsieve.make_selector(name), parameter) == default
    assert clone(fitted).get_params() == fitted.get_params()
    if name == "widest":
        assert selection.features == (X.max() - X.min()).nlargest(3).index.tolist()
        with pytest.raises(ValueError, match=r"^the table is sparse, but Widest needs dense rows"):
            fitted.fit(csr_array(X.to_numpy()), y)
    assert selected_in_every_way(frame, path, capsys, name, 3) == selection.features
    assert name in {method["name"] for method in printed(capsys, "methods")}
    with pytest.raises(ValueError, match="does not take speed"):
        bitsieve.make_selector(name, speed=1)


def test_an_engine(modules, monkeypatch, wine):
    """One line of ENGINES: rows in three drawers, and those of one more frame, are selected from as if in memory."""
    from temporary_engine import DrawerPartitions, Drawers

    drawers = engines.EngineEntry("drawers", lambda data: isinstance(data, Drawers), "temporary_engine.DrawerSource")
    monkeypatch.setattr(engines, "ENGINES", (drawers, *engines.ENGINES))
    frame, _ = wine
    parts = Drawers(frame[:50], frame[50:120], frame[120:])
    settings = {"n_features_to_select": 4, "binning": "uniform"}
    whole = bitsieve.select(frame, "target", **settings)
    for selection in (
        bitsieve.select(parts, "target", **settings),
        bitsieve.select(parts, "target", engine="drawers", **settings),
    ):
        assert selection.features == whole.features
        assert selection.scores.tolist() == whole.scores.tolist()
    assert DrawerPartitions.n_requests > 0
    fitted = bitsieve.make_selector("cmim", 4, binning="uniform").fit(parts, "target")
    assert fitted.get_feature_names_out().tolist() == sorted(whole.features, key=frame.columns.get_loc)
    with pytest.raises(ValueError, match=r"^engine='drawer' is not known: give one of 'drawers', 'dask'"):
        bitsieve.select(parts, "target", engine="drawer")


def test_a_file_format(modules, monkeypatch, wine, capsys):
    """One line of FORMATS: such a file is read whole and in batches, and is the same as a CSV."""
    from temporary_format import FIRST_BYTES

    columns = Format("columns", "columns of JSON", (FIRST_BYTES,), reader="temporary_format:JsonColumns")
    monkeypatch.setattr(formats, "FORMATS", (*formats.FORMATS, columns))
    frame, csv = wine
    path = csv.replace(".csv", ".columns")
    with open(path, "wb") as file:
        file.write(FIRST_BYTES + json.dumps(frame.to_dict("list")).encode())
    expected = bitsieve.select(csv, "target", n_features_to_select=4)
    for limit in None, "1GB":
        selection = bitsieve.select(path, "target", n_features_to_select=4, memory=limit)
        assert selection.features == expected.features
        assert selection.scores.tolist() == expected.scores.tolist()
    found = printed(capsys, "select", path, "--target", "target", "--features", "4")
    assert [feature["name"] for feature in found["features"]] == expected.features
    compared = bitsieve.compare(path, "target", methods=["mim"], features=[2], folds=3, baselines=False)
    again = bitsieve.compare(csv, "target", methods=["mim"], features=[2], folds=3, baselines=False)
    assert compared.errors.tolist() == again.errors.tolist()


def test_an_estimator(modules, monkeypatch, wine):
    """One line of ESTIMATORS: terms of half the size, rounded down, give half the bits."""
    monkeypatch.setitem(ESTIMATORS.homes, "halved", "temporary_estimator:HalvedInformation")
    frame, _ = wine
    ours = bitsieve.select(frame, "target", method="mim", n_features_to_select=4, estimator="halved")
    plain = bitsieve.select(frame, "target", method="mim", n_features_to_select=4, estimator="plug-in")
    assert ours.features == plain.features
    assert ours.scores == pytest.approx(
        plain.scores / 2, rel=1e-12
    )  # each term is rounded by at most 2**-52 of N log2 N
    settings = {"features": [2], "folds": 3, "baselines": False}
    compared = bitsieve.compare(frame, "target", methods=["mim"], parameters={"estimator": "halved"}, **settings)
    again = bitsieve.compare(frame, "target", methods=["mim"], parameters={"estimator": "plug-in"}, **settings)
    assert compared.errors.tolist() == again.errors.tolist()


def test_a_binner(modules, monkeypatch, wine):
    """One line of RULES: its cuts, in memory and in batches, with and without its parameter."""
    monkeypatch.setitem(RULES.homes, "middle", "temporary_binner:MiddleBinning")
    frame, path = wine
    X = frame.drop(columns="target")
    ours = bitsieve.select(frame, "target", n_features_to_select=4, binning="middle")
    two = bitsieve.select(frame, "target", n_features_to_select=4, binning=bitsieve.EqualWidthBinner(n_bins=2))
    assert ours.features == two.features
    assert ours.scores.tolist() == two.scores.tolist()
    middles = (X.min() + 0.5 * (X.max() - X.min())).tolist()
    assert [edges.tolist() for edges in ours.selector.binner_.bin_edges_] == [[middle] for middle in middles]
    batched = bitsieve.select(path, "target", n_features_to_select=4, binning="middle", memory="1GB")
    assert batched.scores.tolist() == ours.scores.tolist()
    assert make_binner("middle", share=0.25).parameters["share"] == 0.25
    compared = bitsieve.compare(
        frame, "target", methods=["mim"], features=[2], folds=3, baselines=False, binning="middle"
    )
    again = bitsieve.compare(
        frame,
        "target",
        methods=["mim"],
        features=[2],
        folds=3,
        baselines=False,
        binning=bitsieve.EqualWidthBinner(n_bins=2),
    )
    assert compared.errors.tolist() == again.errors.tolist()


def test_a_classifier(modules, monkeypatch, wine):
    """One line of MODELS: the most frequent class errs as often as other classes occur."""
    from temporary_classifier import most_frequent

    monkeypatch.setitem(MODELS, "most-frequent", Model(most_frequent))
    frame, _ = wine
    compared = bitsieve.compare(
        frame, "target", methods=["mim"], features=[1, 2], folds=3, classifier="most-frequent", baselines=False
    )
    others = len(frame) - frame["target"].value_counts().max()  # each fold has the same most frequent class
    assert compared.errors.sum(axis=1).tolist() == [[others, others]]
