"""What is done where nothing else is asked for; ``benchmarks/default_method.py`` chose the method of ``select``."""

from __future__ import annotations

BINNING = "auto"  # "mdl" where the target is classes, bins of equal frequency where it is a quantity
ESTIMATOR = "corrected"  # of information
INTERACTIONS_BINNING = "quantile"  # MDL cuts no column that is informative with others only
INTERACTIONS_BINS = {2: 3, 3: 2}  # by the columns of a tuple: see docs/howto/interactions.md

N_FEATURES = 20  # that are selected, or all where there are fewer
SELECT_METHOD = "cmim"
SELECTOR_METHOD = "cmim"  # of ForwardSelector
HOW_MANY_METHOD = "jmi"
COMPARED = ("mim", "mrmr", "cmim", "speccmi")
CROSS_VALIDATED = ("mim", "mrmr", "cmim")
