"""Selectors that choose one feature at a time: ForwardSelector, KnockoffSelector by its loop, and VMI by a bound."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, ClassVar

from bitsieve.diagnostics import ParameterError
from bitsieve.discretization.base import BinningLike
from bitsieve.information import ANY_EFFECT
from bitsieve.methods.by_counts.criteria.base import Criterion, JointCriterion
from bitsieve.methods.by_counts.forward import FORWARD
from bitsieve.methods.by_counts.stopping import StoppingRule
from bitsieve.methods.by_counts.stopping.knockoffs import KnockoffStopping
from bitsieve.methods.by_samples import vmi
from bitsieve.methods.constraints import Constraints
from bitsieve.methods.registry import MODULES
from bitsieve.selectors.base import with_parameters
from bitsieve.selectors.by_counts import CountSelector, StratifiedSelector
from bitsieve.selectors.by_method import MethodSelector
from bitsieve.utils.defaults import BINNING, ESTIMATOR, SELECTOR_METHOD
from bitsieve.utils.docstrings import cites
from bitsieve.utils.parameters import Rule


def refuse_other_method(name: str, value: object) -> None:
    """Refuse the name of a method that has a selector of its own."""
    if isinstance(value, str) and value.lower() in MODULES:
        advice = f"write bitsieve.make_selector({value!r}) in place of ForwardSelector"
        raise ParameterError(name, value, advice, "is no criterion but a method of another kind")


@with_parameters
class ForwardSelector(StratifiedSelector):
    r"""Choose features one at a time: the most relevant first, then the best by a criterion given those chosen.

    ``selected_[0] = argmax I(Xi;C)`` and then ``argmax J(i | S)``; ties (1e-10) go to the lowest column, and a column
    that does not vary is never chosen while another is left. Without a stopping rule, columns that MDL leaves uncut
    have a score of 0 and the order of a rank test (Kruskal and Wallis), before those whose score is not above 0.

    Parameters
    ----------
    n_features_to_select : int, float or "auto", optional
        By default 20, or all columns where there are fewer.
        How many; a float between 0 and 1 is a share of the columns. "auto" goes on until ``stopping`` ends it.
    criterion : str or criterion object, default="cmim2"
        A name of :func:`list_methods`; an object such as ``MIFS(beta=0.5)`` sets parameters.
    stopping : str or object, optional
        "significance", "permutation", "fdr", "conditional", "knockoffs", "dcrt", "gaussian-knockoffs" or "threshold".
        Leaves out candidates that add no more than chance, or too few bits, to all that is chosen
        (:class:`SignificanceStopping`, :class:`PermutationStopping`, :class:`ThresholdStopping`), or takes the largest
        list of a false discovery rate (:class:`FalseDiscoveryStopping`; :class:`ConditionalStopping` and
        :class:`KnockoffStopping` keep the neighbours of each in ``stopping_given_``; columns that these determine are
        in ``stopping_untested_``; :class:`DistilledStopping` and :class:`GaussianKnockoffStopping` are for columns that
        are near to jointly normal). By default none; "significance" with ``n_features_to_select="auto"``.
    constraints : Constraints, optional
        Columns that must or must not be selected, or are taken together.
    estimator : {"plug-in", "corrected", "miller-madow", "shrinkage"}, default="corrected"
        How information is estimated. "plug-in" uses the table as counted, which makes columns of many values look
        informative by random variation; the others correct that: "corrected" subtracts its mean under permutation.
    effect : {"any", "common"}, default="any"
        Of ``strata`` in ``fit``: whether a column may have any effect within the strata, I(Xi;C|S), or one that all
        strata have in common, such as in matched sets: the pooled table against its mean under shuffles within strata.
        With "common", ``stopping`` is "permutation", "fdr" or "threshold", and the tests of the first two need bins
        that are made without the class.

    Attributes
    ----------
    selected_ : ndarray of int, shape (k,)
        Column indices in order of choice; the columns of a group stand together.
    scores_ : ndarray of float, shape (k,)
        The criterion's value at each choice, in bits (miq, disr, njmim: ratios; amifs: bits less a ratio); the first is
        I(Xi;C).
    stopped_by_ : str
        What ended the selection: "n_features_to_select", the rule's name, or "no varying column left".
    stopping_value_ : float
        Where the rule accepted no other candidate, its value for that one (p, a rate or bits); else nan.
    stopping_reason_ : str
        The same in words, such as "p = 0.31 > 0.05"; empty where no rule stopped.
    stopping_candidate_ : int
        That candidate's (first) column, else -1.
    stopping_values_ : ndarray of float, shape (k,)
        The rule's value for every choice; nan where it was not asked.

    Notes
    -----
    With ``strata``, ``relevance_`` is within the strata, and there are three attributes more: ``relevance_pooled_``,
    I(Xi;C) of all rows in bits, shape (n_features,); ``heterogeneity_``, the bits of each selected column that the
    strata do not have in common, corrected for chance, shape (k,), or None where no stratum has two rows of each of two
    classes; and ``n_informative_rows_``, the rows of strata with two classes.

    Cost: O(k n d) samples read as bits, d = n_samples, n = n_features. Memory: (arity - 1) / 8 bytes a value.

    Examples
    --------
    >>> from bitsieve import ForwardSelector
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = ForwardSelector(2, criterion="jmi").fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    """

    registry_methods = (FORWARD,)
    parameter_rules: ClassVar[Mapping[str, Rule]] = {"criterion": refuse_other_method}

    criterion: str | Criterion | JointCriterion = SELECTOR_METHOD
    stopping: str | StoppingRule | None = None
    constraints: Constraints | None = None
    estimator: str = ESTIMATOR
    effect: str = ANY_EFFECT


@with_parameters
class VMI(MethodSelector):
    r"""Choose features one at a time by a lower bound of the information that all of them have about the target.

    The bound is ``I(X_S;C) >= mean_n log2 [q(x_S|c_n) / sum_c p(c) q(x_S|c)]``; q is a product in the order of choice,
    of ``p(x_f|c)`` ("naive"), or of ``prod_s p(x_f|x_s,c)^(1/#S)`` over those chosen before ("pairwise").
    Each step adds the feature with the greatest bound; ties (1e-10) go to the lowest column, and a column that does not
    vary is never chosen while another is left. The bound may fall as features are added.

    Parameters
    ----------
    n_features_to_select : int, float or "auto", optional
        By default 20, or all columns where there are fewer.
        A float between 0 and 1 is a share of the columns; "auto" goes on until the bound no longer grows.
    decomposition : {"naive", "pairwise"}, default="naive"
    on_plateau : {"continue", "restart", "stop"}, default=None
        What to do when no feature raises the bound: go on with the one that lowers it least; begin a new bound without
        the chosen features, where the gain is under 0.01 nats, as the authors' programs do; or stop. None is "stop"
        with "auto", else "restart".
    bandwidth : {"scott", "silverman"} or float, default="scott"
        Width of the kernels of ``binning=None``: ``s_c n_c^(-1/(d+4))``, s_c the standard deviation in the class of
        n_c samples, d the number of numeric columns in the estimate; times ``(4/(d+2))^(1/(d+4))``; or so many s_c.
    binning : {"auto", "mdl", "monotone", "quantile", "uniform", "none"}, binner, or None, default="auto"
        How numeric columns become codes; "none" takes each distinct value as its own code. None leaves them as they
        are and estimates Gaussian kernel densities within each class; categorical columns then keep their frequencies.

    Attributes
    ----------
    scores_ : ndarray of float, shape (k,)
        The bound after each choice, in bits; it begins anew after a restart.
    restarts_ : ndarray of int
        How many features were chosen when the bound began anew, each time.
    alone_ : ndarray of float, shape (n_features,)
        The bound of every feature alone, in bits: I(Xi;C) where the columns are codes.
    binner_ : binner or None
        Fitted; its ``bin_edges_`` show every cut. None without binning.

    Notes
    -----
    Cost on codes: O(k n d C), d = n_samples, n = n_features, C classes; for "pairwise" 4 n d C bytes up to 2 GiB.
    Densities: O(n d^2) kernels, for "pairwise" in each step, and 8 n d C bytes (twice that for "pairwise").

    Examples
    --------
    >>> from bitsieve import VMI
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = VMI("auto").fit(X, y)
    >>> selector.selected_.tolist(), selector.scores_.round(3).tolist()
    ([3, 2], [1.378, 1.408])
    """

    registry_methods = vmi.METHODS

    decomposition: str = "naive"
    on_plateau: str | None = None
    bandwidth: str | float = "scott"
    binning: BinningLike | None = BINNING
    missing: str | None = None
    n_jobs: int | None = None


@with_parameters
@cites("Ren, Barber 2024")
class KnockoffSelector(CountSelector):
    r"""Keep the columns that beat knockoffs of themselves, the most relevant first; their number is not given.

    What :class:`ForwardSelector` keeps by ``criterion="mim"`` and :class:`KnockoffStopping`, which has the formulas.

    Parameters
    ----------
    n_features_to_select : int, float or "auto", default="auto"
        "auto" keeps all that beat their knockoffs; a number keeps the most relevant of these, at most so many.
    level : float, default=0.1
    n_draws : int, default=1
    random_state : int, default=0
        As of :class:`KnockoffStopping`.
    binning : {"quantile", "uniform", "none"} or binner, default="quantile"
        How numeric columns become codes, without a look at the class. Few bins describe the columns best.

    Attributes
    ----------
    scores_ : ndarray of float, shape (k,)
        I(Xi;C) of the selected columns, in bits.
    stopped_by_, stopping_value_, stopping_reason_, stopping_candidate_, stopping_values_, stopping_given_
        As of :class:`ForwardSelector`.

    Examples
    --------
    >>> from bitsieve import EqualFrequencyBinner, KnockoffSelector
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> KnockoffSelector(level=0.3, binning=EqualFrequencyBinner(n_bins=3)).fit(X, y).selected_.tolist()
    [22, 27, 6, 13, 26, 21, 1, 24, 15, 28]
    """

    registry_methods = (FORWARD,)

    n_features_to_select: int | float | str | None = field(default="auto", kw_only=False)
    level: float = 0.1
    n_draws: int = 1
    random_state: int = 0
    binning: BinningLike = "quantile"

    def _method_parameters(self) -> dict[str, Any]:
        rule = KnockoffStopping(self.level, self.n_draws, self.random_state)
        return {**FORWARD.parameters, "criterion": "mim", "stopping": rule}
