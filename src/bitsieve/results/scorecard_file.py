"""A scorecard as a JSON document, and back to the same bits."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

import numpy as np
import pyarrow as pa

from bitsieve.dataset.plain_text import Plain
from bitsieve.dataset.text_format import TextFormat
from bitsieve.discretization.monotone.bin_counts import BinCounts, Totals
from bitsieve.discretization.monotone.column_bins import ColumnBins, FixedBins, MergedBins, SpecialValue
from bitsieve.discretization.monotone.division import Division
from bitsieve.io.errors import DataError
from bitsieve.io.saved_files import SCORECARD_FORMAT
from bitsieve.results.saved.schema import SavedParsing
from bitsieve.results.saved.text_formats import format_of, parsing_of
from bitsieve.scorecards.card import Card, CardColumn
from bitsieve.scorecards.points import Points
from bitsieve.utils.types import JsonObject

VERSION = 1


def document_of(content: bytes, name: str) -> JsonObject:
    """The document in a file, which messages call ``name``; refuses other files, and those of later versions."""
    try:
        document: JsonObject = json.loads(content)
        is_scorecard = document["format"] == SCORECARD_FORMAT
    except (ValueError, KeyError, TypeError):
        is_scorecard = False
    if not is_scorecard:
        raise DataError(
            code="not-a-table",
            message=f"{name!r} is no scorecard",
            advice="give a file that Scorecard.save or 'bitsieve scorecard --save' wrote",
        )
    version = document.get("version")
    if isinstance(version, int) and version > VERSION:
        raise DataError(
            code="newer-selection",
            message=f"{name!r} was saved by a later version of bitsieve (schema {version}, this one reads {VERSION})",
            advice="install that version or a later one",
        )
    return document


def card_to_json(card: Card) -> JsonObject:
    """The card as plain values. Floats are written with all their digits."""
    return {
        "format": SCORECARD_FORMAT,
        "version": VERSION,
        "event": card.event.item() if isinstance(card.event, np.generic) else card.event,
        "n_events": card.totals.events,
        "n_nonevents": card.totals.nonevents,
        "points": asdict(card.points),
        "intercept": card.intercept,
        "intercept_points": card.intercept_points,
        "max_rounding_error": card.max_rounding_error,
        "without_information": list(card.without_information),
        "wrong_sign": list(card.wrong_sign),
        "columns": [_column_to_json(column) for column in card.columns],
    }


def card_from_json(document: JsonObject) -> Card:
    """The card of a document that :func:`card_to_json` made.

    Raises KeyError, TypeError, ValueError or AttributeError for any other document.
    """
    totals = Totals(document["n_events"], document["n_nonevents"])
    return Card(
        columns=tuple(_column_from_json(column, totals) for column in document["columns"]),
        without_information=tuple(document["without_information"]),
        wrong_sign=tuple(document["wrong_sign"]),
        intercept=document["intercept"],
        intercept_points=document["intercept_points"],
        points=Points(**document["points"]),
        totals=totals,
        event=document["event"],
        max_rounding_error=document["max_rounding_error"],
    )


def _column_to_json(column: CardColumn) -> JsonObject:
    bins = column.bins
    merged = bins.merged
    parsing = parsing_of(column.text_format)
    return {
        "name": column.name,
        "parsing": None if parsing is None else parsing._asdict(),
        "plain_type": _plain_type_of(column.text_format),
        "category_kind": column.category_kind,
        "time_kind": column.time_kind,
        "edges": None if merged.edges is None else merged.edges.tolist(),
        "groups": None if merged.groups is None else [list(group) for group in merged.groups],
        "rare": list(merged.rare),
        "merged_labels": list(merged.labels),
        "special_values": _plain_values(bins.fixed.special_values),
        "absent_special_values": _plain_values(bins.fixed.absent_special_values),
        "time_unit": bins.fixed.time_unit,
        "has_missing": bins.fixed.has_missing,
        "smoothing": bins.smoothing,
        "events": bins.counts.events.tolist(),
        "nonevents": bins.counts.nonevents.tolist(),
        "iv": bins.iv,
        "iv_corrected": bins.iv_corrected,
        "mi_bits": bins.mutual_information,
        "p": column.p_value,
        "has_every_cut": merged.has_every_cut,
        "division": None if merged.division is None else _division_to_json(merged.division),
        "coefficient": column.coefficient,
        "woe": column.woe.tolist(),
        "points": column.points.tolist(),
        "points_of_unseen": column.points_of_unseen,
    }


def _plain_values(special_values: Sequence[SpecialValue]) -> list[SpecialValue]:
    """Special values without the types of numpy."""
    return [value.item() if isinstance(value, np.generic) else value for value in special_values]


def _column_from_json(column: JsonObject, totals: Totals) -> CardColumn:
    counts = BinCounts(np.array(column["events"], np.int64), np.array(column["nonevents"], np.int64))
    n_merged = len(column["merged_labels"])
    _check_lengths(column)
    bin_indices = np.arange(len(counts))
    groups = column["groups"]
    bins = ColumnBins(
        merged=MergedBins(
            counts=counts.take(bin_indices[:n_merged]),
            labels=tuple(column["merged_labels"]),
            edges=None if column["edges"] is None else np.array(column["edges"], np.float64),
            groups=None if groups is None else tuple(tuple(group) for group in groups),
            rare=tuple(column["rare"]),
            division=None if column["division"] is None else _division_from_json(column["division"]),
            has_every_cut=column["has_every_cut"],
        ),
        fixed=FixedBins(
            counts=counts.take(bin_indices[n_merged:]),
            special_values=tuple(column["special_values"]),
            has_missing=column["has_missing"],
            absent_special_values=tuple(column["absent_special_values"]),
            time_unit=column["time_unit"],
        ),
        totals=totals,
        smoothing=column["smoothing"],
    )
    return CardColumn(
        name=column["name"],
        bins=bins,
        text_format=_text_format_of(column),
        category_kind=column["category_kind"],
        time_kind=column["time_kind"],
        coefficient=column["coefficient"],
        woe=np.array(column["woe"], np.float64),
        points=np.array(column["points"], np.float64),
        points_of_unseen=column["points_of_unseen"],
        p_value=column["p"],
    )


def _plain_type_of(text_format: TextFormat | None) -> str | None:
    """The type of plain numbers and times in text, as Arrow names it; None for other formats and for time zones."""
    if not isinstance(text_format, Plain) or text_format.kind is None:
        return None
    return None if text_format.zoned else str(text_format.kind)


def _text_format_of(column: JsonObject) -> TextFormat | None:
    """The format in which the text of a column is read."""
    if column["parsing"] is not None:
        return format_of(SavedParsing(**column["parsing"]))
    if column["plain_type"] is not None:
        return Plain(pa.type_for_alias(column["plain_type"]))
    return None


def _check_lengths(column: JsonObject) -> None:
    """Raise ValueError if the lists of a column are not of the same number of bins."""
    n_merged = len(column["merged_labels"])
    if column["groups"] is not None:
        has_merged_bins = len(column["groups"]) == n_merged
    elif n_merged:
        has_merged_bins = len(column["edges"]) == n_merged - 1
    else:
        has_merged_bins = True
    n_bins = n_merged + len(column["special_values"]) + column["has_missing"]
    lengths = {len(column[key]) for key in ("events", "nonevents", "woe", "points")}
    if lengths != {n_bins} or not has_merged_bins:
        raise ValueError("the bins of a column differ in number")


def _division_to_json(division: Division) -> JsonObject:
    return {
        "ends": division.bin_ends.tolist(),
        "trend": division.trend,
        "status": division.status,
        "value": division.value,
        "bound_gap": division.bound_gap,
    }


def _division_from_json(division: JsonObject) -> Division:
    return Division(
        bin_ends=np.array(division["ends"], np.int64),
        trend=division["trend"],
        status=division["status"],
        value=division["value"],
        bound_gap=division["bound_gap"],
    )
