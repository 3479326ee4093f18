"""What a method is: its paper, its parameters, what it needs of its data, and what it returns."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from bitsieve.counts.source import ONLY_PAIRS
from bitsieve.utils.arrays import Columns, Flags, Floats
from bitsieve.utils.messages import Sentence, Setting, needs_dense_rows
from bitsieve.utils.parameters import Rule

# Parameters of every method.
SHARED = (
    "n_features_to_select",
    "binning",
    "missing",
    "target_kind",
    "identifiers",
    "n_jobs",
)

# What a method may require, and a table or a count source offers.
TABLES = frozenset({"tables"})  # tables of pairs of columns and the class
CONDITIONED = TABLES | {"partition"}  # and within the values of other columns
ROWS = frozenset({"rows"})  # the rows, in memory
INDEPENDENT = frozenset({"independent"})  # rows that do not belong together
DENSE_ROWS = ROWS | {"dense"}  # every value of them, zeros included


@dataclass(frozen=True)
class Method:
    """A method of the registry: ``name``, as in ``make_selector(name)``, ``title``, ``formula`` and ``paper``.

    ``needs``: the tables or values that it looks at, in words. ``cost``: time, and memory where it exceeds the table's,
    for n features, d samples and k features to select. ``seconds``: of one thread, about, for n, d and k. ``run``: the
    function, called with the information (of a method on counts) or the samples, the number of features to select
    (None: until it ends by itself), and the parameters; it returns a :class:`Found`. ``unit``: of its scores: bits;
    ratio where they are bits by bits, mixed where both are added; share of a sum of 1; weight and importance;
    dependency and error, of which low is good. ``selector``: the class that selects by it, as ``module:class``.

    ``same_as``: the method that this is a second name of, and ``remark`` why the two are the same; empty where it is
    none. ``parameters``: as in ``make_selector(name, beta=0.5)``, with their defaults, but for those of every method
    (``n_features_to_select``, ``binning``, ``n_jobs``); by default those of ``run``. ``rules``: what is allowed for
    each. ``check``: called with all parameters and ``n_features_to_select``, refuses those that do not go together.

    ``requires``: what it needs of the data: "tables", "partition", "joined", "rows", "dense", "independent".
    ``requires_more``: called with all parameters and ``n_features_to_select``, what it needs besides with these.
    ``bins``: whether it takes codes, so that numbers are binned; of a method on rows, ``binning=None`` leaves them.
    ``takes_missing``: whether it takes missing values as they are. ``ends_with``: the values of
    ``n_features_to_select``, None or "auto", that leave the number to the method.
    """

    name: str
    title: str
    formula: str
    paper: str
    needs: str
    cost: str
    run: Callable[..., Found] = field(repr=False)
    unit: str = "bits"
    selector: str = ""
    seconds: Callable[[int, int, int], float] = field(default=lambda n, d, k: 0.0, repr=False)
    same_as: str = ""
    remark: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)
    requires: frozenset[str] = TABLES
    requires_more: Callable[[Mapping[str, Any]], frozenset[str]] | None = field(default=None, repr=False)
    bins: bool = True
    takes_missing: bool = False
    ends_with: tuple[str | None, ...] = ()
    rules: Mapping[str, Rule] = field(default_factory=dict, hash=False, repr=False)
    check: Callable[[Mapping[str, Any]], None] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not self.parameters:
            object.__setattr__(self, "parameters", defaults_of(self.run))

    @property
    def estimator(self) -> str:
        """Name of the class that selects by it."""
        return self.selector.rpartition(":")[2]

    def requirements(self, given: Mapping[str, Any]) -> frozenset[str]:
        """What it needs of the data with these parameters."""
        return self.requires if self.requires_more is None else self.requires | self.requires_more(given)

    def check_parameters(self, given: Mapping[str, Any]) -> None:
        """Raise ValueError for parameters that are wrong whatever the data."""
        for name, rule in self.rules.items():
            if name in given:
                rule(name, given[name])
        if self.check is not None:
            self.check(given)


def defaults_of(run: Callable[..., object], **other: Any) -> dict[str, Any]:
    """The parameters of a function or class that have defaults, but for those of every method; ``other`` replaces some.

    Examples
    --------
    >>> defaults_of(lambda information, k, *, alpha=1.0, beta=2, n_jobs=None: None, beta=3)
    {'alpha': 1.0, 'beta': 3}
    """
    taken = inspect.signature(run).parameters.values()
    own = {each.name: each.default for each in taken if each.default is not each.empty and each.name not in SHARED}
    return {**own, **other}


def check_requirements(
    who: str, requires: frozenset[str], offers: frozenset[str], typed: Sequence[str | Setting] = ()
) -> None:
    """Raise ValueError where data does not offer what ``who`` requires; ``typed``: what else keeps rows elsewhere."""
    lacks = requires - offers
    if "dense" in lacks and "rows" in offers:
        raise needs_dense_rows(who)
    if "rows" in lacks:
        listed = [part for name in typed for part in (" and ", name)][1:]
        way = ("leave out ", *listed) if listed else ("give it a table in memory, such as a sample of the rows",)
        counts = ", or use a method that needs counts alone, such as jmi"
        raise ValueError(Sentence(who, " needs all rows in memory: ", *way, counts))
    if lacks == INDEPENDENT:
        raise ValueError(
            f"{who} takes the rows for independent draws: leave out groups, or use another rule, such as fdr"
        )
    if lacks:
        raise ValueError(ONLY_PAIRS)


@dataclass(frozen=True)
class Found:
    """What a method returns, from which the base class sets the fitted attributes.

    ``order``: columns, best first: all of them, or those that were selected, and the others share the next rank.
    ``scores``: of the selected columns, which are the first in ``order``. ``ranks``: the ranks of the columns in
    ``order``; None: 1, 2, 3, ... ``extras``: the fitted attributes that this method alone has. ``unconverged``: how far
    an iteration stopped from its end, in a sentence; empty where it did not.
    """

    order: Columns
    scores: Floats
    ranks: Columns | None = None
    extras: Mapping[str, Any] = field(default_factory=dict)
    unconverged: str = ""

    @property
    def selected(self) -> Columns:
        """The selected columns, best first."""
        return self.order[: len(self.scores)]

    def with_last(self, blank: Sequence[int], n_features: int) -> Found:
        """The same with the columns ``blank``, left out of the table, behind all others that do not vary, too."""
        if not set(blank).intersection(self.order.tolist()):
            return self
        gone = np.isin(np.arange(n_features), list(blank))
        listed = np.isin(np.arange(n_features), self.order)
        order = [self.order[~gone[self.order]], np.flatnonzero(~listed & ~gone), self.order[gone[self.order]]]
        return replace(self, order=np.concatenate(order)[: len(self.order)])

    def ranking(self, n_features: int) -> Columns:
        """The rank of every column."""
        ranks = np.arange(1, len(self.order) + 1) if self.ranks is None else self.ranks
        ranking = np.full(n_features, ranks.max(initial=0) + 1, np.intp)
        ranking[self.order] = ranks
        return ranking


def constants_last(order: Columns, varies: Flags) -> Columns:
    """An order of columns with all columns that do not vary at its end, by index."""
    return np.concatenate([order[varies[order]], np.flatnonzero(~varies)])


def rank_all(order: Columns, varies: Flags, values: Floats, k: int, **extras: Any) -> Found:
    """A rank of its own for every column, those that do not vary last; the first k are selected."""
    order = constants_last(order, varies)
    return Found(order, values[order[:k]], extras=extras)
