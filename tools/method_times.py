"""The table of docs/project/speed.md of the time of every method by size: ``python -m tools.method_times`` writes it.

The times are those that a method itself estimates before a long job. ``python -m tools.method_times --measure [NAME
...]`` runs methods of these names on one thread instead, and prints the processor seconds beside the estimates.
"""

from __future__ import annotations

import sys
import time
import warnings
from pathlib import Path

import numpy as np

from bitsieve.dataset.read import read_xy
from bitsieve.methods.method import Method
from bitsieve.methods.registry import find_method, list_methods
from bitsieve.options import DiscretizationOptions, ExecutionOptions
from bitsieve.pipeline.prepare import PreparedSelection
from bitsieve.pipeline.run import run_on_table
from bitsieve.pipeline.selection_options import SelectionOptions
from bitsieve.utils.progress import duration

PAGE = Path(__file__).parents[1] / "docs" / "project" / "speed.md"
BEGIN = "<!-- method-times -->"
END = "<!-- /method-times -->"
SIZES = ((100, 2_000), (100, 20_000), (10_000, 1_000), (1_000_000, 100))  # rows and columns
N_SELECTED = 20
MEASURED = ((70, 700), (70, 2_000), (70, 6_000), (2_000, 100), (2_000, 300))
MAX_ESTIMATE = 30  # seconds; a method that estimates more is not measured
ARGUMENTS = {"qpfs": {"convexify": "shift"}}  # the default refuses such a table


def table() -> str:
    """The table in Markdown. Methods with the same times share a row."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for method in list_methods():
        if not method.same_as:
            cells = tuple(time_in_words(method.seconds(columns, rows, N_SELECTED)) for rows, columns in SIZES)
            alike.setdefault(cells, []).append(f"`{method.name}`")
    heads = [f"{rows:,} x {columns:,}" for rows, columns in SIZES]
    lines = [f"| method | {' | '.join(heads)} |", "|---|" + "---|" * len(SIZES)]
    return "\n".join([*lines, *(f"| {', '.join(names)} | {' | '.join(cells)} |" for cells, names in alike.items())])


def time_in_words(seconds: float) -> str:
    """Seconds as a cell of the table."""
    if seconds < 1:
        return "under 1 s"
    if seconds > 100_000:
        return "days"
    return duration(seconds)


def page() -> str:
    """The text of the page with a new table."""
    before, rest = PAGE.read_text(encoding="utf-8").split(BEGIN)
    return f"{before}{BEGIN}\n{table()}\n{END}{rest.split(END)[1]}"


def make_table(rows: int, columns: int, *, codes: bool) -> tuple[np.ndarray, np.ndarray]:
    """Columns in correlated groups, a tenth of them dependent on the class, and the class. ``codes`` are 0, 1, 2."""
    random = np.random.default_rng(0)
    y = random.integers(0, 2, rows)
    shared = random.standard_normal((rows, max(4, columns // 50)))
    values = 0.7 * shared[:, random.integers(0, shared.shape[1], columns)] + random.standard_normal((rows, columns))
    related = columns // 10
    values[:, :related] += y[:, None] * random.random(related)
    if not codes:
        return values, y
    low, high = np.quantile(values, [1 / 3, 2 / 3], axis=0)
    return (values > low).astype(np.uint8) + (values > high), y


def measure(method: Method, rows: int, columns: int) -> float:
    """The processor seconds of a method, on codes, or on numbers if it requires rows."""
    codes = "rows" not in method.required_capabilities
    data = read_xy(*make_table(rows, columns, codes=codes))
    binning = None
    if codes:
        binning = "none"
    elif method.bins:
        binning = "auto"
    arguments = ARGUMENTS.get(method.name, {})
    selection = SelectionOptions.by_name(method.name, arguments, n_features_to_select=N_SELECTED)
    prepared = PreparedSelection.of_prepared_table(data, selection, DiscretizationOptions(binning=binning))
    start = time.process_time()
    run_on_table(prepared, ExecutionOptions(n_jobs=1))
    return time.process_time() - start


def main(words: list[str]) -> None:
    if words[:1] != ["--measure"]:
        PAGE.write_text(page(), encoding="utf-8")
        return
    warnings.simplefilter("ignore")
    names = words[1:] or [method.name for method in list_methods() if not method.same_as]
    for method in map(find_method, names):
        for rows, columns in MEASURED:
            estimate = method.seconds(columns, rows, N_SELECTED)
            if estimate > MAX_ESTIMATE:
                continue
            seconds = measure(method, rows, columns)
            size = f"{rows:6,} x {columns:6,}"
            print(f"{method.name:18} {size}: {seconds:8.3f} s, estimated {estimate:.3g} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
