"""bitsieve: feature selection by information, exact and in bits.

Every public name is imported when it is first used, so that ``import bitsieve`` is light.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bitsieve.binning import CategoricalBinner as CategoricalBinner
    from bitsieve.binning import EqualFrequencyBinner as EqualFrequencyBinner
    from bitsieve.binning import EqualWidthBinner as EqualWidthBinner
    from bitsieve.binning import MDLBinner as MDLBinner
    from bitsieve.by_counts.stopping import PermutationStopping as PermutationStopping
    from bitsieve.by_counts.stopping import SignificanceStopping as SignificanceStopping
    from bitsieve.by_counts.stopping import ThresholdStopping as ThresholdStopping
    from bitsieve.counts.kernels import show_kernel as show_kernel
    from bitsieve.evaluation.compare import compare as compare
    from bitsieve.evaluation.comparison import Comparison as Comparison
    from bitsieve.evaluation.selector_cv import SelectorCV as SelectorCV
    from bitsieve.selectors.constraints import Constraints as Constraints
    from bitsieve.selectors.forward import ForwardSelector as ForwardSelector
    from bitsieve.selectors.measures import (
        conditional_mutual_information_matrix as conditional_mutual_information_matrix,
    )
    from bitsieve.selectors.measures import entropy as entropy
    from bitsieve.selectors.measures import mutual_information as mutual_information
    from bitsieve.selectors.measures import mutual_information_matrix as mutual_information_matrix
    from bitsieve.selectors.registry import list_methods as list_methods
    from bitsieve.selectors.registry import make_selector as make_selector
    from bitsieve.selectors.selection import Selection as Selection
    from bitsieve.selectors.selection import select as select
    from bitsieve.selectors.speccmi import SpecCMI as SpecCMI
    from bitsieve.selectors.vmi import VMI as VMI

    __version__: str

_HOMES = {
    "ThresholdStopping": "bitsieve.by_counts.stopping",
    "SignificanceStopping": "bitsieve.by_counts.stopping",
    "PermutationStopping": "bitsieve.by_counts.stopping",
    "Constraints": "bitsieve.selectors.constraints",
    "CategoricalBinner": "bitsieve.binning",
    "Comparison": "bitsieve.evaluation.comparison",
    "EqualFrequencyBinner": "bitsieve.binning",
    "EqualWidthBinner": "bitsieve.binning",
    "ForwardSelector": "bitsieve.selectors.forward",
    "MDLBinner": "bitsieve.binning",
    "Selection": "bitsieve.selectors.selection",
    "SelectorCV": "bitsieve.evaluation.selector_cv",
    "SpecCMI": "bitsieve.selectors.speccmi",
    "VMI": "bitsieve.selectors.vmi",
    "compare": "bitsieve.evaluation.compare",
    "conditional_mutual_information_matrix": "bitsieve.selectors.measures",
    "entropy": "bitsieve.selectors.measures",
    "list_methods": "bitsieve.selectors.registry",
    "make_selector": "bitsieve.selectors.registry",
    "mutual_information": "bitsieve.selectors.measures",
    "mutual_information_matrix": "bitsieve.selectors.measures",
    "select": "bitsieve.selectors.selection",
    "show_kernel": "bitsieve.counts.kernels",
}

__all__ = [
    "VMI",
    "CategoricalBinner",
    "Comparison",
    "Constraints",
    "EqualFrequencyBinner",
    "EqualWidthBinner",
    "ForwardSelector",
    "MDLBinner",
    "PermutationStopping",
    "Selection",
    "SelectorCV",
    "SignificanceStopping",
    "SpecCMI",
    "ThresholdStopping",
    "__version__",
    "compare",
    "conditional_mutual_information_matrix",
    "entropy",
    "list_methods",
    "make_selector",
    "mutual_information",
    "mutual_information_matrix",
    "select",
    "show_kernel",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        value: Any = version("bitsieve")
    elif name in _HOMES:
        value = getattr(importlib.import_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
