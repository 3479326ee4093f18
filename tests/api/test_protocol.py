"""The protocol of the papers: the parameters and the bins that the user left open are those of the paper."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.datasets import load_wine

import bitsieve
from bitsieve.cli import main
from bitsieve.evaluate.methods import make_selectors
from bitsieve.methods.registry import find_method, list_methods
from bitsieve.pipeline.discretize import BinningParameters

X, Y = load_wine(return_X_y=True)


@pytest.mark.parametrize("method", ["jmi", "mifs", "sdpcmi", "speccmi", "fcbf", "vmi", "gdm", "dominant-set-mii"])
def test_the_protocol_is_the_options_that_it_names(method):
    described = find_method(method)
    options = dict(described.published)
    if described.bins:
        options["uncut"] = "median"
    by_protocol = bitsieve.select(X, Y, method=method, n_features_to_select=4, protocol="paper")
    by_options = bitsieve.select(X, Y, method=method, n_features_to_select=4, **options)
    assert by_protocol == by_options
    assert by_protocol.scores.tolist() == by_options.scores.tolist()


def test_plug_in_and_the_median_of_uncut_columns():
    random = np.random.default_rng(0)
    noise = random.standard_normal((200, 3))
    selection = bitsieve.select(noise, random.integers(0, 2, 200), method="mim", protocol="paper")
    codes = np.where(noise > np.median(noise, axis=0), 1, 0)
    counted = bitsieve.mutual_information(codes, selection.target.codes, binning="none")
    assert selection.scores.tolist() == pytest.approx(np.sort(counted)[::-1], abs=1e-12)  # sums in another order
    assert selection.details.settled["uncut"] == "median"


def test_what_the_user_chose_stays():
    selection = bitsieve.select(
        X, Y, method="jmi", protocol="paper", estimator="corrected", binning="quantile", n_bins=4
    )
    assert selection == bitsieve.select(X, Y, method="jmi", binning="quantile", n_bins=4, estimator="corrected")


def test_a_quantity_keeps_its_bins():
    of_quantity = bitsieve.select(X[:, 1:], X[:, 0], method="jmi", protocol="paper", target_kind="quantity")
    assert of_quantity == bitsieve.select(X[:, 1:], X[:, 0], method="jmi", estimator="plug-in", target_kind="quantity")


def test_a_saved_selection_is_verified(tmp_path, capsys):
    data, saved = str(tmp_path / "wine.npz"), str(tmp_path / "wine.json")
    np.savez(data, X=X, y=Y)
    assert main(["select", data, "--method", "jmi", "--protocol", "paper", "--save", saved, "-q"]) == 0
    assert main(["verify", saved, data]) == 0
    assert main(["select", data, "--method", "jmi", "--protocol", "paper", "-q", "--json"]) == 0
    document = json.loads(capsys.readouterr().out.partition("{")[2].join(["{", ""]))
    assert document["parameters"]["estimator"] == "plug-in"


def test_another_protocol_is_refused():
    with pytest.raises(bitsieve.UserError) as caught:
        bitsieve.select(X, Y, protocol="nested")
    assert caught.value.code == "unknown-name"
    assert caught.value.parameters == {"protocol": "nested"}


def test_a_comparison_has_the_parameters_of_the_papers():
    methods = ["jmi", "sdpcmi", "svm-rfe"]
    binning = BinningParameters("auto", bins_within=False, missing=None)
    selectors = make_selectors(methods, 3, binning, 0, {"refine": "swap"}, as_published=True)
    assert selectors["jmi"].estimator == "plug-in"
    assert selectors["svm-rfe"].step == 1
    assert selectors["sdpcmi"].refine == "swap"
    by_protocol = bitsieve.compare(X, Y, methods="jmi", features=[2], classifier="ncm", folds=3, protocol="paper")
    assert by_protocol.selected[0][0].tolist() == (
        bitsieve.select(X, Y, method="jmi", n_features_to_select=2, protocol="paper").indices.tolist()
    )


def test_every_published_parameter_is_allowed_and_says_why_it_is_no_default():
    for method in list_methods():
        for name, value in method.published.items():
            assert method.parameters[name] != value
            if name in method.rules:
                method.rules[name](name, value)
        assert bool(method.published) == bool(method.why_default)
