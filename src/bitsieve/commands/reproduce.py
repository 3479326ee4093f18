"""``bitsieve reproduce``: a table or a figure of a paper, computed anew."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bitsieve.commands.ticker import Ticker
from bitsieve.layout import aligned
from bitsieve.messages import choices, one_line
from bitsieve.progress import listening

if TYPE_CHECKING:
    import argparse

    from bitsieve.experiments.item import Item

FORMATS = (".png", ".svg", ".pdf")


def run(options: argparse.Namespace) -> int:
    """Find the item, run it, print its text, save its figure."""
    from bitsieve.experiments.item import Options, items_of, require_matplotlib

    items = items_of(options.paper)
    name = _name(options)
    if name is None:
        print(_listing(options.paper, items))
        return 0
    if name not in items:
        raise ValueError(f"there is no {name!r} of {options.paper}; {choices(name, items)}")
    item = items[name]
    output = None if options.output is None else Path(options.output)
    if output is not None:
        if not item.has_figure:
            raise ValueError(f"{name!r} of {options.paper} is no figure: leave --output out")
        _check_output(output)
        require_matplotlib()
    asked = Options(
        data_dir=None if options.data_dir is None else Path(options.data_dir),
        seed=options.seed,
        n_jobs=options.threads or -1,
        draw=output is not None,
    )
    with Ticker() as ticker, listening(ticker.phase):
        result = item.run(asked)
        if output is not None:
            ticker.phase("writing")
            _save(result.figure, output)
    print(result.text)
    if output is not None:
        print(f"bitsieve: saved the figure to {str(output)!r}", file=sys.stderr)
    elif item.has_figure:
        print("bitsieve: note: --output FILE.png draws it (.svg and .pdf too)", file=sys.stderr)
    return 0


def _name(options: argparse.Namespace) -> str | None:
    if options.figure is not None and options.table is not None:
        raise ValueError("--figure and --table are two things: give one of them")
    if options.figure is not None:
        return f"figure {options.figure}"
    return None if options.table is None else f"table {options.table}"


def _listing(paper: str, items: dict[str, Item]) -> str:
    rows = [(f"--{name}", item.title) for name, item in items.items()]
    return aligned((f"of {paper}", "what it is"), rows, (False, False))


def _check_output(path: Path) -> None:
    """Refuse, before any work, a path that no figure could be written to."""
    if path.suffix.lower() not in FORMATS:
        raise ValueError(f"cannot tell the format of the output {str(path)!r}: end it in one of {', '.join(FORMATS)}")
    if path.is_dir():
        raise ValueError(f"the output {str(path)!r} is a directory: give the path of a file")
    if not path.parent.is_dir():
        raise ValueError(f"there is no directory {str(path.parent)!r} for the output: make it first")
    if not os.access(path.parent, os.W_OK):
        raise ValueError(f"the directory {str(path.parent)!r} of the output cannot be written: choose another one")


def _save(figure: Any, path: Path) -> None:
    """Write the figure; the file appears whole or not at all, and the same figure gives the same bytes."""
    import matplotlib

    kind = path.suffix.lower()[1:]
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    dates = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[kind]
    try:
        with matplotlib.rc_context({"svg.hashsalt": path.stem}):
            figure.savefig(temporary, format=kind, dpi=150, metadata=dates)
        os.replace(temporary, path)
    except OSError as error:
        raise ValueError(f"cannot write {str(path)!r}: {error.strerror or one_line(error)}") from None
    finally:
        temporary.unlink(missing_ok=True)
