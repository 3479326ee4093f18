"""The commands ``bitsieve select`` and ``bitsieve explain``."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import reduce
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from bitsieve.cli.build import discretization_options, drift_rule, execution_options, read_options, selection_options
from bitsieve.cli.results import (
    check_written,
    made_by,
    note_lines,
    show,
    sources_of,
    take_notes,
    write_figure,
    write_report,
)
from bitsieve.cli.wording import say
from bitsieve.diagnostics import Diagnostic, UserError, literal
from bitsieve.io.read import check_file, holds_sparse_rows
from bitsieve.utils.messages import number_and_noun, one_line, quoted
from bitsieve.utils.progress import phase, progress_bar
from bitsieve.utils.types import JsonObject

if TYPE_CHECKING:
    from distributed import Client

    from bitsieve.api.drift_rule import DriftRule
    from bitsieve.options import DiscretizationOptions, ExecutionOptions, ReadOptions
    from bitsieve.pipeline.reading import ReadingPlan
    from bitsieve.pipeline.selection_options import SelectionOptions
    from bitsieve.results.groups import AffiliatedFeatures
    from bitsieve.results.selection import Selection

#: Options that say how rows are read and cut.
OPTIONS_OF_ROWS = (
    "table",
    "query",
    "weight",
    "weight-kind",
    "groups",
    "target-bins",
    "target-kind",
    "column-type",
    "missing",
    "binning",
    "bins",
    "uncut",
)
LOCAL = "local"  # the address of a cluster on this machine
_PATIENCE = "10s"  # for a scheduler to answer


def run(arguments: argparse.Namespace) -> int:
    """Read, select, save, print."""
    _check_affiliated(arguments)
    request = _request(arguments)
    address = arguments.scheduler
    cluster = nullcontext() if address is None else _connected(address, arguments.threads)
    with progress_bar(not arguments.quiet), cluster as client:
        selection = _select(request, arguments, client)
        if arguments.save is not None:
            selection.save(arguments.save)  # with notes in the words of Python, which a load shows
        affiliated = _affiliated(selection, arguments)
        notes = take_notes(arguments, selection.diagnostics)
        saved = _save(selection, arguments)

    def text() -> str:
        from bitsieve.results.selection import table_text

        if affiliated is None:
            return table_text(selection)
        return f"{table_text(selection)}\n\n{affiliated.text()}"

    def document() -> JsonObject:
        fields = selection.to_dict()
        if affiliated is not None:
            fields["affiliated"] = affiliated.to_list()
        fields.update(made_by(arguments))
        return fields

    show(arguments, notes, document, text, saved)
    return 0


def _check_affiliated(arguments: argparse.Namespace) -> None:
    """Refuse, before any work, options of affiliated features that cannot be used."""
    if arguments.affiliated is not None:
        from bitsieve.methods.by_samples.cutting_plane.search import check_tau

        check_tau("tau", arguments.affiliated)
    elif arguments.affiliated_by is not None:
        raise UserError(
            code="parameter-without-effect",
            message="--affiliated-by has an effect only with --affiliated",
            advice="add that, or leave it out",
        )


def _affiliated(selection: Selection, arguments: argparse.Namespace) -> AffiliatedFeatures | None:
    """The features that are affiliated with the selected ones, if --affiliated asks for them."""
    if arguments.affiliated is None:
        return None
    from bitsieve.explain.affiliated import affiliated_of_evidence
    from bitsieve.results.groups import AffiliatedFeatures

    evidence = selection.required_evidence()
    by = arguments.affiliated_by or "correlation"
    phase("finding affiliated features")
    affiliated = affiliated_of_evidence(evidence, arguments.affiliated, by)
    return AffiliatedFeatures(
        names=evidence.table.names,
        affiliated=affiliated,
        by=by,
        min_nearness=1 - arguments.affiliated,
    )


def check(arguments: argparse.Namespace, reads_data: bool) -> None:
    """Raise UserError for what would stop the command. Data that is not read into memory is never read."""
    request = _request(arguments)
    if not reads_data or request.plan is None or request.plan.engine.source:
        return
    from bitsieve.pipeline.way import check_read_table  # here, as it loads pyarrow

    table = request.plan.open(request.read)
    check_read_table(table, request.execution, request.discretization, request.selection)


def run_explain(arguments: argparse.Namespace) -> int:
    """Read, select, explain, print."""
    request = _request(arguments)
    with progress_bar(not arguments.quiet):
        selection = _select(request, arguments)
        phase("explaining")
        diagnostics = list(selection.diagnostics)
        selection.diagnostics[:] = map(arguments.wording.reworded, diagnostics)
        explanation = selection.explain(arguments.feature)
    # The explanation itself has the notes on its feature.
    others = [diagnostic for diagnostic in diagnostics if explanation.feature not in diagnostic.columns]
    notes = note_lines(arguments, others)

    def document() -> JsonObject:
        fields = explanation.to_dict()
        fields["method"] = selection.method
        return fields

    show(arguments, notes, document, lambda: str(explanation))
    return 0


def _check_paths(arguments: argparse.Namespace, plan: ReadingPlan | None) -> None:
    """Refuse paths that are missing or cannot be written, before any work."""
    from bitsieve.io.formats import written_endings
    from bitsieve.io.saved_files import check_selection_path
    from bitsieve.io.write import ROWS_WRITTEN
    from bitsieve.plots.figure_files import FORMATS

    output = getattr(arguments, "output", None)
    save = getattr(arguments, "save", None)
    if output is not None and plan is None:
        raise UserError(
            code="no-rows-to-write",
            message="--counts has no rows to write",
            advice="leave out --output",
        )
    if save is not None:
        check_selection_path(save)
    check_written(
        arguments,
        output=written_endings(),
        output_ranking=ROWS_WRITTEN,
        report=(".html",),
        figure=FORMATS,
        save=(".json",),
    )
    if output is not None and plan is not None and output.lower().endswith(".npz"):
        _check_npz(arguments, plan)


def _check_npz(arguments: argparse.Namespace, plan: ReadingPlan) -> None:
    """Refuse rows that a .npz file cannot hold."""
    if plan.engine.source and not holds_sparse_rows(arguments.data):
        raise UserError(
            code="output-format",
            message="what is read in batches is not written to .npz",
            advice="write .parquet, .arrow or .csv",
        )
    if len(arguments.target or ()) > 1:
        raise UserError(
            code="output-format",
            message="a .npz holds one target, not several",
            advice="write .parquet, .arrow or .csv",
        )


def _save(selection: Selection, arguments: argparse.Namespace) -> list[str]:
    """Write the reduced table, the ranking, the figure and the report if asked for; return a line on each."""
    saved: list[str] = []
    what = number_and_noun(len(selection.features), "feature")
    if arguments.output is not None:
        saved.append(_save_table(selection, arguments.output))
    if arguments.output_ranking is not None:
        from bitsieve.io.write import write_rows
        from bitsieve.results.selection import ranking_of
        from bitsieve.utils.frames import frame_of

        write_rows(frame_of(ranking_of(selection).columns(), "pyarrow"), arguments.output_ranking)
        saved.append(f"saved the ranking of {what} to {arguments.output_ranking!r}")
    if arguments.save is not None:
        saved.append(f"saved the selection of {what} to {arguments.save!r}")
    if selection.features:
        saved += write_figure(arguments, lambda: selection.plot().figure_)
        saved += write_report(arguments, selection)
        return saved
    if arguments.figure is not None:
        saved.append("note: no figure is drawn, as no feature is selected")
    if arguments.report is not None:
        saved.append("note: no report is written, as no feature is selected")
    return saved


def _save_table(selection: Selection, path: str) -> str:
    """Write the selected columns and the target; return a line on it."""
    from bitsieve.dataset.read import n_rows
    from bitsieve.io.write import write_table

    phase("writing")
    table = selection.required_fit().table
    target = table.target.name
    original_data: Any = table.original  # never None for a table of a file
    rows = original_data.with_target(selection.features)
    write_table(rows, path, target)
    what = number_and_noun(len(selection.features), "feature")
    has_more_rows = n_rows(rows) > selection.n_samples
    addition = ", with the rows that were left out" if has_more_rows else ""
    return f"saved {what} and the target {target!r} to {path!r}{addition}"


class _Request(NamedTuple):
    """The options that were typed, and the plan for reading DATA, which is None if --counts is given instead."""

    read: ReadOptions
    execution: ExecutionOptions
    discretization: DiscretizationOptions
    selection: SelectionOptions
    drift: DriftRule | None  # None without --period
    plan: ReadingPlan | None


def _request(arguments: argparse.Namespace) -> _Request:
    """Build the options and the plan. Raises UserError, before anything is read, for what cannot be done."""
    from bitsieve.options import ReadOptions

    if arguments.counts:
        _refuse_options_of_rows(arguments)
    discretization = discretization_options(arguments)
    selection = selection_options(arguments)
    execution = execution_options(arguments)
    read = ReadOptions(strata=arguments.strata) if arguments.counts else read_options(arguments)
    plan = _reading_plan(arguments, read, execution, discretization, selection)
    _check_paths(arguments, plan)
    if read.survival is not None and getattr(arguments, "figure", None) is not None:
        from bitsieve.plots.displays import no_figures_of_times  # here, as it loads matplotlib

        raise no_figures_of_times()
    return _Request(
        read=read,
        execution=execution,
        discretization=discretization,
        selection=selection,
        drift=drift_rule(arguments),
        plan=plan,
    )


def _refuse_options_of_rows(arguments: argparse.Namespace) -> None:
    """Refuse options that say how rows are read and cut, as saved counts were read and cut before."""
    if arguments.period is not None:
        raise UserError(
            code="rows-not-in-memory",
            message="saved counts have no periods",
            advice="give DATA in place of --counts",
        )
    if arguments.bins_within:
        raise UserError(
            code="rows-not-in-memory",
            message="--bins-within needs rows, and saved counts have their bins",
            advice="leave it out, or give DATA in place of --counts",
        )
    for name in OPTIONS_OF_ROWS:
        if getattr(arguments, name.replace("-", "_")) is not None:
            raise UserError(
                code="parameter-without-effect",
                message=f"--{name} has no effect on counts that are saved already",
                advice="leave it out, count again with it, or give DATA in place of --counts",
            )


def _reading_plan(
    arguments: argparse.Namespace,
    read: ReadOptions,
    execution: ExecutionOptions,
    discretization: DiscretizationOptions,
    selection: SelectionOptions,
) -> ReadingPlan | None:
    if arguments.data is not None:
        _refuse_counts_as_data(arguments.data)
    if arguments.counts:
        _check_selection_from_counts(arguments, read, selection)
        return None
    if arguments.data is None:
        raise _data_needed(arguments)
    from bitsieve.pipeline.reading import Requirements, plan_reading

    plan = plan_reading(arguments.data, read, execution, Requirements.of_method(selection.method, discretization))
    if not plan.engine.source:
        for path in sources_of(arguments):
            check_file(path)
    elif arguments.target is None and read.survival is None and not holds_sparse_rows(arguments.data):
        raise UserError(
            code="target-needed",
            message="no target is given",
            advice="name a column with --target",
        )
    return plan


def _check_selection_from_counts(arguments: argparse.Namespace, read: ReadOptions, selection: SelectionOptions) -> None:
    """Refuse what cannot be selected from saved counts."""
    from bitsieve.dataset.dataset import COUNTS
    from bitsieve.methods.registry import check_offers

    if arguments.data is not None:
        raise UserError(code="contradicting-parameters", message="give DATA or --counts, not both")
    if read.survival is not None:
        raise UserError(
            code="contradicting-parameters",
            message="--duration needs the rows, and --counts has none",
            advice="give DATA",
        )
    check_offers(arguments.method, COUNTS, ["--counts"])
    if selection.is_tested and "stopping" in selection.method.parameters:
        raise UserError(
            code="pairs-only",
            message="stopping rules need tables of more columns than the pairs that saved counts hold",
            advice="give the number of --features without --stop, or DATA in place of --counts",
        )


def _refuse_counts_as_data(data: str | Sequence[str]) -> None:
    """Refuse folders of saved counts in place of DATA."""
    from bitsieve.io.saved_files import COUNTS_FILE

    paths = [data] if isinstance(data, str) else data
    folders = [path for path in paths if (Path(path) / COUNTS_FILE).is_file()]
    if folders:
        options = " ".join(f"--counts {literal(folder)}" for folder in folders)
        raise UserError(
            code="contradicting-parameters",
            message=f"counts of 'bitsieve count' are given as DATA: {quoted(folders)}",
            advice=f"write {options}",
        )


def _data_needed(arguments: argparse.Namespace) -> UserError:
    """The error for neither DATA nor --counts. The one word that explain was given may be DATA."""
    if arguments.command == "explain":
        return UserError(
            code="data-needed",
            message="DATA is missing",
            advice=f"give the column to explain, and then the data (FEATURE {literal(repr(arguments.feature))})",
        )
    return UserError(
        code="data-needed",
        message="the following arguments are required",
        advice="DATA, or --counts",
    )


def _select(request: _Request, arguments: argparse.Namespace, client: Client | None = None) -> Selection:
    """Read the data or the saved counts, and select. With a client the data is read on its cluster."""
    from bitsieve.api.select import selection_of
    from bitsieve.pipeline.period_columns import missing_column_reported_by_role
    from bitsieve.pipeline.way import run_on_read_table

    read = request.read
    selection = request.selection
    diagnostics: list[Diagnostic] = []
    if request.drift is not None:
        from bitsieve.api.drift_rule import apply_drift_rule

        applied = apply_drift_rule(arguments.data, read, request.execution, selection.columns, request.drift)
        read = applied.read
        diagnostics = applied.diagnostics
        selection = replace(selection, columns=applied.columns).with_penalties(applied.penalties)
    if request.plan is None:
        return _select_from_counts(request, arguments.counts, arguments.strata or (), arguments.target or ())
    with missing_column_reported_by_role(arguments.period, read.strata, read.survival):
        table = request.plan.open(read, client)
    fit = run_on_read_table(table, request.execution, request.discretization, selection)
    result = selection_of(fit, read)
    result.diagnostics[:0] = diagnostics
    return result


def _select_from_counts(
    request: _Request, paths: Sequence[str], strata: Sequence[str], target: Sequence[str]
) -> Selection:
    """Add saved counts up, and select, within strata if any are named. A target that is named must be theirs.

    Where sites rounded their counts, a note says what that may have cost.
    """
    from bitsieve.api.rounding_cost import note_on_rounding
    from bitsieve.api.select import selection_of
    from bitsieve.engines.saved_counts import in_strata, load_parts
    from bitsieve.engines.saved_counts_dataset import SavedCountsDataset
    from bitsieve.engines.sql import load_counts
    from bitsieve.pipeline.way import run_on_read_table

    parts = load_parts(paths, load_counts)
    target_name = parts[0].target.name
    if target and list(target) != [target_name]:
        raise UserError(
            code="counts-differ",
            message=f"the counts are of the target {target_name!r}, and not of {quoted(target)}",
            advice="leave out {target}, or count again with it",
        )
    if strata:
        parts = in_strata(parts, strata)
    table = SavedCountsDataset(reduce(add, parts), within_strata=bool(strata))
    fit = run_on_read_table(table, request.execution, request.discretization, request.selection)
    result = selection_of(fit, request.read)
    if table.counts.rounding_bases:
        result.diagnostics.insert(0, note_on_rounding(fit, parts))
    return result


@contextmanager
def _connected(address: str, n_workers: int | None) -> Iterator[Client]:
    """A client of the scheduler at an address; "local" starts a cluster of ``n_workers``, which ends with the block."""
    import asyncio

    from bitsieve.counts.threads import thread_count

    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise UserError(
            code="package-missing",
            message="--scheduler needs Dask",
            advice="pip install 'bitsieve[dask]'",
        ) from None
    if address == LOCAL:
        workers = thread_count(-1 if n_workers is None else n_workers)
        cluster_options = {"n_workers": workers, "threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50}
        with LocalCluster(**cluster_options) as cluster, Client(cluster, set_as_default=False) as client:
            say(f"started {number_and_noun(workers, 'worker')}; dashboard at {client.dashboard_link}")
            yield client
        return
    try:
        asyncio.run(_try_connection(address))
        client = Client(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError, ImportError) as error:
        raise UserError(
            code="no-scheduler",
            message=f"--scheduler {address}: no scheduler answers there ({one_line(error)})",
            advice=f"give the address of a Dask scheduler, such as tcp://10.0.0.1:8786, or {LOCAL}",
        ) from None
    with client:
        yield client


async def _try_connection(address: str) -> None:
    """Connect to the scheduler at an address and disconnect again.

    The client of Dask stays open where the address is none, or needs certificates that are not there. The garbage
    collector then closes it, perhaps in a thread that holds the lock that closing waits for.
    """
    from distributed.comm import connect
    from distributed.security import Security

    connection = await connect(address, timeout=_PATIENCE, **Security().get_connection_args("client"))
    await connection.close()
