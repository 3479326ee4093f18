"""``bitsieve reproduce``: a table or a figure of a paper, computed anew."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bitsieve.commands.record import Record
from bitsieve.common.layout import aligned
from bitsieve.common.messages import choices
from bitsieve.common.progress import listening
from bitsieve.common.ticker import Ticker
from bitsieve.files.output import check_output

if TYPE_CHECKING:
    import argparse

    from bitsieve.experiments.item import Item

PROTOCOLS = ("paper", "nested")


def run(options: argparse.Namespace) -> int:
    """Find the item, run it, print what it finds as it comes, save it or its figure."""
    from bitsieve.experiments.papers import PAPERS

    if options.paper not in PAPERS:
        raise ValueError(f"there is nothing of a paper {options.paper!r}; {choices(options.paper, PAPERS)}")
    items = PAPERS[options.paper]
    name = _name(options)
    if name is None:
        print(_listing(options.paper, items))
        return 0
    if name not in items:
        raise ValueError(f"there is no {name!r} of {options.paper}; {choices(name, items)}")
    item = items[name]
    _check_choices(options, name, item)
    output = None if options.output is None else Path(options.output)
    if output is not None:
        _check_output(output, item, name)
    _run(options, name, item, output)
    return 0


def _run(options: argparse.Namespace, name: str, item: Item, output: Path | None) -> None:
    from bitsieve.experiments.item import Options
    from bitsieve.report.figures import FORMATS, require_matplotlib

    drawn = output is not None and output.suffix.lower() in FORMATS
    if drawn:
        require_matplotlib()
    record = Record(options.paper, name, options.seed, quiet=options.json)
    asked = Options(
        data_dir=None if options.data_dir is None else Path(options.data_dir),
        seed=options.seed,
        n_jobs=options.threads or -1,
        draw=drawn,
        sets=tuple(options.sets or ()),
        protocol=options.protocol or PROTOCOLS[0],
        part=record.add,
    )
    figure = None
    with Ticker() as ticker, listening(ticker.phase):
        try:
            result = item.run(asked)
            record.end(result.text)
            figure = result.figure
        finally:  # interrupted or not: what is finished is kept
            if output is not None and not drawn and record.parts:
                record.save(output)
        if drawn and output is not None:
            ticker.phase("writing")
            from bitsieve.report.figures import save_figure

            save_figure(figure, output)
    print(record.document() if options.json else result.text)
    if output is not None:
        print(f"bitsieve: saved the {'figure' if drawn else 'results'} to {str(output)!r}", file=sys.stderr)
    elif item.has_figure:
        print("bitsieve: note: --output FILE.png draws it (.svg and .pdf too)", file=sys.stderr)


def _check_choices(options: argparse.Namespace, name: str, item: Item) -> None:
    """Refuse, before any work, choices that the item does not offer."""
    if options.sets and not item.sets:
        raise ValueError(f"{name!r} of {options.paper} has no choice of data sets: leave --sets out")
    known = [each.lower() for each in item.sets]
    for each in options.sets or ():
        if each.lower() not in known:
            raise ValueError(f"{name!r} of {options.paper} has no data set {each!r}; {choices(each.lower(), known)}")
    if options.protocol is not None:
        if options.protocol not in PROTOCOLS:
            raise ValueError(f"--protocol {options.protocol} is not known: {choices(options.protocol, PROTOCOLS)}")
        if not item.cross_validates:
            raise ValueError(f"{name!r} of {options.paper} has one protocol only: leave --protocol out")
    if options.data_dir is not None and not Path(options.data_dir).is_dir():
        raise ValueError(f"there is no directory {options.data_dir!r}: give the one that holds the data sets")


def _name(options: argparse.Namespace) -> str | None:
    if options.figure is not None and options.table is not None:
        raise ValueError("--figure and --table are two things: give one of them")
    if options.figure is not None:
        return f"figure {options.figure}"
    return None if options.table is None else f"table {options.table}"


def _listing(paper: str, items: dict[str, Item]) -> str:
    rows = [(f"--{name}", item.title) for name, item in items.items()]
    return aligned((f"of {paper}", "what it is"), rows, (False, False))


def _check_output(path: Path, item: Item, name: str) -> None:
    """Refuse, before any work, a path that nothing could be written to."""
    from bitsieve.report.figures import FORMATS

    drawn = FORMATS if item.has_figure else ()
    check_output(path, (*drawn, ".json"), remark="" if item.has_figure else f", as {name!r} is no figure")
