"""The method of ``select`` where none is asked for: one, everywhere, that takes every option of a greedy method."""

from __future__ import annotations

import inspect
import json

import pytest
from sklearn.datasets import load_breast_cancer

import bitsieve
from bitsieve.cli import main
from bitsieve.cli.parser import make_parser
from bitsieve.methods.registry import parameters_of
from bitsieve.utils.defaults import SELECT_METHOD


def test_it_is_the_same_everywhere():
    assert inspect.signature(bitsieve.select).parameters["method"].default == SELECT_METHOD
    assert make_parser("select").parse_args(["select", "table.csv"]).method == SELECT_METHOD
    assert f'method : str, default="{SELECT_METHOD}"' in bitsieve.select.__doc__


def test_it_takes_what_a_greedy_method_takes():
    assert {"stopping", "constraints", "estimator"} <= set(parameters_of(SELECT_METHOD))


@pytest.mark.parametrize(
    "options", [["--exclude", "a"], ["--include", "b"], ["--group", "a", "b"], ["--stop", "significance"]], ids=str
)
def test_the_command_line_takes_the_options_without_a_method(options, tmp_path, capsys):
    X, y = load_breast_cancer(return_X_y=True)
    path = tmp_path / "table.csv"
    rows = ["a,b,c,d,y", *(f"{a},{b},{c},{d},{kind}" for (a, b, c, d), kind in zip(X[:, :4], y, strict=True))]
    path.write_text("\n".join(rows))
    assert main(["select", str(path), "--target", "y", "--json", *options]) == 0
    assert json.loads(capsys.readouterr().out)["method"] == SELECT_METHOD
