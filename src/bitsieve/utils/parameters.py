"""Checks of parameters: functions of a name and a value that raise ParameterError if the value is not allowed."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from typing import Any, NamedTuple, SupportsIndex

import numpy as np

from bitsieve.diagnostics import Diagnostic, ParameterError
from bitsieve.utils.defaults import N_FEATURES
from bitsieve.utils.messages import number_and_noun
from bitsieve.utils.note_warnings import warn

Rule = Callable[[str, Any], object]  # whatever a user gave
NO_LIMIT = 2**31


def check_parameters(holder: object) -> None:
    """Apply the rules of an object's class and of its base classes to its parameters."""
    for kind in reversed(type(holder).__mro__):
        for name, rule in vars(kind).get("parameter_rules", {}).items():
            rule(name, getattr(holder, name))


def optional(rule: Rule) -> Rule:
    """The rule for a parameter that may also be None."""
    return lambda name, value: None if value is None else rule(name, value)


def made_by(make: Callable[[Any], object]) -> Rule:
    """The rule for a parameter that is allowed where ``make(value)`` raises no ValueError."""
    return lambda _, value: make(value)


def whole_number(value: object) -> int | None:
    """``value`` as an int, or None where it is no whole number; a bool is none."""
    if type(value) is int:  # a look at the protocol takes 20 times as long
        return value
    if isinstance(value, bool) or not isinstance(value, SupportsIndex):
        return None
    try:
        return operator.index(value)
    except TypeError:  # an array of several numbers
        return None


def check_integer(name: str, value: object, low: int, high: int = NO_LIMIT, why: str = "") -> int:
    """``value`` as an int in ``low .. high``; ``why`` says where the bounds come from."""
    number = whole_number(value)
    if number is None or not low <= number <= high:
        bounds = f"from {low} to {high}" if high != NO_LIMIT else f"of {low} or more"
        advice = f"give a whole number {bounds}"
        raise ParameterError(name, value, f"{advice} ({why})" if why else advice)
    return number


def check_number(name: str, value: object, low: float, high: float = np.inf, *, instead: str = "") -> float:
    """``value`` as a finite float in ``low .. high``; ``instead`` says what else may be given."""
    number = np.nan
    if isinstance(value, Real) and not isinstance(value, (bool, np.bool_)):
        number = float(value)
    if not (low <= number <= high and np.isfinite(number)):
        bounds = f"from {low:g} to {high:g}" if np.isfinite(high) else f"of {low:g} or more"
        advice = f"give a number {bounds}"
        raise ParameterError(name, value, f"{advice}, {instead}" if instead else advice)
    return number


def check_above_zero(name: str, value: object, rules: Sequence[str] = ()) -> None:
    """Refuse a value that is neither a finite number above 0 nor the name of one of the rules."""
    is_above_zero = isinstance(value, Real) and not isinstance(value, bool) and 0 < float(value) < float("inf")
    is_rule = isinstance(value, str) and value in rules
    if not is_above_zero and not is_rule:
        rule_names = f"{' or '.join(map(repr, rules))}, or " if rules else ""
        raise ParameterError(name, value, f"give {rule_names}a number above 0")


def check_level(level: object) -> None:
    """Refuse a level of significance that is not inside 0 and 1."""
    if isinstance(level, bool) or not isinstance(level, Real) or not 0 < float(level) < 1:
        raise ParameterError("level", level, "give a probability between 0 and 1, such as 0.05")


def check_choice(name: str, value: object, choices: Sequence[str | None]) -> None:
    """Refuse a value that is none of the choices."""
    if not isinstance(value, str | None) or value not in choices:
        raise ParameterError(name, value, f"give {' or '.join(map(repr, choices))}")


def check_flag(name: str, value: object) -> bool:
    """``value`` as a bool."""
    if not isinstance(value, (bool, np.bool_)):
        raise ParameterError(name, value, "give True or False")
    return bool(value)


def without_effect(parameter: str, value: object, fix: Mapping[str, object]) -> ParameterError:
    """The error for a parameter that has an effect only with the one in ``fix``."""
    (required,) = fix
    return ParameterError(
        parameter,
        value,
        f"leave it out, or add {{{required}}}",
        "has no effect here",
        code="parameter-without-effect",
        fix=fix,
    )


def check_threads(name: str, value: object) -> None:
    """Refuse what is no number of threads. None means one, -1 every core, -2 all cores but one, and so on."""
    if value is not None and whole_number(value) in (None, 0):
        raise ParameterError(name, value, "give 1 or more, or -1 for every core", "is not a number of threads")


def make_random(seed: Any) -> np.random.RandomState:
    """The random numbers of a ``random_state``: None (numpy's own), a whole number, or a RandomState."""
    if seed is None or seed is np.random:
        return np.random.mtrand._rand
    if isinstance(seed, np.random.RandomState):
        return seed
    try:
        return np.random.RandomState(operator.index(seed))
    except (TypeError, ValueError):
        advice = "give a whole number from 0 to 4294967295, a RandomState or None"
        raise ParameterError("random_state", seed, advice) from None


class FeatureCount(NamedTuple):
    """The rule for the parameter ``n_features_to_select``.

    It is a whole number, a share as a float between 0 and 1, None for the default, or one of the values ``open_ended``
    that leave the number to the method. A number larger than the number of features means all of them.
    """

    open_ended: Sequence[str | None] = ()

    def among(self, value: object, n_features: int, why: str = "") -> int:
        """The number that ``value`` means for a table of ``n_features``. A share is rounded down, but is at least 1."""
        if isinstance(value, str | None) and value in self.open_ended:
            return n_features
        if isinstance(value, str) and value == "auto":
            advice = "this method does not end by itself, give a number"
            raise ParameterError("n_features_to_select", value, advice, "is not allowed here")
        if isinstance(value, (float, np.floating)) and 0 < value < 1:
            return max(1, int(value * n_features))
        why = why or f"the table has {number_and_noun(n_features, 'feature')}"
        number = whole_number(value)
        if value is not None and number is None:
            share = ", a share between 0 and 1, or auto" if "auto" in self.open_ended else " or a share between 0 and 1"
            allowed = f"give a whole number from 1 to {n_features}{share} ({why})"
            raise ParameterError("n_features_to_select", value, allowed)
        if number is None:
            return min(N_FEATURES, n_features)
        if number > n_features:
            warn(fewer_columns(why, number))
            return n_features
        return check_integer("n_features_to_select", value, 1, n_features, why)


def fewer_columns(table_has: str, requested: int) -> Diagnostic:
    """The user requests more features than the table has."""
    return Diagnostic(
        code="fewer-columns", message=f"{table_has}, fewer than the {requested:,} requested: all are ranked"
    )
