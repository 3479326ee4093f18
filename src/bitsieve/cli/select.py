"""``bitsieve select`` and ``bitsieve explain``: from a table file to a ranked, explained selection."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from functools import reduce
from inspect import signature
from operator import add
from typing import TYPE_CHECKING, Any

from bitsieve.cli.options import IN_PLACE_OF_SET
from bitsieve.cli.shared import binning_of, check_written, made_by, rules_of, say, show, sources_of
from bitsieve.io.read import check_file, holds_sparse_rows
from bitsieve.utils.messages import Sentence, Setting, one_line
from bitsieve.utils.progress import phase, shown

if TYPE_CHECKING:
    from distributed import Client

    from bitsieve.dataset.table import Table
    from bitsieve.selection.reading import Reading
    from bitsieve.selection.selection import Selection

LOCAL = "local"  # the address of a cluster on this machine
_PATIENCE = "10s"


def run(options: argparse.Namespace) -> int:
    """Read, select, save, print."""
    reading, parameters = _asked(options)
    address = options.scheduler
    cluster = nullcontext() if address is None else _connected(address, options.threads)
    with shown(not options.quiet), cluster as client:
        selection = _selection(options, reading, parameters, client)
        selection.notes[:] = map(options.wording, selection.notes)
        saved = _save(selection, options)

    def text() -> str:
        from bitsieve.selection.selection import table_text

        return table_text(selection)

    show(options, selection.notes, lambda: {**selection.to_dict(), **made_by(options)}, text, saved)
    return 0


def run_explain(options: argparse.Namespace) -> int:
    """Read, select, explain, print."""
    if options.data is None and not options.counts:
        raise ValueError(
            f"DATA is missing: give the column to explain, and then the data (FEATURE {options.feature!r})"
        )
    reading, parameters = _asked(options)
    with shown(not options.quiet):
        from bitsieve.selection.explain import notes_naming

        selection = _selection(options, reading, parameters)
        phase("explaining")
        selection.notes[:] = map(options.wording, selection.notes)
        explanation = selection.explain(options.feature)
    show(
        options,
        [note for note in selection.notes if not notes_naming([note], explanation.feature)],
        lambda: {**explanation.to_dict(), "method": selection.method},
        lambda: str(explanation),
    )
    return 0


def _check_paths(options: argparse.Namespace, reading: Reading | None) -> None:
    """Refuse paths that are missing or cannot be written, before any work."""
    from bitsieve.io.write import ROWS_WRITTEN, WRITTEN

    output = getattr(options, "output", None)
    if output is not None and reading is None:
        raise ValueError("--counts has no rows to write: leave out --output")
    check_written(options, output=WRITTEN, output_ranking=ROWS_WRITTEN, report=(".html",))
    if output is not None and reading is not None and output.lower().endswith(".npz"):
        if reading.engine.source and not holds_sparse_rows(options.data):
            raise ValueError("what is read in batches is not written to .npz: write .parquet, .arrow or .csv")
        if len(options.target or ()) > 1:
            raise ValueError("a .npz holds one target, not several: write .parquet, .arrow or .csv")


def _save(selection: Selection, options: argparse.Namespace) -> list[str]:
    """Write the reduced table, the ranking and the report where they were asked for; a line on each."""
    table, saved = selection.evidence.table, list[str]()
    n, target = len(selection.features), table.target.name
    k = f"{n:,} feature{'s' * (n != 1)}"
    if options.output is not None:
        from bitsieve.io.write import write_table

        phase("writing")
        given: Any = table.given  # every table of a file has it
        write_table(given.with_target(selection.features), options.output, target)
        kept = ", rows without a target with the others" if options.drop_missing_target else ""
        saved.append(f"saved {k} and the target {target!r} to {options.output!r}{kept}")
    if options.output_ranking is not None:
        from bitsieve.dataset.given import frame_of
        from bitsieve.io.write import write_rows
        from bitsieve.selection.selection import ranking

        write_rows(frame_of(ranking(selection), "pyarrow"), options.output_ranking)
        saved.append(f"saved the ranking of {k} to {options.output_ranking!r}")
    if options.report is not None and not selection.features:
        saved.append("note: no report is written, as no feature is selected")
    elif options.report is not None:
        from bitsieve.report.files import write_report

        phase("writing the report")
        write_report(selection, options.report, command=shlex.join(["bitsieve", *options.typed]))
        saved.append(f"saved the report to {options.report!r}")
    return saved


def _asked(options: argparse.Namespace) -> tuple[Reading | None, dict[str, Any]]:
    """How the data is read (None: saved counts are) and the parameters, refused before where they cannot be."""
    binning, parameters = binning_of(options)
    parameters |= _loop_parameters(options)
    if options.estimator is not None:
        from bitsieve.information import check_estimator

        check_estimator(options.estimator)
        parameters["estimator"] = options.estimator
    parameters |= _method_parameters(options)
    reading = _reading(options)
    _check_paths(options, reading)
    return reading, {"binning": binning, **({} if reading is None else reading.own), **parameters}


def _reading(options: argparse.Namespace) -> Reading | None:
    """How ``DATA`` is read; None: saved counts are."""
    if options.counts:
        from bitsieve.dataset.table import COUNTS
        from bitsieve.methods.registry import check_offers

        if options.data is not None:
            raise ValueError("give DATA or --counts, not both")
        check_offers(options.method, COUNTS, ["--counts"])
        return None
    if options.data is None:
        raise ValueError("the following arguments are required: DATA, or --counts")
    from bitsieve.selection.reading import Reading

    engine, scheduler = options.engine, getattr(options, "scheduler", None)
    if scheduler is not None:
        if engine not in (None, "dask"):
            raise ValueError(f"--scheduler is that of engine dask: leave it out, or --engine {engine}")
        engine = "dask"
    if engine == "dask" and isinstance(options.data, list):
        raise ValueError("engine dask reads one file or a folder: put the files into a folder, and give that as DATA")
    how = {"memory": options.memory, "spool": options.spool, "header": options.header, "push_down": options.push_down}
    reading = Reading.planned(options.method, options.data, engine, **how)
    if not reading.engine.source:
        for path in sources_of(options):
            check_file(path)
    elif options.target is None and not holds_sparse_rows(options.data):
        raise ValueError("no target is given: name a column with --target")
    return reading


def _selection(
    options: argparse.Namespace, reading: Reading | None, parameters: dict[str, Any], client: Client | None = None
) -> Selection:
    """Read the data, here or on a cluster, and select as the options say."""
    from bitsieve.selection.select import select_from

    if reading is None:
        from bitsieve.engines.saved_counts import CountsTable
        from bitsieve.engines.sql import load_counts

        table: Table = CountsTable(reduce(add, map(load_counts, options.counts)))
    else:
        of_target = {"target_bins": options.target_bins, "target_kind": options.target_kind}
        how = {**of_target, "drop_missing": options.drop_missing_target, "rules": rules_of(options)}
        table = reading.read(options.target, options.weight, **how, groups=options.groups, client=client)
    return select_from(
        table,
        method=options.method,
        n_features_to_select=options.features,
        screen=options.screen,
        n_jobs=options.threads or -1,
        **parameters,
    )


def _method_parameters(options: argparse.Namespace) -> dict[str, Any]:
    """The method's parameters that were given, refused before the data is read where the method does not take them."""
    from bitsieve.methods.registry import arguments_of, find_method

    method = find_method(options.method)
    taken = method.parameters
    known = {name: value for name, value in taken.items() if name not in IN_PLACE_OF_SET}
    given = options.set or ()
    names = [name for name, _ in given]
    for name in names:
        if name in taken and name not in known:
            raise ValueError(f"--set {name}: give {IN_PLACE_OF_SET[name]} instead")
        if name not in known:
            takes = ", ".join(f"{other}={value}" for other, value in known.items()) or "no parameters"
            raise ValueError(f"--set {name}: method {method.name!r} does not take {name!r}; it takes {takes}")
        if names.count(name) > 1:
            raise ValueError(f"--set {name} is given {names.count(name)} times: give it once")
    parameters = dict(given)
    arguments_of(method, parameters)
    return parameters


def _loop_parameters(options: argparse.Namespace) -> dict[str, Any]:
    """Stopping rule and constraints, where any are given."""
    rule, given = options.stop, {"level": options.level, "bits": options.min_bits, "n_draws": options.draws}
    parameters = {name: value for name, value in given.items() if value is not None}
    if rule is None and options.features == "auto" and "level" in parameters:
        rule = "significance"
    found: dict[str, Any] = {}
    if rule is not None or parameters:
        from bitsieve.methods.by_counts.stopping import STOPPING_RULES, make_stopping

        for name in parameters:
            rules = [known for known, of in STOPPING_RULES.items() if name in signature(of).parameters]
            if rule not in rules and (rule is None or rule in STOPPING_RULES):
                what = f" has a meaning with --stop {' or '.join(rules)} only: add that or leave it out"
                raise ValueError(Sentence(Setting(name), what))
        found["stopping"] = make_stopping(rule, **parameters)
    include, exclude = options.include or (), options.exclude or ()
    if not options.group:
        return {**found, "include": include, "exclude": exclude}
    from bitsieve.methods.constraints import Constraints

    return {**found, "constraints": Constraints(include, exclude, options.group)}


@contextmanager
def _connected(address: str, n_workers: int | None) -> Iterator[Client]:
    """A client of the scheduler at an address; "local" starts one of so many workers, which ends with the block."""
    from bitsieve.counts.threads import thread_count

    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise ValueError("--scheduler needs Dask: pip install 'bitsieve[dask]'") from None
    if address == LOCAL:
        workers = thread_count(-1 if n_workers is None else n_workers)
        here = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50}
        with LocalCluster(**here) as cluster, Client(cluster, set_as_default=False) as client:
            say(f"started {workers:,} worker{'s' * (workers > 1)}; dashboard at {client.dashboard_link}")
            yield client
        return
    try:
        client = Client(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError, ImportError) as error:
        raise ValueError(
            f"--scheduler {address}: nobody answers there ({one_line(error)}): give the address of a Dask scheduler, "
            f"such as tcp://10.0.0.1:8786, or {LOCAL}"
        ) from None
    with client:
        yield client
