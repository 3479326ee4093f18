"""Backward elimination of Koller and Sahami.

The blanket of a feature is a small set of other features that make it redundant as far as any can. Again and again the
feature i of the smallest ``delta_i = I(Xi;C|M_i)``, M_i its blanket, is dropped.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from bitsieve.information.protocol import Information
from bitsieve.methods.method import CONDITIONED, Method, MethodResult, rank_all
from bitsieve.utils.arrays import Columns
from bitsieve.utils.choice import pick
from bitsieve.utils.parameters import check_choice, check_integer
from bitsieve.utils.progress import phase


class _Blankets:
    """The blankets of the remaining features, and their delta; features are indices into ``columns``."""

    def __init__(self, information: Information, columns: Columns, size: int, rule: str) -> None:
        self.information = information
        self.columns = columns
        self.members = np.empty((len(columns), min(size, len(columns))), np.intp)  # -1 where fewer are left
        self.is_dropped = np.zeros(len(columns), bool)
        self.is_relevance = rule == "relevance"
        progress = phase("counting pairs")
        if self.is_relevance:
            self.nearness = information.matrix("conditional_relevance", columns=columns, progress=progress)
            np.negative(self.nearness, out=self.nearness)
        else:
            self.nearness = information.matrix("redundancy", columns=columns, progress=progress)
        np.fill_diagonal(self.nearness, -np.inf)
        self.delta = np.full(len(columns), np.inf)
        for feature in range(len(columns)):
            self._choose(feature)

    def worst(self) -> int:
        """The feature with the smallest delta; a tie goes to the last."""
        return len(self.delta) - 1 - pick(-self.delta[::-1])

    def drop(self, feature: int) -> None:
        """Drop a feature, and choose new blankets in place of those that held it."""
        self.is_dropped[feature] = True
        self.delta[feature] = np.inf
        for other in np.flatnonzero(~self.is_dropped & (self.members == feature).any(axis=1)):
            self._choose(int(other))

    def _choose(self, feature: int) -> None:
        nearness = self.nearness[feature]
        nearness[self.is_dropped] = -np.inf
        chosen: list[int] = []
        available = nearness
        n_others_left = len(self.is_dropped) - int(np.count_nonzero(self.is_dropped)) - 1
        for _ in range(min(self.members.shape[1], n_others_left)):
            chosen.append(pick(available))
            available = nearness.copy()
            available[chosen] = -np.inf
        self.members[feature] = -1
        self.members[feature, : len(chosen)] = chosen
        if self.is_relevance and len(chosen) == 1:
            self.delta[feature] = -nearness[chosen[0]]  # the bits of counting it again
            return
        conditional = self.information.conditional()
        for member in self.columns[chosen].tolist():
            conditional = conditional.refine(member)
        self.delta[feature] = conditional.conditional_relevance(self.columns[feature : feature + 1])[0]


def koller_sahami(
    information: Information, k: int, *, blanket_size: int = 1, blanket: str = "relevance"
) -> MethodResult:
    """Keep the ``k`` features that stay longest, constants dropped first; see :class:`bitsieve.KollerSahami`."""
    varying = np.flatnonzero(information.varies)
    if not len(varying):
        return rank_all(varying, information.varies, np.zeros(information.n_features), k)
    blankets = _Blankets(information, varying, blanket_size, blanket)
    progress = phase("ranking")
    dropped: list[int] = []
    scores = np.zeros(information.n_features)
    for done in range(1, len(varying) + 1):
        worst = blankets.worst()
        scores[varying[worst]] = blankets.delta[worst]
        dropped.append(int(varying[worst]))
        blankets.drop(worst)
        progress(done, len(varying))
    return rank_all(np.array(dropped[::-1], np.intp), information.varies, scores, k)


METHODS = (
    Method(
        name="koller-sahami",
        title="Backward elimination by approximate Markov blankets",
        formula="drop the least I(Xi;C|M_i), M_i the K features j with the smallest I(Xi;C|Xj)",
        paper="Koller, Sahami 1996",
        inputs="all pairs of features within each class, each feature conditional on its blanket; n x n numbers",
        cost="O(n^2 d), n^2 numbers",
        seconds=lambda n, d, k: n * n * (2e-8 + 3e-11 * d),
        selector="bitsieve.selectors.pairwise:KollerSahami",
        run=koller_sahami,
        takes_strata=True,
        required_capabilities=CONDITIONED,
        rules={
            "blanket_size": partial(check_integer, low=0),
            "blanket": partial(check_choice, choices=("relevance", "redundancy")),
        },
    ),
)
