"""A selection as people see it: a table with its notes below, as text, as HTML in a notebook, or as a data frame."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.common.messages import aligned, printable
from bitsieve.selection.plain import number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bitsieve.selection.selection import Selection

_TO_THE_RIGHT = (True, False, True, True, False, True)


def table_text(selection: Selection) -> str:
    """The ranking as an aligned table."""
    return aligned(_header(selection), _rows(selection), right=_TO_THE_RIGHT)


def as_text(selection: Selection) -> str:
    """The ranking as an aligned table, and below it the notes, one a line."""
    notes = [f"note: {printable(note)}" for note in selection.notes]
    return "\n".join([table_text(selection), *([""] if notes else []), *notes])


def as_html(selection: Selection) -> str:
    """The ranking as an HTML table, and below it the notes as a list."""

    def row(cells: Sequence[str], tag: str) -> str:
        sides = ("right" if right else "left" for right in _TO_THE_RIGHT)
        made = (f'<{tag} style="text-align:{s}">{escape(c)}</{tag}>' for c, s in zip(cells, sides, strict=True))
        return f"<tr>{''.join(made)}</tr>"

    head, body = row(_header(selection), "th"), "".join(row(cells, "td") for cells in _rows(selection))
    notes = "".join(f"<li>{escape(note)}</li>" for note in selection.notes)
    below = f"<p>Notes</p><ul>{notes}</ul>" if notes else ""
    return f"<div><table><thead>{head}</thead><tbody>{body}</tbody></table>{below}</div>"


def as_frame(selection: Selection) -> Any:
    """The ranking as a data frame of the library that the data came in; pandas, else pyarrow, for an array or file."""
    import narwhals as nw

    columns: dict[str, Any] = {
        "rank": np.arange(1, len(selection.features) + 1),
        "feature": selection.features,
        "index": np.asarray(selection.indices),
        "score": np.asarray(selection.scores),
        "relevance": np.asarray(selection.relevance),
        "overlap_with": selection.overlap_with,
        "overlap": np.asarray(selection.overlap),
    }
    frame = nw.from_native(selection.table, pass_through=True)
    backend: Any = frame.implementation if isinstance(frame, (nw.DataFrame, nw.LazyFrame)) else _for_arrays()
    return nw.from_dict(columns, backend=backend).to_native()


def _for_arrays() -> str:
    from importlib.util import find_spec

    return "pandas" if find_spec("pandas") else "pyarrow"


def _header(selection: Selection) -> tuple[str, ...]:
    return ("rank", "feature", f"score ({selection.unit})", "relevance (bits)", "overlaps most with", "overlap (bits)")


def _rows(selection: Selection) -> list[tuple[str, ...]]:
    return [
        (
            str(rank),
            str(name),
            number(selection.scores[rank - 1]),
            number(selection.relevance[rank - 1]),
            "-" if (other := selection.overlap_with[rank - 1]) is None else str(other),
            number(selection.overlap[rank - 1]),
        )
        for rank, name in enumerate(selection.features, start=1)
    ]
