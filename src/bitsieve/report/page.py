"""A page of HTML in one file: its own script alone may run, nothing is fetched."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
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
