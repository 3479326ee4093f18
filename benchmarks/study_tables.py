"""Tables of studies in the documents, between two marks, made from the newest results.

A page has a line ``<!-- results: NAME -->``, NAME one of :data:`TABLES`, and a line ``<!-- /results -->``. The table
between them is rewritten by ``python -m benchmarks table``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from benchmarks import results
from benchmarks.machine import ROOT
from benchmarks.results import RESULTS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    Document = Mapping[str, Any]

PAGES = tuple(ROOT / "docs" / "project" / name for name in ("measured_levels.md", "measured_methods.md"))
BLOCK = re.compile(r"(<!-- results: (\w+) -->\n).*?(<!-- /results -->)", re.DOTALL)
BOLD_ABOVE = 0.11  # a rate that random variation does not explain
OF_THE_SUITE = ("monotone_bins",)  # results of a benchmark with contestants; the others are studies of their own
DEPENDENT_RULES = (
    "conditional",
    "conditional, tree of other rows",
    "knockoffs, 1 draw",
    "knockoffs, 10 draws",
    "fdr",
)


def false_discoveries(document: Document) -> str:
    """One row per design and rule: the false discovery rate and the relevant columns found."""
    lines = ["| design | rule | tables | false discovery rate | relevant columns found |", "|---|---|---|---|---|"]
    for row in document["rows"]:
        for rule, details in row["details"].items():
            rate = details["false discovery rate"]
            found = details["real columns found"]
            lines.append(f"| {row['job']} | {rule} | {details['sets']} | {rate} | {found} |")
    return "\n".join(lines)


def dependent(document: Document) -> str:
    """One row per design, one column per rule: the false discovery rate and the relevant columns found."""
    heads = " | ".join(DEPENDENT_RULES)
    lines = [f"| design | {heads} |", "|---|" + "---|" * len(DEPENDENT_RULES)]
    for row in document["rows"]:
        cells = [_rate_and_found(row["details"][rule]) for rule in DEPENDENT_RULES]
        lines.append(f"| {row['job']} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _rate_and_found(details: Mapping[str, str]) -> str:
    rate = details["false discovery rate"]
    found = details["relevant columns found"].split()[0]
    is_too_large = float(rate.split()[0]) > BOLD_ABOVE
    return f"{f'**{rate}**' if is_too_large else rate}; {found}"


def levels(document: Document) -> str:
    """One row per design without groups: the fraction of tables in which each rule selected noise."""
    return _levels(document, grouped=False)


def levels_of_groups(document: Document) -> str:
    """One row per design with groups of rows."""
    return _levels(document, grouped=True)


def _levels(document: Document, *, grouped: bool) -> str:
    rules = ("significance", "fdr") if grouped else ("significance", "permutation", "fdr")
    header = f"| design | tables | {' | '.join(rules)} | relevant columns found |"
    lines = [header, "|---|---|" + "---|" * (len(rules) + 1)]
    for row in document["rows"]:
        details = row["details"]
        if grouped == ("permutation" in details):
            continue
        found = [f"{rule} {details[rule]['real columns found']}" for rule in rules]
        has_relevant_columns = details[rules[0]]["real columns found"] != "-"
        cells = [details[rule]["took noise"] for rule in rules]
        cells.append(", ".join(found) if has_relevant_columns else "-")
        lines.append(f"| {row['job']} | {details[rules[0]]['runs']} | {' | '.join(cells)} |")
    return "\n".join(lines)


def scorecard_words(document: Document) -> str:
    """One row per design: the mean of its values, and how often each word was said of noise."""
    lines = ["| noise | value | columns | mean | words | p at most 0.05 |", "|---|---|---|---|---|---|"]
    for row in document["rows"]:
        for value, details in row["details"].items():
            cells = [row["job"], value, details["columns"], details["mean"], details["words"], details["p <= 0.05"]]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def monotone_bins(document: Document) -> str:
    """One row per column, one column per program: the information value and the processor seconds."""
    programs = list(document["rows"][0]["details"])
    lines = [f"| column | {' | '.join(programs)} |", "|---|" + "---|" * len(programs)]
    for row in document["rows"]:
        if "details" not in row:
            continue  # a whole frame
        cells = [_value_and_seconds(row, program) for program in programs]
        lines.append(f"| {row['job']} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _value_and_seconds(row: Mapping[str, Any], program: str) -> str:
    if program not in row["details"]:
        return "-"
    details = row["details"][program]
    mark = "" if details["keeps_bounds"] else "*"
    return f"{details['information_value']:.4g}{mark}, {row['seconds'][program]:.2g} s"


TABLES: dict[str, tuple[str, Callable[[Document], str]]] = {  # by the name in a page: the results, and their table
    "false_discoveries": ("false_discoveries", false_discoveries),
    "dependent": ("dependent", dependent),
    "levels": ("levels", levels),
    "levels_of_groups": ("levels", levels_of_groups),
    "scorecard_words": ("scorecard_words", scorecard_words),
    "monotone_bins": ("monotone_bins", monotone_bins),
}


def filled(text: str, folder: Path = RESULTS) -> str:
    """The text of a page with all its tables made from the newest results."""

    def table(match: re.Match[str]) -> str:
        name, make = TABLES[match[2]]
        document = results.read(name, folder=folder)[0]
        machine = document["machine"]
        command = f"python -m benchmarks {name}" if name in OF_THE_SUITE else f"python -m benchmarks.{name}"
        source = f"{machine['cpu']}, {machine['date'][:10]}, `{command}`{results.load_of(machine)}."
        return f"{match[1]}{make(document)}\n\n{source}\n{match[3]}"

    return BLOCK.sub(table, text)


def rewrite() -> None:
    """Rewrite the tables of all pages."""
    for page in PAGES:
        page.write_text(filled(page.read_text(encoding="utf-8")), encoding="utf-8")
