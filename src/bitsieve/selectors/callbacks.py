"""Report the phases of a fit to the callbacks of scikit-learn (from 1.9 on), such as its ``ProgressBar``.

A fit is a task, each phase of it is a subtask, and a phase is divided into at most 100 subtasks of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ParamSpec, Protocol, TypeVar

from sklearn.base import BaseEstimator

from bitsieve.utils.progress import PhaseProgress, listening

P = ParamSpec("P")
R = TypeVar("R")

try:
    from sklearn.callback import CallbackSupportMixin as CallbackSupportMixin
    from sklearn.callback import with_callbacks
except ImportError:  # an older scikit-learn, whose estimators have no callbacks

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in for the class of later versions."""

    def with_callbacks(method: Callable[P, R]) -> Callable[P, R]:
        """Return the method itself."""
        return method


MAX_SUBTASKS = 100


def tears_callbacks_down(fit: Callable[P, R]) -> Callable[P, R]:
    """Decorate ``fit``, so that scikit-learn tears the callbacks down at its end, also after an error."""
    decorated: Callable[P, R] = with_callbacks(fit)
    return decorated


class Task(Protocol):
    """The methods of ``sklearn.callback.CallbackContext`` that are used here."""

    def subcontext(self, task_name: str, *, max_subtasks: int | None) -> Task: ...

    def call_on_fit_task_begin(self, *, estimator: BaseEstimator) -> object: ...

    def call_on_fit_task_end(self, *, estimator: BaseEstimator) -> object: ...


@contextmanager
def phases_as_tasks(estimator: BaseEstimator) -> Iterator[None]:
    """Report the phases of the block to the callbacks of the estimator, if it has any."""
    if not getattr(estimator, "_skl_callbacks", None):  # scikit-learn sets it
        yield
        return
    fit_task: Task = estimator._init_callback_context(max_subtasks=None)
    fit_task.call_on_fit_task_begin(estimator=estimator)
    phases = PhaseTasks(estimator, fit_task)
    with listening(phases.report):
        yield
    phases.end_phase()
    fit_task.call_on_fit_task_end(estimator=estimator)


class PhaseTasks:
    """Begins and ends the tasks of phases, by the steps that the work announces."""

    def __init__(self, estimator: BaseEstimator, fit_task: Task) -> None:
        self.estimator = estimator
        self.fit_task = fit_task
        self.phase_task: Task | None = None  # None between two phases
        self.n_subtasks = 0
        self.n_ended = 0

    def report(self, progress: PhaseProgress) -> None:
        """Follow a phase of which it is known how much there is to do. A phase that begins ends the one before."""
        if progress.total is None:
            self.end_phase()
        else:
            self._follow(progress.phase, progress.done, progress.total)

    def end_phase(self) -> None:
        """End the task of the current phase, if there is one."""
        if self.phase_task is not None:
            self.phase_task.call_on_fit_task_end(estimator=self.estimator)
            self.phase_task = None

    def _follow(self, phase: str, done: int, total: int) -> None:
        """End as large a share of the subtasks as of the steps. The first step of a phase begins its task."""
        if self.phase_task is None:
            self.n_subtasks = min(total, MAX_SUBTASKS)
            self.n_ended = 0
            self.phase_task = self.fit_task.subcontext(phase, max_subtasks=self.n_subtasks)
            self.phase_task.call_on_fit_task_begin(estimator=self.estimator)
        n_due = -(-done * self.n_subtasks // max(total, 1))  # rounded up
        while self.n_ended < n_due:
            subtask = self.phase_task.subcontext(phase, max_subtasks=0)
            subtask.call_on_fit_task_begin(estimator=self.estimator)
            subtask.call_on_fit_task_end(estimator=self.estimator)
            self.n_ended += 1
