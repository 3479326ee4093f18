"""The folds of a plan, on threads, finished ones kept."""

from __future__ import annotations

import warnings
from contextvars import Context
from itertools import count
from threading import Event, Lock
from typing import TYPE_CHECKING

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits

from bitsieve.common.progress import phase
from bitsieve.counts.threads import run_blocks
from bitsieve.evaluation.baselines import baseline_errors
from bitsieve.evaluation.bayes_bounds import with_bounds
from bitsieve.evaluation.comparison import Comparison
from bitsieve.evaluation.protocol import rank, score

if TYPE_CHECKING:
    from bitsieve.evaluation.checkpoint import Checkpoint
    from bitsieve.evaluation.plan import Plan
    from bitsieve.evaluation.protocol import Scored


def run_plan(plan: Plan, n_jobs: int | None = None, checkpoint: Checkpoint | None = None) -> Comparison:
    """Rank and classify in every fold; with one ranking for all folds under the protocol of the papers.

    Folds are independent, so the result is the same for any number of threads, and BLAS keeps to one thread each.
    """
    finished: dict[int, dict[str, Scored]] = dict(checkpoint.finished) if checkpoint is not None else {}
    left = [number for number in range(len(plan.folds)) if number not in finished]
    stopped, writing = Event(), Lock()
    with threadpool_limits(1), warnings.catch_warnings():
        # A mixture's 100 iterations are its definition here. Set once and not in the threads: filters are of a process.
        warnings.filterwarnings("ignore", ".*nitialization did not converge", ConvergenceWarning)
        step = phase("comparing")
        once = rank(plan, np.arange(plan.table.n_samples), n_jobs) if plan.protocol == "paper" and left else None

        def work(number: int) -> None:
            fold = plan.folds[number]
            # In a context of its own: the phases of a fold would hide those of the comparison.
            rankings = once or Context().run(rank, plan, fold.train, stopped=stopped.is_set)
            scored = score(plan, fold, rankings, stopped.is_set, classified)
            with writing:
                finished[number] = scored
                if checkpoint is not None:
                    checkpoint.add(number, scored)

        before = len(finished) * len(plan.selectors) * len(plan.counts)
        fits = len(plan.folds) * len(plan.selectors) * len(plan.counts)  # one for every number of features
        done = count(before + 1)

        def classified() -> None:
            with writing:
                step(min(next(done), fits), fits)

        run_blocks(work, left, n_jobs, lambda _, __: None, stopped)
        baselines = baseline_errors(plan, n_jobs) if plan.baselines else {}
    comparison = Comparison.of(plan, [finished[number] for number in range(len(plan.folds))], baselines)
    return with_bounds(plan, comparison, n_jobs) if plan.bounds else comparison
