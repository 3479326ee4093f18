"""Every option of ``select`` is saved, and is the same option again."""

from __future__ import annotations

import inspect
import warnings
from dataclasses import fields

import pytest
from tests.patients import patients

import bitsieve
from bitsieve.options import ColumnOptions, DiscretizationOptions, ExecutionOptions, ReadOptions, SurvivalOptions
from bitsieve.results.saved.call import call_of_options

#: A value of every option, other than its default.
EXAMPLES = {
    "target": ["ill", "city"],
    "sample_weight": "weight",
    "weight_kind": "sampling",
    "groups": "city",
    "strata": "city",
    "method": "mifs",
    "n_features_to_select": 2,
    "include": ["noise"],
    "exclude": ["noise"],
    "identifiers": "keep",
    "screen": 3,
    "binning": "quantile",
    "n_bins": 4,
    "uncut": "median",
    "bins_within": True,
    "missing": "bin",
    "target_bins": 4,
    "target_kind": "classes",
    "drop_missing_target": False,
    "header": True,
    "repair": False,
    "column_types": {"share": "category"},
}
#: What an example needs beside it.
BESIDE = {
    "weight_kind": {"sample_weight": "weight"},
    "n_bins": {"binning": "uniform"},
    "bins_within": {"strata": "city"},
    "target_bins": {"target": "dose"},
    "screen": {"n_features_to_select": 2},
}


def call_again(tmp_path, **options):
    """The options of the call, which went through a file."""
    data = patients(300)
    data["dose"] = data["dose"].fillna(0)
    data.to_csv(tmp_path / "data.csv", index=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        selection = bitsieve.select(tmp_path / "data.csv", **{"target": "ill", **options})
    selection.save(tmp_path / "ill.json")
    saved = bitsieve.load(tmp_path / "ill.json")
    return call_of_options(saved.details.options, saved.parameters, None)


def value_of(call, name):
    """The value of an option, wherever it is."""
    for options in (call.read, call.discretization, call.selection.columns, call.selection):
        if hasattr(options, name):
            return getattr(options, name)
    raise AssertionError(name)


def test_there_is_an_example_of_every_option():
    of_execution = {item.name for item in fields(ExecutionOptions)}
    of_call = {*inspect.signature(bitsieve.select).parameters} - of_execution - {"data", "verbose", "parameters"}
    of_call -= {"protocol"}  # the options that it stands for are saved
    of_call -= {"period", "drift", "max_drift", "drift_penalty"}  # what they lead to is saved
    of_call -= {item.name for item in fields(SurvivalOptions)}  # in place of a target: tests/api/test_survival.py
    assert {*EXAMPLES} == of_call
    of_types = {item.name for kind in (ReadOptions, DiscretizationOptions, ColumnOptions) for item in fields(kind)}
    assert of_types - {*EXAMPLES} == {"target_name", "survival"}  # which select does not set


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_option_is_the_same_again(tmp_path, name):
    options = {name: EXAMPLES[name], **BESIDE.get(name, {})}
    call = call_again(tmp_path, **options)
    for option, value in options.items():
        again = value_of(call, option)
        assert (again.name if option == "method" else again) == value
    assert inspect.signature(bitsieve.select).parameters[name].default != EXAMPLES[name]


def test_parameters_of_methods_and_objects_are_the_same_again(tmp_path):
    call = call_again(tmp_path, method="mifs", beta=0.25, stopping=bitsieve.ThresholdStopping(bits=0.01))
    assert dict(call.selection.requested)["beta"] == 0.25
    assert call.selection.stopping.bits == 0.01
    constraints = bitsieve.Constraints(["noise"])
    call = call_again(tmp_path, constraints=constraints, binning=bitsieve.EqualWidthBinner(n_bins=4))
    assert call.selection.constraints.must_include == ["noise"]
    assert call.discretization.binning.n_bins == 4
    call = call_again(tmp_path, constraints=bitsieve.Constraints(penalties={"noise": 0.25}))
    assert call.selection.constraints.penalties == {"noise": 0.25}
