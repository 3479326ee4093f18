"""Forward selection by a criterion on counts.

The first feature is the most relevant one, for every criterion; then the best J(i | S) of those left, by the one tie
rule.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from bitsieve.counts.source import conditioning
from bitsieve.information import check_estimator, make_information
from bitsieve.information.protocol import Information, PairInformation
from bitsieve.methods.by_counts.criteria import make_criterion
from bitsieve.methods.by_counts.criteria.base import Criterion, JointCriterion
from bitsieve.methods.by_counts.stopping import Rule, make_monitor, make_stopping
from bitsieve.methods.by_counts.stopping.dependent import KnockoffStopping
from bitsieve.methods.by_counts.stopping.monitor import StoppingOutcome
from bitsieve.methods.constraints import Candidates, check_constraints
from bitsieve.methods.method import CONDITIONED, TABLES, Found, Method, defaults_of
from bitsieve.utils.arrays import Columns, Flags, Floats
from bitsieve.utils.choice import TIE, GreedyChoice, Scores, choose_greedily, pick
from bitsieve.utils.defaults import ESTIMATOR
from bitsieve.utils.parameters import made_by, optional
from bitsieve.utils.progress import phase

BATCH = 64  # candidates brought up to date first: they set a mark for all others
HOT = 0.5  # share of the best bound from which a candidate is followed at every step
WHOLE = 0.5  # share of the features to be counted from which a whole row is, which takes no gathering
SLACK = 2 * TIE  # below the mark that a bound may lie: ties, and the rounding of sums
LAZY_FROM = 1e-3  # seconds a row: below, counting all candidates at once is cheaper than choosing which to count
LAZY_MEAN_FROM = 5e-3  # the same of a mean redundancy, as its bounds are wider


class LazyScores:
    """Scores of which only those that may win are brought up to date.

    Candidates that were up to date at the last step and are not far behind are followed at once, all in one row; that
    sets a high mark, and few of the others have a bound above it. Where most are not far behind, as with jmim, the row
    is counted whole, which is no worse than keeping all of them up to date. Columns whose bound with nothing folded in
    stays below that mark are not looked at at all.
    """

    def __init__(self, information: Information, criterion: Criterion) -> None:
        self.information = information
        self.criterion = criterion
        n_features = information.n_features
        self.folded = np.full(n_features, criterion.start)
        self.depth = np.zeros(n_features, np.intp)  # features of S folded in so far
        least = information.least_redundancy if criterion.takes_off_mean_redundancy else None
        self.least = np.zeros(n_features) if least is None else least
        self.chosen: list[int] = []
        ceilings = self._scores(np.arange(n_features))
        self.order = np.argsort(-ceilings, kind="stable")
        self.ceilings = ceilings[self.order]
        self._look_at(int(np.count_nonzero(_near(self.ceilings))))

    def add(self, feature: int) -> None:
        """Put a feature into S; every score becomes a bound."""
        self.chosen.append(feature)

    def best(self, candidates: Flags) -> tuple[int, float]:
        """The best candidate and its score."""
        self._follow(len(self.chosen) - 1, candidates)
        together: int | None = BATCH
        while True:
            bounds = np.where(candidates[self.front], self._scores(self.front), -np.inf)
            fresh = self.depth[self.front] == len(self.chosen)
            reached = bounds[fresh].max(initial=-np.inf)
            stale = np.flatnonzero(~fresh & (bounds >= reached - SLACK) & candidates[self.front])
            if len(stale):
                leaders = self.front[stale[np.argsort(-bounds[stale], kind="stable")[:together]]]
                self._advance(leaders, reached)
                together = None
            elif len(self.front) < len(self.order) and self.ceilings[len(self.front)] >= reached - SLACK:
                self._look_at(2 * len(self.front))
            else:
                winner = int(self.front[pick(np.where(fresh, bounds, -np.inf))])
                folded, relevance = self.folded[[winner]], self.information.relevance[[winner]]
                return winner, float(self.criterion.score(folded, relevance, len(self.chosen))[0])

    def _look_at(self, n_columns: int) -> None:
        """Take so many columns of the largest bounds into account, in the order of the table."""
        self.front = np.sort(self.order[:n_columns])

    def _follow(self, step: int, candidates: Flags) -> None:
        """Fold the latest feature into candidates that were up to date before it and are not far behind."""
        recent = candidates[self.front] & (self.depth[self.front] == step)
        near = self.front[_near(np.where(recent, self._scores(self.front), -np.inf))]
        if len(near) < WHOLE * len(self.depth):
            self._fold(step, near)
            return
        recent = self.depth == step
        self.folded = np.where(recent, self.criterion.fold(self.folded, self._terms(step, None)), self.folded)
        self.depth[recent] += 1

    def _advance(self, columns: Columns, reached: float) -> None:
        """Fold chosen features into the columns until they are up to date or can no longer win."""
        for step in range(int(self.depth[columns].min()), len(self.chosen)):
            due = columns[self.depth[columns] == step]
            self._fold(step, due[self._scores(due) >= reached - SLACK])

    def _fold(self, step: int, columns: Columns) -> None:
        if len(columns):
            columns = self.information.sums.counted_with(columns)
            columns = columns[self.depth[columns] == step]
            self.folded[columns] = self.criterion.fold(self.folded[columns], self._terms(step, columns))
            self.depth[columns] = step + 1

    def _terms(self, step: int, columns: Columns | None) -> PairInformation:
        by_class = self.criterion.needs == "class pairs"
        return self.information.pair(self.chosen[step], columns, by_class=by_class)

    def _scores(self, columns: Columns) -> Floats:
        """The scores of columns that are up to date, and bounds of the scores of the others."""
        n_selected = max(len(self.chosen), 1)
        folded = self.folded[columns] + (n_selected - self.depth[columns]) * self.least[columns]
        return self.criterion.score(folded, self.information.cautious_relevance[columns], n_selected)


def _near(bounds: Floats) -> Flags:
    """Those that are not far behind the best."""
    best = float(bounds.max())
    return (bounds > -np.inf) & (bounds >= (HOT * best if best > 0 else best / HOT))


@dataclass(frozen=True)
class ForwardChoice(GreedyChoice):
    """Column indices in order of choice, the criterion's values (the first: I(Xi;C)), and how a rule ended it."""

    outcome: StoppingOutcome | None


class EagerScores:
    """Every candidate is brought up to date at every step: one row of pairs, or none if the criterion needs none."""

    def __init__(self, information: Information, criterion: Criterion) -> None:
        self.information = information
        self.criterion = criterion
        self.folded = np.full(information.n_features, criterion.start)
        self.n_selected = 0

    def add(self, feature: int) -> None:
        """Fold the information of one more chosen feature into every candidate."""
        if self.criterion.needs != "marginals":
            pair = self.information.pair(feature, by_class=self.criterion.needs == "class pairs")
            self.folded = self.criterion.fold(self.folded, pair)
        self.n_selected += 1

    def best(self, candidates: Flags) -> tuple[int, float]:
        """The best candidate and its score."""
        scores = self.criterion.score(self.folded, self.information.cautious_relevance, self.n_selected)
        chosen = pick(np.where(candidates, scores, -np.inf))
        folded, relevance = self.folded[[chosen]], self.information.relevance[[chosen]]
        return chosen, float(self.criterion.score(folded, relevance, self.n_selected)[0])


def forward_select(
    information: Information,
    criterion: Criterion | JointCriterion,
    n_features_to_select: int,
    progress: Callable[[int, int], object] | None = None,
    *,
    stopping: Rule | None = None,
    must_include: Sequence[int] = (),
    exclude: Sequence[int] = (),
) -> ForwardChoice:
    """Choose features one at a time by a criterion.

    ``n_features_to_select``, ``must_include``, ``exclude``, ``progress``: as in
    :func:`bitsieve.utils.choice.choose_greedily`. ``stopping``: each choice is the best that it accepts; the selection
    ends where it accepts none, and before a constant column; features of ``must_include`` are not tested. Raises
    UndefinedQuantityError if the criterion conditions on sets of features and the estimator does not define that.

    Cost: k - 1 rows of pair information, O(k n d) samples read as bits; a criterion that never increases reads fewer.
    """
    monitor = None if stopping is None else make_monitor(stopping, information)
    found = choose_greedily(
        information.relevance,
        _scores_for(information, criterion),
        n_features_to_select,
        information.varies,
        monitor=monitor,
        must_include=must_include,
        exclude=exclude,
        progress=progress,
        first_by=information.cautious_relevance,
    )
    return ForwardChoice(found.order, found.scores, None if monitor is None else monitor.outcome())


def _scores_for(information: Information, criterion: Criterion | JointCriterion) -> Scores:
    if criterion.needs == "joint":
        return cast("JointCriterion", criterion).scores(information)
    criterion = cast("Criterion", criterion)
    minima = criterion.minima(information)
    if minima is not None:
        return minima
    seconds = information.sums.row_seconds
    bounded = criterion.takes_off_mean_redundancy and information.least_redundancy is not None
    falling = criterion.never_increases and criterion.needs != "marginals"
    if (bounded and seconds >= LAZY_MEAN_FROM) or (falling and seconds >= LAZY_FROM):
        return LazyScores(information, criterion)
    return EagerScores(information, criterion)


def forward(
    information: Information,
    k: int | None,
    criterion: str | Criterion | JointCriterion,
    *,
    stopping: str | Rule | None = None,
    constraints: Candidates | None = None,
) -> Found:
    """Choose ``k`` candidates one at a time; None goes on until ``stopping`` ends it, by default "significance"."""
    candidates = constraints or Candidates(np.arange(information.n_features))
    if candidates.grouped:
        information = make_information(
            information.estimator, conditioning(information.source).joined(candidates.members())
        )
    if k is None:
        k, stopping = candidates.n_open, stopping or "significance"
    rule = None if stopping is None else make_stopping(stopping)
    chosen = forward_select(
        information,
        make_criterion(criterion),
        k,
        phase("ranking"),
        stopping=rule,
        must_include=candidates.must_include,
        exclude=candidates.exclude,
    )
    sizes = candidates.sizes[chosen.order]
    return Found(
        candidates.columns(chosen.order),
        np.repeat(chosen.scores, sizes),
        np.repeat(np.arange(1, len(sizes) + 1), sizes),
        _why_it_ended(chosen.outcome, rule, candidates, sizes),
    )


def _why_it_ended(
    outcome: StoppingOutcome | None, rule: Rule | None, candidates: Candidates, sizes: Columns
) -> dict[str, Any]:
    """The fitted attributes that say what ended the selection."""
    found: dict[str, Any] = {
        "stopped_by_": "n_features_to_select",
        "stopping_value_": np.nan,
        "stopping_candidate_": -1,
        "stopping_reason_": "",
        "stopping_values_": np.repeat(np.full(len(sizes), np.nan) if outcome is None else outcome.values, sizes),
    }
    if outcome is not None and outcome.given is not None:
        given = zip(outcome.given, sizes.tolist(), strict=True)
        found["stopping_given_"] = [candidates.columns(columns) for columns, size in given for _ in range(size)]
    if outcome is not None and outcome.untested is not None and len(outcome.untested):
        found["stopping_untested_"] = candidates.columns(outcome.untested)
    if outcome is not None and outcome.exhausted:
        found["stopped_by_"] = "no varying column left"
    elif outcome is not None and rule is not None and outcome.refused is not None:
        found["stopped_by_"] = rule.name
        found["stopping_reason_"] = rule.reason(outcome.value)
        found["stopping_value_"] = outcome.value
        if len(sizes) or not isinstance(rule, KnockoffStopping):  # of rates that are all 1 none comes next
            found["stopping_candidate_"] = int(np.argmax(candidates.of_column == outcome.refused))
    return found


def _check_estimator(given: Mapping[str, Any]) -> None:
    """Refuse an estimator that does not define what the criterion needs."""
    check_estimator(given["estimator"], conditions_on_sets=make_criterion(given["criterion"]).needs == "joint")


def _requires_more(given: Mapping[str, Any]) -> frozenset[str]:
    """Criteria and rules that condition on several columns divide the samples; groups are columns of their own."""
    stops = given["stopping"] is not None or given["n_features_to_select"] == "auto"
    conditions = stops or make_criterion(given["criterion"]).needs == "joint"
    grouped = given["constraints"] is not None and given["constraints"].groups
    of_rule = (
        frozenset() if given["stopping"] is None else getattr(make_stopping(given["stopping"]), "requires", TABLES)
    )
    return (CONDITIONED if conditions else TABLES) | of_rule | ({"joined"} if grouped else set())


FORWARD = Method(
    name="forward",
    title="Forward selection by a criterion",
    formula="selected_[0] = argmax I(Xi;C), then argmax J(i | S)",
    paper="Brown, Pocock, Zhao, Lujan 2012",
    needs="what the criterion needs",
    cost="O(k n d)",
    selector="bitsieve.selectors.forward:ForwardSelector",
    parameters=defaults_of(forward, estimator=ESTIMATOR),
    run=forward,
    requires_more=_requires_more,
    ends_with=("auto",),
    rules={
        "criterion": made_by(make_criterion),
        "stopping": optional(made_by(make_stopping)),
        "constraints": made_by(check_constraints),
    },
    check=_check_estimator,
)
