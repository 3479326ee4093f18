"""HTML of results in a notebook, in which every text is escaped.

Reports are pages made from templates by jinja2, which is optional. A result must be displayed in a notebook without it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from html import escape

from bitsieve.utils.note_warnings import displayed

STYLE = (
    ".bitsieve table {font-variant-numeric: tabular-nums} "
    ".bitsieve :is(td, th) {text-align: right} "
    ".bitsieve :is(.text, :is(td, th):first-child) {text-align: left} "
    ".bitsieve .aside {opacity: .75} "
    ".bitsieve {--ink: currentColor; --rule: rgb(127 127 127 / 40%)} "  # of figures, on a light or a dark page
    ".bitsieve svg {width: 100%; max-width: 44rem; height: auto}"
)


def display(*elements: str) -> str:
    """Join elements, which are HTML, to the display of a result."""
    return f'<div class="bitsieve"><style>{STYLE}</style>{"".join(elements)}</div>'


def paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def aside(text: str) -> str:
    """A paragraph that explains what is above it."""
    return f'<p class="aside">{escape(text)}</p>'


def bullets(lines: Sequence[str]) -> str:
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f"<ul>{items}</ul>"


def notes(lines: Sequence[str], all_notes: Sequence[str] = ()) -> str:
    """The notes of a result; empty if there are none. ``all_notes`` are hidden until the reader opens them."""
    if not lines:
        return ""
    details = ""
    if all_notes:
        details = f"<details><summary>All notes ({len(all_notes):,})</summary>{bullets(all_notes)}</details>"
    return f"<div><p>Notes</p>{bullets(displayed(lines))}{details}</div>"


def code(text: str) -> str:
    return f"<pre>{escape(text)}</pre>"


def table(header: Sequence[str], rows: Sequence[Sequence[str]], *, text_columns: Collection[int] = ()) -> str:
    """A table of plain cells. The first column names the rows; ``text_columns`` are aligned left."""
    classes = [' class="text"' if i in text_columns else "" for i in range(len(header))]
    header_cells = "".join(f'<th scope="col"{classes[i]}>{escape(cell)}</th>' for i, cell in enumerate(header))
    table_rows = []
    for row in rows:
        cells = [f'<th scope="row">{escape(row[0])}</th>']
        cells += [f"<td{classes[i]}>{escape(row[i])}</td>" for i in range(1, len(row))]
        table_rows.append(f"<tr>{''.join(cells)}</tr>")
    body = "\n".join(table_rows)
    return f"<table><thead><tr>{header_cells}</tr></thead>\n<tbody>\n{body}\n</tbody></table>"
