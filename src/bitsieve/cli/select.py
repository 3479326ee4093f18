"""``bitsieve select`` and ``bitsieve explain``: from a table file to a ranked, explained selection."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import reduce
from inspect import signature
from operator import add
from typing import TYPE_CHECKING, Any

from bitsieve.cli.options import IN_PLACE_OF_SET
from bitsieve.cli.shared import check_written, discretization_options, made_by, read_options, say, show, sources_of
from bitsieve.io.read import check_file, holds_sparse_rows
from bitsieve.utils.messages import Sentence, Setting, one_line
from bitsieve.utils.progress import phase, shown

if TYPE_CHECKING:
    from distributed import Client

    from bitsieve.dataset.dataset import Dataset
    from bitsieve.options import DiscretizationOptions, ExecutionOptions, ReadOptions, SelectionOptions
    from bitsieve.pipeline.reading import ReadingPlan
    from bitsieve.results.selection import Selection

LOCAL = "local"  # the address of a cluster on this machine
_PATIENCE = "10s"


def run(options: argparse.Namespace) -> int:
    """Read, select, save, print."""
    request = _request(options)
    address = options.scheduler
    cluster = nullcontext() if address is None else _connected(address, options.threads)
    with shown(not options.quiet), cluster as client:
        selection = _select(options, request, client)
        selection.notes[:] = map(options.wording, selection.notes)
        saved = _save(selection, options)

    def text() -> str:
        from bitsieve.results.selection import table_text

        return table_text(selection)

    show(options, selection.notes, lambda: {**selection.to_dict(), **made_by(options)}, text, saved)
    return 0


def run_explain(options: argparse.Namespace) -> int:
    """Read, select, explain, print."""
    if options.data is None and not options.counts:
        raise ValueError(
            f"DATA is missing: give the column to explain, and then the data (FEATURE {options.feature!r})"
        )
    request = _request(options)
    with shown(not options.quiet):
        from bitsieve.explain.explain import notes_naming

        selection = _select(options, request)
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


def _check_paths(options: argparse.Namespace, plan: ReadingPlan | None) -> None:
    """Refuse paths that are missing or cannot be written, before any work."""
    from bitsieve.io.formats import written_endings
    from bitsieve.io.write import ROWS_WRITTEN

    output = getattr(options, "output", None)
    if output is not None and plan is None:
        raise ValueError("--counts has no rows to write: leave out --output")
    check_written(options, output=written_endings(), output_ranking=ROWS_WRITTEN, report=(".html",))
    if output is not None and plan is not None and output.lower().endswith(".npz"):
        if plan.engine.source and not holds_sparse_rows(options.data):
            raise ValueError("what is read in batches is not written to .npz: write .parquet, .arrow or .csv")
        if len(options.target or ()) > 1:
            raise ValueError("a .npz holds one target, not several: write .parquet, .arrow or .csv")


def _save(selection: Selection, options: argparse.Namespace) -> list[str]:
    """Write the reduced table, the ranking and the report where they were asked for; a line on each."""
    table, saved = selection.evidence.table, list[str]()
    n, target = len(selection.features), table.target.name
    k = f"{n:,} feature{'s' * (n != 1)}"
    if options.output is not None:
        from bitsieve.dataset.read import n_rows
        from bitsieve.io.write import write_table

        phase("writing")
        given: Any = table.original  # every table of a file has it
        rows = given.with_target(selection.features)
        write_table(rows, options.output, target)
        kept = ", with the rows that were left out" if n_rows(rows) > selection.n_samples else ""
        saved.append(f"saved {k} and the target {target!r} to {options.output!r}{kept}")
    if options.output_ranking is not None:
        from bitsieve.dataset.data_kinds import frame_of
        from bitsieve.io.write import write_rows
        from bitsieve.results.selection import ranking

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


@dataclass(frozen=True)
class _Request:
    """What a command asks for."""

    read: ReadOptions
    selection: SelectionOptions
    discretization: DiscretizationOptions
    execution: ExecutionOptions
    plan: ReadingPlan | None  # None: saved counts are read


def _request(options: argparse.Namespace) -> _Request:
    """What is asked for, refused before anything is read where it cannot be."""
    from bitsieve.options import ReadOptions, SelectionOptions

    discretization = discretization_options(options)
    parameters = _loop_parameters(options)
    if options.estimator is not None:
        from bitsieve.information import check_estimator

        check_estimator(options.estimator)
        parameters["estimator"] = options.estimator
    parameters |= _method_parameters(options)
    grouped = "constraints" in parameters
    execution = _execution_options(options)
    read = ReadOptions() if options.counts else read_options(options)
    plan = _reading_plan(options, read, execution)
    _check_paths(options, plan)
    selection = SelectionOptions(
        method=options.method,
        n_features_to_select=options.features,
        include=() if grouped else options.include or (),
        exclude=options.exclude or (),
        screen=options.screen,
        parameters=parameters,
    )
    return _Request(read, selection, discretization, execution, plan)


def _execution_options(options: argparse.Namespace) -> ExecutionOptions:
    """Where the rows are worked on; a scheduler is that of a Dask cluster."""
    from bitsieve.options import ExecutionOptions

    engine = options.engine
    if getattr(options, "scheduler", None) is not None:
        if engine not in (None, "dask"):
            raise ValueError(f"--scheduler is that of engine dask: leave it out, or --engine {engine}")
        engine = "dask"
    if engine == "dask" and isinstance(options.data, list):
        raise ValueError("engine dask reads one file or a folder: put the files into a folder, and give that as DATA")
    return ExecutionOptions(
        engine=engine,
        memory=options.memory,
        spool=options.spool,
        push_down=options.push_down,
        n_jobs=options.threads or -1,
    )


def _reading_plan(options: argparse.Namespace, read: ReadOptions, execution: ExecutionOptions) -> ReadingPlan | None:
    """How ``DATA`` is read; None: saved counts are."""
    if options.counts:
        from bitsieve.dataset.dataset import COUNTS
        from bitsieve.methods.registry import check_offers

        if options.data is not None:
            raise ValueError("give DATA or --counts, not both")
        check_offers(options.method, COUNTS, ["--counts"])
        return None
    if options.data is None:
        raise ValueError("the following arguments are required: DATA, or --counts")
    from bitsieve.pipeline.reading import plan_reading

    plan = plan_reading(options.data, options.method, read, execution)
    if not plan.engine.source:
        for path in sources_of(options):
            check_file(path)
    elif options.target is None and not holds_sparse_rows(options.data):
        raise ValueError("no target is given: name a column with --target")
    return plan


def _select(options: argparse.Namespace, request: _Request, client: Client | None = None) -> Selection:
    """Read the data, here or on a cluster, and select as the options say."""
    from bitsieve.api.select import select_from

    if request.plan is None:
        from bitsieve.engines.saved_counts import SavedCountsDataset
        from bitsieve.engines.sql import load_counts

        table: Dataset = SavedCountsDataset(reduce(add, map(load_counts, options.counts)))
    else:
        table = request.plan.open(request.read, client)
    return select_from(table, request.selection, request.discretization, request.execution)


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
    if options.group:
        from bitsieve.methods.constraints import Constraints

        found["constraints"] = Constraints(options.include or (), groups=options.group)
    return found


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
