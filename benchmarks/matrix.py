"""The full matrix of mutual information on one core, in 10^9 pair-samples a second, by each instruction set.

    python -m benchmarks.matrix [--quick] [--rounds N]

A pair-sample is one sample of one unordered pair of features: n (n + 1) / 2 x samples make a matrix. Packing
is included. A contestant that would need long for the whole takes the first features only: a rate needs no
scaling. "result only" is the least that the system took to hand out the pages of a fresh result and nothing else; "net"
is our rate without it.
"""

from __future__ import annotations

import math
from contextlib import ExitStack
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.data import Shape, make_codes
from benchmarks.harness import interleave, parser, print_table, ratio, significant, summary, write_result
from benchmarks.workers import Worker, WorkerError, stored

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

OURS = "bitsieve"


@dataclass(frozen=True)
class Contestant:
    """A module of benchmarks.contestants, the kernel it is forced to, the most pair-samples it is given."""

    module: str
    kernel: str | None = None
    budget: float = math.inf


CONTESTANTS = {
    OURS: Contestant("engine_matrix"),
    "avx512": Contestant("engine_matrix", "avx512", 1e10),
    "avx2": Contestant("engine_matrix", "avx2", 1e10),
    "portable": Contestant("engine_matrix", "portable", 3e9),
    "table": Contestant("engine_matrix", "table", 2e9),
    "one-hot product": Contestant("onehot_matrix", None, 2e9),
}
RESULT = "result only"


@dataclass(frozen=True)
class Case:
    """A matrix to make, and the rate to reach on one core of the reference machine (None: none was set)."""

    shape: Shape
    conditional: bool
    goal: float | None = None

    @property
    def name(self) -> str:
        return f"{'I(Xi;C|Xj)' if self.conditional else 'I(Xi;Xj)'} {self.shape.name}"


CASES = (
    Case(Shape(72, 7129, 3, 2), False, 8),
    Case(Shape(500, 10000, 3, 5), False, 60),
    Case(Shape(2000, 6000, 3, 5), False, 60),
    Case(Shape(2000, 4000, 5, 5), False, 30),
    Case(Shape(60000, 784, 5, 10), False, 30),
    Case(Shape(100000, 500, 10, 2), False, 8),
    Case(Shape(72, 7129, 3, 2), True),
    Case(Shape(500, 10000, 3, 5), True),
    Case(Shape(60000, 784, 5, 10), True),
    Case(Shape(100000, 500, 10, 2), True),
)
QUICK_CASES = (Case(Shape(72, 400, 3, 2), False, 8), Case(Shape(3000, 60, 5, 3), True))


def main() -> None:
    arguments = parser(__doc__, rounds=7).parse_args()
    cases = QUICK_CASES if arguments.quick else CASES
    records = [measure(case, arguments.rounds) for case in cases]
    show(records)
    claim = "The full matrix on one core, in 10^9 pair-samples a second"
    write_result("matrix", {"claim": claim, "cases": records}, quick=arguments.quick)


def measure(case: Case, rounds: int) -> dict[str, Any]:
    """The rates of all contestants on one matrix, in interleaved rounds."""
    table = make_codes(case.shape)
    record: dict[str, Any] = {"matrix": case.name, "goal": case.goal, "contestants": {}, "skipped": {}}
    with ExitStack() as stack:
        folder = stack.enter_context(stored(codes=table.codes, classes=table.classes))
        workers: dict[str, Worker] = {}
        for name, contestant in {**CONTESTANTS, RESULT: Contestant("result_only")}.items():
            try:
                workers[name] = stack.enter_context(_start(case, contestant, folder))
            except WorkerError as error:
                record["skipped"][name] = str(error)
        seconds = interleave({name: _job(case, worker) for name, worker in workers.items()}, rounds, 4.0)
        for name, worker in workers.items():
            record["contestants"][name] = _rates(case, worker, seconds[name])
        if OURS in workers and RESULT in workers:
            net = median(seconds[OURS]) - min(seconds[RESULT])
            work = pair_samples(case.shape, case.shape.features)
            record["net_billions_a_second"] = significant(work / net / 1e9) if net > 0 else None
        if OURS in workers:
            record["one-hot time per pair-sample over ours"] = _per_pair_sample_ratio(case, workers, seconds)
    return record


def pair_samples(shape: Shape, features: int) -> float:
    """Pair-samples of the matrix of so many features."""
    return features * (features + 1) / 2 * shape.samples


def _start(case: Case, contestant: Contestant, folder: Path) -> Worker:
    most = int(math.sqrt(2 * contestant.budget / case.shape.samples)) if contestant.budget < math.inf else None
    piece = {"features": most} if most is not None and most < case.shape.features else {}
    return Worker(contestant.module, folder, piece=piece, kernel=contestant.kernel)


def _job(case: Case, worker: Worker) -> Callable[[], float]:
    return lambda: worker.run(conditional=case.conditional)


def _rates(case: Case, worker: Worker, seconds: list[float]) -> dict[str, Any]:
    features = worker.piece.get("features", case.shape.features)
    work = pair_samples(case.shape, features)
    details = {key: significant(value) for key, value in worker.report["details"].items() if key.endswith("_s")}
    return {
        "features": features,
        "billions_a_second": significant(work / median(seconds) / 1e9),
        **summary(seconds),
        "processor_share": worker.processor_share(),
        **details,
        "kernel": worker.about["kernel"],
    }


def _per_pair_sample_ratio(case: Case, workers: dict[str, Worker], seconds: dict[str, list[float]]) -> float | None:
    name = "one-hot product"
    if name not in workers:
        return None
    each = {
        n: [s / pair_samples(case.shape, workers[n].piece.get("features", case.shape.features)) for s in seconds[n]]
        for n in (name, OURS)
    }
    return significant(ratio(each[name], each[OURS]))


def show(records: list[dict[str, Any]]) -> None:
    """The rates, one row for each matrix; * marks a contestant that was given the first features only."""
    rows = []
    for record in records:
        cells = []
        for name in CONTESTANTS:
            found = record["contestants"].get(name)
            whole = record["contestants"].get(OURS, found)
            part = found and found["features"] < whole["features"]
            cells.append(found and f"{found['billions_a_second']:.3g}{'*' if part else ''}")
        result = record["contestants"].get(RESULT)
        cells += [result and f"{result['min_s']:.3g}", f"{record.get('net_billions_a_second') or 0:.3g}"]
        rows.append([record["matrix"], *cells, record["goal"]])
    title = "10^9 pair-samples a second on one core, packing included (* on the first features only)"
    print_table(title, ["matrix", *CONTESTANTS, f"{RESULT}, s", "net", "goal"], rows)
    skipped = {f"{name}: {reason}" for record in records for name, reason in record["skipped"].items()}
    for line in sorted(skipped):
        print("skipped:", line)


if __name__ == "__main__":
    main()
