"""Pieces of HTML for reports and for notebooks, in which names and other text are escaped."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from html import escape

from bitsieve.utils.messages import displayed

_IN_A_NOTEBOOK = (
    ".bitsieve table {font-variant-numeric: tabular-nums} .bitsieve :is(td, th) {text-align: right} "
    ".bitsieve :is(.text, :is(td, th):first-child) {text-align: left} .bitsieve .aside {opacity: .75}"
)


def display(*parts: str) -> str:
    """What a notebook shows of a result, from parts that are HTML already."""
    return f'<div class="bitsieve"><style>{_IN_A_NOTEBOOK}</style>{"".join(parts)}</div>'


def notes(lines: Sequence[str]) -> str:
    """The notes of a result; nothing where there are none."""
    return f'<div class="notes"><p>Notes</p>{bullets(displayed(lines))}</div>' if lines else ""


def heading(text: str) -> str:
    """A section's heading."""
    return f"<h2>{escape(text)}</h2>"


def paragraph(text: str, kind: str = "") -> str:
    """A paragraph of plain text; ``kind`` is "answer", "aside", "box" or nothing."""
    attribute = f' class="{kind}"' if kind else ""
    return f"<p{attribute}>{escape(text)}</p>"


def bullets(lines: Sequence[str]) -> str:
    """A list of plain lines."""
    return "<ul>" + "".join(f"<li>{escape(line)}</li>" for line in lines) + "</ul>"


def facts(pairs: Sequence[tuple[str, str]]) -> str:
    """A list of names and their values."""
    return "<dl>" + "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in pairs) + "</dl>"


def code(text: str) -> str:
    """Text as it is typed."""
    return f"<pre>{escape(text)}</pre>"


def folded(summary: str, content: str) -> str:
    """HTML that is shown on a click on its ``summary``, which is plain text."""
    return f"<details><summary>{escape(summary)}</summary>{content}</details>"


def table(
    header: Sequence[str], rows: Sequence[Sequence[str]], *, text: Collection[int] = (), long: Collection[int] = ()
) -> str:
    """A table of plain cells, the first column names of rows; columns ``text`` begin at the left, ``long`` may wrap."""
    name = max((len(first) for first, *_ in rows), default=0)
    kinds = [' class="text long"' if at in long else ' class="text"' if at in text else "" for at in range(len(header))]
    head = "".join(f'<th scope="col"{kind}>{escape(cell)}</th>' for cell, kind in zip(header, kinds, strict=True))
    body = "\n".join(
        f'<tr><th scope="row">{escape(first)}</th>'
        + "".join(f"<td{kind}>{escape(cell)}</td>" for cell, kind in zip(rest, kinds[1:], strict=True))
        + "</tr>"
        for first, *rest in rows
    )
    inside = f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>"
    return f'<div class="wide"><table style="--name: {name}ch">{inside}</table></div>'


def figure(svg: str, caption: str) -> str:
    """A drawing with a line of text under it."""
    return f'<figure>{svg}<figcaption class="aside">{escape(caption)}</figcaption></figure>'
