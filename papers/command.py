"""``python -m papers``: a table or a figure of a paper, computed anew."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from bitsieve.io.output import check_output, write_text
from bitsieve.plots.figure_files import FORMATS, require_matplotlib, save_figure
from bitsieve.utils.messages import advice_on_choice, one_line
from bitsieve.utils.parameters import check_integer
from bitsieve.utils.progress import PhaseProgress, Ticker, listening
from bitsieve.utils.terminal_text import aligned
from papers import gao2016, vinh2014, yasaei, zhai2012, zhang_hancock
from papers.item import Item, Options

if TYPE_CHECKING:
    from collections.abc import Sequence

PAPERS: dict[str, dict[str, Item]] = {  # the tables and figures of each by name
    "gao2016": gao2016.ITEMS,
    "vinh2014": vinh2014.ITEMS,
    "yasaei": yasaei.ITEMS,
    "zhai2012": zhai2012.ITEMS,
    "zhang-hancock": zhang_hancock.ITEMS,
}
PROTOCOLS = ("paper", "nested")
# exit codes
DONE = 0
USER_MISTAKE = 2
INTERRUPTED = 130
TERMINATED = 143


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; a mistake is one line."""
    try:
        return _run(_parser().parse_args(arguments))
    except KeyboardInterrupt:
        return _complain("interrupted", INTERRUPTED)
    except (ValueError, OSError) as error:
        return _complain(f"error: {one_line(error)}", USER_MISTAKE)


def _complain(message: str, code: int) -> int:
    print(f"bitsieve: {message}", file=sys.stderr)
    return code


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        raise ValueError(f"{one_line(message)} (see {self.prog} --help)")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m papers",
        allow_abbrev=False,
        description="Compute a table or a figure of a paper anew. Without --figure or --table: list what there is.",
    )
    add = parser.add_argument
    add("paper", nargs="?", metavar="PAPER", help=", ".join(PAPERS))
    add("--figure", metavar="NAME", help="which figure, such as 3")
    add("--table", metavar="NAME", help="which table")
    add("--output", metavar="FILE", help="save the figure; .png, .svg, .pdf (needs bitsieve[report]); or all in .json")
    add("--data-dir", metavar="DIR", help="the directory with the public data sets, for what needs some")
    add("--sets", type=_names, metavar="A,B,...", help="of the data sets, only these")
    add("--protocol", metavar="NAME", help="paper: as published (default); nested: ranked inside each fold as well")
    add("--json", action="store_true", help="print one JSON document")
    add("--seed", type=int, default=0, metavar="N", help="of what is drawn at random (default: 0)")
    add("--threads", type=int, metavar="N", help="threads (default: all cores); the result is the same for any number")
    return parser


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _run(options: argparse.Namespace) -> int:
    """Find the item, run it, print what it finds as it comes, save it or its figure."""
    if options.paper is None:
        print(_listing_of_all())
        return DONE
    if options.paper not in PAPERS:
        raise ValueError(f"there is nothing of a paper {options.paper!r}; {advice_on_choice(options.paper, PAPERS)}")
    items = PAPERS[options.paper]
    name = _name(options)
    if name is None:
        print(_listing(options.paper, items))
        return DONE
    if name not in items:
        raise ValueError(f"there is no {name!r} of {options.paper}; {advice_on_choice(name, items)}")
    item = items[name]
    _check_choices(options, name, item)
    output = None if options.output is None else Path(options.output)
    if output is not None:  # refused before any work if nothing could be written to it
        drawn = FORMATS if item.has_figure else ()
        check_output(output, (*drawn, ".json"), remark="" if item.has_figure else f", as {name!r} is no figure")
    _run_item(options, name, item, output)
    return DONE


def _name(options: argparse.Namespace) -> str | None:
    if options.figure is not None and options.table is not None:
        raise ValueError("--figure and --table are two things: give one of them")
    if options.figure is not None:
        return f"figure {options.figure}"
    return None if options.table is None else f"table {options.table}"


def _listing_of_all() -> str:
    rows = [(paper, f"--{name}", item.title) for paper, items in PAPERS.items() for name, item in items.items()]
    return aligned(("paper", "item", "what it is"), rows, (False, False, False))


def _listing(paper: str, items: dict[str, Item]) -> str:
    rows = [(f"--{name}", item.title) for name, item in items.items()]
    return aligned((f"of {paper}", "what it is"), rows, (False, False))


def _check_choices(options: argparse.Namespace, name: str, item: Item) -> None:
    """Refuse, before any work, choices that the item does not offer."""
    if options.threads is not None:
        check_integer("threads", options.threads, low=1)
    if options.sets and not item.sets:
        raise ValueError(f"{name!r} of {options.paper} has no choice of data sets: leave --sets out")
    available = [data_set.lower() for data_set in item.sets]
    for data_set in options.sets or ():
        if data_set.lower() not in available:
            nearest = advice_on_choice(data_set.lower(), available)
            raise ValueError(f"{name!r} of {options.paper} has no data set {data_set!r}; {nearest}")
    if options.protocol is not None:
        if options.protocol not in PROTOCOLS:
            raise ValueError(
                f"--protocol {options.protocol} is not known: {advice_on_choice(options.protocol, PROTOCOLS)}"
            )
        if not item.cross_validates:
            raise ValueError(f"{name!r} of {options.paper} has one protocol only: leave --protocol out")
    if options.data_dir is not None and not Path(options.data_dir).is_dir():
        raise ValueError(f"there is no directory {options.data_dir!r}: give the one that holds the data sets")


def _run_item(options: argparse.Namespace, name: str, item: Item, output: Path | None) -> None:
    saves_figure = output is not None and output.suffix.lower() in FORMATS
    if saves_figure:
        require_matplotlib()
    document_path = None if saves_figure else output
    record = Record(options.paper, name, options.seed, quiet=options.json, path=document_path)
    item_options = Options(
        data_dir=None if options.data_dir is None else Path(options.data_dir),
        seed=options.seed,
        n_jobs=options.threads or -1,
        draw=saves_figure,
        sets=tuple(options.sets or ()),
        protocol=options.protocol or PROTOCOLS[0],
        part=record.add,
    )
    with Ticker() as ticker, listening(ticker.show):
        result = item.run(item_options)
        record.end(result.text)
        if output is not None and result.figure is not None:
            ticker.show(PhaseProgress("writing"))
            save_figure(result.figure, output)
    print(record.document() if options.json else result.text)
    if output is not None:
        print(f"bitsieve: saved the {'figure' if saves_figure else 'results'} to {str(output)!r}", file=sys.stderr)
    elif item.has_figure:
        print("bitsieve: note: --output FILE.png draws it (.svg and .pdf too)", file=sys.stderr)


class Record:
    """The parts of an item in the order they are finished: printed and saved one by one.

    Parameters
    ----------
    paper, item : str
    seed : int
    quiet : bool
        Whether parts are not printed.
    path : Path or None
        The JSON file that is written anew after each part, so that a run that is ended loses no finished one.
    """

    def __init__(self, paper: str, item: str, seed: int, *, quiet: bool, path: Path | None = None) -> None:
        self.head = {"paper": paper, "item": item, "seed": seed}
        self.parts: list[dict[str, Any]] = []
        self.text: str | None = None
        self._quiet = quiet
        self._path = path

    def add(self, text: str, part: dict[str, Any]) -> None:
        """Take a finished part, and print its text at once."""
        self.parts.append(part)
        self._save()
        if self._quiet:
            return
        if sys.stderr.isatty():
            sys.stderr.write("\r\x1b[K")  # the line that shows progress
            sys.stderr.flush()
        print(text, flush=True)

    def end(self, text: str) -> None:
        """Set the text after the last part."""
        self.text = text
        self._save()

    def _save(self) -> None:
        if self._path is not None:
            write_text(self._path, self.document() + "\n")

    def document(self) -> str:
        """As JSON; ``finished`` is false of a run that was interrupted."""
        document = {**self.head, "finished": self.text is not None, "parts": self.parts, "text": self.text}
        return json.dumps(document, indent=1, ensure_ascii=False)
