"""Forward selection by a criterion on counts.

For every criterion the first feature is the most relevant one. Each further feature has the largest score J(i | S) of
the remaining ones; scores within 1e-10 of each other are ties, and the column of the lowest index is chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from bitsieve.information import (
    ANY_EFFECT,
    COMMON,
    ESTIMATORS_OF_EFFECT,
    check_estimator,
    check_estimator_of_effect,
)
from bitsieve.information.protocol import Information, UndefinedQuantityError
from bitsieve.methods.by_counts.criteria import make_criterion
from bitsieve.methods.by_counts.criteria.base import Criterion, JointCriterion, check_takes_penalties
from bitsieve.methods.by_counts.greedy_scores import scores_by
from bitsieve.methods.by_counts.stopping import StoppingRule, make_stopping
from bitsieve.methods.by_counts.stopping.base import StoppingOutcome
from bitsieve.methods.constraints import Candidates, check_constraints
from bitsieve.methods.method import (
    CONDITIONED,
    JOINED,
    TABLES,
    GreedyStep,
    Method,
    MethodResult,
    Stopping,
    defaults_of,
)
from bitsieve.utils.arrays import Columns, Floats
from bitsieve.utils.choice import GreedyChoice, choose_greedily
from bitsieve.utils.defaults import ESTIMATOR
from bitsieve.utils.parameters import check_choice, made_by, optional
from bitsieve.utils.progress import phase

DEFAULT_RULE = "significance"  # that ends a selection of no given number of columns


@dataclass(frozen=True, eq=False)
class ForwardChoice(GreedyChoice):
    """The chosen columns in order of choice, and the score of each when it was chosen, I(Xi;C) of the first."""

    outcome: StoppingOutcome | None = None  # what the stopping rule measured


def forward_select(
    information: Information,
    criterion: Criterion | JointCriterion,
    n_features_to_select: int,
    progress: Callable[[int, int], object] | None = None,
    *,
    stopping: StoppingRule | None = None,
    must_include: Sequence[int] = (),
    exclude: Sequence[int] = (),
    penalties: Floats | None = None,
) -> ForwardChoice:
    """Choose features one at a time by a criterion.

    ``n_features_to_select``, ``must_include``, ``exclude``, ``progress``: as in
    :func:`bitsieve.utils.choice.choose_greedily`. With a ``stopping`` rule each choice is the best candidate that the
    rule accepts. The selection ends where the rule accepts none, or where only constant columns are left. Features of
    ``must_include`` are not tested. ``penalties``, bits of every candidate, are taken off all scores. Raises
    UndefinedQuantityError if the criterion conditions on sets of features and the estimator does not define that.

    Cost: k - 1 rows of pair information, O(k n d) samples read as bits; a criterion that never increases reads fewer.
    """
    monitor = None if stopping is None else stopping.monitor(information)
    first_scores = information.relevance
    deciding_scores = information.cautious_relevance
    if penalties is not None:
        first_scores = first_scores - penalties
        deciding_scores = deciding_scores - penalties
    choice = choose_greedily(
        first_scores,
        scores_by(criterion, information, penalties),
        n_features_to_select,
        information.varies,
        monitor=monitor,
        must_include=must_include,
        exclude=exclude,
        progress=progress,
        first_deciding_scores=deciding_scores,
    )
    outcome = None if monitor is None else monitor.outcome()
    return ForwardChoice(choice.order, choice.scores, choice.runners_up, outcome)


def forward(
    information: Information,
    k: int | None,
    criterion: str | Criterion | JointCriterion,
    *,
    stopping: str | StoppingRule | None = None,
    constraints: Candidates | None = None,
) -> MethodResult:
    """Choose ``k`` candidates one at a time; with ``k=None`` until ``stopping`` ends it, by default "significance"."""
    candidates = constraints or Candidates(np.arange(information.n_features))
    if candidates.grouped:
        information = information.joined(candidates.members())
    if k is None:
        k = candidates.n_open
        stopping = stopping or DEFAULT_RULE
    rule = None if stopping is None else make_stopping(stopping)
    if rule is not None:
        check_bins_of_common_effect(information, rule)
    report_progress = phase("ranking")

    def report_step(done: int, total: int) -> None:
        report_progress(done, total if rule is None else None)  # a rule may end the list at any step

    choice = forward_select(
        information,
        make_criterion(criterion),
        k,
        report_step,
        stopping=rule,
        must_include=candidates.must_include,
        exclude=candidates.exclude,
        penalties=candidates.penalties,
    )
    sizes = candidates.sizes[choice.order]  # columns of each chosen candidate, which may be a group
    return MethodResult(
        order=candidates.columns(choice.order),
        scores=np.repeat(choice.scores, sizes),
        ranks=np.repeat(np.arange(1, len(sizes) + 1), sizes),
        stopping=_stopping_of_columns(choice.outcome, rule, candidates, sizes),
        steps=_steps(choice, candidates),
    )


def _steps(choice: ForwardChoice, candidates: Candidates) -> list[GreedyStep]:
    """Who won each step, who came second, and by how much, by column."""
    steps = []
    for chosen, second in zip(choice.order, choice.runners_up, strict=True):
        winner = candidates.columns(np.array([chosen]))
        if second is None:
            steps.append(GreedyStep(winner=winner))
            continue
        steps.append(
            GreedyStep(
                winner=winner,
                runner_up=candidates.columns(np.array([second.candidate])),
                gap=second.gap,
                is_exact=second.is_exact,
            )
        )
    return steps


def _stopping_of_columns(
    outcome: StoppingOutcome | None, rule: StoppingRule | None, candidates: Candidates, sizes: Columns
) -> Stopping:
    """What ended the selection, by column where the outcome is by candidate; ``sizes``: columns of each choice."""
    if outcome is None or rule is None:
        return Stopping(values=np.full(int(sizes.sum()), np.nan))
    neighbours = None
    if outcome.neighbours is not None:
        neighbours = []
        for neighbours_of_choice, size in zip(outcome.neighbours, sizes.tolist(), strict=True):
            neighbours += [candidates.columns(neighbours_of_choice)] * size
    untested = None
    if outcome.untested is not None and len(outcome.untested):
        untested = candidates.columns(outcome.untested)
    stopping = Stopping(values=np.repeat(outcome.values, sizes), neighbours=neighbours, untested=untested)
    if outcome.only_constants_left:
        return stopping._replace(by="no varying column left")
    if outcome.refused is None:
        return stopping
    first_column = -1
    if len(sizes) or rule.orders_refused_columns:
        first_column = int(np.argmax(candidates.candidate_of_column == outcome.refused))
    reason = rule.reason(outcome.value, outcome.basis)
    return stopping._replace(by=rule.name, value=outcome.value, reason=reason, candidate=first_column)


def _check_parameters(parameters: Mapping[str, Any]) -> None:
    """Refuse an estimator, or an effect, that is not defined for what the criterion or the stopping rule asks."""
    criterion = make_criterion(parameters["criterion"])
    conditions_on_sets = criterion.required_tables == "joint"
    check_estimator(parameters["estimator"], conditions_on_sets=conditions_on_sets)
    if parameters["constraints"] is not None and parameters["constraints"].penalties:
        check_takes_penalties(criterion)
    if parameters["effect"] != COMMON:
        return
    check_estimator_of_effect(parameters["estimator"], COMMON)
    rule = parameters["stopping"]
    if rule is None and parameters["n_features_to_select"] == "auto":
        rule = DEFAULT_RULE
    if rule is not None and not make_stopping(rule).takes_common_effect:
        name = make_stopping(rule).name
        raise UndefinedQuantityError(
            code="undefined-quantity",
            message=f"stopping rule {name!r} has no test of an effect that all strata have in common",
            advice="use {stopping} with {binning}, or {effect}",
            fix={"stopping": "permutation", "binning": "quantile", "effect": ANY_EFFECT},
        )


def check_bins_of_common_effect(information: Information, rule: StoppingRule) -> None:
    """Refuse a rule that tests a common effect where other classes would make other bins, or rows come in groups."""
    search = information.source.search
    if information.effect != COMMON or search is None or not rule.is_test:
        return
    if search.exchangeable_units is not None:
        raise UndefinedQuantityError(
            code="undefined-quantity",
            message=f"stopping rule {rule.name!r} has no test of a common effect of rows in groups",
            advice="leave out {groups}",
        )
    raise UndefinedQuantityError(
        code="undefined-quantity",
        message=f"stopping rule {rule.name!r} tests a common effect only with bins that are made without the target",
        advice="add {binning}",
        fix={"binning": "quantile"},
    )


def _further_capabilities(parameters: Mapping[str, Any]) -> frozenset[str]:
    """The capabilities that the criterion, the stopping rule and groups of columns require of the data."""
    required = TABLES
    if make_criterion(parameters["criterion"]).required_tables == "joint":
        required |= CONDITIONED
    n_features = parameters["n_features_to_select"]
    if isinstance(n_features, str) and n_features == "auto":
        required |= CONDITIONED
    if parameters["stopping"] is not None:
        required |= make_stopping(parameters["stopping"]).required_capabilities
    if parameters["constraints"] is not None and parameters["constraints"].groups:
        required |= JOINED
    return required


FORWARD = Method(
    name="forward",
    title="Forward selection by a criterion",
    formula="selected_[0] = argmax I(Xi;C), then argmax J(i | S)",
    paper="Brown, Pocock, Zhao, Lujan 2012",
    inputs="the tables that the criterion requires",
    cost="O(k n d)",
    selector="bitsieve.selectors.forward:ForwardSelector",
    parameters=defaults_of(forward, estimator=ESTIMATOR, effect=ANY_EFFECT),
    published={"estimator": "plug-in"},
    why_default=(
        "plug-in information prefers columns of many values; over 21 tables cmim had the mean rank 4.62 corrected, and "
        "5.09 by plug-in"
    ),
    run=forward,
    takes_survival=True,
    further_capabilities=_further_capabilities,
    takes_strata=True,
    ends_with=("auto",),
    rules={
        "criterion": made_by(make_criterion),
        "stopping": optional(made_by(make_stopping)),
        "constraints": made_by(check_constraints),
        "effect": partial(check_choice, choices=tuple(ESTIMATORS_OF_EFFECT)),
    },
    check=_check_parameters,
)
