"""What is done where nothing else is asked for: one row for each function and command that takes a method.

``benchmarks/default_method.py`` chose the method of ``select``.
"""

from __future__ import annotations

from typing import NamedTuple

BINNING = "auto"  # "mdl" where the target is classes, bins of equal frequency where it is a quantity
ESTIMATOR = "corrected"  # of information
INTERACTIONS_BINNING = "quantile"  # MDL cuts no column that is informative with others only
INTERACTIONS_BINS = {2: 3, 3: 2}  # by the columns of a tuple: see docs/methods/interactions.md


class Defaults(NamedTuple):
    """The defaults of one function: its method, or those that are compared, and how many features (0: every number)."""

    methods: tuple[str, ...]
    features: int = 0

    @property
    def method(self) -> str:
        """The one method."""
        (method,) = self.methods
        return method


SELECT = Defaults(("cmim",), 20)
SELECTOR = Defaults(("cmim",), 10)  # ForwardSelector; the number is that of every selector
HOW_MANY = Defaults(("jmi",))
COMPARE = Defaults(("mim", "mrmr", "cmim", "speccmi"))
SELECTOR_CV = Defaults(("mim", "mrmr", "cmim"))
