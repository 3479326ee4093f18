"""Report the phases of a fit to the callbacks of scikit-learn (from 1.9 on), such as its ``ProgressBar``."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

from bitsieve.utils.progress import Step, listening

try:
    from sklearn.callback import CallbackSupportMixin as CallbackSupportMixin
    from sklearn.callback import with_callbacks
except ImportError:  # an older scikit-learn, whose estimators have no callbacks

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in for the class of later versions."""

    def with_callbacks(method: Any) -> Any:
        """Return the method itself."""
        return method


P = ParamSpec("P")
R = TypeVar("R")
MAX_SUBTASKS = 100  # that a phase is divided into


class PhaseTasks:
    """Reports each phase of a fit to scikit-learn as a task of at most 100 subtasks. A callback cannot stop a fit."""

    def __init__(self, estimator: Any, fit_task: Any) -> None:
        self.estimator = estimator
        self.fit_task = fit_task
        self.phase_task: Any = None  # None between phases
        self.n_subtasks = 0
        self.n_ended = 0

    def report(self, progress: str) -> None:
        """Take note of a step of a phase, or of any other message, which ends the phase."""
        if isinstance(progress, Step):
            self._report_step(progress)
        else:
            self.end_phase()

    def _report_step(self, step: Step) -> None:
        """Begin a task at the first step of a phase, and end its subtasks in proportion to the steps done."""
        if self.phase_task is None:
            self.n_subtasks = min(step.total, MAX_SUBTASKS)
            self.n_ended = 0
            self.phase_task = self._begin_task(self.fit_task, step.name, self.n_subtasks)
        n_due = -(-step.done * self.n_subtasks // max(step.total, 1))  # rounded up
        for _ in range(self.n_ended, n_due):
            subtask = self._begin_task(self.phase_task, step.name, 0)
            subtask.call_on_fit_task_end(estimator=self.estimator)
        self.n_ended = max(self.n_ended, n_due)

    def _begin_task(self, parent: Any, name: str, n_subtasks: int) -> Any:
        task = parent.subcontext(name, max_subtasks=n_subtasks)
        return task.call_on_fit_task_begin(estimator=self.estimator)

    def end_phase(self) -> None:
        """End the task of the phase under way, if there is one."""
        if self.phase_task is not None:
            self.phase_task.call_on_fit_task_end(estimator=self.estimator)
            self.phase_task = None


def followed(fit: Callable[P, R]) -> Callable[P, R]:
    """Decorate ``fit`` so that it reports its phases to the callbacks that are set on the estimator."""

    def fit_with_tasks(self: Any, *args: Any, **kwargs: Any) -> Any:
        fit_task = self._init_callback_context(max_subtasks=None)
        fit_task = fit_task.call_on_fit_task_begin(estimator=self)
        phases = PhaseTasks(self, fit_task)
        with listening(phases.report):
            fitted = fit(self, *args, **kwargs)
        phases.end_phase()
        fit_task.call_on_fit_task_end(estimator=self)
        return fitted

    fit_with_callbacks = with_callbacks(fit_with_tasks)

    @wraps(fit)
    def fit_followed(self: Any, *args: Any, **kwargs: Any) -> Any:
        has_callbacks = bool(getattr(self, "_skl_callbacks", None))
        if has_callbacks:
            return fit_with_callbacks(self, *args, **kwargs)
        return fit(self, *args, **kwargs)

    return cast("Callable[P, R]", fit_followed)
