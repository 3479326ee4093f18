"""The command ``bitsieve drift``: which columns move from period to period, or from one file to another."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bitsieve.cli.build import column_options, execution_options
from bitsieve.cli.results import check_written, made_by, note_lines, show, sources_of, take_notes, write_figure
from bitsieve.diagnostics import Diagnostic, UserError
from bitsieve.io.saved_files import is_saved_scorecard, is_saved_selection
from bitsieve.utils.defaults import DRIFT_BINNING, MAX_DRIFT
from bitsieve.utils.note_warnings import BitsieveWarning
from bitsieve.utils.progress import progress_bar
from bitsieve.utils.types import JsonObject

if TYPE_CHECKING:
    from bitsieve.api.drift import DriftOptions
    from bitsieve.options import DiscretizationOptions, ReadOptions

#: Options of drift in bits. They have no effect on what was saved, which has its bins and its limits already.
MEASURING = (
    "period", "period_bins", "target", "strata", "reference", "max_drift", "level", "weight", "weight_kind", "groups",
    "binning", "bins", "missing", "include", "exclude", "identifiers", "column_type", "repair", "figure",
)  # fmt: skip
#: Options of where rows are worked on. They have no effect on a scorecard, whose bins are counted in batches.
WORKING = ("spool", "push_down", "engine")


def run(arguments: argparse.Namespace) -> int:
    """Compare the periods of a table, or files, or new data with that of a saved selection or scorecard."""
    import warnings

    from bitsieve.io.read import check_file
    from bitsieve.io.write import ROWS_WRITTEN, write_rows
    from bitsieve.plots.figure_files import FORMATS

    first_path, *other_paths = sources_of(arguments)
    if is_saved_selection(first_path) and arguments.card is None:
        _refuse_saved_results(other_paths)
        return _check_new_data(arguments, first_path, other_paths)
    _refuse_saved_results([first_path, *other_paths])
    check_written(arguments, output=ROWS_WRITTEN, figure=FORMATS)
    if arguments.card is not None:
        return _stability_of_card(arguments)
    for path in [first_path, *other_paths]:
        check_file(path)
    saved: list[str] = []
    with progress_bar(not arguments.quiet), warnings.catch_warnings():
        warnings.simplefilter("ignore", BitsieveWarning)
        from bitsieve.api.drift import find_drift

        result = find_drift(
            arguments.data,
            _read_options(arguments),
            execution_options(arguments),
            _discretization_options(arguments),
            column_options(arguments),
            _drift_options(arguments),
        )
        notes = take_notes(arguments, result.diagnostics)
        if arguments.output is not None:
            write_rows(result.to_frame("pyarrow"), arguments.output)
            saved.append(f"saved {len(result.columns):,} columns to {arguments.output!r}")
        saved += write_figure(arguments, lambda: result.plot().figure)

    def document() -> JsonObject:
        return {**result.to_dict(), **made_by(arguments)}

    show(arguments, notes, document, result.table_text, saved)
    return 0


def _refuse_saved_results(paths: Sequence[str]) -> None:
    """Refuse a saved scorecard or selection where data is expected."""
    for path in paths:
        if is_saved_scorecard(path):
            raise UserError(
                code="parameter-not-allowed",
                message=f"{path!r} is a saved scorecard, which is no data",
                advice=f"give it as --card {path}, beside the files of data",
            )
        if is_saved_selection(path):
            raise UserError(
                code="parameter-not-allowed",
                message=f"{path!r} is a saved selection, which is no data",
                advice=f"give it first and without --card, as 'bitsieve drift {path} new.csv'",
            )


def _check_new_data(arguments: argparse.Namespace, selection_path: str, new_files: Sequence[str]) -> int:
    """Compare new data with the data of a saved selection, as ``bitsieve apply --check`` does."""
    _refuse_without_effect(arguments, (*MEASURING, "output"), "a saved selection")
    if not new_files:
        raise UserError(
            code="period-needed",
            message=f"{selection_path!r} is a saved selection, and there is no new data to compare with its data",
            advice=f"give the new data after it, as 'bitsieve drift {selection_path} new.csv'",
        )
    with progress_bar(not arguments.quiet):
        from bitsieve.api.apply import ApplyOptions, apply_to_file
        from bitsieve.api.load import load

        new_data = new_files if len(new_files) > 1 else new_files[0]
        options = ApplyOptions(output=None, check=True, header=arguments.header, memory=arguments.memory)
        applied = apply_to_file(load(selection_path), new_data, options)
    check = applied.check
    assert check is not None  # it was asked for
    show(
        arguments,
        note_lines(arguments, applied.diagnostics),
        lambda: {**check.to_dict(), **made_by(arguments)},
        lambda: str(check),
    )
    return 0


def _stability_of_card(arguments: argparse.Namespace) -> int:
    """Compare the columns of a saved scorecard, over its bins, in new data and in the data of before."""
    from bitsieve.io.write import write_rows

    _refuse_without_effect(arguments, (*MEASURING, *WORKING), "--card")
    *old_paths, new_path = sources_of(arguments)
    if len(old_paths) > 1:
        raise UserError(
            code="parameter-not-allowed",
            message=f"{len(old_paths) + 1} files are given, and --card compares two",
            advice="give the new file alone, to compare it with the data of the scorecard, or the old file and the new",
        )
    diagnostics: list[Diagnostic] = []
    with progress_bar(not arguments.quiet):
        from bitsieve.engines.stream import StreamSource
        from bitsieve.results.card_stability import CardStability
        from bitsieve.results.scorecard import Scorecard, stability_of

        card = Scorecard.load(arguments.card)
        reference = None
        if old_paths:
            reference = StreamSource(old_paths[0], arguments.memory, header=arguments.header)
        new_rows = StreamSource(new_path, arguments.memory, header=arguments.header)
        frame = stability_of(card, new_rows, reference, diagnostics)
        result = CardStability.of_frame(frame, new_path, old_paths[0] if old_paths else None)
    saved = []
    if arguments.output is not None:
        write_rows(result.table, arguments.output)
        saved.append(f"saved {result.table.num_rows:,} columns to {arguments.output!r}")
    show(
        arguments,
        note_lines(arguments, diagnostics),
        lambda: {**result.to_dict(), **made_by(arguments)},
        lambda: str(result),
        saved,
    )
    return 0


def _refuse_without_effect(arguments: argparse.Namespace, names: Sequence[str], neighbour: str) -> None:
    for name in names:
        if getattr(arguments, name) is not None:
            raise UserError(
                code="parameter-without-effect",
                message=f"--{name.replace('_', '-')} has no effect beside {neighbour}",
                advice="leave it out",
            )


def _read_options(arguments: argparse.Namespace) -> ReadOptions:
    from bitsieve.options import FREQUENCY, ReadOptions

    return ReadOptions(
        sample_weight=arguments.weight,
        weight_kind=arguments.weight_kind or FREQUENCY,
        groups=arguments.groups,
        target_bins=arguments.period_bins,
        drop_missing_target=True,
        header=arguments.header,
        repair=arguments.repair is not False,
        column_types=dict(arguments.column_type or ()),
        exclude=arguments.exclude or (),
    )


def _discretization_options(arguments: argparse.Namespace) -> DiscretizationOptions:
    from bitsieve.options import DiscretizationOptions

    return DiscretizationOptions(
        binning=arguments.binning or DRIFT_BINNING, n_bins=arguments.bins, missing=arguments.missing
    )


def _drift_options(arguments: argparse.Namespace) -> DriftOptions:
    from bitsieve.api.drift import DEFAULT_LEVEL, DriftOptions
    from bitsieve.pipeline.periods import FIRST

    return DriftOptions(
        period=arguments.period,
        target=arguments.target,
        strata=arguments.strata,
        reference=FIRST if arguments.reference is None else arguments.reference,
        max_drift=MAX_DRIFT if arguments.max_drift is None else arguments.max_drift,
        level=DEFAULT_LEVEL if arguments.level is None else arguments.level,
    )
