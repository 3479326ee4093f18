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
        The tables or values that it looks at, in words.
    cost : str
        Time, and memory where it exceeds the table's, for n features, d samples and k features to select.
    unit : str
        Of its scores: bits; ratio where they are bits by bits, mixed where both are added;
        share of a sum of 1; weight and importance; dependency and error, of which low is
        good.
    estimator : str
        Name of the class that selects by it.
    same_as : str
        The method that this is a second name of; empty where it is not.
    remark : str
        Why the two are the same.
    parameters : mapping of str to value
        Its parameters, as in ``make_selector(name, beta=0.5)``, with their defaults, but for those of every method
        (``n_features_to_select``, ``binning``, ``n_jobs``).
    """

    name: str
    title: str
    formula: str
    paper: str
    needs: str
    cost: str
    unit: str = "bits"
    estimator: str = ""
    same_as: str = ""
    remark: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)
