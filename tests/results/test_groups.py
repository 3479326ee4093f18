"""The groups of columns that a method made: as text, in a frame, in JSON, in a report and through a file."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer

import bitsieve
from bitsieve.cli import main
from bitsieve.explain.affiliated import Affiliated
from bitsieve.report.groups import groups_section
from bitsieve.results.groups import AffiliatedFeatures, groups_text
from bitsieve.results.saved.schema import ColumnGroup

X, Y = load_breast_cancer(return_X_y=True, as_frame=True)
OF_A_FEATURE = ("gdm", "fgm", "rcfs", "fcbf")


def selected(method, **options):
    return bitsieve.select(X, Y, method=method, n_features_to_select=4, **options)


@pytest.mark.parametrize("method", OF_A_FEATURE)
def test_every_selected_feature_has_its_group(method):
    selection = selected(method)
    fitted = selection.selector
    assert [group.selected for group in selection.groups] == [(name,) for name in selection.features]
    for group, members in zip(selection.groups, fitted.groups_, strict=True):
        assert list(group.others) == X.columns[members].tolist()
        assert group.cohesiveness is None
    if method == "gdm":
        found = [np.corrcoef(X["worst concave points"], X[name])[0, 1] for name in selection.groups[0].others]
        assert selection.groups[0].correlations == pytest.approx(found, abs=1e-9)  # sums in another order


def test_dominant_sets_hold_every_column_once_and_their_cohesiveness():
    selection = selected("dominant-set-mii")
    names = [name for group in selection.groups for name in (*group.selected, *group.others)]
    assert sorted(names) == sorted(X.columns)
    fitted = selection.selector
    assert [group.cohesiveness for group in selection.groups] == fitted.cohesiveness_.tolist()
    assert [len(group.selected) + len(group.others) for group in selection.groups] == [
        len(members) for members in fitted.sets_
    ]
    assert [name for group in selection.groups for name in group.selected] == selection.features


def test_a_method_without_groups_has_none():
    selection = selected("mim")
    assert selection.groups == []
    assert selection.to_dict()["groups"] == []
    assert len(selection.to_frame("groups")) == 0
    assert "groups" not in str(selection)
    assert groups_section(selection.groups, 12) is None


@pytest.mark.parametrize("method", ["gdm", "dominant-set-mii"])
def test_the_frame_has_a_row_for_each_member(method):
    selection = selected(method)
    frame = selection.to_frame("groups")
    rows = [
        (number, name, name in group.selected)
        for number, group in enumerate(selection.groups, 1)
        for name in (*group.selected, *group.others)
    ]
    assert list(zip(frame["group"], frame["feature"], frame["selected"], strict=True)) == rows
    assert selection.to_frame("groups", "pyarrow").num_rows == len(rows)
    assert selection.to_frame("pyarrow").num_rows == 4


def test_groups_are_saved_and_loaded(tmp_path):
    for method in ("gdm", "dominant-set-mii"):
        selection = selected(method)
        selection.save(tmp_path / "saved.json")
        loaded = bitsieve.load(tmp_path / "saved.json")
        assert loaded == selection
        assert loaded.groups == selection.groups
        assert str(loaded) == str(selection)


def test_groups_of_one_column_are_not_printed():
    alone = ColumnGroup(selected=("a",), others=(), correlations=None, cohesiveness=None)
    pair = ColumnGroup(selected=("b",), others=("c",), correlations=None, cohesiveness=0.25)
    assert groups_text([alone]) == ""
    assert groups_text([alone, pair]).splitlines()[1] == "   2  b*, c  (cohesiveness 0.2500)"
    assert groups_text([pair] * 30).splitlines()[-1] == "      ... and 10 more groups"


@pytest.mark.parametrize(
    ("n_columns", "of_group", "of_feature"),
    [
        (8, "column_6, column_7", "column_6 0.50, column_7 0.50"),
        (9, "column_7, ... (9 columns)", "column_7 0.50, ... (9 features)"),
    ],
)
def test_eight_names_of_a_group_are_printed(n_columns, of_group, of_feature):
    names = [f"column_{j}" for j in range(n_columns)]
    group = ColumnGroup(selected=("a",), others=tuple(names[1:]), correlations=None, cohesiveness=None)
    columns = np.arange(1, n_columns + 1)
    near = Affiliated(np.array([0]), [columns], [np.full(n_columns, 0.5)])
    affiliated = AffiliatedFeatures(names=["best", *names], affiliated=near, by="correlation", min_nearness=0.3)
    assert groups_text([group]).endswith(of_group)
    assert affiliated.text().endswith(of_feature)


@pytest.mark.parametrize(("n_groups", "last"), [(20, "  20  a*, b"), (21, "      ... and 1 more groups")])
def test_twenty_groups_are_printed(n_groups, last):
    group = ColumnGroup(selected=("a",), others=("b",), correlations=None, cohesiveness=None)
    assert groups_text([group] * n_groups).splitlines()[-1] == last


@pytest.mark.slow("a report is drawn")
def test_the_report_draws_the_groups(tmp_path):
    pytest.importorskip("matplotlib")
    pytest.importorskip("jinja2")
    section = groups_section(selected("gdm").groups, 12)
    assert section.svg.startswith("<svg")
    assert [len(group.others) for group in section.groups] == [8, 4, 1]
    assert section.n_alone == 1
    path = tmp_path / "report.html"
    bitsieve.write_report(selected("gdm"), path)
    assert "Groups of columns" in path.read_text(encoding="utf-8")


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "tumours.csv"
    X.assign(target=Y).to_csv(path, index=False)
    return str(path)


def of_command(capsys, data, *options):
    assert main(["select", data, "--target", "target", "--features", "3", "--quiet", *options]) == 0
    return capsys.readouterr().out


def test_the_command_prints_groups(capsys, data):
    assert "(cohesiveness 0.4167)" in of_command(capsys, data, "--method", "dominant-set-mii")
    document = json.loads(of_command(capsys, data, "--method", "gdm", "--json"))
    assert document["groups"][2] == {
        "selected": ["worst texture"],
        "others": ["mean texture"],
        "correlations": [pytest.approx(np.corrcoef(X["worst texture"], X["mean texture"])[0, 1])],
        "cohesiveness": None,
    }
    assert document["estimator"] == "plug-in"


@pytest.mark.parametrize("by", ["correlation", "information"])
def test_the_command_lists_affiliated_features(capsys, data, by):
    options = ("--method", "mrmr", "--affiliated", "0.3", "--affiliated-by", by)
    document = json.loads(of_command(capsys, data, *options, "--json"))
    selection = bitsieve.select(X, Y, method="mrmr", n_features_to_select=3)
    affiliated = bitsieve.affiliated(selection, X, tau=0.3, by=by)
    names = [X.columns[group].tolist() for group in affiliated.groups]
    assert [group["others"] for group in document["affiliated"]] == names
    assert [group["nearness"] for group in document["affiliated"]] == [
        nearness.tolist() for nearness in affiliated.nearness
    ]
    text = of_command(capsys, data, *options)
    assert f"{selection.features[0]}: {names[0][0]} {affiliated.nearness[0][0]:.2f}" in text


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--affiliated", "1.5"], "--affiliated 1.5 is not allowed"),
        (["--affiliated-by", "information"], "--affiliated-by has an effect only with --affiliated"),
    ],
)
def test_options_of_affiliated_features_are_checked_first(capsys, data, options, words):
    assert main(["select", data, "--target", "target", *options]) == 2
    assert words in capsys.readouterr().err
