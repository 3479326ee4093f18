"""Runs a benchmark: every contestant a process of its own, in interleaved rounds; gives the document of its results."""

from __future__ import annotations

from contextlib import ExitStack
from itertools import groupby
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.limits import machine_rates
from benchmarks.machine import machine
from benchmarks.rounds import interleave, ratio, significant
from benchmarks.workers import Worker, WorkerError, stored

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from benchmarks.benchmark import Benchmark, Contestant, Job

SHARED = 0.9  # a processor share below this says that the contestant had to wait for its core
CUTS = ("samples", "features")  # sizes that cut the data; all others are options
FAILED = float("inf")


def run(
    benchmark: Benchmark, *, quick: bool = False, large: bool = False, rounds: int | None = None, only: str = ""
) -> dict[str, Any]:
    """The document of one run: claim, machine, versions of the others' packages, rows."""
    jobs = [job for job in (benchmark.quick if quick else benchmark.jobs) if only in job.name]
    jobs = [job for job in jobs if large or not job.large]
    rounds = rounds or (1 if quick else benchmark.rounds)
    crew = Crew()
    if benchmark.study is None:
        rows = measure_jobs(benchmark, jobs, rounds, crew)
    else:
        rows = [row for row in benchmark.study(quick) if only in row["job"]]
    document = {
        "benchmark": benchmark.name,
        "claim": benchmark.claim,
        "rate": benchmark.rate,
        "goal": benchmark.goal,
        "rounds": rounds if jobs else None,
        "skipped": crew.skipped,
        "packages": crew.packages,
        "machine_rates": machine_rates() if any(job.limit for job in jobs) else None,
        "machine": machine(),
        "rows": rows,
    }
    return {key: value for key, value in document.items() if value}


def measure_jobs(benchmark: Benchmark, jobs: Sequence[Job], rounds: int, crew: Crew) -> list[dict[str, Any]]:
    """The rows; neighbouring jobs on the same data share files and processes."""
    rows = []
    for data, group in groupby(jobs, key=lambda job: job.data):
        with stored(data) as folder, crew.at_work(folder):
            rows += [measure(benchmark, job, crew, rounds) for job in group]
    return rows


def measure(benchmark: Benchmark, job: Job, crew: Crew, rounds: int) -> dict[str, Any]:
    """One row: medians, ratios to ours, the limit, agreement with ours, and numbers that the contestants tell."""
    reports: dict[str, dict[str, Any]] = {}

    def contest(name: str) -> Callable[[], float]:
        contestant = job.contestants[name]

        def once() -> float:
            try:
                reports[name] = crew.run(contestant, job.piece(contestant), fresh=job.fresh)
            except WorkerError as error:
                crew.skipped[name] = str(error)
                return FAILED
            return float(reports[name]["seconds"]) * scaled_by(job, contestant)

        return once

    if not job.fresh:  # all are started before the first is timed
        for contestant in job.contestants.values():
            crew.start(contestant, job.piece(contestant))
    measured = interleave({name: contest(name) for name in job.contestants}, rounds, benchmark.patience_s)
    seconds = {name: runs for name, runs in measured.items() if FAILED not in runs}
    scales = {name: scaled_by(job, job.contestants[name]) for name in seconds}
    medians = {name: significant(median(runs)) for name, runs in seconds.items()}
    limit = job.limit.reached(machine_rates()) if job.limit else None
    if job.limited_by in medians:
        limit = medians[job.limited_by], job.limited_by
    row = {
        "job": job.name,
        "seconds": medians,
        "once": [name for name, runs in seconds.items() if len(runs) < rounds],
        **compared(job, seconds),
        "scaled_by": {name: significant(scale) for name, scale in scales.items() if scale != 1},
        "work": job.work(job.sizes()) if benchmark.rate else None,
        "limit_s": limit and limit[0],
        "limit_by": limit and limit[1],
        "reference_s": job.reference_s,
        "goal": job.goal,
        "agreement": agreement(benchmark, job, crew, {name: reports[name]["details"] for name in seconds}),
        "details": {name: details for name in seconds if (details := numbers(reports[name]))},
    }
    return {key: value for key, value in row.items() if value not in (None, {}, [])}


def scaled_by(job: Job, contestant: Contestant) -> float:
    """How many times the contestant's piece of work the whole job is; 1 where it does the whole job."""
    if not contestant.piece:
        return 1
    work = contestant.work or job.work
    return work(job.sizes()) / work(job.sizes(contestant.piece))


def compared(job: Job, seconds: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """How many times our seconds the others need, which program of others needs least, and what two threads gain."""
    if job.ours not in seconds:
        return {}
    times = {name: significant(ratio(runs, seconds[job.ours])) for name, runs in seconds.items() if name != job.ours}
    others = [name for name in times if job.contestants[name].other]
    comparison: dict[str, Any] = {
        "times_ours": times,
        "best_other": min(others, key=lambda name: times[name], default=None),
    }
    if seconds.get("one thread") and seconds.get("two threads"):
        speedup = ratio(seconds["one thread"], seconds["two threads"])
        comparison["efficiency"] = significant(speedup / 2, 2)
    return comparison


def agreement(benchmark: Benchmark, job: Job, crew: Crew, details: Mapping[str, Any]) -> dict[str, Any]:
    """How far each contestant's answer agrees with ours on the same piece."""
    if benchmark.agree is None or job.ours not in details:
        return {}
    agreements = {}
    for name in details:
        if name == job.ours:
            continue
        piece = job.piece(job.contestants[name])
        our_details = details[job.ours]
        if piece:  # ours has done the whole job so far
            our_details = crew.run(job.contestants[job.ours], piece, fresh=job.fresh)["details"]
        agreements[name] = benchmark.agree(our_details, details[name])
    return agreements


def numbers(report: Mapping[str, Any]) -> dict[str, Any]:
    """The single numbers and words of a report, and the share of a core where it was not a whole one."""
    values = {key: value for key, value in report["details"].items() if isinstance(value, (bool, int, float, str))}
    share = report["processor_share"]
    if share is not None and share < SHARED:
        values["processor_share"] = share
    return {key: significant(value) if isinstance(value, float) else value for key, value in values.items()}


class Crew:
    """The processes of the contestants on one set of data; those that differ in their options only share one."""

    def __init__(self) -> None:
        self.skipped: dict[str, str] = {}
        self.packages: dict[str, str] = {}
        self._workers: dict[Any, Worker | WorkerError] = {}

    def at_work(self, folder: Path) -> ExitStack:
        """A context on the data of this folder; at its end all processes end."""
        self._folder = folder
        stack = ExitStack()
        stack.callback(self._end)
        return stack

    def start(self, contestant: Contestant, piece: Mapping[str, int]) -> Worker | WorkerError:
        """The process for a piece of the data; or why there is none."""
        cut = {key: size for key, size in piece.items() if key in CUTS}
        key = (contestant.command, contestant.kernel, contestant.threads, contestant.peers, *cut.items())
        if key not in self._workers:
            try:
                self._workers[key] = worker = Worker(contestant, self._folder, cut)
                self.packages |= worker.versions
            except WorkerError as error:
                self._workers[key] = error
        return self._workers[key]

    def run(self, contestant: Contestant, piece: Mapping[str, int], *, fresh: bool) -> dict[str, Any]:
        """The report of one run; of a fresh process that ends then, if asked."""
        worker = self.start(contestant, piece)
        if isinstance(worker, WorkerError):
            raise worker
        report = worker.run({**contestant.options, **{key: n for key, n in piece.items() if key not in CUTS}})
        if fresh:
            self._end()
        return report

    def _end(self) -> None:
        for worker in self._workers.values():
            if isinstance(worker, Worker):
                worker.close()
        self._workers.clear()
