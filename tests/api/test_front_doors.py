"""Arrays, a frame, a file, the command and fit give one answer, with nothing said and with three features asked for."""

from __future__ import annotations

import json
from functools import cache
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import datasets
from tests import messy
from tests.cover import quick_and_slow

import bitsieve
from bitsieve.cli import main

pytestmark = pytest.mark.filterwarnings("ignore::bitsieve.BitsieveWarning")


def with_gaps(frame):
    """The table with a tenth of the values of its features gone."""
    is_gone = np.random.default_rng(0).random((len(frame), frame.shape[1])) < 0.1
    is_gone[:, frame.columns.get_loc("target")] = False
    return frame.mask(is_gone)


def with_row_numbers(frame):
    """The table with a number for every row, by which the classes, which come in order, could be known."""
    return frame.assign(number=np.arange(len(frame)) + 1_000)


def people():
    """Numbers, text, dates in text, whole numbers of few values, two identifiers, a constant and an empty column."""
    random = np.random.default_rng(3)
    n = 260
    y = random.integers(0, 2, n)
    days = np.datetime64("2024-01-01") + (100 * y + random.integers(0, 120, n))
    return pd.DataFrame(
        {
            "number": random.permutation(n) + 1000,
            "amount": np.round(random.normal(size=n) + y, 3),
            "name": [f"person {j}" for j in random.permutation(n)],
            "size": np.array(["small", "large", "huge"])[(y + random.integers(0, 2, n)) % 3],
            "since": [str(day) for day in days],
            "few": y + random.integers(0, 2, n),
            "grade": random.integers(0, 5, n),
            "nothing": [np.nan] * n,
            "same": np.full(n, 3),
            "row": np.arange(n),
            "target": np.array(["no", "yes"])[y],
        }
    )


def whole_numbers(n_numeric):
    """Thirty columns of five whole numbers, and so many columns of other numbers."""
    random = np.random.default_rng(4)
    frame = pd.DataFrame({f"c{j}": random.integers(0, 5, 200) for j in range(30)})
    target = (frame["c3"] + frame["c7"] + random.integers(0, 2, 200)) % 3
    for j in range(n_numeric):
        frame[f"z{j}"] = random.normal(size=200) + (j == 0) * target
    return frame.assign(target=target)


def messy_table(name):
    """A table as people have it, with text where a file would have text."""
    rows, _ = messy.TABLES[name]()
    return rows.rename_columns({"y": "target"}).to_pandas()


TABLES = {
    "wine": lambda: datasets.load_wine(as_frame=True).frame,
    "wine with gaps": lambda: with_gaps(datasets.load_wine(as_frame=True).frame),
    "wine with row numbers": lambda: with_row_numbers(datasets.load_wine(as_frame=True).frame),
    "few rows": lambda: datasets.load_wine(as_frame=True).frame.iloc[::15],
    "flowers": lambda: datasets.load_iris(as_frame=True).frame,
    "tumours with gaps": lambda: with_gaps(datasets.load_breast_cancer(as_frame=True).frame),
    "a quantity": lambda: datasets.load_diabetes(as_frame=True).frame,
    "a quantity with gaps": lambda: with_gaps(datasets.load_diabetes(as_frame=True).frame),
    "pixels": lambda: datasets.load_digits(as_frame=True).frame.iloc[:300],
    "people": people,
    "few whole numbers": lambda: whole_numbers(0),
    "few whole numbers and others": lambda: whole_numbers(2),
    **{name: lambda name=name: messy_table(name) for name in messy.TABLES},
}
MESSY_ANSWERS = ("wine with gaps", "wine with row numbers", "people", "few whole numbers and others")
# A chosen cross of tables and numbers of features: test_messy takes the other tables through every door.
QUICK_SELECTIONS = [
    ("wine with row numbers", 3),
    ("few rows", None),
    ("tumours with gaps", None),
    ("a quantity with gaps", None),
    ("people", None),
    ("people", 3),
    ("few whole numbers", None),
    ("few whole numbers and others", 3),
]


@cache
def table(name):
    """The table, its features and its target."""
    frame = TABLES[name]()
    return frame, frame.drop(columns="target"), frame["target"]


@cache
def expected(name, n_features_to_select):
    """What every door is held to."""
    return bitsieve.select(table(name)[0], "target", n_features_to_select=n_features_to_select)


@pytest.fixture
def path(name, tmp_path):
    path = tmp_path / "table.csv"
    table(name)[0].to_csv(path, index=False)
    return path


def printed(capsys, words):
    """The document that a command prints."""
    capsys.readouterr()
    assert main([*words, "--json", "--quiet"]) == 0
    return json.loads(capsys.readouterr().out)


WORDED = ("notes", "diagnostics")  # which the command has in its own words


def without_words(document):
    """A document, but for what is said in words."""
    return {key: value for key, value in json.loads(json.dumps(document)).items() if key not in WORDED}


def without_times(methods):
    """What a comparison says of its methods, but for the seconds that they took."""
    return [{key: value for key, value in method.items() if not key.startswith("seconds")} for method in methods]


@pytest.mark.parametrize(
    ("name", "n_features_to_select"),
    quick_and_slow(
        product(TABLES, [None, 3]), quick=QUICK_SELECTIONS, reason="the same doors with another table of its kind"
    ),
)
class TestSelect:
    def test_values(self, name, n_features_to_select):
        _, X, y = table(name)
        selection = bitsieve.select(X, y, n_features_to_select=n_features_to_select)
        assert selection.features == expected(name, n_features_to_select).features

    def test_array(self, name, n_features_to_select):
        _, X, y = table(name)
        # An array of objects, as numbers of one type would make fractions of whole numbers.
        selection = bitsieve.select(X.to_numpy(object), y.to_numpy(), n_features_to_select=n_features_to_select)
        assert selection.indices.tolist() == expected(name, n_features_to_select).indices.tolist()

    def test_file(self, name, n_features_to_select, path):
        selection = bitsieve.select(path, "target", n_features_to_select=n_features_to_select)
        assert selection.features == expected(name, n_features_to_select).features

    def test_command(self, name, n_features_to_select, path, capsys):
        words = [] if n_features_to_select is None else ["--features", str(n_features_to_select)]
        document = printed(capsys, ["select", str(path), "--target", "target", *words])
        assert [feature["name"] for feature in document["features"]] == expected(name, n_features_to_select).features

    def test_fit(self, name, n_features_to_select):
        _, X, y = table(name)
        selector = bitsieve.ForwardSelector(n_features_to_select=n_features_to_select).fit(X, y)
        assert X.columns[selector.selected_].tolist() == expected(name, n_features_to_select).features


@pytest.mark.parametrize("n_features_to_select", [None, 3])
def test_sparse_rows(n_features_to_select, tmp_path, capsys):
    random = np.random.default_rng(6)
    y = random.integers(0, 2, 120)
    X = sparse.csr_array(random.poisson(0.3, (120, 25)) + (random.random((120, 25)) < 0.3 * y[:, None]))
    path = tmp_path / "rows.svm"
    datasets.dump_svmlight_file(X, y, str(path), zero_based=True)
    options = {"n_features_to_select": n_features_to_select}
    indices = bitsieve.select(X, y, **options).indices.tolist()
    assert bitsieve.select(path, **options).indices.tolist() == indices
    assert bitsieve.ForwardSelector(**options).fit(X, y).selected_.tolist() == indices
    words = [] if n_features_to_select is None else ["--features", str(n_features_to_select)]
    assert [feature["index"] for feature in printed(capsys, ["select", str(path), *words])["features"]] == indices


@pytest.mark.parametrize("n_features_to_select", [None, 3])
def test_weights(n_features_to_select, tmp_path, capsys):
    frame, X, y = table("wine with gaps")
    weights = np.arange(len(frame)) % 4
    path = tmp_path / "table.csv"
    weighted = frame.assign(times=weights)
    weighted.to_csv(path, index=False)
    options = {"n_features_to_select": n_features_to_select}
    features = bitsieve.select(weighted, "target", sample_weight="times", **options).features
    assert bitsieve.select(X, y, sample_weight=weights, **options).features == features
    assert bitsieve.select(path, "target", sample_weight="times", **options).features == features
    selector = bitsieve.ForwardSelector(**options).fit(X, y, sample_weight=weights)
    assert X.columns[selector.selected_].tolist() == features
    words = [] if n_features_to_select is None else ["--features", str(n_features_to_select)]
    document = printed(capsys, ["select", str(path), "--target", "target", "--weight", "times", *words])
    assert [feature["name"] for feature in document["features"]] == features


@pytest.mark.parametrize(
    "name", quick_and_slow(MESSY_ANSWERS, quick={"people"}, reason="the same doors with another table")
)
class TestQuestions:
    def test_compare(self, name, path, capsys):
        options = {"methods": ["cmim", "mim"], "classifier": "ncm", "folds": 3}
        comparison = bitsieve.compare(table(name)[0], "target", **options)
        from_file = bitsieve.compare(path, "target", **options)
        assert from_file.errors.tolist() == comparison.errors.tolist()
        assert from_file.notes == comparison.notes
        words = ["--methods", "cmim,mim", "--classifier", "ncm", "--folds", "3"]
        document = printed(capsys, ["compare", str(path), "--target", "target", *words])
        assert without_times(document["methods"]) == without_times(comparison.to_dict()["methods"])

    def test_compare_ranks_as_fit_does(self, name):
        """Both rank the same columns alike where the training rows are all rows."""
        _, X, y = table(name)
        everything = np.arange(len(y))
        folds = [(everything[::2], everything[1::2])]
        comparison = bitsieve.compare(
            X,
            y,
            methods=["cmim2"],
            features=[3],
            classifier="ncm",
            folds=folds,
            protocol="paper",
            parameters={"estimator": "corrected"},
            binning="auto",
        )
        ranked = comparison.selected[0][0]
        assert X.columns[ranked].tolist() == expected(name, 3).features

    def test_how_many(self, name, path, capsys):
        options = {"classifier": "ncm", "folds": 3, "n_pairs": 5}
        answers = bitsieve.how_many(table(name)[0], "target", **options).to_dict()
        assert bitsieve.how_many(path, "target", **options).to_dict() == answers
        words = ["--classifier", "ncm", "--folds", "3", "--pairs", "5"]
        document = printed(capsys, ["how-many", str(path), "--target", "target", *words])
        assert {key: document[key] for key in without_words(answers)} == without_words(answers)

    def test_interactions(self, name, path, capsys):
        options = {"top": 5, "n_shuffles": 9}
        pairs = bitsieve.interactions(table(name)[0], "target", **options)
        from_file = bitsieve.interactions(path, "target", **options)
        assert (from_file.tuples, from_file.p.tolist()) == (pairs.tuples, pairs.p.tolist())
        words = ["--top", "5", "--shuffles", "9"]
        document = printed(capsys, ["interactions", str(path), "--target", "target", *words])
        expected_document = without_words(pairs.to_dict())
        assert {key: document[key] for key in expected_document} == expected_document


class TestIdentifiers:
    """They are dropped by every door, and kept where that is asked for."""

    NAME = "wine with row numbers"

    def test_select_and_fit(self):
        frame, X, y = table(self.NAME)
        assert "number" not in bitsieve.select(frame, "target").features
        assert "number" in bitsieve.select(frame, "target", n_features_to_select=1, identifiers="keep").features
        with pytest.warns(bitsieve.BitsieveWarning, match="'number' looks like an identifier.*identifiers='keep'"):
            dropped = bitsieve.ForwardSelector(1).fit(X, y)
        kept = bitsieve.ForwardSelector(1, identifiers="keep").fit(X, y)
        assert X.columns[kept.selected_].tolist() == ["number"]
        assert X.columns[dropped.selected_].tolist() != ["number"]
        with pytest.raises(ValueError, match="identifiers='maybe' is not allowed"):
            bitsieve.ForwardSelector(1, identifiers="maybe").fit(X, y)

    @pytest.mark.parametrize("identifiers", quick_and_slow(["drop", "keep"], quick={"keep"}, reason="the default"))
    def test_questions(self, identifiers):
        frame, X, y = table(self.NAME)
        number = list(X.columns).index("number")
        is_kept = identifiers == "keep"
        options = {"classifier": "ncm", "folds": 3}
        comparison = bitsieve.compare(
            frame, "target", methods=["mim"], features=[1], identifiers=identifiers, **options
        )
        assert (number in comparison.selected[0][0]) == is_kept
        answers = bitsieve.how_many(frame, "target", n_pairs=5, identifiers=identifiers, **options).answers
        assert any("number" in answer.features for answer in answers) == is_kept
        pairs = bitsieve.interactions(frame, "target", statistic="joint", n_shuffles=0, identifiers=identifiers)
        assert any("number" in pair for pair in pairs.tuples) == is_kept
        selector = bitsieve.SelectorCV(methods=["mim"], features=[2], identifiers=identifiers, **options).fit(X, y)
        assert (number in selector.selected_) == is_kept
        stable = bitsieve.StabilitySelector(bitsieve.ForwardSelector(1), n_pairs=5, identifiers=identifiers).fit(X, y)
        assert (number in stable.selected_) == is_kept

    @pytest.mark.parametrize("name", [NAME])
    @pytest.mark.parametrize("command", ["select", "interactions", "compare"])
    def test_commands(self, name, command, path, capsys):
        words = [command, str(path), "--target", "target"]
        words += {
            "select": ["--features", "1"],
            "interactions": ["--statistic", "joint", "--shuffles", "0"],
            "compare": ["--methods", "mim", "--features", "1", "--classifier", "ncm", "--folds", "3"],
        }[command]
        assert "'number'" in str(printed(capsys, words))  # the note that it was dropped
        assert "'number' looks like an identifier" not in str(printed(capsys, [*words, "--identifiers", "keep"]))
