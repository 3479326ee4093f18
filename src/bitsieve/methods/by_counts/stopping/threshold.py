"""Stop where no column adds a number of bits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bitsieve.information.protocol import ConditionalInformation, Information
from bitsieve.methods.by_counts.stopping.repeated_search import RepeatedSearch
from bitsieve.methods.by_counts.stopping.single import RuleValue, SingleMonitor, SingleStopping
from bitsieve.utils.arrays import Columns, Floats
from bitsieve.utils.docstrings import cites
from bitsieve.utils.parameters import check_number


@cites("Brown, Pocock, Zhao, Lujan 2012")
@dataclass(frozen=True)
class ThresholdStopping(SingleStopping):
    """Take no column whose I(Xi;C|S), all of S known, is below a number of bits, and stop where no other is left.

    The information is plug-in. The first column must also reach the threshold by the estimator of the selection, whose
    relevance is displayed: corrected for chance, noise has about 0 bits.

    Parameters
    ----------
    bits : float, default=0.01
        The plug-in estimate is larger than 0 by chance alone, the more so the more codes and the fewer samples.

    Examples
    --------
    >>> from bitsieve import ForwardSelector, ThresholdStopping
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> fitted = ForwardSelector("auto", criterion="cmi", stopping=ThresholdStopping(bits=0.02)).fit(X, y)
    >>> fitted.get_feature_names_out().tolist(), fitted.stopping_reason_
    (['sepal length (cm)', 'petal length (cm)', 'petal width (cm)'], 'it adds 0.0094 bits < 0.02')
    """

    name: ClassVar[str] = "threshold"
    takes_survival: ClassVar[bool] = True
    takes_common_effect: ClassVar[bool] = True
    is_test: ClassVar[bool] = False
    unit: ClassVar[str] = "bits"
    bits: float = 0.01

    def __post_init__(self) -> None:
        check_number("bits", self.bits, 0)

    def value(
        self,
        conditional: ConditionalInformation,
        candidate: int,
        n_candidates: int,
        search: RepeatedSearch | None = None,
    ) -> float:
        """I(Xi;C|S) in bits."""
        return float(conditional.conditional_relevance(np.array([candidate]))[0])

    def screen(
        self, conditional: ConditionalInformation, columns: Columns, n_candidates: int, compares_best: bool
    ) -> Floats:
        """0 for columns that add as many bits, else inf."""
        return np.where(conditional.conditional_relevance(columns) >= self.bits, 0.0, np.inf)

    def stops(self, value: float) -> bool:
        """Whether it is below the threshold."""
        return value < self.bits

    def reason(self, value: float, basis: str = "") -> str:
        """The bits and the threshold."""
        if basis:
            return f"it has {value:.4f} bits < {self.bits:g} {basis}"
        return f"it adds {max(value, 0.0):.4f} bits < {self.bits:g}"

    def monitor(self, information: Information) -> ThresholdMonitor:
        return ThresholdMonitor(information, self)


class ThresholdMonitor(SingleMonitor):
    """Compares the first column with the threshold by the estimator of the selection, too."""

    def __init__(self, information: Information, rule: ThresholdStopping) -> None:
        super().__init__(information, rule)
        self.bits = rule.bits
        self.information = information

    def _evaluate(self, candidate: int) -> RuleValue:
        evaluation = super()._evaluate(candidate)
        if self.chosen:
            return evaluation
        relevance = float(self.information.relevance[candidate])
        if relevance < self.bits <= evaluation.value:
            estimator = self.information.estimator
            return RuleValue(relevance, f"by the estimator {estimator} ({evaluation.value:.4f} plug-in)")
        return evaluation

    def _screen(self, columns: Columns) -> Floats | None:
        ranks = super()._screen(columns)
        if self.chosen or ranks is None:
            return ranks
        return np.where(self.information.relevance[columns] >= self.bits, ranks, np.inf)
