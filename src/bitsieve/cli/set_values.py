"""Settings of --set that are objects in Python: Nystrom's approximation, densities in place of bins, and columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bitsieve.cli.options import IN_PLACE_OF_SET
from bitsieve.diagnostics import UserError, parameter_reported_as

if TYPE_CHECKING:
    from bitsieve.methods.method import Method
    from bitsieve.optimize.nystrom import Nystrom

Setting = tuple[str, object]

#: The parameters of ``Nystrom`` by their names in --set.
NYSTROM = {
    "nystrom": "sampling_rate",
    "nystrom_variant": "variant",
    "landmarks": "landmarks",
    "nystrom_seed": "random_state",
}
DENSITIES = "densities"
LEVELS = "levels"
START = "start"
KERNELS = ("gaussian",)


def settable_parameters(method: Method) -> dict[str, Any]:
    """The settings that --set takes with a method, with their defaults.

    They are the method's parameters that have no option of their own, those of Nystrom, and ``densities``.
    """
    settable = {name: default for name, default in method.parameters.items() if name not in IN_PLACE_OF_SET}
    if "approximation" in settable:
        settable.update(dict.fromkeys(NYSTROM))
    if takes_densities(method):
        settable[DENSITIES] = None
    return settable


def takes_densities(method: Method) -> bool:
    """Whether a method takes numbers without bins, by their densities."""
    return method.bins and method.needs_rows


def parameters_of_settings(settings: Sequence[Setting]) -> dict[str, Any]:
    """The parameters of the method that --set gives; the settings of Nystrom become its ``approximation``."""
    parameters = {name: value for name, value in settings if name not in NYSTROM}
    nystrom_parameters = {NYSTROM[name]: value for name, value in settings if name in NYSTROM}
    if nystrom_parameters:
        if "approximation" in parameters:
            raise UserError(
                code="contradicting-parameters",
                message="--set approximation and --set nystrom both set the approximation",
                advice="give --set nystrom=0.5 alone",
            )
        parameters["approximation"] = _nystrom(nystrom_parameters)
    if START in parameters:
        parameters[START] = [column.strip() for column in str(parameters[START]).split(",")]
    if parameters.get(LEVELS) is not None:
        parameters[LEVELS] = _levels(str(parameters[LEVELS]))
    return parameters


def _levels(text: str) -> dict[str, int]:
    """How many values columns could have, from text such as ``age:5,sex:2``."""
    levels = {}
    for part in text.split(","):
        column, _, n_values = part.rpartition(":")
        if not column.strip() or not n_values.strip().isdecimal():
            raise UserError(
                code="parameter-not-allowed",
                message=f"--set levels={text} is not allowed",
                advice="give columns and how many values each could have, as levels=age:5,sex:2",
            )
        levels[column.strip()] = int(n_values)
    return levels


def _nystrom(values: Mapping[str, object]) -> Nystrom:
    from bitsieve.optimize.nystrom import Nystrom

    arguments: dict[str, Any] = dict(values)
    if "landmarks" in arguments:
        arguments["landmarks"] = _column_indices(arguments["landmarks"])
    with (
        parameter_reported_as("sampling_rate", "nystrom"),
        parameter_reported_as("variant", "nystrom_variant"),
        parameter_reported_as("random_state", "nystrom_seed"),
    ):
        return Nystrom(**arguments)


def _column_indices(value: object) -> list[int]:
    """Column indices from text such as ``0,3,5``."""
    try:
        return [int(part) for part in str(value).split(",")]
    except ValueError:
        raise UserError(
            code="parameter-not-allowed",
            message=f"--set landmarks={value} is not allowed",
            advice="give indices of columns, as landmarks=0,3,5",
        ) from None


def asks_for_densities(settings: Sequence[Setting]) -> bool:
    """Whether --set asks for densities in place of bins."""
    kernels = [value for name, value in settings if name == DENSITIES]
    for kernel in kernels:
        if kernel not in KERNELS:
            raise UserError(
                code="parameter-not-allowed",
                message=f"--set densities={kernel} is not allowed",
                advice="give densities=gaussian, or leave it out",
            )
    return len(kernels) > 0
