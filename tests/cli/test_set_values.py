"""Values of --set that stand for an object: Nystrom's approximation, and densities in place of bins."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

import bitsieve
from bitsieve.cli import main

X, Y = load_breast_cancer(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    path = tmp_path_factory.mktemp("set_values") / "tumours.csv"
    X.assign(target=Y).to_csv(path, index=False)
    return str(path)


def selected(capsys, data, *options):
    assert main(["select", data, "--target", "target", "--features", "4", "--quiet", "--json", *options]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("options", "nystrom"),
    [
        (["nystrom=0.3"], bitsieve.Nystrom(0.3)),
        (["nystrom=0.3", "nystrom_variant=paper"], bitsieve.Nystrom(0.3, variant="paper")),
        (["nystrom=0.3", "nystrom_seed=7"], bitsieve.Nystrom(0.3, random_state=7)),
        (["landmarks=0,3,22,27"], bitsieve.Nystrom(landmarks=[0, 3, 22, 27])),
    ],
)
def test_nystrom(capsys, data, options, nystrom):
    document = selected(capsys, data, "--method", "speccmi", *(word for text in options for word in ("--set", text)))
    by_object = bitsieve.select(X, Y, method="speccmi", n_features_to_select=4, approximation=nystrom)
    assert [feature["name"] for feature in document["features"]] == by_object.features
    assert [feature["score"] for feature in document["features"]] == by_object.scores.tolist()


def test_densities_take_numbers_without_bins(capsys, data):
    document = selected(capsys, data, "--method", "vmi", "--set", "densities=gaussian", "--set", "bandwidth=0.5")
    without_bins = bitsieve.select(X, Y, method="vmi", n_features_to_select=4, binning=None, bandwidth=0.5)
    assert [feature["score"] for feature in document["features"]] == without_bins.scores.tolist()
    assert document["parameters"]["binning"] is None


def test_a_selection_with_nystrom_is_verified(capsys, data, tmp_path):
    saved = str(tmp_path / "saved.json")
    selected(capsys, data, "--method", "speccmi", "--set", "nystrom=0.4", "--save", saved)
    assert main(["verify", saved, data]) == 0


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    """Matched pairs: the information within them is that of a common effect alone."""
    random = np.random.default_rng(0)
    case = np.arange(80) % 2
    path = tmp_path_factory.mktemp("set_values") / "pairs.csv"
    table = pd.DataFrame({"a": random.normal(size=80) + case, "b": random.normal(size=80)})
    table.assign(pair=[f"p{row // 2}" for row in range(80)], case=case).to_csv(path, index=False)
    return str(path)


def test_the_effect_may_be_set_for_all_methods_of_a_comparison(capsys, pairs):
    words = ["compare", pairs, "-t", "case", "--features", "1,2", "--folds", "4", "--strata", "pair", "--quiet"]
    tables = []
    for effect in (["--effect", "common"], ["--set", "effect=common"]):
        assert main([*words, *effect]) == 0
        printed = capsys.readouterr().out
        assert "--strata pair --effect common" in printed
        tables.append([line.split()[:-1] for line in printed.splitlines() if line.startswith(("mim", "mrmr", "cmim2"))])
    assert tables[0] == tables[1]
    assert main([*words, "--effect", "common", "--set", "effect=any"]) == 2
    assert "the effect is given 2 times: give --effect once" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["vmi", "--set", "densities=normal"], "--set densities=normal is not allowed: give densities=gaussian"),
        (["vmi", "--set", "densities=gaussian", "--bins", "4"], "--bins is for bins"),
        (["jmi", "--set", "densities=gaussian"], "method 'jmi' does not take 'densities'"),
        (["jmi", "--set", "nystrom=0.5"], "method 'jmi' does not take 'nystrom'"),
        (["speccmi", "--set", "nystrom=2"], "--set nystrom=2 is not allowed"),
        (["speccmi", "--set", "nystrom_seed=-1"], "--set nystrom_seed=-1 is not allowed"),
        (["speccmi", "--set", "landmarks=a,b"], "--set landmarks=a,b is not allowed"),
        (["speccmi", "--set", "nystrom=0.5", "--set", "approximation=nystrom"], "both set the approximation"),
        (["jmi", "--set", "start=a"], "use --method iamb-fdr"),
        (["jmi", "--set", "p_by=shuffles,n_shuffles=500"], "write --set p_by=shuffles --set n_shuffles=500"),
        (["mmmb", "--set", "start=mean area"], "--set start='mean area' has an effect only with 'iamb-fdr', 'gs', "),
        (["mmmb", "--set", "n_shuffles=99"], "leave it out, or add --set p_by=shuffles"),
        (["mmmb", "--set", "algorithm=iamb"], "give --method instead"),
    ],
)
def test_mistakes_are_one_line(capsys, data, options, words):
    assert main(["select", data, "--target", "target", "--method", *options]) == 2
    line = capsys.readouterr().err
    assert words in line
    assert line.count("\n") == 1


def test_compare_takes_nystrom_and_no_densities(capsys, data):
    asked = ["compare", data, "--target", "target", "--features", "2", "--folds", "3", "--quiet"]
    assert main([*asked, "--methods", "speccmi", "--set", "nystrom=0.5"]) == 0
    assert main([*asked, "--methods", "vmi", "--set", "densities=gaussian"]) == 2
    assert "none of the methods takes 'densities'" in capsys.readouterr().err
