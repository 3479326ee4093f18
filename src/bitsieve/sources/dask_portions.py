"""Portions of the samples that lie on the workers of a Dask cluster, or in this process where there is no cluster."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import uuid4

from bitsieve.common.messages import one_line
from bitsieve.sources.portions import Portions, has_samples, in_order, places_with_samples

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dask.delayed import Delayed
    from distributed import Client

Result = TypeVar("Result")

FAN_IN = 8  # results that one task merges


class DaskPortions(Portions):
    """Objects on the workers of a cluster, one tuple of them for every portion.

    What :meth:`map` makes is kept by the workers that made it; what is lost with a worker is made again. The tasks are
    named ``bitsieve-...`` on the dashboard.

    Parameters
    ----------
    members : sequence of tuple
        Of every portion its objects: Delayed, made or still to be made, or small values as they are.
    client : distributed.Client, optional
        Of the cluster; without one, the threads of this process do the work.
    """

    def __init__(self, members: Sequence[tuple[Any, ...]], client: Client | None = None) -> None:
        self.members, self.client = list(members), client

    def total(self, task: str, work: Callable[..., Result], merge: Callable[[Sequence[Result]], Result]) -> Result:
        """Merge what ``work`` returns for every portion, ``FAN_IN`` at a time, the portions of a worker first."""
        from dask import compute, delayed

        results, level = self._tasks(task, work), 0
        name = f"bitsieve-add-{uuid4().hex}"
        one = delayed(merge, pure=False)
        while len(results) > 1:
            groups = [results[i : i + FAN_IN] for i in range(0, len(results), FAN_IN)]
            results = [one(group, dask_key_name=f"{name}-{level}-{place}") for place, group in enumerate(groups)]
            level += 1
        (result,) = results
        try:
            return (
                compute(result, scheduler="threads")[0] if self.client is None else self.client.compute(result).result()
            )
        except KeyError as error:  # of pandas, in a task that takes columns from a part
            raise ValueError(
                f"a part of the data lacks a column ({one_line(error.args[0])}): every part must have the same columns"
            ) from None

    def map(self, task: str, work: Callable[..., Any]) -> DaskPortions:
        """Portions of what ``work`` returns, kept where it was made."""
        from dask import persist

        made = self._tasks(task, work)
        kept = persist(*made, scheduler="threads") if self.client is None else self.client.persist(made)
        return DaskPortions([(each,) for each in kept], self.client)

    def beside(self, other: DaskPortions) -> DaskPortions:
        """The objects of both, portion by portion."""
        pairs = zip(self.members, other.members, strict=True)
        return DaskPortions([mine + theirs for mine, theirs in pairs], self.client)

    def with_samples(self) -> DaskPortions:
        """The portions that have any samples, those of one worker next to each other."""
        kept = [self.members[place] for place in places_with_samples(self.total("facts", has_samples, in_order))]
        if self.client is not None:
            from distributed import futures_of

            keys = [futures_of(member[0])[0].key for member in kept]
            places = self.client.who_has()
            workers = [min(places.get(key, ()), default="") for key in keys]
            kept = [kept[i] for i in sorted(range(len(kept)), key=workers.__getitem__)]
        return DaskPortions(kept, self.client)

    def numbered(self, n_rows: Sequence[int]) -> DaskPortions:
        """The portions that have rows, each with the number of its first row before its objects."""
        starts = accumulate(n_rows, initial=0)
        kept = [(start, *objects) for start, objects, n in zip(starts, self.members, n_rows, strict=False) if n]
        return DaskPortions(kept, self.client)

    def _tasks(self, task: str, work: Callable[..., Any]) -> list[Delayed]:
        from dask import delayed

        name, one = f"bitsieve-{task}-{uuid4().hex}", delayed(work, pure=False)
        return [one(*objects, dask_key_name=f"{name}-{place}") for place, objects in enumerate(self.members)]


def current_client() -> Client | None:
    """The client of the cluster that this process or task works with; None where there is none."""
    try:
        from distributed import get_client
    except ImportError:  # dask alone: the threads of this process do the work
        return None
    try:
        return get_client()
    except ValueError:
        return None
