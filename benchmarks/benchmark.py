"""A benchmark as data: a claim, jobs, and the contestants of each job. `runner` measures it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from benchmarks.data import Data
    from benchmarks.limits import Limit

Sizes = dict[str, int]


@dataclass(frozen=True)
class Contestant:
    """A program that is measured, run in a process of its own."""

    command: str  # "ours.greedy" is the function `greedy` of the module benchmarks.contestants.ours
    options: Mapping[str, Any] = field(default_factory=dict)  # of each run
    kernel: str | None = None  # forced on bitsieve; None lets it choose
    threads: int = 1  # of BLAS and OpenMP; the threads of bitsieve are the option `n_jobs`
    peers: bool = False  # whether it runs in the environment of the other programs
    # Upper limits of `samples`, `features` and options, for a program that would need minutes or gigabytes for the
    # whole job. Its seconds are multiplied by the work of the whole job divided by the work of this piece.
    piece: Mapping[str, int] = field(default_factory=dict)
    work: Callable[[Sizes], float] | None = None  # in place of `Job.work`, for the same purpose

    @property
    def other(self) -> bool:
        """Whether this is not bitsieve but a program of others, or code written by hand."""
        return not self.command.startswith("ours")


@dataclass(frozen=True)
class Job:
    """One row of the results: data, and the contestants that do the same with them. The first contestant is ours."""

    name: str
    data: Data
    contestants: Mapping[str, Contestant]
    # The amount of work, given the sizes of `Job.sizes`, in any unit.
    work: Callable[[Sizes], float] = lambda sizes: sizes["samples"] * sizes["features"]
    limit: Limit | None = None  # from the bytes and operations that every program needs
    limited_by: str | None = None  # instead: a contestant that does only what every program needs
    reference_s: float | None = None  # of the best existing program, from another run on the reference machine
    goal: float | None = None  # see `Benchmark.goal`
    fresh: bool = False  # a new process for every run, so that only one contestant holds its arrays at a time
    large: bool = False  # skipped by default, because it needs minutes or gigabytes

    @property
    def ours(self) -> str:
        """The name of the first contestant, with which the others are compared."""
        return next(iter(self.contestants))

    def sizes(self, piece: Mapping[str, int] | None = None) -> Sizes:
        """The samples, features and integer options of the whole job, or of a piece of it."""
        options = self.contestants[self.ours].options
        full_sizes = {"samples": self.data.shape.samples, "features": self.data.shape.features}
        full_sizes |= {key: value for key, value in options.items() if isinstance(value, int)}
        return {key: min(size, (piece or {}).get(key, size)) for key, size in full_sizes.items()}

    def piece(self, contestant: Contestant) -> Sizes:
        """The sizes that are smaller for a contestant than in the whole job; empty if it does the whole job."""
        full_sizes = self.sizes()
        piece_sizes = self.sizes(contestant.piece)
        return {key: size for key, size in piece_sizes.items() if size < full_sizes[key]}


@dataclass(frozen=True)
class Benchmark:
    """A claim and the jobs that show whether it holds."""

    name: str
    claim: str
    jobs: Sequence[Job] = ()
    quick: Sequence[Job] = ()  # small jobs, to see that everything runs
    rounds: int = 5
    patience_s: float = 4.0  # a contestant that takes longer runs in the first round only
    rate: str | None = None  # shown instead of seconds, in 10^9 of this unit a second
    agree: Callable[[Any, Any], Any] | None = None  # compares the details of our answer and of another one
    goal: str | None = None  # what the number `Job.goal` means
    # Makes the rows of a benchmark without jobs; small ones if the argument is True.
    study: Callable[[bool], list[dict[str, Any]]] | None = None
