"""Choice by score: the one tie rule, and greedy search by it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np

from bitsieve.utils.arrays import Columns, Flags, Floats, Progress

TIE = 1e-10  # bits: far above the rounding of a sum of scores, far below any difference that means something


def pick(scores: Floats) -> int:
    """The lowest index whose score is within 1e-10 of the highest. At least one score is not ``-inf``."""
    return int(np.argmax(scores >= scores.max() - TIE))


def rank(values: Floats) -> Columns:
    """All indices by falling value. Values within 1e-10 of the first of their run are ties, ordered by index.

    Cost: O(n log n).
    """
    order = np.argsort(-values, kind="stable")
    falling = values[order]
    begins_run = np.ones(len(order), bool)
    begins_run[1:] = falling[1:] < falling[:-1] - TIE
    if begins_run.all():
        return order
    _split_long_runs(falling, begins_run)
    return order[np.lexsort((order, np.cumsum(begins_run)))]


def _split_long_runs(falling: Floats, begins_run: Flags) -> None:
    """Split each run whose last value is more than 1e-10 below its first, as after many smaller steps.

    A new run begins at the first value that is more than 1e-10 below the beginning of the run before.
    """
    starts = np.flatnonzero(begins_run)
    stops = np.append(starts[1:], len(falling))
    is_too_long = falling[stops - 1] < falling[starts] - TIE
    for start, stop in zip(starts[is_too_long].tolist(), stops[is_too_long].tolist(), strict=True):
        rising = -falling[:stop]  # as np.searchsorted needs it
        beginning = start
        while beginning < stop:
            begins_run[beginning] = True
            beginning = int(np.searchsorted(rising, -(falling[beginning] - TIE), side="right"))


def top(values: Floats, k: int) -> Columns:
    """The first k of ``rank(values)``, without ranking the others."""
    kth_largest = np.partition(values, len(values) - k)[len(values) - k]
    candidates = np.flatnonzero(values >= kth_largest - TIE)
    return candidates[rank(values[candidates])[:k]]


class RunnerUp(NamedTuple):
    """The candidate that came second in a greedy choice.

    ``gap`` is the score of the chosen candidate less that of this one, in the unit of the scores; within 1e-10 the two
    are tied. Where ``is_exact`` is False only an upper bound of the second score is known: the gap is at least this.
    """

    candidate: int
    gap: float
    is_exact: bool = True


def runner_up(scores: Floats, candidates: Flags, chosen: int) -> RunnerUp | None:
    """The second of the candidates by their exact scores; None if there is no other candidate."""
    others = np.where(candidates, scores, -np.inf)
    others[chosen] = -np.inf
    second = pick(others)
    if others[second] == -np.inf:
        return None
    if scores[chosen] == scores[second]:  # perhaps both infinite
        return RunnerUp(second, 0.0)
    return RunnerUp(second, float(scores[chosen] - scores[second]))


class Scores(Protocol):
    """Scores of all candidates, given a set S of chosen features that grows."""

    def add(self, feature: int) -> None:
        """Put a feature into S."""

    def best(self, candidates: Flags) -> tuple[int, float]:
        """The candidate to choose, and its score; S is not empty."""

    def runner_up(self, candidates: Flags, chosen: int) -> RunnerUp | None:
        """The second of the candidates that :meth:`best` was just asked about, by what is known of their scores."""


class Monitor(Protocol):
    """What may end a search before the number of features asked for is reached."""

    def refuses(self, candidate: int, score: float, tried: Flags | None) -> bool:
        """Whether this choice among the columns ``tried`` is refused; ``tried`` is None if the choice is forced."""

    def others(self, candidates: Flags) -> Flags:
        """The remaining candidates that may be chosen in place of a refused one; if there are none, the search ends."""

    def ends_at_constants(self) -> bool:
        """Whether the search ends where only constant columns are left."""


@dataclass(frozen=True, eq=False)
class GreedyChoice:
    """Column indices in order of choice, the score of each when it was chosen, and the runner-up of each choice.

    A runner-up is None where the choice was forced, where no other candidate was left, and where none is known.
    """

    order: Columns
    scores: Floats
    runners_up: Sequence[RunnerUp | None] = ()


def choose_greedily(
    first_scores: Floats,
    scores: Scores,
    n_features_to_select: int,
    is_nonconstant: Flags,
    *,
    monitor: Monitor | None = None,
    must_include: Sequence[int] = (),
    exclude: Sequence[int] = (),
    progress: Progress = None,
    first_deciding_scores: Floats | None = None,
) -> GreedyChoice:
    """Choose features one at a time. Constant columns, which carry no information, are chosen when no other is left.

    The first choice is the largest of ``first_deciding_scores``, by default ``first_scores``; its score is that of
    ``first_scores``. ``is_nonconstant`` is False for constant columns. ``must_include`` are chosen first, in this
    order, and never refused; ``exclude`` are never chosen. ``progress(n_chosen, n_features_to_select)`` is called after
    each choice.
    """
    deciding_scores = first_scores if first_deciding_scores is None else first_deciding_scores
    best_of: Callable[[Flags], tuple[int, float]] = partial(_largest, deciding_scores, first_scores)
    is_left = np.ones(len(is_nonconstant), bool)
    is_left[list(exclude)] = False
    order: list[int] = []
    chosen_scores: list[float] = []
    runners_up: list[RunnerUp | None] = []
    while len(order) < n_features_to_select:
        nonconstant = is_left & is_nonconstant
        candidates = nonconstant if nonconstant.any() else is_left
        is_forced = len(order) < len(must_include)
        if is_forced:
            candidates = np.zeros(len(is_nonconstant), bool)
            candidates[must_include[len(order)]] = True
        elif monitor is not None and not nonconstant.any() and monitor.ends_at_constants():
            break
        if order:
            scores.add(order[-1])
            best_of = scores.best
        accepted = _first_accepted(best_of, candidates, monitor, None if is_forced else is_left)
        if accepted is None:
            break
        chosen, score, compared = accepted
        if is_forced:
            runners_up.append(None)
        elif order:
            runners_up.append(scores.runner_up(compared, chosen))
        else:
            runners_up.append(runner_up(deciding_scores, compared, chosen))
        order.append(chosen)
        chosen_scores.append(score)
        is_left[chosen] = False
        if progress is not None:
            progress(len(order), n_features_to_select)
    return GreedyChoice(np.array(order, np.intp), np.array(chosen_scores), runners_up)


def _largest(deciding_scores: Floats, scores: Floats, candidates: Flags) -> tuple[int, float]:
    """The candidate with the largest deciding score, and its score."""
    chosen = pick(np.where(candidates, deciding_scores, -np.inf))
    return chosen, float(scores[chosen])


def _first_accepted(
    best_of: Callable[[Flags], tuple[int, float]], candidates: Flags, monitor: Monitor | None, tried: Flags | None
) -> tuple[int, float, Flags] | None:
    """The best candidate that the monitor does not refuse, its score, and the candidates that it was compared with.

    None if the monitor refuses all.
    """
    while candidates.any():
        chosen, score = best_of(candidates)
        if monitor is None or not monitor.refuses(chosen, score, tried):
            return chosen, score, candidates
        candidates = candidates.copy()
        candidates[chosen] = False
        candidates = monitor.others(candidates)
    return None
