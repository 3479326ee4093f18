"""The part of a report on the data: the columns, their kinds, and what is wrong with some."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bitsieve.common.messages import quoted
from bitsieve.data.table import Table
from bitsieve.report.page import bullets, heading, paragraph
from bitsieve.report.page import table as html_table
from bitsieve.selection.plain import number
from bitsieve.selection.quality import column_quality

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bitsieve.selection.evidence import Evidence
    from bitsieve.selection.quality import ColumnQuality


def quality_parts(evidence: Evidence) -> list[str]:
    """What stands out, and a table of all columns; nothing where the rows are not at hand."""
    table = evidence.table if evidence.whole is None else evidence.whole
    if not isinstance(table, Table):
        return []
    quality = column_quality(table)
    names, n_rows = table.names, table.n_samples
    uncut = set(np.asarray(getattr(evidence.binner, "uncut_", ())).tolist()) - set(evidence.left_out)
    rank = {int(j): place for place, j in enumerate(evidence.selected, start=1)}
    remarks = [_remarks(q, j in uncut, names) for j, q in enumerate(quality)]
    relevance, bins = evidence.information.relevance, evidence.information.source.arities
    rows = [
        (
            names[j],
            "; ".join(remarks[j]),
            q.kind,
            f"{100 * q.n_missing / n_rows:.1f} %" if q.n_missing else "0",
            f"{q.n_distinct:,}",
            f"{int(bins[j]):,}",
            number(relevance[j]),
            str(rank.get(j, "-")),
        )
        for j, q in enumerate(quality)
    ]
    header = ("column", "remarks", "kind", "missing", "different values", "bins", "tells alone (bits)", "rank")
    return [
        heading("The columns"),
        bullets(_summary(quality, remarks, names)),
        html_table(header, rows, text=(1, 2), long=(1,)),
        paragraph(
            "Bins of numbers are cuts made for this selection; a column of one bin carries no information.", "aside"
        ),
    ]


def _summary(quality: list[ColumnQuality], remarks: list[list[str]], names: Sequence[str]) -> list[str]:
    kinds = {kind: sum(q.kind == kind for q in quality) for kind in ("numbers", "whole numbers", "categories")}
    listed = ", ".join(f"{count:,} of {kind}" for kind, count in kinds.items() if count)
    lines = [f"{len(quality):,} columns: {listed}"]
    for what, chosen in (
        ("with missing values", [q.n_missing > 0 for q in quality]),
        ("constant", [q.constant for q in quality]),
        ("the same as an earlier one in every row", [q.duplicate_of >= 0 for q in quality]),
        ("like an identifier, with a value of its own in most rows", [q.identifier for q in quality]),
        ("left whole, since no cut told enough to be accepted", ["no cut accepted" in some for some in remarks]),
    ):
        found = [name for name, is_so in zip(names, chosen, strict=True) if is_so]
        lines.append(f"{len(found):,} {what}: {quoted(found)}" if found else f"none {what}")
    return lines


def _remarks(quality: ColumnQuality, uncut: bool, names: Sequence[str]) -> list[str]:
    told = []
    if quality.constant:
        told.append("constant")
    elif uncut:
        told.append("no cut accepted")
    if quality.identifier:
        told.append("looks like an identifier")
    if quality.duplicate_of >= 0:
        told.append(f"the same as {names[quality.duplicate_of]}")
    return told
