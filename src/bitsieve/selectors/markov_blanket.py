"""The selector of the Markov blanket of the target: the columns that matter given all others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bitsieve.methods.by_counts.markov_blankets.methods import METHODS
from bitsieve.selectors.base import with_parameters
from bitsieve.selectors.by_counts import CountSelector
from bitsieve.utils.types import NameOrIndex


@with_parameters
class MarkovBlanketSelector(CountSelector):
    r"""Select the columns that matter given all others: given these, the target is independent of every other column.

    Column i belongs to the blanket M if the test of ``I(Xi;C|M \ i) = 0`` has a p of at most the level. By default its
    statistic is ``G f / E[G]`` with ``G = 2 N ln(2) I(Xi;C|M \ i)``, f the degrees of freedom and E[G] the exact mean
    over all shuffles of Xi within the joint values of the others; see :func:`bitsieve.independence_test`.

    Parameters
    ----------
    n_features_to_select : int, float or "auto", default=None
        None or "auto" keeps the whole blanket. A number keeps at most so many members, those with the smallest p.
    algorithm : str, default="iamb-fdr"
        "gs": add the first column that depends on the target given the blanket. "iamb": add the strongest; "inter-iamb"
        removes after every addition, "fast-iamb" adds several at once, "iamb-fdr" limits the false discovery rate of
        the blanket. "fbed": drop a column at the first test that it fails. "mmpc", "hiton-pc": the neighbours alone,
        which no set of other columns separates from the target. "mmmb", "hiton-mb": neighbours and spouses. "ses":
        neighbours, and the columns that are interchangeable with each.
    level : float, default=0.05
        The level of every test; for "iamb-fdr" the false discovery rate of the blanket.
    max_conditioning : int, None or "auto", default="auto"
        A test that lets a column enter is conditional on at most so many others; None sets no limit. "auto" is 3 for
        the last five algorithms, which test many subsets, and no limit for the others.
    symmetry : {"and", "or", None}, default="and"
        For "mmpc", "hiton-pc", "mmmb" and "hiton-mb": two columns are neighbours if each is found from the other
        ("and"), if either is ("or"), or if the target's own search finds the column (None).
    n_extra_runs : int or None, default=1
        Runs of "fbed" after the first; None repeats runs until one adds nothing.
    correction : {None, "fdr"}, default=None
        "fdr": p of the columns that may enter is corrected for their number, as "iamb-fdr" always does: p of rank i of
        n is multiplied by ``n / i (1 + 1/2 + ... + 1/n)`` (Benjamini and Yekutieli). The last five algorithms
        correct the tests of the columns with the target alone.
    test : {"scaled", "g", "pearson"}, default="scaled"
    freedom : {"adjusted", "nominal"}, default="adjusted"
    power : int, default=0
        As for :func:`bitsieve.independence_test`.
    p_by : {"chi-squared", "shuffles"}, default="chi-squared"
        "shuffles": p is the share of tables, shuffled ``n_shuffles`` times within the strata of a test, that have at
        least the observed G. It keeps the level however few rows there are, and takes as many times longer.
    n_shuffles : int, default=999
        As p is at least ``1 / (n_shuffles + 1)``, "iamb-fdr" and "fdr" need more for more columns.
    random_state : int, default=0
        Same seed, same shuffles, for any number of threads.
    levels : dict of column to int, optional
        How many values columns, or the target, could have: they count for nominal degrees of freedom, ``power`` and
        ``n_unreliable_``. By default as many as a categorical type declares, or else as the column has codes.
    start : sequence of str or int, default=()
        Columns that the search begins with, such as a blanket that is known, or the causes of a target that depends
        on them only together. They stay unless a test removes them. For the first six algorithms.
    roles : bool, default=False
        Find the roles of the members by further tests, where the algorithm gives none.

    Attributes
    ----------
    selected_ : ndarray of int, shape (k,)
        Column indices by rising p given the other members.
    scores_ : ndarray of float, shape (k,)
        I(Xi;C) given the other members, in bits (plug-in).
    blanket_ : ndarray of int
        The members of the whole blanket by rising p: with a number of features more than are selected.
    log_p_ : ndarray of float, shape (n_features,)
        ln p of the test that decided: of members given the other members; of others given their separating set, or
        given the blanket where none is known.
    statistic_ : ndarray of float, shape (n_features,)
        The statistic of that test.
    degrees_of_freedom_ : ndarray of int, shape (n_features,)
        The degrees of freedom of that test.
    executed_ : ndarray of bool, shape (n_features,)
        Whether that test was executed: False where there were fewer samples for every possible cell than ``power``, so
        that its p counts as 1.
    roles_ : dict of int to Role, or None
        By column: "neighbour", directly related to the target; or "spouse", related only once the columns ``via`` are
        known. Which neighbours are causes and which effects, no test of independence can say.
    separating_sets_ : dict of int to tuple of int
        By column: other columns given which it is independent of the target. Empty but for the last five algorithms.
    signatures_ : list of list of int
        For "ses" a list for every member: the member, and the columns that are interchangeable with it in the tests
        made. Empty for other algorithms.
    trace_ : list of Move
        What entered and left after the start, in order: ``variable``, ``enters``, ``condition``, ``log_p``, and
        ``is_executed`` of the test that decided. The target is the variable ``n_features_in_``.
    n_tests_, n_unreliable_ : int
        How many different tests were made, and how many of them had fewer than five samples for every possible cell.
    n_not_executed_ : int
        How many of them had fewer than ``power``, so that their p counts as 1.

    Notes
    -----
    Ties of ln p (1e-9, relative) go to the larger statistic, then to the lower column: the blanket does not depend on
    the order of the columns, but for exact copies, of which the lowest stays
    (the highest of those that "fast-iamb" adds at once). By default numbers are cut into
    ``max(3, 0.4 N^(1/3))`` bins of equal frequency, made without a look at the target; of columns cut by the target
    (``binning="mdl"``) p is multiplied by the number of possible cuts. Cost: O(n) tests a step of d samples each, and
    of algorithms over subsets as many again for every subset of the members.

    Examples
    --------
    >>> from bitsieve import MarkovBlanketSelector
    >>> import numpy as np
    >>> random = np.random.default_rng(0)
    >>> cause, spouse, noise = random.integers(0, 2, (3, 1000))
    >>> y = np.where(random.random(1000) < 0.2, 1 - cause, cause)
    >>> effect = np.where(random.random(1000) < 0.1, 1 - (y | spouse), y | spouse)
    >>> X = np.column_stack([noise, cause, effect, spouse])
    >>> selector = MarkovBlanketSelector(algorithm="mmmb", binning="none").fit(X, y)
    >>> {column: role.name for column, role in selector.roles_.items()}
    {1: 'neighbour', 2: 'neighbour', 3: 'spouse'}
    """

    registry_methods = METHODS

    algorithm: str = "iamb-fdr"
    level: float = 0.05
    max_conditioning: int | str | None = "auto"
    symmetry: str | None = "and"
    n_extra_runs: int | None = 1
    correction: str | None = None
    test: str = "scaled"
    freedom: str = "adjusted"
    power: int = 0
    p_by: str = "chi-squared"
    n_shuffles: int = 999
    random_state: int = 0
    levels: Mapping[NameOrIndex, int] | None = None
    start: Sequence[NameOrIndex] = ()
    roles: bool = False
