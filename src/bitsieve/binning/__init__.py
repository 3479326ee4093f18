"""Raw columns to small integer codes: MDL, equal frequency, equal width, categorical."""

from bitsieve.binning.categorical import CategoricalBinner
from bitsieve.binning.equal_frequency import EqualFrequencyBinner
from bitsieve.binning.equal_width import EqualWidthBinner
from bitsieve.binning.mdl import MDLBinner
from bitsieve.binning.registry import make_binner

__all__ = ["CategoricalBinner", "EqualFrequencyBinner", "EqualWidthBinner", "MDLBinner", "make_binner"]
