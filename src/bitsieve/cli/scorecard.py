"""The command ``bitsieve scorecard``: bins of columns, and points for each bin."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bitsieve.cli.build import column_options, execution_options, read_options
from bitsieve.cli.results import check_written, note_lines, show_result, write_report
from bitsieve.diagnostics import ParameterError, UserError
from bitsieve.utils.progress import progress_bar

if TYPE_CHECKING:
    from bitsieve.api.scorecard import ScorecardOptions
    from bitsieve.results.scorecard import Scorecard
    from bitsieve.scorecards.points import Points

NO_TREND = "none"  # which an assignment reads as None
ALL_COLUMNS = "*"  # the name of all columns in the parameters of a binner
NAMES_OF_POINTS = ("pdo", "base", "odds")


def run(arguments: argparse.Namespace) -> int:
    """Read, bin, give points, write, print."""
    check_written(arguments, save=(".json",), report=(".html",), sql=(".sql",))
    options = _scorecard_options(arguments)
    with progress_bar(not arguments.quiet):
        from bitsieve.api.scorecard import make_scorecard

        card = make_scorecard(
            arguments.data,
            read_options(arguments),
            column_options(arguments),
            execution_options(arguments),
            options,
        )
        notes = note_lines(arguments, card.diagnostics)
        saved = _write(card, arguments)

    show_result(arguments, notes, card, lambda: str(card), saved)
    return 0


def _write(card: Scorecard, arguments: argparse.Namespace) -> list[str]:
    """Write the files that were asked for, and return a line on each."""
    from bitsieve.io.output import write_text

    saved = []
    if arguments.sql is not None:
        relation = arguments.relation or Path(str(arguments.data)).stem
        write_text(arguments.sql, card.to_sql(arguments.dialect, relation) + "\n", "statement")
        saved.append(f"saved the statement to {arguments.sql!r}")
    if arguments.save is not None:
        card.save(arguments.save)
        saved.append(f"saved the scorecard to {arguments.save!r}")
    return saved + write_report(arguments, card)


def _scorecard_options(arguments: argparse.Namespace) -> ScorecardOptions:
    from bitsieve.api.scorecard import ScorecardOptions
    from bitsieve.scorecards.monotone_binner import MonotoneBinner

    binner = MonotoneBinner(event=arguments.event, special_values=_special_values(arguments.special or ()))
    if arguments.trend:
        trends = {column: NO_TREND if trend is None else trend for column, trend in arguments.trend}
        binner.set_params(trend=trends)
    if arguments.max_bins is not None:
        binner.set_params(max_n_bins=arguments.max_bins)
    if arguments.min_share is not None:
        binner.set_params(min_bin_share=arguments.min_share)
    if arguments.min_level_share is not None:
        binner.set_params(min_level_share=arguments.min_level_share)
    if arguments.min_events is not None:
        binner.set_params(min_events=arguments.min_events)
    if arguments.min_nonevents is not None:
        binner.set_params(min_nonevents=arguments.min_nonevents)
    return ScorecardOptions(
        binner=binner,
        points=_points(arguments.points),
        drop_wrong_sign=arguments.drop_wrong_sign,
        n_features_to_select=arguments.features,
        method=arguments.method,
    )


def _special_values(texts: Sequence[str]) -> dict[str, list[float | str]] | None:
    """The special values of each column from texts such as -999 and income=-999,-998; None without any.

    A value without a column is one of all columns.
    """
    values_of_column: dict[str, list[float | str]] = {}
    for text in texts:
        column, equals_sign, value = text.rpartition("=")
        name = column if equals_sign else ALL_COLUMNS
        values_of_column.setdefault(name, []).extend(_numbers_or_text(value))
    values_of_all = values_of_column.get(ALL_COLUMNS, [])
    for name, values in values_of_column.items():
        if name != ALL_COLUMNS:
            values.extend(values_of_all)
    return values_of_column or None


def _numbers_or_text(text: str) -> list[float | str]:
    """The numbers of a list such as -999,-998; other text is one value."""
    values = [_number_or_text(part) for part in text.split(",")]
    return [text] if any(isinstance(value, str) for value in values) else values


def _number_or_text(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _points(text: str | None) -> Points:
    """The scale of --points, such as pdo=20,base=600,odds=50."""
    from bitsieve.scorecards.points import Points

    points = Points()
    for setting in (text or "").split(","):
        if not setting:
            continue
        name, _, value = setting.partition("=")
        number = _number_or_text(value)
        if name.strip() not in NAMES_OF_POINTS or isinstance(number, str):
            raise _points_not_allowed(setting, "write it as pdo=20,base=600,odds=50")
        try:
            points = _points_with(points, name.strip(), number)
        except ParameterError as error:
            raise _points_not_allowed(setting, error.advice) from None
    return points


def _points_with(points: Points, name: str, number: float) -> Points:
    """The scale with another number for one of ``NAMES_OF_POINTS``."""
    if name == "pdo":
        return replace(points, pdo=number)
    if name == "base":
        return replace(points, base_score=number)
    return replace(points, base_odds=number)


def _points_not_allowed(setting: str, advice: str) -> UserError:
    """The error for a part of --points, such as pdo=-20."""
    return UserError(
        code="parameter-not-allowed",
        message=f"--points {setting!r} is not allowed",
        advice=advice,
    )
