"""The command ``bitsieve drift``: which columns move from period to period, or from one file to another."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from bitsieve.cli.build import column_options, execution_options
from bitsieve.cli.results import check_written, made_by, note_lines, show, take_notes, write_figure
from bitsieve.diagnostics import UserError
from bitsieve.io.saved_files import is_saved_selection
from bitsieve.utils.defaults import DRIFT_BINNING, MAX_DRIFT
from bitsieve.utils.note_warnings import BitsieveWarning
from bitsieve.utils.progress import progress_bar
from bitsieve.utils.types import JsonObject

if TYPE_CHECKING:
    from bitsieve.api.drift import DriftOptions
    from bitsieve.options import DiscretizationOptions, ReadOptions


def run(arguments: argparse.Namespace) -> int:
    """Compare the periods of a table, or several files, or new data with that of a saved selection."""
    import warnings

    from bitsieve.io.write import ROWS_WRITTEN, write_rows
    from bitsieve.plots.figures import FORMATS

    if _begins_with_selection(arguments):
        return _check_new_data(arguments)
    check_written(arguments, output=ROWS_WRITTEN, figure=FORMATS)
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


def _begins_with_selection(arguments: argparse.Namespace) -> bool:
    """Whether the first file is a saved selection, which the second one is compared with."""
    return isinstance(arguments.data, list) and is_saved_selection(arguments.data[0])


def _check_new_data(arguments: argparse.Namespace) -> int:
    """Compare new data with the data of a saved selection, as ``bitsieve apply --check`` does."""
    for name in ("period", "target", "strata", "reference", "max_drift", "level", "output", "figure"):
        if getattr(arguments, name) is not None:
            raise UserError(
                code="parameter-without-effect",
                message=f"--{name.replace('_', '-')} has no effect beside a saved selection",
                advice="leave it out, or give the data of the selection in place of the selection",
            )
    selection_path, *new_files = arguments.data
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


def _read_options(arguments: argparse.Namespace) -> ReadOptions:
    from bitsieve.options import FREQUENCY, ReadOptions

    return ReadOptions(
        sample_weight=arguments.weight,
        weight_kind=arguments.weight_kind or FREQUENCY,
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
    from bitsieve.api.drift import DEFAULT_LEVEL, FIRST, DriftOptions

    return DriftOptions(
        period=arguments.period,
        target=arguments.target,
        strata=arguments.strata,
        reference=FIRST if arguments.reference is None else arguments.reference,
        max_drift=MAX_DRIFT if arguments.max_drift is None else arguments.max_drift,
        level=DEFAULT_LEVEL if arguments.level is None else arguments.level,
    )
