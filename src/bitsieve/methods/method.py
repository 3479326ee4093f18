"""What a method is: its paper, its parameters, what it needs of its data, and what it returns."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from bitsieve.counts.source import needs_more_than_pairs
from bitsieve.diagnostics import Diagnostic, UserError
from bitsieve.utils.arrays import Columns, Flags, Floats
from bitsieve.utils.choice import TIE
from bitsieve.utils.messages import needs_dense_rows
from bitsieve.utils.parameters import Rule

# Parameters of every method; "bins_within" is one of those that take strata.
SHARED = (
    "n_features_to_select",
    "binning",
    "bins_within",
    "missing",
    "target_kind",
    "weight_kind",
    "identifiers",
    "n_jobs",
)

# Capabilities: what a method may require of a table or a source of counts, and what these have.
TABLES = frozenset({"tables"})  # tables of pairs of columns and the class
CONDITIONED = TABLES | {"partition"}  # and within the values of other columns
JOINED = frozenset({"joined"})  # columns of joint values of several others
ROWS = frozenset({"rows"})  # the rows, in memory
INDEPENDENT = frozenset({"independent"})  # rows that are independent draws, in no groups
UNSTRATIFIED = frozenset({"unstratified"})  # rows in no strata
DENSE_ROWS = ROWS | {"dense"}  # every value of the rows, zeros included


@dataclass(frozen=True, eq=False)
class Method:
    """A method of the registry: a description for people, the function, and what it requires of the data.

    In costs and times n is the number of features, d that of samples, and k that of features to select.
    """

    name: str  # as in ``make_selector(name)``
    title: str
    formula: str
    paper: str
    inputs: str  # the tables or values that it looks at, in words
    cost: str  # the time, and the memory where it exceeds the table's, in words
    #: The function. It is called with the information (a method on counts) or the samples (a method on rows), the
    #: number of features to select (None: until it ends by itself), and the parameters.
    run: Callable[..., MethodResult] = field(repr=False)
    #: Of the scores. "bits"; "nats"; "ratio" of bits by bits; "mixed" for a sum of both; "share" of a sum of 1;
    #: "weight"; "importance"; "dependency" and "error", of which low is good.
    unit: str = "bits"
    #: The class that selects by it, as ``module:class``; empty: a class is made from the signature of ``run``.
    selector: str = ""
    #: The estimated time of one thread, from n, d and k.
    seconds: Callable[[int, int, int], float] = field(default=lambda n, d, k: 0.0, repr=False)
    same_as: str = ""  # the method that this is a second name of; empty for a name of its own
    remark: str = ""  # why the two are the same
    #: The names and defaults of the parameters, by default those of the signature of ``run``.
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)
    published: Mapping[str, Any] = field(default_factory=dict, hash=False)  # parameters that its paper sets otherwise
    why_default: str = ""  # why these defaults differ, with what was measured
    #: The parameters that name columns, in a list or as the keys of a mapping of columns to numbers of values. ``run``
    #: gets the indices of the columns.
    column_parameters: tuple[str, ...] = ()
    #: What it requires of the data: "tables", "partition", "joined", "rows", "dense", "independent".
    required_capabilities: frozenset[str] = TABLES
    #: What it requires besides with some parameters, from all parameters and ``n_features_to_select``.
    further_capabilities: Callable[[Mapping[str, Any]], frozenset[str]] | None = field(default=None, repr=False)
    #: How many bins of equal frequency numbers are cut into unless the user chooses bins, from the number of samples;
    #: None: as ``binning`` has it by default.
    default_bins: Callable[[int], int] | None = field(default=None, repr=False)
    takes_strata: bool = False  # whether it takes information within strata; else it requires "unstratified"
    takes_survival: bool = False  # whether its target may be a time to an event
    #: Whether it takes codes, so that numbers are binned. A method on rows that bins leaves numbers as they are with
    #: ``binning=None``.
    bins: bool = True
    takes_missing: bool = False  # whether it takes missing values as they are
    #: The values of ``n_features_to_select`` (None, "auto") that leave the number to the method.
    ends_with: tuple[str | None, ...] = ()
    rules: Mapping[str, Rule] = field(default_factory=dict, hash=False, repr=False)  # the check of each parameter
    #: Refuses values that do not go together; it is called with all parameters and ``n_features_to_select``.
    check: Callable[[Mapping[str, Any]], None] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not self.parameters:
            object.__setattr__(self, "parameters", defaults_of(self.run))

    @property
    def estimator(self) -> str:
        """Name of the class that selects by it."""
        if self.selector:
            return self.selector.rpartition(":")[2]
        return "".join(word.capitalize() for word in self.name.split("-"))

    @property
    def needs_rows(self) -> bool:
        """Whether it works on rows; else it works on counts."""
        return "rows" in self.required_capabilities

    def capabilities_required_with(self, parameters: Mapping[str, Any]) -> frozenset[str]:
        """What it requires of the data with these parameters, ``n_features_to_select`` among them."""
        required = self.required_capabilities
        if self.further_capabilities is not None:
            required |= self.further_capabilities(parameters)
        if not self.takes_strata:
            required |= UNSTRATIFIED
        return required

    def check_parameters(self, parameters: Mapping[str, Any]) -> None:
        """Raise ValueError for parameters that are wrong whatever the data."""
        for name, rule in self.rules.items():
            if name in parameters:
                rule(name, parameters[name])
        if self.check is not None:
            self.check(parameters)


def defaults_of(run: Callable[..., object], **replaced: Any) -> dict[str, Any]:
    """The parameters of a function or class that have defaults, less those that every method has.

    ``replaced``: parameters with another default than the signature has.

    Examples
    --------
    >>> defaults_of(lambda information, k, *, alpha=1.0, beta=2, n_jobs=None: None, beta=3)
    {'alpha': 1.0, 'beta': 3}
    """
    parameters = inspect.signature(run).parameters.values()
    defaults = {
        parameter.name: parameter.default
        for parameter in parameters
        if parameter.default is not parameter.empty and parameter.name not in SHARED
    }
    return defaults | replaced


def check_capabilities(
    who: str, required: frozenset[str], available: frozenset[str], hindrances: Sequence[str] = ()
) -> None:
    """Raise UserError if data has not all capabilities that ``who`` requires.

    ``hindrances``: the parameters, or options, that keep the rows out of memory.
    """
    lacking = required - available
    if lacking >= UNSTRATIFIED and required >= INDEPENDENT:
        raise UserError(
            code="strata-not-supported",
            message=f"the tests of {who} do not work within strata",
            advice="leave out {strata}, or use a greedy method such as jmi, without a stopping rule or with fdr",
        )
    if lacking >= UNSTRATIFIED:
        raise UserError(
            code="strata-not-supported",
            message=f"{who} does not work within strata",
            advice="leave out {strata}, or use a greedy method such as jmi",
        )
    if "dense" in lacking and "rows" in available:
        raise needs_dense_rows(who)
    if "rows" in lacking:
        raise UserError(
            code="rows-not-in-memory",
            message=f"{who} needs all rows in memory",
            advice=f"{_advice_on_rows(hindrances)}, or use a method that needs counts alone, such as jmi",
        )
    if lacking == INDEPENDENT:
        raise UserError(
            code="independent-rows-needed",
            message=f"{who} assumes that the rows are independent",
            advice="leave out groups, or use another rule, such as fdr",
        )
    if lacking:
        raise needs_more_than_pairs()


def check_capabilities_of_rule(
    name: str, required: frozenset[str], available: frozenset[str], hindrances: Sequence[str]
) -> None:
    """Raise UserError if rows lie in strata or groups or outside memory, and the stopping rule does not take such rows.

    ``hindrances``: as in :func:`check_capabilities`.
    """
    lacking = required - available
    if lacking >= UNSTRATIFIED:
        raise UserError(
            code="strata-not-supported",
            message=f"stopping rule {name!r} does not work within strata",
            advice="leave out {strata}, or use another rule, such as fdr",
        )
    if lacking >= ROWS and not available >= CONDITIONED:
        raise needs_more_than_pairs()
    if lacking >= ROWS:
        raise UserError(
            code="rows-not-in-memory",
            message=f"stopping rule {name!r} needs all rows in memory",
            advice=f"{_advice_on_rows(hindrances)}, or use another rule, such as conditional",
        )
    if lacking >= INDEPENDENT:
        raise UserError(
            code="independent-rows-needed",
            message=f"stopping rule {name!r} assumes that the rows are independent",
            advice="leave out {groups}, or use another rule, such as fdr",
        )


def _advice_on_rows(hindrances: Sequence[str]) -> str:
    """How rows come into memory."""
    listed = " and ".join(f"{{{name}}}" if name.isidentifier() else name for name in hindrances)
    return f"leave out {listed}" if listed else "give it a table in memory, such as a sample of the rows"


class Stopping(NamedTuple):
    """What ended a greedy selection, and what its stopping rule measured."""

    values: Floats  # of the rule, one for each selected column; nan where it was not tested
    by: str = "n_features_to_select"  # or the name of a rule, or "no varying column left"
    value: float = float("nan")  # of the rule, for the candidate at which it stopped; nan where no rule stopped
    reason: str = ""  # the same in words
    candidate: int = -1  # the first column of that candidate; -1 where there is none
    neighbours: Sequence[Columns] | None = None  # that each selected column was tested given, of rules that say so
    untested: Columns | None = None  # columns that are determined by their neighbours, so that no test is possible

    @property
    def fitted_attributes(self) -> dict[str, Any]:
        """The same as fitted attributes of a selector."""
        attributes: dict[str, Any] = {
            "stopped_by_": self.by,
            "stopping_value_": self.value,
            "stopping_candidate_": self.candidate,
            "stopping_reason_": self.reason,
            "stopping_values_": self.values,
        }
        if self.neighbours is not None:
            attributes["stopping_given_"] = self.neighbours
        if self.untested is not None:
            attributes["stopping_untested_"] = self.untested
        return attributes


@dataclass(frozen=True, kw_only=True, eq=False)
class GreedyStep:
    """A step of a greedy selection: which columns won, which came second, and by how much.

    The gap is the difference of the scores that decided, in the unit of the scores; within 1e-10 it is a tie, which
    the lower column wins.
    """

    winner: Columns  # several for a group of columns that are taken together
    # empty where the choice was forced, where no other candidate was left, and where the second is not known
    runner_up: Columns = field(default_factory=lambda: np.empty(0, np.intp))
    gap: float = float("nan")  # nan without a runner-up
    is_exact: bool = True  # False: an upper bound of the second score is known, so that the gap is at least this

    @property
    def is_tie(self) -> bool:
        """Whether both scores are known, and are the same."""
        return self.is_exact and abs(self.gap) <= TIE


@dataclass(frozen=True, eq=False)
class MethodResult:
    """What a method returns, from which a selector sets its fitted attributes."""

    order: Columns  # columns, best first: all of them, or the selected ones; the others share the next rank
    scores: Floats  # of the selected columns, which are the first in `order`
    ranks: Columns | None = None  # of the columns in `order`; None: 1, 2, 3, ...
    extras: Mapping[str, Any] = field(default_factory=dict)  # fitted attributes that this method alone has
    stopping: Stopping | None = None  # None for a method without stopping rules
    steps: Sequence[GreedyStep] = ()  # of a greedy selection, one a choice; empty for other methods
    convergence_warning: Diagnostic | None = None  # how far an iteration stopped from its end, if it did

    @property
    def selected(self) -> Columns:
        """The selected columns, best first."""
        return self.order[: len(self.scores)]

    def with_dropped_last(self, dropped: Sequence[int], n_features: int) -> MethodResult:
        """The same result with dropped columns ranked behind all others, even behind those that do not vary."""
        if not set(dropped).intersection(self.order.tolist()):
            return self
        is_dropped = np.isin(np.arange(n_features), list(dropped))
        is_ranked = np.isin(np.arange(n_features), self.order)
        order = np.concatenate(
            [
                self.order[~is_dropped[self.order]],
                np.flatnonzero(~is_ranked & ~is_dropped),
                self.order[is_dropped[self.order]],
            ]
        )
        return replace(self, order=order[: len(self.order)])

    def ranking(self, n_features: int) -> Columns:
        """The rank of every column."""
        ranks = np.arange(1, len(self.order) + 1) if self.ranks is None else self.ranks
        ranking = np.full(n_features, ranks.max(initial=0) + 1, np.intp)
        ranking[self.order] = ranks
        return ranking


def constants_last(order: Columns, varies: Flags) -> Columns:
    """An order of columns with all columns that do not vary at its end, by index."""
    return np.concatenate([order[varies[order]], np.flatnonzero(~varies)])


def rank_all(order: Columns, varies: Flags, values: Floats, k: int, **extras: Any) -> MethodResult:
    """A result that ranks every column, those that do not vary last, and selects the first ``k``."""
    order = constants_last(order, varies)
    return MethodResult(order, values[order[:k]], extras=extras)
