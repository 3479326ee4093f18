"""Files of SAS (.sas7bdat), which no library here writes: their header, the subheaders of a table, and its rows.

The layout is that of M. Shotwell, "SAS7BDAT Database Binary Format" (2013), with integers of 32 bits, the lowest byte
first.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

MAGIC = bytes.fromhex("000000000000000000000000c2ea8160b31411cfbd92080009c7318c181f1011")
PAGE_BYTES = 4096
HEADER_BYTES = 1024
POINTERS = 24  # where the pointers to subheaders, or the rows of a page of data, begin
TEXT_WIDTH = 8
META, DATA, MIX = 0x0000, 0x0100, 0x0200  # types of pages
MISSING = b"\0\0\0\0\0\xfe\xff\xff"
COMPRESSION = b"SASYZCRL"  # runs of a byte are shortened
COMPRESSED = 4  # in the pointer to a compressed row
LAYOUTS = ("mix", "meta and data", "compressed")


def sas_file(columns: dict[str, Sequence[float | str | None]], layout: str = "mix") -> bytes:
    """A file with columns of numbers and of text, in one of the LAYOUTS."""
    rows = [_row(values) for values in zip(*columns.values(), strict=True)]
    subheaders = _subheaders(columns, rows, is_compressed=layout == "compressed")
    if layout == "compressed":
        pages = [_page(META, subheaders, compressed_rows=list(map(_shortened, rows)))]
    elif layout == "mix":
        pages = [_page(MIX, subheaders, rows)]
    else:
        pages = [_page(META, subheaders), _page_of_data(rows)]
    return _header(len(pages)) + b"".join(pages)


def _header(n_pages: int) -> bytes:
    header = bytearray(HEADER_BYTES)
    header[:32] = MAGIC
    header[32] = header[35] = 0x22  # integers of 32 bits, no padding
    header[37] = 1  # lowest byte first
    header[39] = ord("1")  # written on Unix
    header[70] = 20  # UTF-8
    header[84:92] = b"SAS FILE"
    header[92:124] = b"ROWS".ljust(32)
    header[156:164] = b"DATA    "
    struct.pack_into("<III", header, 196, HEADER_BYTES, PAGE_BYTES, n_pages)
    header[216:224] = b"9.0401M6"
    header[224:240] = b"Linux".ljust(16, b"\0")
    return bytes(header)


def _row(values: Sequence[float | str | None]) -> bytes:
    parts = []
    for value in values:
        if isinstance(value, str):
            parts.append(value.encode().ljust(TEXT_WIDTH))
        else:
            parts.append(MISSING if value is None else struct.pack("<d", value))
    return b"".join(parts)


def _subheaders(
    columns: dict[str, Sequence[float | str | None]], rows: Sequence[bytes], *, is_compressed: bool
) -> list[bytes]:
    """What a table consists of: the size of its rows, and the text, names, types and formats of its columns."""
    n_columns = len(columns)
    row_size = bytearray(480)
    struct.pack_into("<I", row_size, 0, 0xF7F7F7F7)
    struct.pack_into("<II", row_size, 20, len(rows[0]), len(rows))
    struct.pack_into("<I", row_size, 36, n_columns)
    struct.pack_into("<I", row_size, 60, len(rows))  # of a page with subheaders

    text = b"\0" * 12  # what stands before the text itself
    compression = (0, len(text), len(COMPRESSION) if is_compressed else 0)  # block of text, offset, length
    struct.pack_into("<HHH", row_size, len(row_size) - 118, *compression)
    text += COMPRESSION
    names = b""
    attributes = b""
    formats = []
    for j, (name, values) in enumerate(columns.items()):
        names += struct.pack("<HHHH", 0, len(text), len(name), 0)
        text += name.encode().ljust(8, b"\0")
        is_text = any(isinstance(value, str) for value in values)
        attributes += struct.pack("<IIHBB", TEXT_WIDTH * j, TEXT_WIDTH, 4, 2 if is_text else 1, 0)
        formats.append(struct.pack("<I", 0xFFFFFBFE) + b"\0" * 48)
    return [
        bytes(row_size),
        struct.pack("<III", 0xF6F6F6F6, n_columns, 0),
        struct.pack("<IH", 0xFFFFFFFD, len(text)) + text[2:] + b"\0" * 8,
        _list_of_columns(0xFFFFFFFF, names),
        _list_of_columns(0xFFFFFFFC, attributes),
        *formats,
    ]


def _list_of_columns(signature: int, entries: bytes) -> bytes:
    return struct.pack("<IHHHH", signature, len(entries) + 8, 0, 0, 0) + entries + b"\0" * 8


def _page(
    kind: int, subheaders: Sequence[bytes], rows: Sequence[bytes] = (), compressed_rows: Sequence[bytes] = ()
) -> bytes:
    """A page: pointers to the subheaders, rows behind the pointers, and the subheaders from its end upwards."""
    page = bytearray(PAGE_BYTES)
    n_subheaders = len(subheaders) + len(compressed_rows)
    struct.pack_into("<HHH", page, POINTERS - 8, kind, n_subheaders + len(rows), n_subheaders)
    position = POINTERS
    end = PAGE_BYTES
    for subheader in [*subheaders, *compressed_rows]:
        end -= len(subheader)
        page[end : end + len(subheader)] = subheader
        is_row = subheader in compressed_rows
        struct.pack_into("<IIBB", page, position, end, len(subheader), COMPRESSED if is_row else 0, is_row)
        position += 12
    position += position % 8
    return _with_rows(page, position, rows, end)


def _page_of_data(rows: Sequence[bytes]) -> bytes:
    page = bytearray(PAGE_BYTES)
    struct.pack_into("<HHH", page, POINTERS - 8, DATA, len(rows), 0)
    return _with_rows(page, POINTERS, rows, PAGE_BYTES)


def _with_rows(page: bytearray, position: int, rows: Sequence[bytes], end: int) -> bytes:
    content = b"".join(rows)
    assert position + len(content) <= end, "the table is longer than a page"
    page[position : position + len(content)] = content
    return bytes(page)


def _shortened(row: bytes) -> bytes:
    """A row of which runs of zeros are shortened.

    The byte 0xF0 + n stands for n + 2 zeros, and 0x80 + n for the n + 1 bytes that follow it.
    """
    shortened = b""
    is_zero = np.frombuffer(row, np.uint8) == 0
    starts = [0, *(np.flatnonzero(np.diff(is_zero)) + 1).tolist(), len(row)]
    for first, end in pairwise(starts):
        for start in range(first, end, 16):
            part = row[start : min(start + 16, end)]
            if part.strip(b"\0") or len(part) == 1:
                shortened += bytes([0x80 + len(part) - 1]) + part
            else:
                shortened += bytes([0xF0 + len(part) - 2])
    return shortened
