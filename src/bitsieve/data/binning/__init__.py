"""Raw columns to small integer codes: MDL, equal frequency, equal width, categorical, and zero as a code of its own."""

from bitsieve.data.binning.categorical import CategoricalBinner
from bitsieve.data.binning.equal_frequency import EqualFrequencyBinner
from bitsieve.data.binning.equal_width import EqualWidthBinner
from bitsieve.data.binning.mdl import MDLBinner
from bitsieve.data.binning.registry import binner_of, make_binner
from bitsieve.data.binning.zero_apart import ZeroApartBinner

__all__ = [
    "CategoricalBinner",
    "EqualFrequencyBinner",
    "EqualWidthBinner",
    "MDLBinner",
    "ZeroApartBinner",
    "binner_of",
    "make_binner",
]
