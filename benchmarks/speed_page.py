"""The tables of docs/project/speed.md, between two marks, and docs/project/figures.md, made from the newest results."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks import results
from benchmarks.machine import ROOT
from benchmarks.results import RESULTS
from benchmarks.show import amount, as_columns, contestants_table, text, unit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

FIGURES = ROOT / "docs" / "project" / "figures.md"
SPEED = ROOT / "docs" / "project" / "speed.md"
PARTS = {  # of the page of figures; all other results are of speed and memory
    "Levels and false discoveries": ("levels", "false_discoveries", "dependent", "scorecard_words"),
    "Attacks": ("attacks", "fuzzing"),
    "The tests of the tests": ("mutants", "native_mutants", "coverage", "brute_force"),
}
HEAD = """# Figures of all benchmarks

What was measured, on which machine, at which commit? `python -m benchmarks table`, the last step of `make bench`,
writes this page from the results in `benchmarks/results`; `benchmarks/README.md` says what each of them is, and which
commands measure it. [Measured levels](measured_levels.md) and [measured methods](measured_methods.md) explain what the
studies found.
"""
NOTICEABLE = 0.1  # a change of the seconds by less is noise

BEGIN = "<!-- speed-table -->"
END = "<!-- /speed-table -->"
WHOLE_WAY = ("binning", "files")
OURS = ("fit", "engine", "increment loop")
HEADER = ("method, table, k", "fit", "engine", "increment loop (ours)", "limit", "best other program", "ratio")


class NoResults(RuntimeError):
    """There is nothing to make a table of; the message says what to do."""


def rewrite(kind: str | None = None, path: Path = SPEED, folder: Path = RESULTS) -> None:
    """Put the table of the newest greedy results, or of those of one kind of machine, into the file."""
    documents = results.read("greedy", kind, folder)
    if not documents:
        raise NoResults("there are no such results of greedy; measure them by: python -m benchmarks greedy")
    text = path.read_text(encoding="utf-8")
    if BEGIN not in text or END not in text:
        raise NoResults(f"{path.name} has no lines {BEGIN} and {END} to put the table between")
    before = text.split(BEGIN)[0]
    after = text.split(END)[1]
    machine = results.kind_of(documents[0]["machine"])
    others = [document for name in WHOLE_WAY for document in results.read(name, machine, folder)]
    block = "\n\n".join([table(documents[0]), *([whole_way(others)] if others else [])])
    path.write_text(f"{before}{BEGIN}\n{block}\n{END}{after}", encoding="utf-8")


def table(document: Mapping[str, Any]) -> str:
    """Markdown: a row for each job, `fit` as a user calls it, the engine, the limit and the best other program."""
    machine = document["machine"]
    sets = machine["instruction_sets"]
    words = next((word for name, word in {"avx512f": "AVX-512", "avx2": "AVX2"}.items() if name in sets), "")
    source = f"`benchmarks/results/{results.kind_of(machine)}/greedy.json`"
    lines = [
        f"Seconds of selecting k features from codes on one core: {machine['cpu']} {words}, {machine['date'][:10]},",
        f"{machine['build']['compiler']}; medians of interleaved rounds, {source}.",
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
        seconds = row["seconds"]
        other = row.get("best_other")
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
            ours = next(iter(row["seconds"]))
            other = row.get("best_other")
            cells = [f"{document['benchmark']}: {row['job']}", amount(document, row, row["seconds"][ours], ours)]
            cells.append(amount(document, row, row.get("limit_s")))
            cells.append(f"{amount(document, row, row['seconds'][other], other)} {other}" if other else None)
            cells.append(f"{row['times_ours'][other]:.3g}" if other else None)
            lines.append("| " + " | ".join(cell or "-" for cell in cells) + " |")
    return "\n".join(lines)


def figures(folder: Path = RESULTS) -> str:
    """The page of figures: every kind of result, its newest measurement, and what changed since the last version."""
    newest = {path.stem: path for path in sorted(folder.glob("*/*.json")) if path.parent.name != "quick"}
    documents = [results.read(name, folder=folder)[0] for name in sorted(newest)]
    named = {name for names in PARTS.values() for name in names}
    documents_of = {
        title: [document for document in documents if document["benchmark"] in names] for title, names in PARTS.items()
    }
    documents_of["Speed and memory"] = [document for document in documents if document["benchmark"] not in named]
    lines = [HEAD, f"## Since the last version\n\n{changes(documents)}\n"]
    for title, part in documents_of.items():
        if part:
            lines += [f"## {title}\n", *map(section, part)]
    return "\n".join(lines)


def section(document: Mapping[str, Any]) -> str:
    """One kind of result: what it shows, where it was measured, and the numbers."""
    machine = document["machine"]
    lines = [f"### {document['benchmark']}\n", f"{document['claim']}\n"]
    commit = machine.get("commit") or "unknown"
    lines.append(f"{machine['cpu']}, {machine['date'][:10]}, commit {commit}{results.load_of(machine)}.\n")
    is_timed = any("seconds" in row for row in document["rows"])
    if is_timed:
        lines.append(f"{unit(document)}.\n".capitalize())
    if is_timed and has_comparison(document):
        header, rows = as_columns([own_and_other(document, row) for row in document["rows"]])
    else:
        header, rows = contestants_table(document)
    cells = [[text(cell) or "-" for cell in row] for row in [header, *rows]]
    return "\n".join([*lines, *markdown(cells), ""])


def has_comparison(document: Mapping[str, Any]) -> bool:
    """Whether a job has another program or a limit to compare with."""
    return any(row.get("best_other") or row.get("limit_s") for row in document["rows"])


def own_and_other(document: Mapping[str, Any], row: Mapping[str, Any]) -> dict[str, str | None]:
    """Ours with its name, what it was in the last version, the limit, the best other program, and its ratio to ours."""
    other = row.get("best_other")
    last = document.get("last", {}).get("seconds", {})
    own_name = next(iter(row["seconds"]), "")
    return {
        "job": row["job"],
        "ours": f"{amount(document, row, results.own_seconds(row), own_name)} {own_name}".replace("None ", ""),
        "last version": amount(document, row, last.get(row["job"])),
        "limit": amount(document, row, row.get("limit_s")),
        "efficiency": text(row.get("efficiency")),
        "best other program": f"{amount(document, row, row['seconds'][other], other)} {other}" if other else None,
        "ratio": f"{row['times_ours'][other]:.3g}" if other else None,
    }


def changes(documents: Sequence[Mapping[str, Any]]) -> str:
    """The jobs whose seconds changed since the last version by more than noise."""
    compared = []
    for document in documents:
        last_seconds = document.get("last", {}).get("seconds", {})
        for row in document["rows"]:
            seconds = results.own_seconds(row)
            last = last_seconds.get(row["job"])
            if seconds and last:
                compared.append((document, row["job"], seconds / last))
    if not compared:
        return "No job has been measured in two versions on one kind of machine yet."
    changed = [(document, job, ratio) for document, job, ratio in compared if abs(ratio - 1) > NOTICEABLE]
    summary = f"Jobs measured in two versions: {len(compared)}; changed by more than {NOTICEABLE:.0%}: {len(changed)}."
    if not changed:
        return summary
    table = [["job", "last version", "seconds then and now"]]
    for document, job, ratio in changed:
        table.append([f"{document['benchmark']}: {job}", str(document["last"]["version"]), f"times {ratio:.2f}"])
    return "\n".join([summary, "", *markdown(table)])


def markdown(rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table, the first row its header."""
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return [lines[0], "|" + "---|" * len(rows[0]), *lines[1:]]
