"""How a selection was made: its method, its parameters, its seed, and the call that makes it again."""

from __future__ import annotations

from typing import Any

from bitsieve.methods.by_counts.stopping import make_stopping
from bitsieve.methods.registry import list_methods
from bitsieve.results.selection import Selection


def settings_of(selection: Selection) -> dict[str, str]:
    """The method, its parameters and its seed."""
    method = next(method for method in list_methods() if method.name == selection.method)
    parameters = _parameters(selection)
    return {
        "method": f"{method.name}: {method.title}",
        "it maximises": method.formula,
        "paper": method.paper,
        "parameters": ", ".join(f"{name}={value!r}" for name, value in parameters.items()),
        "seed": f"{_seed(selection)}; of the shuffles in this report 0",
    }


def _parameters(selection: Selection) -> dict[str, Any]:
    """The parameters of the selection, without those of the target that were left at None."""
    parameters = dict(selection.parameters)
    for name in ("target_bins", "target_kind"):
        if name in parameters and parameters[name] is None:
            del parameters[name]
    return parameters


def _seed(selection: Selection) -> str:
    """The seed of the method, else that of its stopping rule."""
    parameters = selection.selector.get_params(deep=False)
    if "random_state" in parameters:
        return str(parameters["random_state"])
    stopping = parameters.get("stopping")
    rule_parameters = vars(make_stopping(stopping)) if stopping else {}
    return str(rule_parameters.get("random_state", "none: nothing is drawn at random in the selection"))


def python_call(selection: Selection) -> str:
    """The call in Python that makes the selection again."""
    arguments = ["data"]
    if selection.target.kind != "survival":
        arguments.append(repr(selection.target_name))
    arguments.append(f"method={selection.method!r}")
    for name, value in _parameters(selection).items():
        if name in ("groups", "strata") and value == name:  # values were given, not the name of a column
            arguments.append(f"{name}={name}")
        elif name != "method":
            arguments.append(f"{name}={value!r}")
    lines = ",\n".join(f"    {argument}" for argument in arguments)
    return f"bitsieve.select(\n{lines},\n)"
