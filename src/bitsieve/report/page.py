"""A page of HTML in one file: its own script alone may run, nothing is fetched, names are escaped."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Collection, Sequence
from hashlib import sha256
from html import escape
from importlib.resources import files


def page(title: str, parts: Sequence[str]) -> str:
    """A whole page from parts that are HTML already."""
    body = "\n".join(parts)
    here = files("bitsieve.report")
    css, script = here.joinpath("page.css").read_text("utf-8"), here.joinpath("page.js").read_text("utf-8")
    only = b64encode(sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{only}'; img-src data:"
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{escape(title)}</title>\n'
        f"<style>{css}</style>\n</head>\n<body>\n<h1>{escape(title)}</h1>\n{body}\n"
        f"<script>{script}</script>\n</body>\n</html>\n"
    )


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
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    text: Collection[int] = (),
    long: Collection[int] = (),
) -> str:
    """A table of plain cells; the first column names the rows.

    The columns ``text`` begin at the left, those in ``long`` may also take several lines.
    """
    kinds = [' class="text long"' if at in long else ' class="text"' if at in text else "" for at in range(len(header))]
    head = "".join(f'<th scope="col"{kind}>{escape(cell)}</th>' for cell, kind in zip(header, kinds, strict=True))
    body = "\n".join(
        f'<tr><th scope="row">{escape(first)}</th>'
        + "".join(f"<td{kind}>{escape(cell)}</td>" for cell, kind in zip(rest, kinds[1:], strict=True))
        + "</tr>"
        for first, *rest in rows
    )
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>'


def figure(svg: str, caption: str) -> str:
    """A drawing with a line of text under it."""
    return f'<figure>{svg}<figcaption class="aside">{escape(caption)}</figcaption></figure>'
