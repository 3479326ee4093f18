"""A wrong name of a parameter is answered by the right one, in functions, estimators and on the command line."""

from __future__ import annotations

import inspect
from argparse import Namespace

import pytest
from sklearn.datasets import load_iris

import bitsieve
from bitsieve.cli.options import COMMANDS, options_of
from bitsieve.cli.parser import UsageError, _option_meant, parse
from bitsieve.diagnostics import UserError
from bitsieve.utils.parameter_names import OTHER_NAMES, proposes_right_names, right_name

X, Y = load_iris(return_X_y=True)
FUNCTIONS = (bitsieve.select, bitsieve.compare, bitsieve.how_many, bitsieve.interactions, bitsieve.mutual_information)
ESTIMATORS = (
    bitsieve.ForwardSelector,
    bitsieve.QPFS,
    bitsieve.SelectorCV,
    bitsieve.MDLBinner,
    bitsieve.CategoricalBinner,
    bitsieve.EqualFrequencyBinner,
    bitsieve.EqualWidthBinner,
)


def parameters_of(function):
    return [name for name in inspect.signature(function).parameters if name != "parameters"]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_functions_propose_the_right_name(function):
    parameters = parameters_of(function)
    for parameter in parameters:
        for other in OTHER_NAMES.get(parameter, ()):
            if other in parameters or (function is bitsieve.select and other == "estimator"):
                continue
            with pytest.raises(UserError) as caught:
                function(X, **{other: 1})
            assert caught.value.code == "unknown-parameter"
            assert set(caught.value.fix) == {right_name(other, parameters)}
            assert isinstance(caught.value, TypeError)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_estimators_propose_the_right_name(estimator):
    parameters = parameters_of(estimator)
    for parameter in parameters:
        for other in OTHER_NAMES.get(parameter, ()):
            if other in parameters:
                continue
            with pytest.raises(UserError) as made:
                estimator(**{other: 1})
            with pytest.raises(UserError) as changed:
                estimator().set_params(**{other: 1})
            assert str(made.value) == str(changed.value)
            assert set(made.value.fix) == {right_name(other, parameters)}


def test_names_that_are_like_no_other_keep_their_own_errors():
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        bitsieve.ForwardSelector(colour=3)
    with pytest.raises(ValueError, match="Invalid parameter 'colour'"):
        bitsieve.ForwardSelector().set_params(colour=3)
    with pytest.raises(ValueError, match="Invalid parameter 'colour'"):
        bitsieve.StabilitySelector(bitsieve.ForwardSelector()).set_params(selector__colour=3)
    with pytest.raises(ValueError, match="does not take colour"):
        bitsieve.select(X, Y, colour=3)


def test_nested_parameters_are_set():
    selector = bitsieve.StabilitySelector(bitsieve.ForwardSelector(2))
    assert selector.set_params(selector__criterion="jmi", n_pairs=3).selector.criterion == "jmi"


def test_a_decorated_function_keeps_its_signature():
    @proposes_right_names
    def decorated(X, *, n_bins=3):
        return X, n_bins

    assert list(inspect.signature(decorated).parameters) == ["X", "n_bins"]
    assert decorated(1, n_bins=4) == (1, 4)
    with pytest.raises(UserError, match="did you mean n_bins=2"):
        decorated(1, bins=2)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("select --n-features", "--features"),
        ("select --n_features_to_select", "--features"),
        ("select -n", "--features"),
        ("select --criterion", "--method"),
        ("select --n-bins", "--bins"),
        ("select --stopping", "--stop"),
        ("select --y", "--target"),
        ("select --drop", "--exclude"),
        ("select --jobs", "--threads"),
        ("select --mising", "--missing"),
        ("select --method mifs --beta", "--set beta=VALUE"),
        ("select --alpha", "--level"),
        ("select --method qpfs --alpha", "--set alpha=VALUE"),
        ("compare --method", "--methods"),
        ("compare --cv", "--folds"),
        ("compare --methods mifs --beta", "--set beta=VALUE"),
        ("interactions --k", "--top"),
        ("how-many --n-pairs", "--pairs"),
        ("select --hepl", "--help"),
    ],
)
def test_the_command_proposes_the_right_option(typed, meant):
    command, *options = typed.split()
    with pytest.raises(UsageError) as caught:
        parse([command, __file__, "--target", "y", *options])
    assert f"there is no option {options[-1]}: did you mean {meant}?" in str(caught.value)


@pytest.mark.parametrize("command", [command.name for command in COMMANDS])
def test_every_command_understands_the_names_of_python(command):
    options = [option for option in options_of(command) if option.name.startswith("-")]
    names = {option.name.strip("-").replace("-", "_") for option in options}
    for option in options:
        for parameter in set(option.parameters.split()) - names:
            assert _option_meant(f"--{parameter}", Namespace(command=command)) == option.name


@pytest.mark.parametrize("name", ["level", "alpha", "n_draws", "bits"])
@pytest.mark.parametrize("function", [bitsieve.select, bitsieve.ForwardSelector])
def test_a_parameter_of_a_stopping_rule_is_given_to_the_rule(function, name):
    arguments = (X, Y) if function is bitsieve.select else ()
    with pytest.raises(UserError) as caught:
        function(*arguments, stopping="fdr", **{name: 0.2})
    assert caught.value.code == "unknown-parameter"
    assert "FalseDiscoveryStopping(level=" in str(caught.value)
