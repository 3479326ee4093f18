"""Raw columns to small integer codes: MDL, equal frequency, equal width, categorical, and zero as a code of its own."""

from bitsieve.binning.categorical import CategoricalBinner
from bitsieve.binning.equal_frequency import EqualFrequencyBinner
from bitsieve.binning.equal_width import EqualWidthBinner
from bitsieve.binning.mdl import MDLBinner
from bitsieve.binning.of_table import binner_of
from bitsieve.binning.registry import make_binner
from bitsieve.binning.zero_apart import ZeroApartBinner

__all__ = [
    "CategoricalBinner",
    "EqualFrequencyBinner",
    "EqualWidthBinner",
    "MDLBinner",
    "ZeroApartBinner",
    "binner_of",
    "make_binner",
]
