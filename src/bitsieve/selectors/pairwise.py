"""Selectors by information of pairs of features: QPFS, EQPFS, SpecCMI, SDPCMI, and by Markov blankets."""

from __future__ import annotations

from bitsieve.methods.by_counts.blankets import fcbf, koller_sahami
from bitsieve.methods.by_counts.pairwise import quadratic, semidefinite, spectral
from bitsieve.optimize.nystrom import Nystrom
from bitsieve.selectors.base import with_parameters
from bitsieve.selectors.by_counts import StratifiedSelector
from bitsieve.utils.docstrings import cites
from bitsieve.utils.types import RandomState

PROGRAM_ATTRIBUTES = {
    "weights_ : ndarray of float, shape (n_features,)": (
        "The solution, of sum 1; 0 for columns that do not vary and for those that the others make redundant."
    ),
    "alpha_ : float": "The a that was used; nan if no column varies and it was not given.",
    "gap_ : float": "The objective is at most so much above its minimum, in bits (the duality gap of Frank and Wolfe).",
    **StratifiedSelector.shared_attributes,
    "ranking_ : ndarray of int, shape (n_features,)": (
        "1 = largest weight; every feature has its own rank. Columns of weight 0 follow by the gradient of the "
        "objective, the nearest to a weight first; then those that do not vary. Ties (1e-10) go to the lowest column."
    ),
    "scores_ : ndarray of float, shape (k,)": "The weights of the selected columns.",
}


@with_parameters
@cites("Rodriguez-Lujan, Huerta, Elkan, Santa Cruz 2010", "Vinh, Chan, Romano, Bailey 2014")
class QPFS(StratifiedSelector):
    r"""Rank all features at once by the weights that a quadratic program of relevance and redundancy gives them.

    ``min (1 - a)/2 x'Hx - a f'x`` over weights ``x >= 0`` of sum 1, with ``f_i = I(Xi;C)``, ``H_ij = I(Xi;Xj)`` and
    ``H_ii = H(Xi)``; the features with the largest weights are selected.

    Parameters
    ----------
    alpha : float, optional
        The a above, in [0, 1]: 0 looks at redundancy alone, 1 at relevance alone. None: ``q / (q + f)`` with q the mean
        of all n x n entries of H and f the mean relevance, which gives both terms like weight.
    convexify : {"shift"}, optional
        What to do if H is not convex, an eigenvalue of it being under -1e-8 bits: None refuses it; "shift" adds the
        least number to its diagonal that makes it so, ``shift_``.
    approximation : None, "nystrom" or Nystrom, default=None
        With ``Nystrom(...)`` only the rows of H of some landmarks are counted, and all entropies; it needs ``alpha``,
        and is always convex. ``variant="paper"`` leaves the approximated diagonal as it is.
    n_eigenvalues : int, optional
        With an approximation: the weights are a sum of the eigenvectors of so many largest eigenvalues of the
        approximated H, whose diagonal stays as it is (the second level of approximation of the 2010 paper). Refused
        where these eigenvectors span no weights that are all 0 or more.

    Attributes
    ----------
    shift_ : float
        What was added to the diagonal of H (of its landmarks), in bits.
    landmarks_ : ndarray of int or None
        The columns whose rows were counted; None where all were.

    Notes
    -----
    Cost: O(n^2 d) samples read as bits for H, n^3 / 3 to prove it convex, and some dozens of products of H with a
    vector, O(n^2) each. Memory: n^2 numbers, twice that during the proof. With p landmarks O(p n d), O(p^3 + n p^2),
    O(n p) and n p numbers. Columns that are equal up to the names of their codes share their weight equally.

    Examples
    --------
    >>> from bitsieve import QPFS
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = QPFS(2).fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    >>> selector.weights_.round(2).tolist()
    [0.05, 0.06, 0.4, 0.48]
    """

    registry_methods = quadratic.METHODS[:1]
    shared_attributes = PROGRAM_ATTRIBUTES

    alpha: float | None = None
    convexify: str | None = None
    approximation: str | Nystrom | None = None
    n_eigenvalues: int | None = None


@with_parameters
class EQPFS(StratifiedSelector):
    r"""Rank all features at once by a quadratic program of relevance and redundancy, without a penalty for entropy.

    ``min (1 - a)/2 x'Hx - a f'x`` over weights ``x >= 0`` of sum 1, with ``f_i = I(Xi;C)``,
    ``H_ij = I(Xi;Xj) - beta I(Xi;Xj|C)`` and the same number ``H_ii = shift`` for all, large enough to make H convex;
    the features with the largest weights are selected. With ``beta=0`` it is QPFS without its bias to features of low
    entropy (eq. 12 and 13 of the paper).

    Parameters
    ----------
    alpha : float, optional
        As for :class:`QPFS`, with q the mean size of all n x n entries of H, signs left out.
    beta : float, default=1.0
        Weight of the redundancy within the classes.
    shift : float, optional
        The diagonal of H, in bits. None: the least that makes H convex; a smaller one is refused.

    Attributes
    ----------
    shift_ : float
        The diagonal of H, in bits.

    Notes
    -----
    Cost: O(n^2 d) samples read as bits for each of the two parts of H, its smallest eigenvalue (n^3 4 / 3 up to 2,000
    columns, beyond by Lanczos and n^3 / 3), and some dozens of products of H with a vector. Memory: 2 n^2 numbers.
    Columns that are equal up to the names of their codes share their weight equally.

    Examples
    --------
    >>> from bitsieve import EQPFS
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> EQPFS(2, alpha=0.5).fit(X, y).get_feature_names_out().tolist()
    ['flavanoids', 'proline']
    """

    registry_methods = quadratic.METHODS[1:]
    shared_attributes = PROGRAM_ATTRIBUTES

    alpha: float | None = None
    beta: float = 1.0
    shift: float | None = None


@with_parameters
class SpecCMI(StratifiedSelector):
    r"""Rank all features at once by the dominant eigenvector of the matrix of their pairwise conditional information.

    ``Q_ii = I(Xi;C)``, ``Q_ij = (I(Xi;C|Xj) + I(Xj;C|Xi)) / 2``; the weights are the unit eigenvector of the largest
    eigenvalue, non-negative, and the features with the largest weights are selected. It relaxes the best subset
    ``max x'Qx`` over 0/1 vectors with k ones; at small k it may be far from that optimum.

    Parameters
    ----------
    approximation : {None, "nystrom"} or Nystrom, default=None
        None counts all of Q. Nystrom counts the rows of some landmark columns alone and carries their eigenvector on
        to the others; "nystrom" is ``Nystrom(sampling_rate=0.5, variant="extension")``.
    refine : {None, "swap"}, default=None
        "swap" improves the selected set by the best exchange of one feature for another, as long as one raises the
        objective.
    memory : int or str, default=None
        Most bytes for Q, such as ``"4GB"``: tiles of Q beyond are counted anew for each of about ten products with it.
    dtype : {"float64", "float32"}, default="float64"
        The type of Q; float32 halves its memory. Rows of landmarks are float64.

    Attributes
    ----------
    weights_ : ndarray of float, shape (n_features,)
        The eigenvector; 0 for columns that do not vary. (Nystrom's variant "paper" may give negative ones.)
    eigenvalue_ : float
        The largest eigenvalue, in bits; of an approximation, its estimate.
    objective_ : float
        ``x'Qx`` of the selected set, in bits, from the exact entries of Q in every case.
    upper_bound_ : float
        No set of as many columns that vary has a larger objective, in bits; loose for an approximation.
    gap_ : float
        ``(upper_bound_ - objective_) / upper_bound_``: at most so much is lost; 0 proves the set optimal.
    landmarks_ : ndarray of int or None
        The columns whose rows were counted, of an approximation.
    shift_ : float
        What was added to the landmarks' diagonal; 0 but for the variant "paper".
    ranking_ : ndarray of int, shape (n_features,)
        The selected features by falling weight, then the others by falling weight; every feature has its own rank. Ties
        (1e-10) go to the lowest column.
    scores_ : ndarray of float, shape (k,)
        What each selected feature contributes to the relaxed objective: ``eigenvalue_ * weights_**2``, in bits
        (negative for a negative weight).

    Notes
    -----
    Cost: O(n^2 d) samples read as bits for Q, O(n^2) a Lanczos step, O(n k) a swap. Memory: n^2 numbers for Q and the
    bit planes. In tiles O(n^2 d) a step. With p landmarks O(n p d), and n p numbers.

    Examples
    --------
    >>> from bitsieve import SpecCMI
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> SpecCMI(2).fit(X, y).get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    """

    registry_methods = spectral.METHODS

    approximation: str | Nystrom | None = None
    refine: str | None = None
    memory: int | str | None = None
    dtype: str = "float64"


@with_parameters
class SDPCMI(StratifiedSelector):
    r"""Choose a subset at once by a semidefinite relaxation of the sum of its pairwise conditional information.

    ``max x'Qx`` over 0/1 vectors with k ones, ``Q_ii = I(Xi;C)``, ``Q_ij = (I(Xi;C|Xj) + I(Xj;C|Xi)) / 2``, becomes

        ``max <Qa, Y>``,  ``diag Y = 1``,  ``sum_i Y_0i = 2k - n``,  ``Y`` positive semidefinite,

    ``Qa = [[1'Q1, 1'Q], [Q1, Q]]``; random directions round its solution to subsets of k, of which the best is taken. A
    quarter of the maximum bounds the objective of every subset of k, so ``gap_`` says how far from the best one the
    choice can be. Columns that do not vary are left out of Q and ranked last.

    Parameters
    ----------
    rounding : {"sphere", "align", "factor"}, default="sphere"
        The k largest cosines of a random direction with the rows of Y, as in the paper; "align": the direction turned
        towards row 0; "factor": aligned, with the rows of V, ``Y = VV'``.
    n_roundings : int, default=100
        Random directions.
    random_state : int, RandomState instance or None, default=0
        The seed of the directions; None draws others at every fit.
    refine : {None, "swap"}, default="swap"
        "swap" improves the rounded subset by single swaps until none is better. None leaves it as the paper rounds it.

    Attributes
    ----------
    weights_ : ndarray of float, shape (n_features,)
        Cosine of every feature with the direction that won, in [-1, 1]; -1 for columns that do not vary.
    membership_ : ndarray of float, shape (n_features,)
        ``(1 + Y_0i) / 2``, what the relaxation gives in the place of 0 and 1; they sum to the number selected among
        the columns that vary, and are 0 for the others.
    ranking_ : ndarray of int, shape (n_features,)
        The selected features by ``scores_``, then the others by ``weights_``, then those that do not vary; every
        feature has its own rank. Ties (1e-10) go to the lowest column.
    scores_ : ndarray of float, shape (k,)
        What each selected feature contributes to the objective: ``sum_j Q_ij`` over the selected j, in bits.
    objective_ : float
        ``x'Qx`` of the selection, in bits: the sum of ``scores_``.
    upper_bound_ : float
        No subset of as many columns that vary has a larger objective, in bits.
    gap_ : float
        ``(upper_bound_ - objective_) / upper_bound_``; 0 proves the selection optimal.

    Notes
    -----
    Cost: O(n^2 d) samples read as bits for Q, then O(n^3), some seconds for n = 2,000, and beyond one Cholesky
    factor, n^3 / 3. Memory: three n x n arrays and the bit planes. The bits of the relaxation come from BLAS and LAPACK
    on one thread and may differ in the last places from one processor to the next.

    Examples
    --------
    >>> from bitsieve import SDPCMI
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> selector = SDPCMI(3).fit(X, y)
    >>> selector.selected_.tolist()
    [23, 27, 29]
    >>> f"{selector.objective_:.3f} of at most {selector.upper_bound_:.3f} bits"
    '3.024 of at most 4.212 bits'
    """

    registry_methods = semidefinite.METHODS

    rounding: str = "sphere"
    n_roundings: int = 100
    random_state: RandomState = 0
    refine: str | None = "swap"


@with_parameters
class FCBF(StratifiedSelector):
    r"""Keep the features relevant to the target that no more relevant one makes redundant; their number is not given.

    ``SU(X,Y) = 2 I(X;Y) / (H(X) + H(Y))``. The relevant features are visited by falling
    SU(Xi,C), ties (1e-10) by index; each p that is visited is kept and removes every later q with
    ``SU(p,q) >= SU(q,C)``. A column that does not vary comes after all others, and is removed by any of them.

    Parameters
    ----------
    n_features_to_select : int, float or "auto", default=None
        None or "auto" keeps all that are not removed; a number keeps the first so many of them, or fewer where fewer
        are left; a float between 0 and 1 is a share of all columns.
    delta : float, optional
        Relevant features have ``SU(Xi,C) >= delta``, from 0 to 1; 0.0 takes all, as the paper may. By default those
        are relevant that the G-test of I(Xi;C) shows at level 0.05, corrected for the number of columns and, where they
        were cut by the class, for the possible cuts. For rows in groups the default is 0.0.
    strict : bool, default=False
        True compares by ``>`` in both places, as some programs do, and not by ``>=``, as the paper does.

    Attributes
    ----------
    selected_ : ndarray of int, shape (k,)
        Column indices by falling SU with the class.
    scores_ : ndarray of float, shape (k,)
        SU(Xi,C) of the selected features, between 0 and 1.
    groups_ : list of ndarray of int, length n_selected
        For every selected feature, the features that it removed.

    Raises
    ------
    ValueError
        When fitting, if no feature reaches ``delta``. Without ``delta`` nothing is selected then, with a warning.

    Notes
    -----
    Cost: one row of pair counts a kept feature, over the features that remain: O(k n d) samples read as bits at
    most, d = n_samples, n = n_features, k kept. Memory: (arity - 1) / 8 bytes a value.

    Examples
    --------
    >>> from bitsieve import FCBF
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> selector = FCBF(delta=0.05).fit(X, y)
    >>> selector.selected_.tolist()
    [22, 27, 10, 1, 24, 28]
    >>> [len(group) for group in selector.groups_]
    [7, 11, 0, 1, 0, 0]
    """

    registry_methods = fcbf.METHODS

    delta: float | None = None
    strict: bool = False


@with_parameters
class KollerSahami(StratifiedSelector):
    r"""Drop features one at a time, each the least informative one conditional on its approximate Markov blanket.

    ``delta_i = I(Xi;C|M_i)``, the blanket M_i being the K remaining features with the smallest I(Xi;C|Xj), all of which
    are conditioned on together; the feature with the smallest delta is dropped and the blankets that held it are chosen
    afresh. Ties (1e-10): the highest column is dropped, so that the lowest stays. Columns that do not vary are dropped
    first.

    Parameters
    ----------
    n_features_to_select : int or float, optional
        By default 20, or all columns where there are fewer.
        A float between 0 and 1 is a share of all columns.
    blanket_size : int, default=1
        K. With 0 the order is that of I(Xi;C); 1 or 2 for hundreds of samples.
    blanket : {"relevance", "redundancy"}, default="relevance"
        "redundancy" makes M_i of the K features with the largest I(Xi;Xj).

    Attributes
    ----------
    ranking_ : ndarray of int, shape (n_features,)
        1 = never dropped; every feature has its own rank, the one dropped first the last.
    selected_ : ndarray of int, shape (k,)
        Column indices, the one that would have stayed longest first.
    scores_ : ndarray of float, shape (k,)
        The delta of each when it was dropped, in bits; of the first, I(Xi;C). They need not fall.

    Notes
    -----
    Cost: O(n^2 d) samples read as bits for all pairs, d = n_samples, n = n_features, then some n (K + 1) counts of one
    feature and the class conditional on a blanket. Memory: n^2 numbers and the bit planes.

    Examples
    --------
    >>> from bitsieve import KollerSahami
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> selector = KollerSahami(2).fit(X, y)
    >>> selector.get_feature_names_out().tolist()
    ['petal length (cm)', 'petal width (cm)']
    """

    registry_methods = koller_sahami.METHODS

    blanket_size: int = 1
    blanket: str = "relevance"
