"""Measure, show results, and make the tables of docs/project/speed.md and docs/project/figures.md of them.

python -m benchmarks [NAME ...]        measure these benchmarks, or all; write the results and print their tables
python -m benchmarks show [NAME ...]   print the tables of the results that are there
python -m benchmarks table             put the newest results into the pages of docs/project
"""

from __future__ import annotations

import argparse
import sys

from benchmarks import results, speed_page, study_tables
from benchmarks.show import document_text


def main(arguments: list[str] | None = None) -> int:
    words = list(sys.argv[1:] if arguments is None else arguments)
    command = words.pop(0) if words and words[0] in ("show", "table") else "run"
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    if command != "table":
        parser.add_argument("names", nargs="*", metavar="NAME", help="of the benchmarks (default: all)")
    if command == "run":
        parser.add_argument("--quick", action="store_true", help="small jobs, to see that it runs; results/quick/")
        parser.add_argument("--large", action="store_true", help="also jobs that need minutes or gigabytes each")
        parser.add_argument("--rounds", type=int, help="interleaved rounds (default: the benchmark's own)")
        parser.add_argument("--only", default="", metavar="TEXT", help="only jobs of this text; results/quick/")
    else:
        parser.add_argument("--machine", metavar="KIND", help="a folder of results/ (default: the newest)")
    return {"run": run, "show": show, "table": table}[command](parser, parser.parse_args(words))


def run(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    """Measure; the exit status tells whether a benchmark failed."""
    from benchmarks.runner import run as measure
    from benchmarks.suite import ALL

    check_names(parser, options.names, ALL)
    if options.rounds is not None and options.rounds < 1:
        parser.error(f"--rounds {options.rounds}: at least 1 is needed")
    failed = []
    measured = []
    names = options.names or list(ALL)
    for name in names:
        try:
            document = measure(
                ALL[name], quick=options.quick, large=options.large, rounds=options.rounds, only=options.only
            )
        except Exception as error:  # one that fails must not keep the others from running
            print(f"benchmarks: {name}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
            failed.append(name)
            continue
        if "rows" not in document:  # no job has this name
            continue
        measured.append(name)
        path = results.write(document, keep=not (options.quick or options.only))
        print(f"{document_text(document)}\nwritten to {path}", flush=True)
    if not measured and not failed:
        parser.error(
            f"no job of {', '.join(names)} has {options.only!r} in its name, or it is a large one: add --large"
        )
    return 1 if failed else 0


def show(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    """Print results that are there, the newest of each benchmark."""
    from benchmarks.suite import ALL

    check_names(parser, options.names, ALL)
    for name in options.names or ALL:
        documents = results.read(name, options.machine)
        print(document_text(documents[0]) if documents else f"\n== {name}: no results")
    return 0


def table(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    """Rewrite the tables of docs/project: speed.md, figures.md and those of studies."""
    try:
        speed_page.rewrite(options.machine)
        speed_page.FIGURES.write_text(speed_page.figures(), encoding="utf-8")
        study_tables.rewrite()
    except speed_page.NoResults as error:
        parser.error(str(error))
    return 0


def check_names(parser: argparse.ArgumentParser, names: list[str], benchmarks: dict) -> None:
    unknown = [name for name in names if name not in benchmarks]
    if unknown:
        parser.error(f"no benchmark is called {', '.join(unknown)}; there are {', '.join(benchmarks)}")


if __name__ == "__main__":
    sys.exit(main())
