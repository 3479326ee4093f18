"""Koller and Sahami's backward elimination: features are dropped one by one, the least informative given its blanket.

D. Koller, M. Sahami, "Toward optimal feature selection", ICML 1996. The blanket of a feature are the K features left
that carry most of its information; its information about the class, conditional on all of them, decides.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from bitsieve.common.choice import pick
from bitsieve.common.parameters import check_choice, check_integer
from bitsieve.common.progress import phase
from bitsieve.information.protocol import Information
from bitsieve.methods.method import CONDITIONED, Found, Method, rank_all


class _Blankets:
    """The blanket of every feature left, and I(Xi;C|M_i).

    A blanket M_i are the ``size`` features j with the smallest I(Xi;C|Xj), or with the largest I(Xi;Xj).
    """

    def __init__(self, information: Information, size: int, rule: str) -> None:
        self.information = information
        self.members = np.full((information.n_features, min(size, information.n_features)), -1)  # -1: fewer are left
        self.left = information.varies.copy()
        if rule == "relevance":
            self.nearness = -information.matrix("conditional_relevance")
        else:
            self.nearness = information.matrix("redundancy")
        self.nearness[:, ~self.left] = -np.inf
        np.fill_diagonal(self.nearness, -np.inf)
        self.delta = np.full(information.n_features, np.inf)
        for feature in np.flatnonzero(self.left):
            self._choose(int(feature))

    def worst(self) -> int:
        """The feature with the smallest delta; of equal ones the last."""
        return len(self.delta) - 1 - pick(-self.delta[::-1])

    def drop(self, feature: int) -> None:
        """Leave a feature out, and choose the blankets afresh that held it."""
        self.left[feature] = False
        self.delta[feature] = np.inf
        self.nearness[:, feature] = -np.inf
        for other in np.flatnonzero(self.left & (self.members == feature).any(axis=1)):
            self._choose(int(other))

    def _choose(self, feature: int) -> None:
        nearness = self.nearness[feature].copy()
        given = self.information.conditional()
        self.members[feature] = -1
        for place in range(min(self.members.shape[1], int(self.left.sum()) - 1)):
            nearest = pick(nearness)
            nearness[nearest] = -np.inf
            self.members[feature, place] = nearest
            given = given.refine(nearest)
        self.delta[feature] = given.conditional_relevance(np.array([feature]))[0]


def koller_sahami(information: Information, k: int, *, blanket_size: int = 1, blanket: str = "relevance") -> Found:
    """Keep the ``k`` features that stay longest; see :class:`bitsieve.KollerSahami`.

    ``delta_i = I(Xi;C|M_i)``; the smallest is dropped, and blankets that held it are chosen afresh. Ties (1e-10):
    the highest column is dropped, so that the lowest stays. Columns that do not vary are dropped first.
    """
    phase("counting pairs")
    blankets, progress = _Blankets(information, blanket_size, blanket), phase("ranking")
    dropped = np.flatnonzero(~information.varies)[::-1].tolist()
    scores = np.zeros(information.n_features)
    while len(dropped) < information.n_features:
        worst = blankets.worst()
        scores[worst] = blankets.delta[worst]
        dropped.append(worst)
        blankets.drop(worst)
        progress(len(dropped), information.n_features)
    return rank_all(np.array(dropped[::-1], np.intp), information.varies, scores, k)


METHODS = (
    Method(
        name="koller-sahami",
        title="Backward elimination by approximate Markov blankets",
        formula="drop the least I(Xi;C|M_i), M_i the K features j with the smallest I(Xi;C|Xj)",
        paper="Koller, Sahami 1996",
        needs="all pairs of features within each class, each feature conditional on its blanket; n x n numbers",
        cost="O(n^2 d), n^2 numbers",
        selector="bitsieve.selectors.pairwise:KollerSahami",
        run=koller_sahami,
        requires=CONDITIONED,
        rules={
            "blanket_size": partial(check_integer, low=0),
            "blanket": partial(check_choice, choices=("relevance", "redundancy")),
        },
    ),
)
