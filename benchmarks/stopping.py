"""What a stopping rule costs: JMI with every rule asked at every step, over JMI without one, on one core.

python -m benchmarks.stopping [--quick] [--rounds N]
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from benchmarks.data import Shape, make_codes
from benchmarks.harness import interleave, parser, print_table, ratio, seconds_text, significant, summary, write_result
from benchmarks.workers import Worker, stored

if TYPE_CHECKING:
    from collections.abc import Callable

RULES = ("none", "significance", "permutation", "threshold")
SHAPES = {
    Shape(72, 7129, 3, 2): 50,
    Shape(500, 20000, 3, 5): 50,
    Shape(100000, 500, 10, 2): 50,
    Shape(1000000, 100, 10, 10): 20,
    Shape(60000, 784, 5, 10): 50,
}
QUICK_SHAPES = {Shape(72, 300, 3, 2): 5, Shape(5000, 40, 10, 2): 5}


def main() -> None:
    arguments = parser(__doc__, rounds=3).parse_args()
    shapes = QUICK_SHAPES if arguments.quick else SHAPES
    records = [measure(shape, k, arguments.rounds) for shape, k in shapes.items()]
    rows = []
    for record in records:
        found = record["rules"]
        rows.append(
            [record["shape"], record["k"], seconds_text(found["none"]["median_s"])]
            + [found[rule]["times_plain"] for rule in RULES[1:]]
        )
    print_table(
        "JMI with a rule asked at every step, times the run without", ["shape", "k", "seconds", *RULES[1:]], rows
    )
    claim = "Cost of a stopping rule (permutation: 200 shuffles a step), one core, packing included"
    write_result("stopping", {"claim": claim, "cases": records}, quick=arguments.quick)


def measure(shape: Shape, k: int, rounds: int) -> dict[str, Any]:
    """All rules on one table, in interleaved rounds."""
    table = make_codes(shape)
    with ExitStack() as stack:
        folder = stack.enter_context(stored(codes=table.codes, classes=table.classes))
        worker = stack.enter_context(Worker("engine_stopping", folder))

        def job(rule: str) -> Callable[[], float]:
            return lambda: worker.run(criterion="jmi", k=k, rule=rule)

        seconds = interleave({rule: job(rule) for rule in RULES}, rounds, patience_s=10.0)
    rules = {
        rule: {**summary(seconds[rule]), "times_plain": significant(ratio(seconds[rule], seconds["none"]))}
        for rule in RULES
    }
    return {"shape": shape.name, "k": k, "rules": rules}


if __name__ == "__main__":
    main()
