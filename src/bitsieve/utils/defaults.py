"""The defaults of parameters. The method of ``select`` was chosen by ``benchmarks/default_criterion.py``."""

from __future__ import annotations

BINNING = "auto"  # "mdl" for a target of classes, bins of equal frequency for a quantity
ESTIMATOR = "corrected"  # of information
INTERACTIONS_BINNING = "quantile"  # MDL cuts no column that is informative with others only
INTERACTIONS_BINS = {2: 3, 3: 2}  # number of columns of a tuple to number of bins: see docs/howto/interactions.md
DRIFT_BINNING = "quantile"  # bins that are made without a look at the periods
DRIFT_PENALTY = 1.0  # bits of score for a bit of shift within the classes
MAX_DRIFT = 0.018  # bits between periods; for two of equal size a population stability index of 0.1

N_FEATURES = 20  # to select, or all if the table has fewer
SELECT_METHOD = "cmim2"
SELECTOR_METHOD = "cmim2"  # of ForwardSelector
HOW_MANY_METHOD = "jmi"
COMPARED = ("mim", "mrmr", "cmim2", "speccmi")
CROSS_VALIDATED = ("mim", "mrmr", "cmim2")
