"""Callbacks of scikit-learn (from 1.9 on), such as its ``ProgressBar``, which follow the phases of a fit."""

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
        """Nothing to support."""

    def with_callbacks(method: Any) -> Any:
        """The method itself."""
        return method


P = ParamSpec("P")
R = TypeVar("R")
PARTS = 100  # tasks that a phase is divided into, at most


class Phases:
    """The phases of a fit as tasks of scikit-learn, of at most 100 parts; a callback cannot stop the fit."""

    def __init__(self, estimator: Any, fit: Any) -> None:
        self.estimator, self.fit = estimator, fit
        self.task: Any = None
        self.n_parts = self.done = 0

    def hear(self, phase: str) -> None:
        """Begin a task where the first step of a phase is done, and end as many of its parts as are done."""
        if not isinstance(phase, Step):
            self.end()
            return
        if self.task is None:
            self.n_parts = min(phase.total, PARTS)
            self.task = self._begin(self.fit, phase.name, self.n_parts)
        while self.done < self.n_parts and self.done * phase.total < phase.done * self.n_parts:
            self._begin(self.task, phase.name, 0).call_on_fit_task_end(estimator=self.estimator)
            self.done += 1

    def _begin(self, parent: Any, name: str, n_parts: int) -> Any:
        return parent.subcontext(name, max_subtasks=n_parts).call_on_fit_task_begin(estimator=self.estimator)

    def end(self) -> None:
        """The task of a phase is at its end."""
        if self.task is not None:
            self.task.call_on_fit_task_end(estimator=self.estimator)
        self.task, self.n_parts, self.done = None, 0, 0


def followed(fit: Callable[P, R]) -> Callable[P, R]:
    """A fit that the callbacks follow which were set on its estimator; without one it is the fit itself."""

    def fit_with_tasks(self: Any, *args: Any, **kwargs: Any) -> Any:
        task = self._init_callback_context(max_subtasks=None).call_on_fit_task_begin(estimator=self)
        phases = Phases(self, task)
        with listening(phases.hear):
            found = fit(self, *args, **kwargs)
        phases.end()
        task.call_on_fit_task_end(estimator=self)
        return found

    with_tasks = with_callbacks(fit_with_tasks)

    @wraps(fit)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        return (with_tasks if getattr(self, "_skl_callbacks", None) else fit)(self, *args, **kwargs)

    return cast("Callable[P, R]", call)
