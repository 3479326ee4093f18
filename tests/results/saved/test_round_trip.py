"""A selection that is saved and loaded is the same selection, whatever the method, the data and the options."""

from __future__ import annotations

import copy
import json
import pickle
import warnings

import joblib
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from tests.cover import methods_of_each_kind, quick_and_slow

import bitsieve
from bitsieve.methods.registry import list_methods
from bitsieve.results.saved.write import text_of_record
from bitsieve.results.selection import record_of

METHODS = [method.name for method in list_methods()]


@pytest.fixture(autouse=True)
def _no_figure(monkeypatch):
    """A page has no figure: a loaded selection lacks the rows for it, and to draw it takes a tenth of a second."""
    monkeypatch.setattr("bitsieve.results.selection.MAX_CELLS_DRAWN", 0)


@pytest.fixture(scope="module")
def table():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return X.iloc[::2], y.iloc[::2]


def selected(*arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bitsieve.select(*arguments, **options)


def through_a_file(selection, folder):
    """The selection that was saved and loaded; the same bytes are written again."""
    path = folder / "selection.json"
    selection.save(path)
    loaded = bitsieve.load(path)
    loaded.save(folder / "again.json")
    assert (folder / "again.json").read_bytes() == path.read_bytes()
    return loaded


def same(loaded, selection):
    assert loaded == selection
    assert selection == loaded
    assert hash(loaded) == hash(selection)
    assert str(loaded) == str(selection)
    assert loaded._repr_html_() == selection._repr_html_()
    assert loaded.to_dict() == selection.to_dict()
    assert loaded.notes == selection.notes
    pd.testing.assert_frame_equal(loaded.to_frame(), selection.to_frame(), check_exact=True)
    for name in ("indices", "scores", "relevance", "overlap", "informative"):
        np.testing.assert_array_equal(getattr(loaded, name), getattr(selection, name))


@pytest.mark.parametrize("method", methods_of_each_kind(METHODS))
def test_load_of_save_is_the_selection(table, tmp_path, method):
    selection = selected(*table, method=method, n_features_to_select=2)
    same(through_a_file(selection, tmp_path), selection)


@pytest.mark.parametrize(
    "rule",
    quick_and_slow(
        ["significance", "permutation", "fdr", "conditional", "knockoffs", "dcrt", "gaussian-knockoffs", "threshold"],
        quick={"significance", "knockoffs"},
        reason="the same record of another rule",
    ),
)
def test_stopping_rules(tmp_path, rule):
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    selection = selected(X.iloc[:200, :8], y.iloc[:200], method="mim", stopping=rule, binning="quantile")
    loaded = through_a_file(selection, tmp_path)
    same(loaded, selection)
    assert loaded.details.stopping.by == selection.fit.result.stopping.by


def tables_of_many_kinds():
    random = np.random.default_rng(3)
    n = 60
    y = random.integers(0, 2, n)
    frame = pd.DataFrame(
        {
            "amount": [f"€ {1000 + 10 * i + 300 * c:,}.50" for i, c in enumerate(y)],
            "share": [f"{random.integers(1, 50) + 20 * c} %" for c in y],
            "comma": [f"{random.integers(1, 9) + c},{random.integers(0, 9)}" for c in y],
            "when": [f"{random.integers(13, 28)}/0{random.integers(1, 9)}/20{10 + c}" for c in y],
            "lasted": [f"{random.integers(1, 9) + 5 * c}:30" for c in y],
            "agreed": [random.choice(["yes", "Y"]) if c else random.choice(["no", "N"]) for c in y],
            "city": pd.Categorical([random.choice(["Oslo", "Rome"]) if c else "Bern" for c in y]),
            "few": random.integers(0, 3, n) + y,
            "gaps": np.where(random.random(n) < 0.2, np.nan, y + random.normal(size=n)),
            "flag": y.astype(bool) ^ (random.random(n) < 0.2),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(random.integers(0, 90, n) + 40 * y, "D"),
        }
    )
    frame["agreed"] = frame["agreed"].where(random.random(n) < 0.9, None)
    numbers = random.normal(size=(n, 5)) + y[:, None]
    return {
        "mixed": ((frame, np.where(y, "yes", "no")), {}),
        "array": ((numbers, y), {}),
        "quantity": ((numbers, numbers @ [1.0, 2, 0, 0, 0]), {}),
        "dates as target": ((numbers, frame["day"]), {}),
        "several targets": ((numbers, pd.DataFrame({"a": y, "b": frame["few"]})), {}),
        "joint quantity": ((numbers, pd.DataFrame({"a": y, "b": numbers[:, 0]})), {}),
        "labels are numbers": ((pd.DataFrame(numbers), y), {}),
        "labels are times": ((pd.DataFrame(numbers, columns=pd.date_range("2024-01-01", periods=5)), y), {}),
        "weights": ((numbers, y), {"sample_weight": random.integers(0, 4, n)}),
        "criterion with a parameter": ((numbers, y), {"method": "mifs", "beta": 0.25}),
        "rule with parameters": ((numbers, y), {"stopping": bitsieve.ThresholdStopping(bits=0.01)}),
        "binner": ((numbers, y), {"binning": bitsieve.EqualWidthBinner(n_bins=4)}),
        "zero apart": ((np.maximum(numbers, 0), y), {"binning": bitsieve.ZeroApartBinner()}),
        "groups": ((numbers, y), {"constraints": bitsieve.Constraints(["x1"], groups=[["x0", "x2"]])}),
        "include": ((frame, y), {"include": ["city"], "exclude": ["day"], "column_types": {"few": "category"}}),
        "nothing selected": ((random.normal(size=(n, 3)), y), {"stopping": bitsieve.ThresholdStopping(bits=9.0)}),
        "bytes": ((pa.table({"b": pa.array([b"x", b"y"] * 30), "n": numbers[:, 0]}), y), {}),
        "braces": ((pd.DataFrame({"{a}": numbers[:, 0], "b\n": y}), y), {}),
    }


KINDS = tables_of_many_kinds()


@pytest.mark.parametrize("kind", KINDS)
def test_kinds_of_data(tmp_path, kind):
    arguments, options = KINDS[kind]
    selection = selected(*arguments, **options)
    loaded = through_a_file(selection, tmp_path)
    assert loaded == selection
    assert str(loaded) == str(selection)
    assert loaded.notes == selection.notes


@pytest.mark.parametrize("kind", KINDS)
def test_pickles_and_copies_are_equal(kind):
    arguments, options = KINDS[kind]
    selection = selected(*arguments, **options)
    for again in (pickle.loads(pickle.dumps(selection)), copy.copy(selection), copy.deepcopy(selection)):
        assert again == selection
        assert hash(again) == hash(selection)
        assert str(again) == str(selection)


def test_a_pickle_keeps_the_reduced_table(table, tmp_path):
    selection = selected(*table, n_features_to_select=2)
    joblib.dump(selection, tmp_path / "selection.joblib")
    again = joblib.load(tmp_path / "selection.joblib")
    assert again == selection
    assert again.table.equals(selection.table)


def test_what_needs_rows_is_refused_after_loading(table, tmp_path):
    loaded = through_a_file(selected(*table), tmp_path)
    for call in (
        lambda: loaded.explain(0),
        lambda: loaded.selector,
        lambda: bitsieve.write_report(loaded, tmp_path / "r.html"),
    ):
        with pytest.raises(bitsieve.UserError) as refused:
            call()
        assert refused.value.code == "selection-without-rows"


def test_selections_differ_by_what_they_hold(table):
    X, y = table
    selection = selected(X, y, n_features_to_select=2)
    assert selection == selected(X, y, n_features_to_select=2, n_jobs=2)
    assert selection != selected(X, y, n_features_to_select=3)
    assert selection != selected(X.iloc[:-1], y.iloc[:-1], n_features_to_select=2)
    assert selection != selected(X.rename(columns={X.columns[0]: "other"}), y, n_features_to_select=2)
    assert selection != "a selection"


def test_only_the_ends_of_selected_columns_are_in_the_file():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 50)
    X = np.column_stack([random.normal(size=50) + y, random.normal(size=50)])
    selection = selected(X, y)
    text = text_of_record(record_of(selection))
    values_in_file = {float(value) for value in X.ravel() if repr(float(value)) in text}
    assert values_in_file == {*X.min(axis=0).tolist(), *X.max(axis=0).tolist()}
    assert json.loads(text)["options"]["target"] is None


def test_steps_name_the_winner_and_the_runner_up(table):
    selection = selected(*table, n_features_to_select=3, method="mim", estimator="plug-in")
    relevance = dict(zip(selection.features, selection.relevance, strict=True))
    steps = selection.details.steps
    assert [step.winner[0] for step in steps] == selection.features
    assert [step.runner_up[0] for step in steps[:2]] == selection.features[1:]
    for step in steps[:2]:
        assert step.gap == pytest.approx(relevance[step.winner[0]] - relevance[step.runner_up[0]], abs=1e-12)


def test_counts_add_up_to_the_classes():
    arguments, options = KINDS["weights"]
    selection = selected(*arguments, **options)
    data = selection.details.data
    assert data.total_weight == options["sample_weight"].sum()
    assert data.n_samples == np.count_nonzero(options["sample_weight"])
    for column in selection.details.columns:
        assert np.sum(column.counts, axis=0).tolist() == list(selection.details.class_sizes)
