"""``bitsieve select``: from a table file to a ranked, explained selection."""

from __future__ import annotations

import shlex
import time
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bitsieve.cli.light_imports import light_imports
from bitsieve.cli.methods import OWN_OPTIONS
from bitsieve.cli.reading import in_batches, read
from bitsieve.cli.wording import TABLE_OPTIONS, binner_parameters, in_words_of, print_document, say
from bitsieve.common.progress import listening
from bitsieve.common.ticker import Ticker
from bitsieve.files.read import check_file

if TYPE_CHECKING:
    import argparse
    from contextlib import AbstractContextManager

    from distributed import Client

    from bitsieve.cli.wording import Wording
    from bitsieve.selection.selection import Selection
    from bitsieve.sources.in_parts import TableInParts
    from bitsieve.table.table import Table

OPTIONS = TABLE_OPTIONS | {  # by the parameters of bitsieve.select, of the stopping rules and of Constraints
    "n_features_to_select": "--features",
    "memory": "--memory",
    "spool": "--spool",
    "sample_weight": "--weight",
    "method": "--method",
    "estimator": "--estimator",
    "stopping": "--stop",
    "level": "--level",
    "bits": "--min-bits",
    "must_include": "--include",
    "exclude": "--exclude",
}


def run(options: argparse.Namespace) -> int:
    """Read, select, save, print."""
    with worded(options) as wording:
        return _run(options, wording)


def worded(options: argparse.Namespace) -> AbstractContextManager[Wording]:
    """Inside it, messages are in the words of the options of a selection."""
    return in_words_of(OPTIONS, lambda name: _is_of_the_method(name, options.method))


def _run(options: argparse.Namespace, wording: Wording) -> int:
    start = time.perf_counter()
    _check_paths(options)
    with Ticker() as ticker, listening(ticker.phase), _cluster(options) as client:
        selection = select_as_asked(options, client)
        table = selection.evidence.table
        selection = replace(selection, notes=[wording(note) for note in selection.notes])
        if options.output is not None:
            from bitsieve.files.write import write_table

            ticker.phase("writing")
            write_table(_given(table).with_target(selection.features), options.output, table.target.name)
        if options.report is not None:
            from bitsieve.report.files import write_report

            ticker.phase("writing the report")
            write_report(selection, options.report, command=shlex.join(["bitsieve", *options.typed]))

    for note in selection.notes:
        say(f"note: {note}")
    if options.json:
        _print_document(selection, options, time.perf_counter() - start)
    else:
        from bitsieve.selection.shown import table_text

        print(table_text(selection))
    if options.output is not None:
        say(f"saved {len(selection.features):,} features and the target {table.target.name!r} to {options.output!r}")
    if options.report is not None:
        say(f"saved the report to {options.report!r}")
    return 0


def select_as_asked(options: argparse.Namespace, client: Client | None = None) -> Selection:
    """Read the data, here or on a cluster, and select as the options say."""
    parameters = {**binner_parameters(options), **_loop_parameters(options)}
    if options.estimator is not None:
        parameters["estimator"] = options.estimator
    parameters |= _method_parameters(options)
    if client is not None or options.counts or in_batches(options):
        from bitsieve.selectors.registry import make_selector

        make_selector(options.method, 1).refuse_parts()  # before hours of reading
    elif options.data is not None:
        check_file(options.data)
    with light_imports("bitsieve.selection.from_table", "bitsieve.files.plain"):
        from bitsieve.selection.from_table import select_from

        table = read(options, client)
        k = _how_many(options.features, table.n_features)
        if getattr(options, "output", None) is not None:
            from bitsieve.files.write import check_fits

            if table.target.kind == "joint" and options.output.lower().endswith(".npz"):
                raise ValueError("a .npz holds one target, not several: write .parquet, .arrow or .csv")
            if client is None and not in_batches(options):
                check_fits(_given(table).whole, options.output, table.target.name)
        return select_from(
            table,
            method=options.method,
            n_features_to_select=k,
            binning=options.binning,
            n_jobs=options.threads or -1,
            **parameters,
        )


def _cluster(options: argparse.Namespace) -> AbstractContextManager[Client | None]:
    """The client of the cluster that counts, as long as it is entered; None where this process does."""
    if options.scheduler is None:
        return nullcontext()
    if options.target is None:
        raise ValueError("no target is given: name a column with --target")
    if in_batches(options, folders=False):
        raise ValueError("--memory and --spool are of files that are read here: leave them out with --scheduler")
    if (options.output or "").lower().endswith(".npz"):
        raise ValueError("--scheduler does not go with a .npz: write .parquet, .arrow or .csv")
    from bitsieve.cli.cluster import connected

    return connected(options.scheduler, options.threads)


def _check_paths(options: argparse.Namespace) -> None:
    """Refuse paths that are missing or cannot be written, before any work."""
    if options.data is None and not getattr(options, "counts", None):
        raise ValueError("the following arguments are required: DATA, or --counts")
    if options.output is not None:
        from bitsieve.files.output import check_output
        from bitsieve.files.write import WRITTEN

        check_output(options.output, WRITTEN, source=options.data)
    if options.report is not None:
        from bitsieve.report.files import check_report

        check_report(options.report, options.data)


def _given(table: Table | TableInParts) -> Any:
    assert table.given is not None  # every table of a file has it
    return table.given


def _is_of_the_method(name: str, method: str) -> bool:
    from bitsieve.selectors.registry import parameters_of

    try:
        return name in parameters_of(method)
    except ValueError:  # there is no such method
        return False


def _method_parameters(options: argparse.Namespace) -> dict[str, Any]:
    """The method's parameters that were given, refused before the data is read where the method does not take them."""
    from bitsieve.selectors.registry import check_parameters_of, method_name, parameters_of

    method = method_name(options.method)
    taken = parameters_of(method)
    known = {name: value for name, value in taken.items() if name not in OWN_OPTIONS}
    names = [name for name, _ in options.set]
    for name in names:
        if name in taken and name not in known:
            raise ValueError(f"--set {name}: give {OWN_OPTIONS[name]} instead")
        if name not in known:
            takes = ", ".join(f"{other}={value}" for other, value in known.items()) or "no parameters"
            raise ValueError(f"--set {name}: method {method!r} does not take {name!r}; it takes {takes}")
        if names.count(name) > 1:
            raise ValueError(f"--set {name} is given {names.count(name)} times: give it once")
    parameters = dict(options.set)
    check_parameters_of(method, parameters)
    return parameters


def _loop_parameters(options: argparse.Namespace) -> dict[str, Any]:
    """Stopping rule and constraints, where any are given."""
    rule, parameters = options.stop, {}
    if options.level is not None:
        parameters["level"] = options.level
    if options.min_bits is not None:
        parameters["bits"] = options.min_bits
    if rule is None and options.features == "auto" and parameters:
        rule = "significance"
    for given, rules in (("level", ("significance", "permutation", "fdr")), ("bits", ("threshold",))):
        if given in parameters and rule not in rules:
            option = {"level": "--level", "bits": "--min-bits"}[given]
            raise ValueError(f"{option} has a meaning with --stop {' or '.join(rules)} only: add that or leave it out")
    found: dict[str, Any] = {}
    if rule is not None:
        from bitsieve.by_counts.stopping import make_stopping

        found["stopping"] = make_stopping(rule, **parameters)
    include, exclude = options.include or (), options.exclude or ()
    if not options.group:
        return {**found, "include": include, "exclude": exclude}
    from bitsieve.selectors.constraints import Constraints

    return {**found, "constraints": Constraints(include, exclude, options.group)}


def _how_many(asked: int | float | str | None, n_features: int) -> int | float | str | None:
    if isinstance(asked, int) and asked > n_features:
        raise ValueError(f"--features is {asked:,} but the table has {n_features:,} features: ask for no more")
    return asked


def _print_document(selection: Selection, options: argparse.Namespace, seconds: float) -> None:
    made = {"output": options.output, "report": options.report, "seconds": round(seconds, 3)}
    print_document({**selection.to_dict(), **made})
