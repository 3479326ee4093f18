"""Greedy selection (JMI, MRMR, CMIM) on codes already made, one core, packing included.

python -m benchmarks.greedy [--quick] [--rounds N] [--only NAME]
"""

from __future__ import annotations

import sys
from contextlib import ExitStack
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.data import Shape, make_codes
from benchmarks.harness import (
    interleave,
    parser,
    print_table,
    ratio,
    seconds_text,
    significant,
    summary,
    write_result,
)
from benchmarks.workers import PEERS_PYTHON, Worker, WorkerError, stored

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CRITERIA = ("jmi", "mrmr", "cmim")
OURS = "bitsieve"


@dataclass(frozen=True)
class Case:
    """A shape, the number of features to select, and what is to be reached.

    `reference_s` are the seconds of the best existing CPU program (C and C++ programs of the field) on one
    core of the reference machine, measured in another run and so not interleaved with this one; `goal` is how
    many times faster than those this project means to be.
    """

    shape: Shape
    k: int
    reference_s: dict[str, float] = field(default_factory=dict)
    goal: dict[str, float] = field(default_factory=dict)
    pieces: dict[str, dict[str, int]] = field(default_factory=dict)


def _by_criterion(*values: float) -> dict[str, float]:
    return dict(zip(CRITERIA, values, strict=True))


CASES = (
    Case(Shape(72, 7129, 3, 2), 50, _by_criterion(0.10, 0.06, 0.005), _by_criterion(15, 10, 1)),
    Case(Shape(500, 20000, 3, 5), 50, _by_criterion(1.4, 0.40, 0.07), _by_criterion(30, 10, 2)),
    Case(
        Shape(100000, 500, 10, 2),
        50,
        _by_criterion(5.6, 1.3, 0.83),
        _by_criterion(15, 4, 2),
        {"one-hot product": {"samples": 50000}},
    ),
    Case(
        Shape(1000000, 100, 10, 10),
        20,
        _by_criterion(4.5, 1.15, 1.35),
        _by_criterion(15, 4, 2),
        {"one-hot product": {"samples": 250000}},
    ),
    Case(Shape(60000, 784, 5, 10), 50, _by_criterion(5.8, 1.75, 1.25), _by_criterion(40, 15, 2)),
)
QUICK_CASES = (
    Case(Shape(72, 300, 3, 2), 5),
    Case(Shape(5000, 40, 10, 2), 5),
)


@dataclass(frozen=True)
class Contestant:
    """Who takes part: a module of benchmarks.contestants, and how its process is set up.

    `piece` and `k` bound the job of one that would need minutes; its seconds are then scaled by `work`.
    """

    module: str
    kernel: str | None = None
    python: str = sys.executable
    piece: dict[str, int] = field(default_factory=dict)
    most_k: int | None = None
    work: Callable[[int, int, int], float] = lambda n, p, k: n * p * k


def _work_without_cache(n: int, p: int, k: int) -> float:
    """Tables counted when every step counts the relevance and all pairs with the selected anew."""
    return n * sum((1 + t) * (p - t) for t in range(k))


CONTESTANTS = {
    OURS: Contestant("engine_greedy"),
    "ForwardSelector": Contestant("estimator_greedy"),
    "increment loop": Contestant("engine_greedy", kernel="table"),
    "numpy bincount": Contestant("bincount_greedy"),
    "one-hot product": Contestant("onehot_greedy"),
    "ITMO_FS": Contestant(
        "itmo_fs_greedy",
        python=str(PEERS_PYTHON),
        piece={"samples": 1000, "features": 100},
        most_k=10,
        work=_work_without_cache,
    ),
}


def main() -> None:
    arguments = parser(__doc__, rounds=5).parse_args()
    cases = QUICK_CASES if arguments.quick else CASES
    records = [measure(case, arguments.rounds) for case in cases]
    show(records)
    claim = "Greedy selection on codes already made, one core, packing included"
    write_result("greedy", {"claim": claim, "cases": records}, quick=arguments.quick)


def measure(case: Case, rounds: int) -> dict[str, Any]:
    """All criteria on one shape: every contestant in a process of its own, in interleaved rounds."""
    table = make_codes(case.shape)
    record: dict[str, Any] = {
        "shape": case.shape.name,
        "k": case.k,
        "criteria": {},
        "contestants": {},
        "skipped": {},
    }
    with ExitStack() as stack:
        folder = stack.enter_context(stored(codes=table.codes, classes=table.classes))
        workers: dict[str, Worker] = {}
        for name, contestant in CONTESTANTS.items():
            piece = _piece(case, name, contestant)
            try:
                workers[name] = stack.enter_context(_start(contestant, folder, piece))
            except WorkerError as error:
                record["skipped"][name] = str(error)
                continue
            about = workers[name].about
            record["contestants"][name] = {
                "versions": about["versions"],
                "kernel": about["kernel"],
                "piece": piece,
            }
        for criterion in CRITERIA:
            record["criteria"][criterion] = _measure_criterion(case, criterion, workers, rounds)
            if OURS in workers:
                same = _agreement(case, criterion, folder, workers)
                record["criteria"][criterion]["same_selection_on_piece"] = same
    return record


def _start(contestant: Contestant, folder: Path, piece: dict[str, int]) -> Worker:
    return Worker(contestant.module, folder, piece=piece, kernel=contestant.kernel, python=contestant.python, threads=1)


def _piece(case: Case, name: str, contestant: Contestant) -> dict[str, int]:
    """What this contestant takes of the table; nothing where it takes all of it."""
    asked = case.pieces.get(name, contestant.piece)
    whole = {"samples": case.shape.samples, "features": case.shape.features}
    return {axis: size for axis, size in asked.items() if size < whole[axis]}


def _k(case: Case, contestant: Contestant) -> int:
    return min(case.k, contestant.most_k or case.k)


def _scale(case: Case, name: str) -> float:
    """How many times the piece's work the whole job is; 1 where the whole job was run."""
    contestant, shape = CONTESTANTS[name], case.shape
    piece = _piece(case, name, contestant)
    part = contestant.work(
        piece.get("samples", shape.samples), piece.get("features", shape.features), _k(case, contestant)
    )
    return contestant.work(shape.samples, shape.features, case.k) / part


def _measure_criterion(case: Case, criterion: str, workers: dict[str, Worker], rounds: int) -> dict[str, Any]:
    def job(name: str) -> Callable[[], float]:
        k = _k(case, CONTESTANTS[name])
        return lambda: workers[name].run(criterion=criterion, k=k) * _scale(case, name)

    seconds = interleave({name: job(name) for name in workers}, rounds, patience_s=4.0)
    result: dict[str, Any] = {
        "reference_s": case.reference_s.get(criterion),
        "goal": case.goal.get(criterion),
        "contestants": {
            name: {
                **summary(s),
                "processor_share": workers[name].processor_share(),
                **_scaling(case, name),
            }
            for name, s in seconds.items()
        },
    }
    if OURS in seconds:
        packing = workers[OURS].report["details"]["packing_s"]
        result["contestants"][OURS]["packing_s"] = significant(packing)
        if criterion in case.reference_s:
            reached = case.reference_s[criterion] / median(seconds[OURS])
            result["reference_over_ours"] = significant(reached)
        result["others_over_ours"] = {
            name: significant(ratio(s, seconds[OURS])) for name, s in seconds.items() if name != OURS
        }
    return result


def _scaling(case: Case, name: str) -> dict[str, Any]:
    scale = _scale(case, name)
    if scale == 1:
        return {}
    k = _k(case, CONTESTANTS[name])
    return {"scaled_by": significant(scale), "piece": _piece(case, name, CONTESTANTS[name]), "k": k}


def _agreement(case: Case, criterion: str, folder: Path, workers: dict[str, Worker]) -> dict[str, str]:
    """How many features each contestant chose as ours chooses on the same piece, before the first difference.

    Others sum in floating point, so their ties break by rounding; a difference is then no error of either.
    """
    found: dict[str, str] = {}
    for name, worker in workers.items():
        if name == OURS:
            continue
        theirs = worker.report["details"]["selected"]
        with _start(CONTESTANTS[OURS], folder, worker.piece) as ours:
            ours.run(criterion=criterion, k=len(theirs))
            mine = ours.report["details"]["selected"]
        same = next((i for i, (a, b) in enumerate(zip(mine, theirs, strict=True)) if a != b), len(theirs))
        found[name] = f"{same} of {len(theirs)}"
    return found


def show(records: list[dict[str, Any]]) -> None:
    """Seconds, one row for each shape and criterion, and how many times slower than ours the others are."""
    names = list(CONTESTANTS)
    rows, ratios = [], []
    for record in records:
        for criterion, result in record["criteria"].items():
            label = f"{record['shape']} k={record['k']} {criterion.upper()}"
            times = [result["contestants"].get(name) for name in names]
            cells = [t and seconds_text(t["median_s"], "scaled_by" in t) for t in times]
            rows.append([label, *cells, seconds_text(result["reference_s"])])
            if "others_over_ours" not in result:
                continue
            over = result["others_over_ours"]
            cells = [f"{over[name]:.3g}x" if name in over else None for name in names if name != OURS]
            if "reference_over_ours" in result:
                cells += [f"{result['reference_over_ours']:.3g}x", f"{result['goal']:g}x"]
            else:
                cells += [None, None]
            ratios.append([label, *cells])
    print_table("Seconds on one core (medians; ~ scaled from a smaller piece)", ["job", *names, "reference"], rows)
    if ratios:
        print_table(
            "Times as fast as the others: bitsieve (engine, packing included)",
            ["job", *(n for n in names if n != OURS), "reference", "goal"],
            ratios,
        )
    print("reference: the best existing CPU program, one core, another run of the reference machine")
    for record in records:
        for name, reason in record["skipped"].items():
            print(f"skipped on {record['shape']}: {name}: {reason}")


if __name__ == "__main__":
    main()
