"""Chains of functions that turn what a worker keeps of a partition into what it returns."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

PARTITION = 0  # the value that is the number of the partition
PERSISTED = 1  # the value that is the object which the worker keeps
N_GIVEN = 2  # the values that a recipe begins with


class Step(NamedTuple):
    """One step of a recipe."""

    work: Callable[..., object]
    arguments: tuple[int, ...]  # the numbers of the values that ``work`` is called with


class Recipe(NamedTuple):
    """A chain of steps, maybe hundreds, that turns the object kept of a partition into other objects.

    The values of a recipe are numbered: value 0 is the number of the partition, value 1 is the object that the worker
    keeps, and value ``i + 2`` is the result of step i.
    """

    steps: tuple[Step, ...] = ()
    results: tuple[int, ...] = (PERSISTED,)  # the numbers of the values that are returned

    def __call__(self, partition: int, persisted: object) -> list[object]:
        """Run the steps, and return the results for one partition."""
        last_step_of_value: dict[int, int] = {}  # the last step that is called with each value
        for i, step in enumerate(self.steps):
            for argument in step.arguments:
                last_step_of_value[argument] = i
        values: list[object] = [partition, persisted]
        for i, step in enumerate(self.steps):
            values.append(step.work(*[values[argument] for argument in step.arguments]))
            for argument in step.arguments:
                if last_step_of_value[argument] == i and argument not in self.results:
                    values[argument] = None  # release it: it is as large as the partition
        return [values[result] for result in self.results]

    def then(self, work: Callable[..., object]) -> Recipe:
        """Add a step that calls ``work`` with the results. Its result is the only one of the new recipe."""
        value_of_step = N_GIVEN + len(self.steps)
        return Recipe((*self.steps, Step(work, self.results)), (value_of_step,))

    def zipped(self, other: Recipe) -> Recipe:
        """The recipe that returns the results of both. The steps of the other one come after these."""
        n_steps = len(self.steps)

        def renumbered(values: tuple[int, ...]) -> tuple[int, ...]:
            return tuple(value if value < N_GIVEN else value + n_steps for value in values)

        other_steps = [Step(step.work, renumbered(step.arguments)) for step in other.steps]
        return Recipe((*self.steps, *other_steps), (*self.results, *renumbered(other.results)))


PERSISTED_OBJECT = Recipe()  # returns the object that the worker keeps


def recipe_by_partition(work: Callable[[int], object]) -> Recipe:
    """The recipe of one step, which calls ``work`` with the number of the partition."""
    return Recipe((Step(work, (PARTITION,)),), (N_GIVEN,))
