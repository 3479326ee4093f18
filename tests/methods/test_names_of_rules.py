"""A stopping rule in place of a method, and a method in place of a rule: the error names the right parameter."""

from __future__ import annotations

import numpy as np
import pytest

import bitsieve
from bitsieve.cli import main
from bitsieve.methods.by_counts.stopping import STOPPING_RULES
from bitsieve.methods.registry import method_names

X = np.arange(40).reshape(20, 2) % 7
Y = np.arange(20) % 2


@pytest.mark.parametrize("rule", STOPPING_RULES)
def test_a_rule_is_no_method(rule, capsys):
    for call in (
        lambda: bitsieve.select(X, Y, method=rule),
        lambda: bitsieve.make_selector(rule),
        lambda: bitsieve.ForwardSelector(criterion=rule).fit(X, Y),
    ):
        with pytest.raises(bitsieve.UserError, match=f"add stopping='{rule}'") as error:
            call()
        assert error.value.fix == {"stopping": rule}
    assert main(["select", "no.csv", "-t", "y", "--method", rule]) == 2
    assert f"--stop {rule}" in capsys.readouterr().err


@pytest.mark.parametrize("method", ["jmi", "fcbf", "qpfs"])
def test_a_method_is_no_rule(method, capsys):
    assert method in method_names()
    for call in (
        lambda: bitsieve.select(X, Y, stopping=method),
        lambda: bitsieve.ForwardSelector(stopping=method).fit(X, Y),
    ):
        with pytest.raises(bitsieve.UserError, match="is a method and no stopping rule") as error:
            call()
        assert error.value.fix == {"method": method}
    assert main(["select", "no.csv", "-t", "y", "--stop", method]) == 2
    assert f"--stop {method} is a method and no stopping rule" in capsys.readouterr().err
