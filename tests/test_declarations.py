"""How functions are declared: what a user may leave out, and that nothing has to be given by its place alone."""

from __future__ import annotations

import ast
import inspect
import re
from dataclasses import MISSING, fields, is_dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

import pytest
from sklearn.base import BaseEstimator

import bitsieve

ROOMS = ("information", "counts", "methods.by_counts", "discretization")


def modules(room):
    root = import_module(f"bitsieve.{room}")
    return [root, *(import_module(found.name) for found in walk_packages(root.__path__, f"{root.__name__}."))]


def members(room):
    """The functions and classes that a room defines, and what its classes hold, by name."""
    for module in modules(room):
        for name, value in vars(module).items():
            if getattr(value, "__module__", None) == module.__name__ and (inspect.isclass(value) or callable(value)):
                yield f"{module.__name__}.{name}", None, value
                for inner, held in vars(value).items() if inspect.isclass(value) else ():
                    yield f"{module.__name__}.{name}.{inner}", value, held


def first_parameters(room):
    """Of every method that is declared in a room: its kind, and its first parameter."""
    for name, owner, held in members(room):
        function = getattr(held, "__func__", getattr(held, "fget", getattr(held, "func", held)))
        if owner is not None and inspect.isfunction(function) and function.__module__.startswith("bitsieve"):
            parameters = [*inspect.signature(function).parameters, ""]
            yield name, type(held), parameters[0]


@pytest.mark.parametrize("room", ROOMS)
def test_every_parameter_can_be_given_by_name(room):
    for name, _, value in members(room):
        function = inspect.unwrap(getattr(value, "__func__", value)) if callable(value) else None
        if inspect.isfunction(function) and function.__module__.startswith("bitsieve"):
            kinds = {parameter.kind for parameter in inspect.signature(function).parameters.values()}
            assert inspect.Parameter.POSITIONAL_ONLY not in kinds, name


@pytest.mark.parametrize("room", ROOMS)
def test_methods_take_their_object_and_others_of_a_class_do_not(room):
    """A function that is none of an object's must be found there as well, whether it is asked for there or not."""
    found = list(first_parameters(room))
    assert len(found) > 20
    for name, kind, first in found:
        if name.endswith("__new__") or kind is classmethod:
            assert first in ("cls", "kind"), name
        else:
            assert (first == "self") == (kind is not staticmethod), name


def test_no_record_is_changed_after_it_is_made():
    """Only what a table remembers of its inspection is filled in later."""
    can_change = []
    for module in walk_packages(bitsieve.__path__, "bitsieve."):
        if module.name.endswith("__main__"):
            continue
        for name, kind in vars(import_module(module.name)).items():
            is_own = inspect.isclass(kind) and kind.__module__ == module.name
            is_record = is_own and is_dataclass(kind) and not issubclass(kind, BaseEstimator)
            if is_record and not kind.__dataclass_params__.frozen:
                can_change.append(f"{module.name}.{name}")
    assert can_change == ["bitsieve.dataset.dataset._Inspected"]


def written_defaults(kind):
    """The defaults that a docstring gives, of parameters of their own line."""
    text = inspect.cleandoc(kind.__doc__ or "")
    found = re.findall(r"^(\w+) : .*default=(.+)$", text, re.MULTILINE)
    return {name: ast.literal_eval(value) for name, value in found}


PUBLIC = [
    name for name in bitsieve.__all__ if inspect.isclass(getattr(bitsieve, name)) or callable(getattr(bitsieve, name))
]


@pytest.mark.parametrize("name", [name for name in PUBLIC if "default=" in (getattr(bitsieve, name).__doc__ or "")])
def test_defaults_are_those_that_are_written_down(name):
    kind = getattr(bitsieve, name)
    given = {name: one.default for name, one in inspect.signature(kind).parameters.items()}
    for field in fields(kind) if is_dataclass(kind) else ():
        if field.default_factory is not MISSING:
            given[field.name] = field.default_factory()
    for parameter, value in written_defaults(kind).items():
        assert repr(given[parameter]) == repr(value), parameter


def test_data_classes_cannot_be_changed():
    """But for what was found in the columns of a table, which is kept step by step."""
    changeable = []
    for path in sorted(Path(bitsieve.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            decorators = [ast.unparse(decorator) for decorator in getattr(node, "decorator_list", [])]
            if any(text.split("(")[0] == "dataclass" and "frozen=True" not in text for text in decorators):
                changeable.append(node.name)
    assert changeable == ["_Inspected"]
