"""Read the file of a selection. Nothing in it is run, imported or trusted."""

from __future__ import annotations

import json
from os import PathLike
from pathlib import Path
from stat import S_ISREG
from typing import NoReturn

from bitsieve.io.errors import DataError, readable
from bitsieve.io.saved_files import FORMAT, holds_counts
from bitsieve.results.saved.fields import Field, FieldError
from bitsieve.results.saved.read_fields import read_fields
from bitsieve.results.saved.record import SelectionRecord
from bitsieve.results.saved.schema import VERSION

MAX_BYTES = 1 << 28  # of a file
MAX_DEPTH = 64  # objects and lists within each other


def read_record(path: str | PathLike[str]) -> SelectionRecord:
    """Read the file of a selection.

    Raises
    ------
    UserError
        If there is no such file, or it is no whole selection that this version can read: one line that says why.
    """
    path = Path(path)
    if holds_counts(path):
        raise DataError(
            code="not-saved-selection",
            message=f"{str(path)!r} holds counts of 'bitsieve count', and no selection",
            advice="select from them with 'bitsieve select --counts', or give a file of 'bitsieve select --save'",
        )
    with readable(path):
        state = path.stat()
        if not S_ISREG(state.st_mode):
            raise DataError(
                code="not-saved-selection",
                message=f"{str(path)!r} is no file",
                advice="give a file of 'bitsieve select --save'",
            )
        size = state.st_size
        if size > MAX_BYTES:
            raise DataError(
                code="not-saved-selection",
                message=f"{str(path)!r} has {size:,} bytes, more than the {MAX_BYTES:,} of any selection",
                advice="give a file of 'bitsieve select --save'",
            )
        content = path.read_bytes()
    return record_of_bytes(content, str(path))


def record_of_bytes(content: bytes, name: str) -> SelectionRecord:
    """Read the content of a file, which messages call ``name``."""
    document = _parsed(content, name)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        _refuse_foreign(name)
    version = document.get("version")
    if isinstance(version, int) and not isinstance(version, bool) and version > VERSION:
        raise DataError(
            code="newer-selection",
            message=f"{name!r} was saved by a later version of bitsieve (schema {version}, this one reads {VERSION})",
            advice="install that version or a later one",
        )
    _check_depth(document, name)
    try:
        return read_fields(Field(document))
    except FieldError as error:
        raise _damaged(name, str(error)) from None


def _damaged(name: str, problem: str) -> DataError:
    return DataError(
        code="damaged-file",
        message=f"{name!r} is an incomplete selection file ({problem})",
        advice="save it again",
    )


def _refuse_foreign(name: str) -> NoReturn:
    raise DataError(
        code="not-saved-selection",
        message=f"{name!r} is no selection saved by bitsieve",
        advice="give a file of 'bitsieve select --save' or of Selection.save",
    )


def _check_depth(document: object, name: str) -> None:
    """Refuse values that are nested more deeply than any selection is."""
    level = [document]
    for _ in range(MAX_DEPTH):
        inner: list[object] = []
        for value in level:
            if isinstance(value, dict):
                inner.extend(value.values())
            elif isinstance(value, list):
                inner.extend(item for item in value if isinstance(item, (dict, list)))
        if not inner:
            return
        level = inner
    raise _damaged(name, "it is nested too deeply")


class _Damaged(ValueError):
    """The text is JSON that no selection has."""


def _parsed(content: bytes, name: str) -> object:
    """The values of a text of JSON, without a name that stands twice in an object."""
    try:
        return json.loads(content.decode("utf-8"), object_pairs_hook=_object, parse_constant=_refuse_constant)
    except _Damaged as error:
        problem = str(error)
    except RecursionError:
        problem = "it is nested too deeply"
    except ValueError:  # no UTF-8, or no JSON, or a whole number of thousands of digits
        if FORMAT.encode() not in content[:200]:
            _refuse_foreign(name)
        problem = "it breaks off, or is no JSON"
    raise _damaged(name, problem)


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise _Damaged("a name stands twice in one object")
    return members


def _refuse_constant(constant: str) -> NoReturn:
    raise _Damaged(f"{constant} is no JSON")
