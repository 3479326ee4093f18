"""A scorecard applied to a file of new rows, in batches of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import IO

import pyarrow as pa

from bitsieve.diagnostics import Diagnostic, UserError
from bitsieve.engines.stream import PendingMerge, typed_batches
from bitsieve.io.column_file import ColumnFile
from bitsieve.io.read import open_columns
from bitsieve.io.write import write_batches
from bitsieve.results.saved.class_scores import check_names_are_free
from bitsieve.results.scorecard import Scorecard, wanted_columns
from bitsieve.scorecards.card import Card
from bitsieve.scorecards.rows_of_bins import RowsOfBins, checked_counts, count_rows, merged_rows, read_values
from bitsieve.scorecards.unseen_values import WEIGHT_OF_UNSEEN, notes_on_unseen_values
from bitsieve.utils.memory import check_memory
from bitsieve.utils.types import TableLike

SCORE_COLUMN = "score"


@dataclass(frozen=True, kw_only=True)
class ScoreOptions:
    """How new rows are read, and where they are written."""

    output: str | PathLike[str] | IO[bytes]  # a file, or an open one that gets CSV
    header: bool | None = None  # whether the first line of a text file has the names
    memory: int | str | None = None  # about how many bytes the work may take


@dataclass(frozen=True, kw_only=True)
class ScoredRows:
    """What was written of new rows."""

    n_rows: int
    columns: tuple[str, ...]  # that are written
    diagnostics: tuple[Diagnostic, ...]


def score_to_file(card: Scorecard, data: TableLike, options: ScoreOptions) -> ScoredRows:
    """Write the rows of a file, the points of each column of the scorecard, and the score, as in its SQL.

    The file is read twice: the first time to find values that cannot be scored, before anything is written.

    Raises
    ------
    UserError
        If columns of the scorecard are missing or hold other values, a column has a name that the points or the score
        get, or the data cannot be read or written.
    """
    file = open_columns(data, header=options.header)
    positions = wanted_columns(card).positions_in(file.names)
    scored_names = [file.names[position] for position in positions]
    names_of_points = [f"{column.name}_points" for column in card.card.columns]
    check_names_are_free(file.names, [*names_of_points, SCORE_COLUMN], "rename it")
    memory = check_memory(options.memory)
    n_rows, n_unseen = _count(card.card, file, scored_names, memory)

    types = file.types_of_all_rows
    fields = [(name, types[name]) for name in file.names]
    fields += [(name, pa.float64()) for name in (*names_of_points, SCORE_COLUMN)]
    schema = pa.schema(fields)
    batches = _scored(card.card, file, scored_names, schema, memory)
    write_batches(batches, schema, options.output, "")
    notes = notes_on_unseen_values(card.features, n_unseen, weight=WEIGHT_OF_UNSEEN)
    return ScoredRows(n_rows=n_rows, columns=tuple(schema.names), diagnostics=(*file.diagnostics, *notes))


def _count(card: Card, file: ColumnFile, names: Sequence[str], memory: int | None) -> tuple[int, list[int]]:
    """The number of rows, and in each column the number of values in no bin. Refuses what cannot be scored."""
    merged: PendingMerge[RowsOfBins] = PendingMerge(merged_rows)
    for batch in typed_batches(file, names, memory, "reading"):
        merged.add(count_rows(batch, columns=card.columns))
    rows = merged.finish()
    if rows is None:
        raise UserError(code="empty-data", message=f"{file.label} has no rows", advice="nothing to score")
    counts = checked_counts(card.columns, rows)
    return int(counts[0].sum()), [int(of_column[0]) for of_column in counts]


def _scored(
    card: Card, file: ColumnFile, names: Sequence[str], schema: pa.Schema, memory: int | None
) -> Iterator[pa.Table]:
    """The batches of the file with the points of the columns, and their sum."""
    for batch in typed_batches(file, file.names, memory, "writing"):
        values = read_values(card.columns, batch.select(names))
        points = [column.points_in(column.bins_in(values, j)) for j, column in enumerate(card.columns)]
        scores = [*points, card.score_of(points)]
        yield pa.table([*batch.columns, *map(pa.array, scores)], schema=schema)
