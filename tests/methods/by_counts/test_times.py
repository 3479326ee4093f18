"""What a method says that it takes grows as its cost does, and is nothing for a small table; its parameters."""

from __future__ import annotations

import inspect
import re

import pytest

from bitsieve.methods.registry import list_methods

METHODS = [method for method in list_methods() if method.run.__module__.startswith("bitsieve.methods.by_counts")]


def powers(cost):
    """The largest power of every size in the time of a cost such as "O(n^2 d + n^3), 2 n^2 numbers"."""
    found = {"n": 0, "d": 0, "k": 0}
    for size, power in re.findall(r"([ndk])(?:\^(\d))?", re.match(r"O\((.*?)\)", cost)[1]):
        found[size] = max(found[size], int(power or 1))
    return found


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_the_time_grows_as_the_cost_says(method):
    for size, power in powers(method.cost).items():
        for sizes in ({"n": 1000, "d": 3000, "k": 10}, {"n": 90, "d": 200, "k": 2}):
            grown = method.seconds(**{**sizes, size: 2 * sizes[size]}) / method.seconds(**sizes)
            assert 1 <= grown <= 2**power
        if method.name != "sdpcmi" or size != "d":  # of which to 2,000 columns the iteration is all
            many = {**dict.fromkeys("ndk", 10), size: 10**9}
            grown = method.seconds(**{**many, size: 2 * 10**9}) / method.seconds(**many)
            assert grown == pytest.approx(2**power, rel=1e-3)  # other terms are a millionth of the largest


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_a_small_table_takes_no_time(method):
    """100 columns and 2,000 rows, as no one waits for; but at least the reading of the codes, 32 bits in 1e-10 s."""
    assert 100 * 2000 / 32 * 1e-10 < method.seconds(100, 2000, 10) < 0.1


# Calibrated on measured times: 200 rows of 90 columns, k = 2; 3,000 of 1,000, k = 10; 400 of 2,001, k = 5.
SECONDS = {
    "mim": (9e-06, 0.0015, 0.0004002),
    "cmim": (1.8e-05, 0.015, 0.002001),
    "cmi": (0.000288, 0.24, 0.032016),
    "jmi3": (0.000144, 0.6, 0.04002),
    "speccmi": (0.0002916, 0.12, 0.168168042),
    "sdpcmi": (0.0003645, 0.5, 1.3694284),
    "qpfs": (0.00045198, 0.13, 0.392472178),
    "eqpfs": (0.00047709, 0.18, 0.344384126),
    "fcbf": (1.8e-05, 0.015, 0.002001),
    "koller-sahami": (0.0002106, 0.11, 0.128128032),
}


@pytest.mark.parametrize("name", SECONDS)
def test_forecasts_change_on_purpose_alone(name):
    (method,) = (method for method in METHODS if method.name == name)
    sizes = ((90, 200, 2), (1000, 3000, 10), (2001, 400, 5))
    # written with nine digits
    assert [method.seconds(*of) for of in sizes] == pytest.approx(list(SECONDS[name]), rel=1e-8)


@pytest.mark.parametrize("run", dict.fromkeys(method.run for method in METHODS), ids=lambda run: run.__name__)
def test_parameters_are_given_by_name(run):
    parameters = list(inspect.signature(run).parameters.values())
    assert [parameter.name for parameter in parameters[:2]] == ["information", "k"]
    assert {parameter.kind for parameter in parameters[:2]} == {inspect.Parameter.POSITIONAL_OR_KEYWORD}
    own = [parameter for parameter in parameters[2:] if parameter.name != "criterion"]
    assert {parameter.kind for parameter in own} <= {inspect.Parameter.KEYWORD_ONLY}


BOUNDS = {
    ("fcbf", "delta"): (0, 1),
    ("koller-sahami", "blanket_size"): (0, None),
    ("qpfs", "alpha"): (0, 1),
    ("eqpfs", "alpha"): (0, 1),
    ("eqpfs", "beta"): (0, None),
    ("eqpfs", "shift"): (0, None),
    ("sdpcmi", "n_roundings"): (1, 1_000_000),
}


@pytest.mark.parametrize(("name", "parameter"), BOUNDS)
def test_parameters_are_allowed_from_one_bound_to_the_other(name, parameter):
    (method,) = (method for method in METHODS if method.name == name)
    low, high = BOUNDS[name, parameter]
    rule, step = method.rules[parameter], 1 if isinstance(method.parameters[parameter], int) else 1e-6
    rule(parameter, low)
    rule(parameter, low + step)
    refused = [low - step]
    if high is not None:
        rule(parameter, high)
        refused.append(high + step)
    for value in (*refused, "much"):
        with pytest.raises(ValueError, match=f"{parameter}={value!r} is not allowed"):
            rule(parameter, value)
