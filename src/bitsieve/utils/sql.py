"""Names as SQL writes them."""

from __future__ import annotations


def identifier(name: str) -> str:
    """A name quoted for SQL."""
    return '"' + name.replace('"', '""') + '"'
