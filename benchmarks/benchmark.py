"""What a benchmark is: a claim, jobs, and the contestants of each job. All of it is data; `runner` measures it."""

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
    """A program that takes part, run in a process of its own."""

    command: str  # "ours.greedy" is the function `greedy` of the module benchmarks.contestants.ours
    options: Mapping[str, Any] = field(default_factory=dict)  # what each run is given
    kernel: str | None = None  # that bitsieve is forced to; None leaves the choice to it
    threads: int = 1  # of BLAS and OpenMP in that process; our own are an option, `n_jobs`
    peers: bool = False  # whether it runs in the environment of the other programs
    # At most so many `samples` and `features`, and at most such options, for a program that would need minutes or
    # gigabytes. Its seconds are multiplied by the work of the whole job over that of the piece.
    piece: Mapping[str, int] = field(default_factory=dict)
    work: Callable[[Sizes], float] | None = None  # where its work is not that of the job, for the same purpose

    @property
    def other(self) -> bool:
        """Whether this is a program of others, or code that one writes by hand, and not bitsieve."""
        return not self.command.startswith("ours")


@dataclass(frozen=True)
class Job:
    """One row of the results: data, and the contestants that do the same with them. The first contestant is ours."""

    name: str
    data: Data
    contestants: Mapping[str, Contestant]
    # What there is to do for `samples`, `features` and the options of the first contestant that are whole numbers.
    work: Callable[[Sizes], float] = lambda sizes: sizes["samples"] * sizes["features"]
    limit: Limit | None = None  # the bytes and operations that no program can do without
    limited_by: str | None = None  # instead of these: a contestant that does only what none can do without
    reference_s: float | None = None  # of the best existing program, measured in another run on the reference machine
    goal: float | None = None  # see `Benchmark.goal`
    fresh: bool = False  # a new process for every run, so that contestants do not hold their arrays at the same time
    large: bool = False  # left out unless asked for, because it needs minutes or gigabytes

    @property
    def ours(self) -> str:
        """The name of the first contestant, which the others are compared with."""
        return next(iter(self.contestants))

    def sizes(self, piece: Mapping[str, int] | None = None) -> Sizes:
        """Samples, features and number options of the whole job, or of a piece of it."""
        options = self.contestants[self.ours].options
        full_sizes = {"samples": self.data.shape.samples, "features": self.data.shape.features}
        full_sizes |= {key: value for key, value in options.items() if isinstance(value, int)}
        return {key: min(size, (piece or {}).get(key, size)) for key, size in full_sizes.items()}

    def piece(self, contestant: Contestant) -> Sizes:
        """What the contestant is given less of than there is; empty where it does the whole job."""
        full_sizes, part = self.sizes(), self.sizes(contestant.piece)
        return {key: size for key, size in part.items() if size < full_sizes[key]}


@dataclass(frozen=True)
class Benchmark:
    """A claim and the jobs that show whether it holds."""

    name: str
    claim: str
    jobs: Sequence[Job] = ()
    quick: Sequence[Job] = ()  # small jobs, to see that everything runs
    rounds: int = 5
    patience_s: float = 4.0  # a contestant that needs longer runs in the first round only
    rate: str | None = None  # what 10^9 of a second are shown instead of seconds
    agree: Callable[[Any, Any], Any] | None = None  # how far an answer agrees with ours, from the details of both
    goal: str | None = None  # what the number `Job.goal` means
    study: Callable[[bool], list[dict[str, Any]]] | None = None  # without a clock: all rows, small ones if True
