"""bitsieve: feature selection by information, exact and in bits.

Every public name is imported when it is first used, so that ``import bitsieve`` is light.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bitsieve.common.notes import BitsieveWarning as BitsieveWarning
    from bitsieve.counts.kernels import show_kernel as show_kernel
    from bitsieve.data.binning import CategoricalBinner as CategoricalBinner
    from bitsieve.data.binning import EqualFrequencyBinner as EqualFrequencyBinner
    from bitsieve.data.binning import EqualWidthBinner as EqualWidthBinner
    from bitsieve.data.binning import MDLBinner as MDLBinner
    from bitsieve.data.binning import ZeroApartBinner as ZeroApartBinner
    from bitsieve.engines.dask import DaskSource as DaskSource
    from bitsieve.engines.spark import SparkSource as SparkSource
    from bitsieve.engines.stream import StreamSource as StreamSource
    from bitsieve.evaluate.compare import compare as compare
    from bitsieve.evaluate.comparison import Comparison as Comparison
    from bitsieve.evaluate.how_many import HowMany as HowMany
    from bitsieve.evaluate.how_many import how_many as how_many
    from bitsieve.evaluate.selector_cv import SelectorCV as SelectorCV
    from bitsieve.methods.by_counts.stopping import FalseDiscoveryStopping as FalseDiscoveryStopping
    from bitsieve.methods.by_counts.stopping import PermutationStopping as PermutationStopping
    from bitsieve.methods.by_counts.stopping import SignificanceStopping as SignificanceStopping
    from bitsieve.methods.by_counts.stopping import ThresholdStopping as ThresholdStopping
    from bitsieve.methods.constraints import Constraints as Constraints
    from bitsieve.methods.registry import list_methods
    from bitsieve.optimize.nystrom import Nystrom as Nystrom
    from bitsieve.report.displays import CurveDisplay as CurveDisplay
    from bitsieve.report.displays import RankingDisplay as RankingDisplay
    from bitsieve.report.displays import RedundancyDisplay as RedundancyDisplay
    from bitsieve.report.files import write_report as write_report
    from bitsieve.report.plots import plot_how_many as plot_how_many
    from bitsieve.report.plots import plot_similarity as plot_similarity
    from bitsieve.report.plots import plot_stability as plot_stability
    from bitsieve.report.plots import plot_weights as plot_weights
    from bitsieve.selection.affiliated import affiliated as affiliated
    from bitsieve.selection.explain import FeatureExplanation as FeatureExplanation
    from bitsieve.selection.geometric import bayes_error_bounds as bayes_error_bounds
    from bitsieve.selection.geometric import geometric_mutual_information as geometric_mutual_information
    from bitsieve.selection.geometric import henze_penrose_divergence as henze_penrose_divergence
    from bitsieve.selection.information import (
        conditional_mutual_information_matrix as conditional_mutual_information_matrix,
    )
    from bitsieve.selection.information import entropy as entropy
    from bitsieve.selection.information import mutual_information as mutual_information
    from bitsieve.selection.information import mutual_information_matrix as mutual_information_matrix
    from bitsieve.selection.select import select as select
    from bitsieve.selection.selection import Selection as Selection
    from bitsieve.selectors.blankets import FCBF as FCBF
    from bitsieve.selectors.blankets import KollerSahami as KollerSahami
    from bitsieve.selectors.dominant_sets import DominantSetClusters as DominantSetClusters
    from bitsieve.selectors.dominant_sets import DominantSetMII as DominantSetMII
    from bitsieve.selectors.forward import ForwardSelector as ForwardSelector
    from bitsieve.selectors.gdm import GDM as GDM
    from bitsieve.selectors.models import L1SVM as L1SVM
    from bitsieve.selectors.models import SVMRFE as SVMRFE
    from bitsieve.selectors.models import ModelSelector as ModelSelector
    from bitsieve.selectors.pairwise import EQPFS as EQPFS
    from bitsieve.selectors.pairwise import QPFS as QPFS
    from bitsieve.selectors.pairwise import SDPCMI as SDPCMI
    from bitsieve.selectors.pairwise import SpecCMI as SpecCMI
    from bitsieve.selectors.registry import make_selector as make_selector
    from bitsieve.selectors.separability import RCFS as RCFS
    from bitsieve.selectors.separability import ReliefF as ReliefF
    from bitsieve.selectors.spanning_trees import GMI as GMI
    from bitsieve.selectors.spanning_trees import DpSelector as DpSelector
    from bitsieve.selectors.stability import StabilitySelector as StabilitySelector
    from bitsieve.selectors.vmi import VMI as VMI

    __version__: str

_HOMES = {
    "affiliated": "bitsieve.selection.affiliated",
    "bayes_error_bounds": "bitsieve.selection.geometric",
    "BitsieveWarning": "bitsieve.common.notes",
    "CategoricalBinner": "bitsieve.data.binning",
    "compare": "bitsieve.evaluate.compare",
    "Comparison": "bitsieve.evaluate.comparison",
    "conditional_mutual_information_matrix": "bitsieve.selection.information",
    "Constraints": "bitsieve.methods.constraints",
    "DaskSource": "bitsieve.engines.dask",
    "CurveDisplay": "bitsieve.report.displays",
    "DominantSetClusters": "bitsieve.selectors.dominant_sets",
    "DominantSetMII": "bitsieve.selectors.dominant_sets",
    "DpSelector": "bitsieve.selectors.spanning_trees",
    "entropy": "bitsieve.selection.information",
    "EQPFS": "bitsieve.selectors.pairwise",
    "EqualFrequencyBinner": "bitsieve.data.binning",
    "EqualWidthBinner": "bitsieve.data.binning",
    "FalseDiscoveryStopping": "bitsieve.methods.by_counts.stopping",
    "FCBF": "bitsieve.selectors.blankets",
    "FeatureExplanation": "bitsieve.selection.explain",
    "ForwardSelector": "bitsieve.selectors.forward",
    "GDM": "bitsieve.selectors.gdm",
    "geometric_mutual_information": "bitsieve.selection.geometric",
    "GMI": "bitsieve.selectors.spanning_trees",
    "henze_penrose_divergence": "bitsieve.selection.geometric",
    "how_many": "bitsieve.evaluate.how_many",
    "HowMany": "bitsieve.evaluate.how_many",
    "KollerSahami": "bitsieve.selectors.blankets",
    "L1SVM": "bitsieve.selectors.models",
    "list_methods": "bitsieve.methods.registry",
    "make_selector": "bitsieve.selectors.registry",
    "MDLBinner": "bitsieve.data.binning",
    "ModelSelector": "bitsieve.selectors.models",
    "mutual_information": "bitsieve.selection.information",
    "mutual_information_matrix": "bitsieve.selection.information",
    "Nystrom": "bitsieve.optimize.nystrom",
    "PermutationStopping": "bitsieve.methods.by_counts.stopping",
    "plot_how_many": "bitsieve.report.plots",
    "plot_similarity": "bitsieve.report.plots",
    "plot_stability": "bitsieve.report.plots",
    "plot_weights": "bitsieve.report.plots",
    "QPFS": "bitsieve.selectors.pairwise",
    "RankingDisplay": "bitsieve.report.displays",
    "RCFS": "bitsieve.selectors.separability",
    "RedundancyDisplay": "bitsieve.report.displays",
    "ReliefF": "bitsieve.selectors.separability",
    "SDPCMI": "bitsieve.selectors.pairwise",
    "select": "bitsieve.selection.select",
    "Selection": "bitsieve.selection.selection",
    "SelectorCV": "bitsieve.evaluate.selector_cv",
    "show_kernel": "bitsieve.counts.kernels",
    "SignificanceStopping": "bitsieve.methods.by_counts.stopping",
    "SparkSource": "bitsieve.engines.spark",
    "SpecCMI": "bitsieve.selectors.pairwise",
    "ThresholdStopping": "bitsieve.methods.by_counts.stopping",
    "StabilitySelector": "bitsieve.selectors.stability",
    "StreamSource": "bitsieve.engines.stream",
    "SVMRFE": "bitsieve.selectors.models",
    "VMI": "bitsieve.selectors.vmi",
    "ZeroApartBinner": "bitsieve.data.binning",
    "write_report": "bitsieve.report.files",
}

__all__ = [
    "EQPFS",
    "FCBF",
    "GDM",
    "GMI",
    "L1SVM",
    "QPFS",
    "RCFS",
    "SDPCMI",
    "SVMRFE",
    "VMI",
    "BitsieveWarning",
    "CategoricalBinner",
    "Comparison",
    "Constraints",
    "CurveDisplay",
    "DaskSource",
    "DominantSetClusters",
    "DominantSetMII",
    "DpSelector",
    "EqualFrequencyBinner",
    "EqualWidthBinner",
    "FalseDiscoveryStopping",
    "FeatureExplanation",
    "ForwardSelector",
    "HowMany",
    "KollerSahami",
    "MDLBinner",
    "ModelSelector",
    "Nystrom",
    "PermutationStopping",
    "RankingDisplay",
    "RedundancyDisplay",
    "ReliefF",
    "Selection",
    "SelectorCV",
    "SignificanceStopping",
    "SparkSource",
    "SpecCMI",
    "StabilitySelector",
    "StreamSource",
    "ThresholdStopping",
    "ZeroApartBinner",
    "__version__",
    "affiliated",
    "bayes_error_bounds",
    "compare",
    "conditional_mutual_information_matrix",
    "entropy",
    "geometric_mutual_information",
    "henze_penrose_divergence",
    "how_many",
    "list_methods",
    "make_selector",
    "mutual_information",
    "mutual_information_matrix",
    "plot_how_many",
    "plot_similarity",
    "plot_stability",
    "plot_weights",
    "select",
    "show_kernel",
    "write_report",
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
