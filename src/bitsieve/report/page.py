"""A page of HTML in one file: no scripts, no network, names escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

CSS = """
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, sans-serif; color: #1a1a1a; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin-bottom: .3rem; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
.answer { font-size: 1.1rem; background: #f0f6fa; border-left: 4px solid #0072b2; padding: .7rem 1rem; }
.aside { color: #555; font-size: .9rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .7rem; text-align: right; border-bottom: 1px solid #e6e6e6; white-space: nowrap; }
th { font-weight: 600; border-bottom: 2px solid #999; } th:first-child, td:first-child { text-align: left; }
tbody th { border-bottom: 1px solid #e6e6e6; }
svg { max-width: 100%; height: auto; }
"""


def page(title: str, parts: Sequence[str]) -> str:
    """A whole page from parts that are HTML already."""
    body = "\n".join(parts)
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{escape(title)}</title>\n'
        f"<style>{CSS}</style>\n</head>\n<body>\n<h1>{escape(title)}</h1>\n{body}\n</body>\n</html>\n"
    )


def heading(text: str) -> str:
    """A section's heading."""
    return f"<h2>{escape(text)}</h2>"


def paragraph(text: str, kind: str = "") -> str:
    """A paragraph of plain text; ``kind`` is "answer", "aside" or nothing."""
    attribute = f' class="{kind}"' if kind else ""
    return f"<p{attribute}>{escape(text)}</p>"


def bullets(lines: Sequence[str]) -> str:
    """A list of plain lines."""
    return "<ul>" + "".join(f"<li>{escape(line)}</li>" for line in lines) + "</ul>"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of plain cells; the first column names the rows."""
    head = "".join(f'<th scope="col">{escape(cell)}</th>' for cell in header)
    body = "\n".join(
        f'<tr><th scope="row">{escape(first)}</th>' + "".join(f"<td>{escape(cell)}</td>" for cell in rest) + "</tr>"
        for first, *rest in rows
    )
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>'


def figure(svg: str, caption: str) -> str:
    """A drawing with a line of text under it."""
    return f'<figure style="margin: 1rem 0">{svg}<figcaption class="aside">{escape(caption)}</figcaption></figure>'
