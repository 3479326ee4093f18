"""What the stopping rules by a tree of the columns share."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bitsieve.information.protocol import Information
from bitsieve.methods.by_counts.dependent.forest import Forest
from bitsieve.methods.by_counts.stopping.lists import ListStopping, TestedColumns
from bitsieve.methods.method import CONDITIONED, INDEPENDENT, UNSTRATIFIED
from bitsieve.utils.arrays import Columns, Flags, Floats


@dataclass(frozen=True)
class TreeStopping(ListStopping):
    """A rule that finds its list by a tree of the columns."""

    conclusion: ClassVar[str] = "relevant given all other columns, as far as the tree of the columns describes them"
    required_capabilities: ClassVar[frozenset[str]] = CONDITIONED | INDEPENDENT | UNSTRATIFIED

    @abstractmethod
    def rates(self, information: Information, columns: Columns) -> tuple[Forest, Floats, Columns]:
        """The tree of ``columns``, the smallest level at which each is in the list, and those that cannot be tested."""

    def test_columns(self, information: Information, tried: Flags, chosen: list[int]) -> TestedColumns:
        """The list among the columns tried and chosen, and the neighbours of each in the tree."""
        candidates = np.flatnonzero(tried & information.varies)
        columns = np.union1d(candidates, np.array(chosen, np.intp))
        rates = np.full(information.n_features, np.inf)
        forest, rates[columns], untested = self.rates(information, columns)
        order = candidates[np.argsort(rates[candidates], kind="stable")]
        n_accepted = int((rates[order] <= self.level).sum())
        return TestedColumns(order, rates[order], n_accepted, forest.neighbours, untested)
