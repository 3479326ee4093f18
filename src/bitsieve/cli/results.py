"""What commands print and write: notes, results, reports and figures; checks of output files before any work."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from bitsieve.diagnostics import Diagnostic, UserError, without_passwords
from bitsieve.utils.note_lines import as_lines, by_importance
from bitsieve.utils.progress import phase
from bitsieve.utils.types import JsonObject

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

    from bitsieve.results.comparison import Comparison
    from bitsieve.results.how_many import HowMany
    from bitsieve.results.scorecard import Scorecard
    from bitsieve.results.selection import Selection
    from bitsieve.utils.diagnostic_list import Diagnostics


def show(
    options: argparse.Namespace,
    notes: Iterable[str],
    document: Callable[[], JsonObject],
    text: Callable[[], str],
    saved: Iterable[str] = (),
) -> None:
    """Print the notes, then the result as text or as one JSON document, then what was saved."""
    for note in notes:
        options.say(f"note: {note}")
    if options.json:
        print_document(document())
    else:
        print(text())
    for line in saved:
        options.say(line)


class Result(Protocol):
    """A result that has a JSON document."""

    def to_dict(self) -> JsonObject: ...


def show_result(
    arguments: argparse.Namespace,
    notes: Iterable[str],
    result: Result,
    text: Callable[[], str],
    saved: Iterable[str] = (),
) -> None:
    """Print the notes, then a result as text or as one JSON document with facts of the run, then what was saved."""

    def document() -> JsonObject:
        return {**result.to_dict(), **made_by(arguments)}

    show(arguments, notes, document, text, saved)


def note_lines(arguments: argparse.Namespace, diagnostics: Sequence[Diagnostic]) -> list[str]:
    """The notes in the words of the command: all in full with --verbose, else at most three lines."""
    if arguments.verbose:
        return [arguments.wording(diagnostic) for diagnostic in by_importance(diagnostics)]
    return [line.message for line in as_lines(diagnostics, arguments.wording.setting, where_all="-v")]


def take_notes(arguments: argparse.Namespace, diagnostics: Diagnostics) -> list[str]:
    """The lines of the notes of a result. In the result the notes are put in the words of the command."""
    lines = note_lines(arguments, diagnostics)
    diagnostics[:] = map(arguments.wording.reworded, diagnostics)
    return lines


def write_figure(arguments: argparse.Namespace, draw: Callable[[], Figure | SubFigure]) -> list[str]:
    """Save the figure of --figure, and return the line on it; no line without the option."""
    if arguments.figure is None:
        return []
    from bitsieve.plots.figure_files import save_figure

    phase("drawing")
    save_figure(draw(), arguments.figure)
    return [f"saved the figure to {arguments.figure!r}"]


def write_report(
    arguments: argparse.Namespace, result: Selection | Comparison | HowMany | Scorecard, command: str | None = None
) -> list[str]:
    """Write the report of --report, and return the line on it; no line without the option.

    The report shows ``command``, which is by default the command that was typed.
    """
    if arguments.report is None:
        return []
    from bitsieve.report.files import write_report

    phase("writing the report")
    typed_command = without_passwords(shlex.join(["bitsieve", *arguments.typed]))
    write_report(result, arguments.report, command=command or typed_command)
    return [f"saved the report to {arguments.report!r}"]


def check_written(options: argparse.Namespace, **endings_by_name: Sequence[str]) -> None:
    """Refuse, before any work, output files with a wrong ending and those that exist.

    ``output=(".csv",)``: the file of --output, if it is given, may end in .csv.
    """
    from bitsieve.io.output import check_output

    option_by_path: dict[Path, str] = {}
    for name, endings in endings_by_name.items():
        path = getattr(options, name, None)  # not every command has all of these options
        if path is None:
            continue
        option = f"--{name.replace('_', '-')}"
        if name == "figure":
            from bitsieve.plots.figure_files import require_matplotlib

            require_matplotlib()
        if name == "report":
            from bitsieve.report.page import require_report_packages

            require_report_packages()
        for source in sources_of(options) or [None]:
            check_output(path, endings, what=option, source=source)
        if Path(path).exists() and not options.force:
            raise UserError(
                code="output-exists",
                message=f"{option} {path!r} is there already",
                advice="add --force to overwrite it, or give another name",
            )
        first_option = option_by_path.setdefault(Path(path).absolute(), option)
        if first_option != option:
            raise UserError(
                code="output-exists",
                message=f"{first_option} and {option} are the same file {path!r}",
                advice="give one of them another name",
            )


def sources_of(options: argparse.Namespace) -> list[Any]:
    """The files of DATA; none if saved counts are given instead."""
    if options.data is None:
        return []
    return options.data if isinstance(options.data, list) else [options.data]


def made_by(options: argparse.Namespace) -> dict[str, Any]:
    """What a JSON document says of the run: the files that were written, and the seconds that it took."""
    start: float = options.start
    run: dict[str, Any] = {}
    for name in ("output", "output_ranking", "output_columns", "report", "save", "sql"):
        if name in options:
            run[name] = getattr(options, name)
    run["seconds"] = round(time.perf_counter() - start, 3)
    return run


def print_document(document: Mapping[str, Any]) -> None:
    """Print a JSON document. What controls a terminal is escaped, and what the encoding of the output does not have."""
    from bitsieve import __version__

    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    is_utf8 = encoding.lower().replace("_", "-") in ("utf-8", "utf8")
    versioned_document = {**document, "version": __version__}
    text = json.dumps(versioned_document, indent=2, ensure_ascii=not is_utf8, allow_nan=False)
    print("\n".join(map(_json_escaped, text.split("\n"))))


def _json_escaped(line: str) -> str:
    """A line of JSON with the letters that are not printed, such as signs of direction, as JSON escapes them."""
    if line.isprintable():
        return line
    return "".join(letter if letter.isprintable() else json.dumps(letter)[1:-1] for letter in line)
