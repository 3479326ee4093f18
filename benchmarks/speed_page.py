"""The speed table of docs/speed.md, made from the newest results between two marks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks import results
from benchmarks.machine import ROOT
from benchmarks.results import RESULTS
from benchmarks.show import amount

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

BEGIN, END = "<!-- speed-table -->", "<!-- /speed-table -->"
WHOLE_WAY = ("binning", "files")
OURS = ("fit", "engine", "increment loop")
HEADER = ("method, table, k", "fit", "engine", "increment loop (ours)", "limit", "best other program", "ratio")


class NoResults(RuntimeError):
    """There is nothing to make a table of; the message says what to do."""


def rewrite(kind: str | None = None, path: Path = ROOT / "docs" / "speed.md", folder: Path = RESULTS) -> None:
    """Put the table of the newest greedy results, or of those of one kind of machine, into the file."""
    found = results.read("greedy", kind, folder)
    if not found:
        raise NoResults("there are no such results of greedy; measure them by: python -m benchmarks greedy")
    text = path.read_text(encoding="utf-8")
    if BEGIN not in text or END not in text:
        raise NoResults(f"{path.name} has no lines {BEGIN} and {END} to put the table between")
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    machine = results.kind_of(found[0]["machine"])
    others = [document for name in WHOLE_WAY for document in results.read(name, machine, folder)]
    block = "\n\n".join([table(found[0]), *([whole_way(others)] if others else [])])
    path.write_text(f"{before}{BEGIN}\n{block}\n{END}{after}", encoding="utf-8")


def table(document: Mapping[str, Any]) -> str:
    """Markdown: a row for each job, `fit` as a user calls it, the engine, the limit and the best other program."""
    machine = document["machine"]
    sets = machine["instruction_sets"]
    words = next((word for name, word in {"avx512f": "AVX-512", "avx2": "AVX2"}.items() if name in sets), "")
    place = f"`benchmarks/results/{results.kind_of(machine)}/greedy.json`"
    lines = [
        f"Seconds of selecting k features from codes on one core: {machine['cpu']} {words}, {machine['date'][:10]},",
        f"{machine['build']['compiler']}; medians of interleaved rounds, {place}.",
        "*fit* is `ForwardSelector(k, criterion=..., binning='none', estimator='plug-in').fit(X, y)`; *engine* "
        "starts at codes, packing",
        "included. *limit* is the time of reading the codes once, or of the bare loop of AND and popcount for all",
        "tables of pairs, whichever is longer; *ratio* that of the best other program to the engine. ~: scaled up from",
        "a smaller piece.",
        "",
        f"| {' | '.join(HEADER)} |",
        "|---|" + "---|" * (len(HEADER) - 1),
    ]
    for row in document["rows"]:
        seconds, other = row["seconds"], row.get("best_other")
        cells = [row["job"], *(amount(document, row, seconds.get(name), name) for name in OURS)]
        cells.append(amount(document, row, row.get("limit_s")))
        cells.append(f"{amount(document, row, seconds[other], other)} {other}" if other else None)
        cells.append(f"{row['times_ours'][other]:.3g}" if other else None)
        lines.append("| " + " | ".join(cell or "-" for cell in cells) + " |")
    return "\n".join(lines)


def whole_way(documents: Sequence[Mapping[str, Any]]) -> str:
    """Markdown: a row for each job of other benchmarks on that machine, ours, the limit and the best other program."""
    dates = sorted({document["machine"]["date"][:10] for document in documents})
    lines = [
        "From a table to codes, and from a file to a ranking; the same machine, one thread,",
        f"{', '.join(dates)}. The limit of binning is the time of moving the bytes, that of a file a process",
        "that only reads it; *ratio* that of the best other program to ours.",
        "",
        "| job | ours | limit | best other program | ratio |",
        "|---|---|---|---|---|",
    ]
    for document in documents:
        for row in document["rows"]:
            ours, other = next(iter(row["seconds"])), row.get("best_other")
            cells = [f"{document['benchmark']}: {row['job']}", amount(document, row, row["seconds"][ours], ours)]
            cells.append(amount(document, row, row.get("limit_s")))
            cells.append(f"{amount(document, row, row['seconds'][other], other)} {other}" if other else None)
            cells.append(f"{row['times_ours'][other]:.3g}" if other else None)
            lines.append("| " + " | ".join(cell or "-" for cell in cells) + " |")
    return "\n".join(lines)
