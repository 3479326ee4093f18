"""What there is to know of a method before it runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class MethodInfo:
    """A method of the registry.

    Attributes
    ----------
    name : str
        As in ``make_selector(name)``.
    title : str
    formula : str
    paper : str
    needs : str
        What it looks at, in words.
    estimator : str
        The class behind it.
    unit : str
        Of its scores: bits; ratio where they are bits by bits, mixed where both are added;
        share of a sum of 1; weight.
    same_as : str
        The method that this is a second name of; empty where it is not.
    remark : str
        Why the two are the same.
    parameters : mapping of str to value
        Its own, as in ``make_selector(name, beta=0.5)``, with their defaults.
    """

    name: str
    title: str
    formula: str
    paper: str
    needs: str
    estimator: str
    unit: str = "bits"
    same_as: str = ""
    remark: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)
