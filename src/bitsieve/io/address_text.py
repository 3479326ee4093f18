"""The text of an address: whether a path is one, and of what kind. Nothing is reached here."""

from __future__ import annotations

import re
from os import PathLike
from pathlib import Path
from typing import Any

_ADDRESS = re.compile(
    r"""
    ([a-zA-Z][a-zA-Z0-9+.-]+) :/+   # "https://"; Path drops the second slash
    ([^/].*)
    """,
    re.DOTALL | re.VERBOSE,
)


def address(path: Any) -> str | None:
    """The address if a path is one, with the slashes that ``Path`` drops; None for the path of a file."""
    match = _ADDRESS.fullmatch(str(path)) if isinstance(path, (str, PathLike)) else None
    if match is None:
        return None
    scheme = match[1].lower()
    has_no_host = scheme == "file" or (scheme in ("postgresql", "postgres") and ":///" in str(path))
    slashes = "///" if has_no_host else "//"
    return f"{scheme}:{slashes}{match[2]}"


def path_of_file_address(where: str) -> Path | None:
    """The path for which ``file:///path`` stands; None for any other address."""
    if not where.startswith("file://"):
        return None
    from urllib.request import url2pathname

    return Path(url2pathname(where.removeprefix("file://")))


def is_postgres(where: str) -> bool:
    """Whether an address is that of a PostgreSQL server."""
    return where.startswith(("postgresql://", "postgres://"))


def with_relation(where: str, relation: str) -> str:
    """The address of a table, or of a query in parentheses, on the server and in the database of another address."""
    database, question_mark, options = where.partition("?")
    return f"{database.rstrip('/')}/{relation}{question_mark}{options}"
