"""Raw columns to small integer codes: MDL, equal frequency, equal width, categorical."""

from bitsieve.binning.categorical import CategoricalBinner
from bitsieve.binning.columns import Columns, read_columns
from bitsieve.binning.equal_frequency import EqualFrequencyBinner
from bitsieve.binning.equal_width import EqualWidthBinner
from bitsieve.binning.mdl import MDLBinner
from bitsieve.binning.registry import make_binner
from bitsieve.binning.target import Target, read_target

__all__ = [
    "CategoricalBinner",
    "Columns",
    "EqualFrequencyBinner",
    "EqualWidthBinner",
    "MDLBinner",
    "Target",
    "make_binner",
    "read_columns",
    "read_target",
]
