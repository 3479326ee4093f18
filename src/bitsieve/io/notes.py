"""The diagnostics of reading a file, one function for each code."""

from __future__ import annotations

from collections.abc import Sequence

from bitsieve.diagnostics import Diagnostic
from bitsieve.utils.messages import quoted


def no_names(n_columns: int) -> Diagnostic:
    """The file has no header line."""
    return Diagnostic(code="no-names", message=f"the file has no names: its columns are x0 to x{n_columns - 1}")


def not_utf8(encoding: str) -> Diagnostic:
    """The file has another encoding than UTF-8."""
    return Diagnostic(
        code="not-utf8",
        message=f"the file is not UTF-8 text: read as {encoding}",
        advice="save it as UTF-8 if letters look wrong",
    )


def comments_left_out(n_lines: int, mark: str) -> Diagnostic:
    """Lines of comments are no rows."""
    lines = "comment line that begins" if n_lines == 1 else "comment lines that begin"
    return Diagnostic(code="comments-left-out", message=f"left out {n_lines:,} {lines} with {mark!r}")


def empty_files_left_out(names: Sequence[str]) -> Diagnostic:
    """Files of a folder without content are no part of the table."""
    files = "empty file" if len(names) == 1 else "empty files"
    return Diagnostic(code="empty-files-left-out", message=f"left out the {files} {quoted(names)}")


def documents_left_out(names: Sequence[str]) -> Diagnostic:
    """Text files of a folder that have none of the columns of its tables are no part of the table."""
    if len(names) == 1:
        message = f"left out the file {quoted(names)}, which is not a part of the table"
    else:
        message = f"left out the files {quoted(names)}, which are not parts of the table"
    return Diagnostic(code="documents-left-out", message=message)


def rows_above_names(n_rows: int, first: str) -> Diagnostic:
    """Rows above the names of a sheet, such as a title, are no rows of the table."""
    rows = "row" if n_rows == 1 else "rows"
    return Diagnostic(
        code="rows-above-names", message=f"left out {n_rows:,} {rows} above the names, which begin with {first[:40]!r}"
    )


def columns_renamed(names: Sequence[str], new_names: Sequence[str]) -> Diagnostic:
    """Several columns have the same name."""
    return Diagnostic(
        code="columns-renamed",
        message=f"several columns are named {quoted(names)}: the later ones are {quoted(new_names)} here",
        columns=tuple(new_names),
    )
