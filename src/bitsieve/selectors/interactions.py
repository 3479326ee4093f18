"""All relevant columns: those whose best pair or triple is beyond chance."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import ClassVar

import numpy as np

from bitsieve.dataset.dataset import Dataset
from bitsieve.diagnostics import ParameterError
from bitsieve.discretization.base import BinningLike
from bitsieve.discretization.registry import make_binner
from bitsieve.methods.by_counts.interactions import Search
from bitsieve.methods.method import INDEPENDENT, ROWS, MethodResult
from bitsieve.options import FREQUENCY, DiscretizationOptions
from bitsieve.pipeline.discretize import count_for_tuples, strata_of
from bitsieve.selectors.base import with_parameters
from bitsieve.selectors.supervised import SupervisedSelector
from bitsieve.utils.defaults import INTERACTIONS_BINNING
from bitsieve.utils.docstrings import cites
from bitsieve.utils.parameters import Rule, check_choice, check_integer, check_level, check_threads, made_by
from bitsieve.utils.progress import phase
from bitsieve.utils.types import ColumnLike

ERRORS = ("family-wise", "false-discovery", "contrasts")


@with_parameters
@cites("Mnich, Rudnicki 2020", "Westfall, Young 1993")
class InteractionSelector(SupervisedSelector):
    r"""Keep every column that is informative in some pair or triple of columns, alone or with the others only.

    The gain of a column is the largest ``I(Xi;C|Xj)`` over all j, or ``I(Xi;C|Xj,Xk)`` over all j and k. The
    target is shuffled and all tuples are counted again; a column is kept where its gain is beyond what shuffles give.

    Parameters
    ----------
    order : {2, 3}, default=2
        Pairs or triples.
    level : float, default=0.05
        The limit of the error.
    error : {"family-wise", "false-discovery", "contrasts"}, default="family-wise"
        The chance that any column is kept to which the target is unrelated (Westfall and Young, step-down), or the
        expected share of such columns among those kept (Benjamini and Hochberg). "contrasts" is that share by shuffled
        copies of columns as in MDFS, searched once; it takes no ``strata``.
    strata : column or array-like of shape (n_samples,), optional
        A column of X, which is not kept, or values: shuffles leave every sample in its stratum, so that no column is
        kept for what the strata have to do with the target.
    n_shuffles : int, default=99
        By "family-wise" at least 1/level - 1, as p is at least 1/(n_shuffles + 1).
    random_state : int, default=0
        Same seed, same shuffles, for any number of threads.
    binning : {"quantile", "uniform", "mdl", "monotone", "none"} or binner, default="quantile"
        How numeric columns become codes, by "quantile" and "uniform" three for pairs and two for triples. "mdl"
        cuts no column that is informative with others only.

    Attributes
    ----------
    scores_ : ndarray of float, shape (k,)
        The gains of the selected columns, in bits.
    gains_ : ndarray of float, shape (n_features,)
        The gains of all columns, in bits; -inf for one that does not vary.
    p_ : ndarray of float, shape (n_features,)
        Adjusted p, or the false discovery rate, of every column.
    partners_ : ndarray of int, shape (n_features, order)
        The columns of the tuple that has the gain, its own among them; -1 for one that does not vary.
    binner_ : binner
        The fitted binner; its ``bin_edges_`` show every cut.

    Notes
    -----
    Cost: ``n_shuffles + 1`` searches through n(n-1)/2 pairs or n(n-1)(n-2)/6 triples, each d samples read as bits.

    Examples
    --------
    The exclusive or of two columns among ten:

    >>> import numpy as np
    >>> from bitsieve import InteractionSelector
    >>> X = np.random.default_rng(0).normal(size=(300, 10))
    >>> y = (X[:, 2] > 0) ^ (X[:, 7] > 0)
    >>> np.flatnonzero(InteractionSelector().fit(X, y).support_).tolist()
    [2, 7]
    """

    parameter_rules: ClassVar[Mapping[str, Rule]] = {
        "order": partial(check_integer, low=2, high=3),
        "level": lambda _, value: check_level(value),
        "error": partial(check_choice, choices=ERRORS),
        "n_shuffles": partial(check_integer, low=1, high=10**5),
        "random_state": partial(check_integer, low=0, high=2**32 - 1),
        "binning": made_by(make_binner),
        "n_jobs": check_threads,
    }
    required_capabilities: ClassVar[frozenset[str]] = ROWS | INDEPENDENT

    order: int = 2
    level: float = 0.05
    error: str = "family-wise"
    strata: ColumnLike = None
    n_shuffles: int = 99
    random_state: int = 0
    binning: BinningLike = INTERACTIONS_BINNING
    target_kind: str | None = None
    weight_kind: str = FREQUENCY
    n_jobs: int | None = None

    def _select(self, table: Dataset, discretization: DiscretizationOptions) -> None:
        if self.error == "contrasts" and self.strata is not None:
            raise ParameterError(
                "error",
                self.error,
                "with strata give 'family-wise' or 'false-discovery'",
                code="contradicting-parameters",
            )
        if self.error == "family-wise" and 1 / (1 + self.n_shuffles) > self.level:
            raise ParameterError(
                "n_shuffles",
                self.n_shuffles,
                f"no p is below 1/{1 + self.n_shuffles:,}, so no column could be kept: give more shuffles or a "
                f"level above {self.level:g}",
                code="level-out-of-reach",
            )
        strata, column_of_strata = strata_of(table, self.strata)
        table_left = table.without(column_of_strata)
        binner, source = count_for_tuples(table_left, discretization, self.order, self._execution())
        search = Search(self.order, "gain")
        strongest = search.strongest(source, phase("searching"))
        if self.error == "contrasts":
            p = search.contrast_rates(source, strongest, self.random_state)
        else:
            chance = search.after_shuffles(source, self.n_shuffles, self.random_state, strata)
            if self.error == "family-wise":
                p = chance.of_columns(strongest.best)
            else:
                p = chance.false_discovery(strongest.best)
        order = np.argsort(-strongest.best, kind="stable")
        selected = order[p[order] <= self.level]
        attributes = {"gains_": strongest.best, "p_": p, "partners_": strongest.best_columns, "binner_": binner}
        self._set_result(table, MethodResult(selected, strongest.best[selected], extras=attributes))
