"""Text files as people send them, from seeded generators. In each, the column ``size`` drives the target ``y``."""

from __future__ import annotations

import csv
import io
from datetime import date, timedelta

import numpy as np

N_ROWS = 150
RANDOM = np.random.default_rng(48)
IS_LARGE = RANDOM.permutation(np.arange(N_ROWS) % 2)
SIZES = np.round(np.where(IS_LARGE, 4000.0, 2000.0) + RANDOM.normal(0, 300, N_ROWS), 2).tolist()
Y = ["large" if large else "small" for large in IS_LARGE]
COLOURS = RANDOM.choice(["red", "green", "blue"], N_ROWS).tolist()
DAYS = [date(2023, 1, 1) + timedelta(days=round(size / 10)) for size in SIZES]


def grouped(size: float, thousands: str, decimal: str) -> str:
    """A number with these signs between its thousands and before its fraction."""
    return f"{size:,.2f}".replace(",", "T").replace(".", decimal).replace("T", thousands)


def text_of(
    columns: dict[str, list[str]],
    *,
    delimiter: str = ",",
    line_end: str = "\n",
    quoting: int = csv.QUOTE_MINIMAL,
    above: str = "",
    below: str = "",
) -> str:
    """Columns as delimited text, with the header and with lines above and below it."""
    file = io.StringIO()
    writer = csv.writer(file, delimiter=delimiter, lineterminator=line_end, quoting=quoting)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return above + file.getvalue() + below


def with_sizes(sizes: list[str], **columns: list[str]) -> dict[str, list[str]]:
    """The columns of a file in which the sizes are written so."""
    return {"size": sizes, "colour": COLOURS, **columns, "y": Y}


PLAIN = with_sizes([str(size) for size in SIZES])
PLAIN_TEXT = text_of(PLAIN)
LINES = PLAIN_TEXT.splitlines()
NOT_AVAILABLE = ["n/a", "NA", "N.A.", "-", "--", "?", "null", "None", "#N/A", "missing"]
TRUTHS = [["no", "yes"], ["No", "Yes"], ["N", "Y"], ["NO", "YES"], ["n", "y"]]


def every_tenth(other: list[str], values: list[str]) -> list[str]:
    """The values, of which every tenth is one of the others in turn."""
    return [other[i // 10 % len(other)] if i % 10 == 9 else value for i, value in enumerate(values)]


def written(write: str) -> list[str]:
    """The sizes in a format of Python."""
    return [write.format(size) for size in SIZES]


def days(write: str) -> list[str]:
    """The days in a format of ``strftime``."""
    return [day.strftime(write) for day in DAYS]


def ragged() -> str:
    """Rows of which every tenth lacks its last two fields."""
    rows = [line.rpartition(",")[0].rpartition(",")[0] if i % 10 == 9 else line for i, line in enumerate(LINES)]
    return "\n".join(rows) + "\n"


def mixed_line_ends() -> str:
    ends = ["\n", "\r\n"]
    return "".join(line + ends[i % 2] for i, line in enumerate(LINES))


def mixed_encodings() -> bytes:
    """Lines of UTF-8, and every second one of Latin-1."""
    lines = text_of(with_sizes(written("{}"), place=["Köln", "Münster", "Gießen"] * (N_ROWS // 3))).splitlines()
    return b"".join((line + "\n").encode(["utf-8", "latin-1"][i % 2]) for i, line in enumerate(lines))


COMMA = [grouped(size, ".", ",") for size in SIZES]
PLACES = ["Köln", "Paris €", "Gießen"] * (N_ROWS // 3)

#: By name, the content of a file.
FILES: dict[str, str | bytes] = {
    "thousands by commas": text_of(with_sizes([grouped(size, ",", ".") for size in SIZES])),
    "thousands by points": text_of(with_sizes(COMMA), delimiter=";"),
    "thousands by narrow blanks": text_of(with_sizes([grouped(size, "\u202f", ",") for size in SIZES]), delimiter=";"),
    "thousands by apostrophes": text_of(with_sizes([grouped(size, "'", ".") for size in SIZES])),
    "decimal commas between tabs": text_of(with_sizes([grouped(size, "", ",") for size in SIZES]), delimiter="\t"),
    "decimal commas between commas": text_of(with_sizes([grouped(size, "", ",") for size in SIZES])),
    "byte order mark": PLAIN_TEXT.encode("utf-8-sig"),
    "UTF-16": PLAIN_TEXT.encode("utf-16"),
    "Latin-1": text_of(with_sizes(written("{}"), place=[place[:4] for place in PLACES])).encode("latin-1"),
    "Windows-1252": text_of(with_sizes(written("{}"), place=PLACES)).encode("cp1252"),
    "mixed encodings": mixed_encodings(),
    "a line of units below the names": PLAIN_TEXT.replace("\n", "\nmm,-,-\n", 1),
    "lines of a title above the names": text_of(PLAIN, above="Sizes of parts\nExported on 2024-01-31\n\n"),
    "units in cells": text_of(with_sizes(written("{:.1f} mm"))),
    "units in names": PLAIN_TEXT.replace("colour", "colour [-]"),
    "ten words for a missing value": text_of(with_sizes(every_tenth(NOT_AVAILABLE, written("{}")))),
    "dates of six orders": text_of(
        with_sizes(
            written("{}"),
            a=days("%Y-%m-%d"),
            b=days("%d.%m.%Y"),
            c=days("%m/%d/%Y"),
            d=days("%d %b %Y"),
            e=days("%b %d, %Y"),
            f=days("%Y%m%d"),
        )
    ),
    "dates with the month first": text_of(with_sizes(days("%m/%d/%Y"))),
    "dates with the day first": text_of(with_sizes(days("%d/%m/%Y"))),
    "a row of totals": text_of(PLAIN, below=f"{sum(SIZES):.2f},total,\n"),
    "a footer": text_of(PLAIN, below='\n"Source: the office of statistics, 2024"\n'),
    "columns without names or values": text_of({**PLAIN, "": [""] * N_ROWS, " ": [""] * N_ROWS}),
    "blank lines": "\n\n".join(LINES) + "\n",
    "two columns of one name": PLAIN_TEXT.replace("size,colour,y", "size,size,y", 1),
    "trailing delimiters": "".join(f"{line},\n" for line in LINES),
    "trailing delimiters below the names": "".join(f"{line}{',' * (i > 0)}\n" for i, line in enumerate(LINES)),
    "quoted line ends": text_of(with_sizes(written("{}"), remark=["first line\nsecond line"] * N_ROWS)),
    "doubled quotes": text_of(with_sizes(written("{}"), remark=['5" pipe, "new"', "old"] * (N_ROWS // 2))),
    "numbers beyond floats": text_of(with_sizes(every_tenth(["1e400", "-1e400"], written("{}")))),
    "infinities in words": text_of(with_sizes(every_tenth(["inf", "-Infinity"], written("{}")))),
    "numbers of 25 digits": text_of(with_sizes([f"{round(size)}{'0' * 20}7" for size in SIZES])),
    "times with zones": text_of(with_sizes(days("%Y-%m-%dT10:00:00+02:00"))),
    "years as names": text_of(with_sizes(written("{}"), **{"2019": Y[::-1], "2020": COLOURS[::-1]})),
    "signs of control in text": text_of(with_sizes(written("{}"), remark=["\x07bell\x1b[31m", "\x0b"] * (N_ROWS // 2))),
    "colours with a sign of comments": text_of({"shade": ["#ff0000", "#00ff00", "#0000ff"] * (N_ROWS // 3), **PLAIN}),
    "percents": text_of(with_sizes([f"{size / 50:.1f} %" for size in SIZES])),
    "amounts of money": text_of(with_sizes(written("${:,.2f}"))),
    "amounts in two currencies": text_of(with_sizes(every_tenth(["€ 3,000.00"], written("${:,.2f}")))),
    "codes with leading zeros": text_of(with_sizes(written("{}"), code=["00501", "02139", "10115"] * (N_ROWS // 3))),
    "very long texts": text_of(with_sizes(written("{}"), report=["word " * 5000] * N_ROWS)),
    "lines that end with carriage returns": text_of(PLAIN, line_end="\r"),
    "line ends of Windows": text_of(PLAIN, line_end="\r\n"),
    "mixed line ends": mixed_line_ends(),
    "delimited by bars": text_of(PLAIN, delimiter="|"),
    "comments": text_of(PLAIN, above="# written by a machine\n# version 7\n"),
    "no names": "\n".join(LINES[1:]) + "\n",
    "rows that end early": ragged(),
    "negative numbers in brackets": text_of(
        with_sizes([f"({3000 - size:.2f})" if size < 3000 else f"{size - 3000:.2f}" for size in SIZES])
    ),
    "booleans in many words": text_of(
        with_sizes([TRUTHS[i % len(TRUTHS)][large] for i, large in enumerate(IS_LARGE.tolist())])
    ),
    "everything in quotes": text_of(PLAIN, quoting=csv.QUOTE_ALL),
    "signs and points at ends": text_of(with_sizes(every_tenth(["+2500.", ".5", "-0"], written("{}")))),
    "the names once more": "\n".join([*LINES[:80], LINES[0], *LINES[80:]]) + "\n",
    "scientific notation": text_of(with_sizes(written("{:.3E}"))),
    "names of many scripts": PLAIN_TEXT.replace("colour", '"Größe, 色 ""x"" \U0001f642"', 1),
}
