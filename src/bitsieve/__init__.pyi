"""The public names, each once, and where it is defined: ``__init__.py`` imports it from there when it is first used."""

from bitsieve.common.messages import BitsieveWarning as BitsieveWarning
from bitsieve.counts.kernels import show_kernel as show_kernel
from bitsieve.data.binning.transformers import CategoricalBinner as CategoricalBinner
from bitsieve.data.binning.transformers import EqualFrequencyBinner as EqualFrequencyBinner
from bitsieve.data.binning.transformers import EqualWidthBinner as EqualWidthBinner
from bitsieve.data.binning.transformers import MDLBinner as MDLBinner
from bitsieve.data.binning.transformers import ZeroApartBinner as ZeroApartBinner
from bitsieve.engines.dask import DaskSource as DaskSource
from bitsieve.engines.spark import SparkSource as SparkSource
from bitsieve.engines.stream import StreamSource as StreamSource
from bitsieve.evaluate.compare import compare as compare
from bitsieve.evaluate.comparison import Comparison as Comparison
from bitsieve.evaluate.how_many import HowMany as HowMany
from bitsieve.evaluate.how_many import how_many as how_many
from bitsieve.evaluate.selector_cv import SelectorCV as SelectorCV
from bitsieve.methods.by_counts.stopping import ConditionalStopping as ConditionalStopping
from bitsieve.methods.by_counts.stopping import FalseDiscoveryStopping as FalseDiscoveryStopping
from bitsieve.methods.by_counts.stopping import KnockoffStopping as KnockoffStopping
from bitsieve.methods.by_counts.stopping import PermutationStopping as PermutationStopping
from bitsieve.methods.by_counts.stopping import SignificanceStopping as SignificanceStopping
from bitsieve.methods.by_counts.stopping import ThresholdStopping as ThresholdStopping
from bitsieve.methods.constraints import Constraints as Constraints
from bitsieve.methods.registry import list_methods as list_methods
from bitsieve.optimize.nystrom import Nystrom as Nystrom
from bitsieve.report.files import write_report as write_report
from bitsieve.report.plots import plot_how_many as plot_how_many
from bitsieve.report.plots import plot_similarity as plot_similarity
from bitsieve.report.plots import plot_stability as plot_stability
from bitsieve.report.plots import plot_weights as plot_weights
from bitsieve.selection.affiliated import affiliated as affiliated
from bitsieve.selection.chow_liu import chow_liu_tree as chow_liu_tree
from bitsieve.selection.conditional import conditional_test as conditional_test
from bitsieve.selection.displays import CurveDisplay as CurveDisplay
from bitsieve.selection.displays import DendrogramDisplay as DendrogramDisplay
from bitsieve.selection.displays import RankingDisplay as RankingDisplay
from bitsieve.selection.displays import RedundancyDisplay as RedundancyDisplay
from bitsieve.selection.displays import TargetDisplay as TargetDisplay
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
from bitsieve.selection.interactions import Interactions as Interactions
from bitsieve.selection.interactions import interactions as interactions
from bitsieve.selection.select import select as select
from bitsieve.selection.selection import Selection as Selection
from bitsieve.selectors.blankets import FCBF as FCBF
from bitsieve.selectors.blankets import KollerSahami as KollerSahami
from bitsieve.selectors.dominant_sets import DominantSetClusters as DominantSetClusters
from bitsieve.selectors.dominant_sets import DominantSetMII as DominantSetMII
from bitsieve.selectors.forward import ForwardSelector as ForwardSelector
from bitsieve.selectors.gdm import GDM as GDM
from bitsieve.selectors.interactions import InteractionSelector as InteractionSelector
from bitsieve.selectors.knockoffs import KnockoffSelector as KnockoffSelector
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
