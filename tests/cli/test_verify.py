"""``bitsieve verify``: a saved selection computed again, and the first step that differs named with its cause."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import dump_svmlight_file
from tests.cover import quick_and_slow
from tests.patients import patients

import bitsieve
from bitsieve.cli import main
from bitsieve.utils.lazy import Lazy
from bitsieve.utils.terminal_text import different_numbers

N = 300


def table():
    return patients(N)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table().to_csv("data.csv", index=False)
    return tmp_path


def run(capsys, *arguments):
    code = main([*arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def verified(capsys, data="data.csv", *options):
    code, out, errors = run(capsys, "verify", "ill.json", data, "--json", *options)
    assert code in (0, 1), errors
    document = json.loads(out)
    assert document["agrees"] == (code == 0)
    return document


OPTIONS = [
    [],
    ["--method", "mrmr", "-k", "2", "--bins", "4", "--binning", "quantile"],
    ["--method", "jmi", "--weight", "weight", "--estimator", "corrected"],
    ["--weight", "weight", "--weight-kind", "sampling"],
    ["--stop", "significance", "--level", "0.1"],
    ["--include", "noise", "--exclude", "city", "--column-type", "share=category"],
    ["--group", "dose", "noise", "--method", "mifs", "--set", "beta=0.5"],
    ["--method", "fcbf"],
    ["--method", "qpfs", "--screen", "3", "-k", "2"],
]


@pytest.mark.parametrize(
    "options",
    quick_and_slow(OPTIONS, quick=[OPTIONS[0], OPTIONS[2], OPTIONS[5]], reason="test_call takes each option again"),
    ids=" ".join,
)
def test_the_same_data_agrees_whatever_the_options(folder, capsys, options):
    code, _, errors = run(capsys, "select", "data.csv", "-t", "ill", "--save", "ill.json", *options)
    assert code == 0, errors
    document = verified(capsys)
    assert document["agrees"], document["steps"][-1]
    assert [step["name"] for step in document["steps"][:4]] == ["rows", "columns", "target", "options"]
    assert [step["name"] for step in document["steps"][-2:]] == ["end", "values"]


def test_another_format_and_engine_and_number_of_threads_agree(folder, capsys):
    assert run(capsys, "select", "data.csv", "-t", "ill", "--save", "ill.json")[0] == 0
    table().to_parquet("data.parquet")
    assert verified(capsys, "data.parquet")["agrees"]
    assert verified(capsys, "data.csv", "--engine", "stream", "--threads", "1")["agrees"]


def test_steps_show_how_close_the_choice_was(folder, capsys):
    assert run(capsys, "select", "data.csv", "-t", "ill", "--save", "ill.json")[0] == 0
    step = bitsieve.load("ill.json").details.steps[0]
    code, out, _ = run(capsys, "verify", "ill.json", "data.csv")
    assert code == 0
    assert f"{step.gap:.3g} before {step.runner_up[0]}" in out


CHANGES = [
    (lambda data: data.iloc[:-1], "rows", "rows"),
    (lambda data: data.assign(more=1), "columns", "columns"),
    (lambda data: data.assign(ill=["yes", *data["ill"][1:-1], "yes"]), "target", "target"),
    (lambda data: data.assign(dose=data["dose"].fillna(9)), "options", "values"),
    (lambda data: data.assign(dose=data["dose"].round(1)), "step", "values"),
]
OTHER_CHANGES = [
    (lambda data: data[["city", "dose", "share", "noise", "weight", "ill"]], "columns", "columns"),
    (lambda data: data.assign(noise=data["city"]), "columns", "columns"),
    (lambda data: data.assign(ill=["ill" if c == "yes" else c for c in data["ill"]]), "target", "target"),
    (lambda data: data.assign(share=data["share"].sample(frac=1, random_state=0).to_numpy()), "step", "values"),
]


@pytest.mark.parametrize(
    ("change", "name", "cause"),
    quick_and_slow([*CHANGES, *OTHER_CHANGES], quick=CHANGES, reason="another change with the same cause"),
)
def test_the_first_step_that_differs_is_named(folder, capsys, change, name, cause):
    assert run(capsys, "select", "data.csv", "-t", "ill", "-k", "3", "--save", "ill.json")[0] == 0
    change(table()).to_csv("other.csv", index=False)
    document = verified(capsys, "other.csv")
    step = document["steps"][-1]
    assert not document["agrees"]
    assert all(earlier["agrees"] for earlier in document["steps"][:-1])
    assert step["name"].split()[0] == name
    assert step["cause"] == cause
    assert step["difference"]
    code, out, _ = run(capsys, "verify", "ill.json", "other.csv")
    assert code == 1
    assert step["difference"] in out


def test_a_column_whose_kind_changed_is_named(folder, capsys):
    assert run(capsys, "select", "data.csv", "-t", "ill", "-k", "3", "--save", "ill.json")[0] == 0
    table().assign(noise=table()["city"], dose=table()["city"]).to_csv("other.csv", index=False)
    difference = verified(capsys, "other.csv")["steps"][-1]["difference"]
    assert difference == "'dose', 'noise': numbers then, categories now"
    document = json.loads((folder / "ill.json").read_bytes())
    del document["data"]["kinds"]
    for feature in document["features"]:
        del feature["column"]["missing_numbers"]
    document["version"] = 4
    (folder / "ill.json").write_text(json.dumps(document))
    assert verified(capsys, "other.csv")["steps"][-1]["difference"].startswith("a column that held numbers")


def test_another_version_is_named_where_the_values_are_the_same(folder, capsys):
    selection = bitsieve.select("data.csv", "ill", n_features_to_select=2)
    scores = selection.scores.copy()
    scores[1] = np.nextafter(scores[1], 1)  # one bit
    versions = selection.details.versions.value._replace(bitsieve="0.1")
    details = replace(selection.details, versions=Lazy(lambda: versions))
    replace(selection, scores=scores, details=details).save("ill.json")
    document = verified(capsys)
    assert document["steps"][-1]["name"] == "step 2"
    assert document["steps"][-1]["cause"] == "version"


def test_mistakes_are_one_line_and_code_2(folder, capsys):
    data = table()
    bitsieve.select(data.drop(columns=["weight", "ill"]), data["ill"], sample_weight=data["weight"]).save("values.json")
    assert run(capsys, "select", "data.csv", "-t", "ill", "--save", "ill.json")[0] == 0
    data.drop(columns="ill").to_csv("without.csv", index=False)
    (folder / "broken.json").write_text("{")
    for selection, path in [
        ("values.json", "data.csv"),
        ("ill.json", "without.csv"),
        ("ill.json", "nothing.csv"),
        ("broken.json", "data.csv"),
        ("nothing.json", "data.csv"),
    ]:
        code, out, errors = run(capsys, "verify", selection, path)
        assert (code, out) == (2, ""), (selection, path)
        assert errors.count("\n") == 1, errors


def test_a_target_that_the_file_does_not_name(folder, capsys):
    data = table()
    bitsieve.select(data.drop(columns="ill"), data["ill"]).save("values.json")
    assert run(capsys, "count", "data.csv", "-t", "ill", "--save", "counts")[0] == 0
    assert run(capsys, "select", "--counts", "counts", "--save", "counts.json")[0] == 0
    for selection in ("values.json", "counts.json"):
        code, _, errors = run(capsys, "verify", selection, "data.csv")
        assert code == 2
        assert "the target was given to the selection as values or in saved counts" in errors


def test_a_file_that_says_itself_what_its_target_is(folder, capsys):
    data = table()
    X = data[["dose", "noise"]].fillna(0.0).to_numpy()
    y = (data["ill"] == "yes").astype(int).to_numpy()
    np.savez("data.npz", X=X, y=y)
    dump_svmlight_file(X, y, "data.svm")
    for name in ("data.npz", "data.svm"):
        compressed = Path(f"{name}.gz")
        compressed.write_bytes(gzip.compress(Path(name).read_bytes()))
        assert run(capsys, "select", name, "-k", "1", "--save", "own.json")[0] == 0
        for path in (name, str(compressed)):
            assert run(capsys, "verify", "own.json", path)[0] == 0
        code, _, errors = run(capsys, "verify", "own.json", "data.csv")
        assert code == 2
        assert "the target was given to the selection as values or in saved counts" in errors
        Path("own.json").unlink()
    assert run(capsys, "select", "data.npz", "--save", "own.json")[0] == 0
    assert "nowhere.npz" in run(capsys, "verify", "own.json", "nowhere.npz")[2]


def test_other_values_of_a_column_that_is_not_selected(folder, capsys):
    options = "-t", "ill", "-k", "1", "--method", "mim", "--binning", "quantile", "--save", "ill.json"
    assert run(capsys, "select", "data.csv", *options)[0] == 0
    assert bitsieve.load("ill.json").features == ["share"]
    data = table()
    data.assign(noise=-data["noise"]).to_csv("other.csv", index=False)
    document = verified(capsys, "other.csv")
    assert [(step["name"], step["cause"]) for step in document["steps"] if not step["agrees"]] == [("values", "values")]
    data.sample(frac=1, random_state=0).to_csv("shuffled.csv", index=False)
    assert verified(capsys, "shuffled.csv")["agrees"]


@pytest.mark.parametrize(
    ("first", "second", "texts"),
    [
        (0.25, 0.5, ("0.25", "0.5")),
        (1.0, np.nextafter(1.0, 2), ("1", "1.0000000000000002")),
        (0.12345, 0.12346, ("0.12345", "0.12346")),
        (0.5, float("nan"), ("0.5", "-")),
    ],
)
def test_numbers_have_as_many_digits_as_show_the_difference(first, second, texts):
    assert different_numbers(first, second) == texts


def test_a_time_to_an_event_is_called_so(folder, capsys):
    random = np.random.default_rng(0)
    rows = table().assign(days=random.integers(1, 90, N), died=random.integers(0, 2, N))
    rows.to_csv("times.csv", index=False)
    run(capsys, "select", "times.csv", "--duration", "days", "--event", "died", "--save", "ill.json")
    steps = {step["name"]: step for step in verified(capsys, "times.csv")["steps"]}
    assert steps["target"]["content"] == "'days', a time to an event"
