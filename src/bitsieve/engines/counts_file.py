"""The file of saved counts: a line with its digest, a line of JSON, and the cells. All of it is checked."""

from __future__ import annotations

from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import get_args

from bitsieve.dataset.target import KindOfTarget
from bitsieve.discretization.base import MAX_CODES
from bitsieve.engines import checked_facts
from bitsieve.engines.counted_strata import check_strata_facts
from bitsieve.io.errors import DataError
from bitsieve.io.saved_files import COUNTS_FILE, is_saved_selection, is_saved_vocabulary
from bitsieve.utils.types import JsonObject

MAX_ROWS = 1 << 53  # of a class


def digest_of(*contents: bytes | memoryview) -> str:
    """The SHA-256 of some contents, one after the other."""
    digest = sha256()
    for content in contents:
        digest.update(content)
    return digest.hexdigest()


def check_folder(folder: str | PathLike[str]) -> None:
    """Refuse a file where counts are to be saved."""
    if is_saved_selection(folder):
        raise DataError(
            code="cannot-write",
            message=f"{str(folder)!r} is a selection of 'bitsieve select --save', and counts are saved to a folder",
            advice="give another name",
        )
    if Path(folder).is_file():
        raise DataError(
            code="cannot-write",
            message=f"{str(folder)!r} is a file, and counts are saved to a folder",
            advice="give another name",
        )


def check_holds_counts(path: Path) -> None:
    """Refuse a selection, a vocabulary, and a folder without counts."""
    if is_saved_selection(path):
        raise DataError(
            code="not-saved-counts",
            message=f"{str(path)!r} is a selection of 'bitsieve select --save', and holds no counts",
            advice="give the folder that 'bitsieve count --save' names",
        )
    if is_saved_vocabulary(path):
        raise DataError(
            code="not-saved-counts",
            message=f"{str(path)!r} is a vocabulary of 'bitsieve count --vocabulary', and holds no counts",
            advice="count with 'bitsieve count DATA --like' and the vocabularies of all sites first",
        )
    if not (path / COUNTS_FILE).is_file():
        raise DataError(
            code="not-saved-counts",
            message=f"{str(path)!r} holds no counts of 'bitsieve count'",
            advice="give the folder that its --save names",
        )


def read_whole_file(path: Path) -> tuple[bytes, bytes]:
    """The line of JSON and the cells in the file of a folder; refused if their digest is another one."""
    with open(path / COUNTS_FILE, "rb") as file:
        digest_line = file.readline()
        facts_line = file.readline()
        bytes_of_cells = file.read()
    if digest_line != digest_of(facts_line, bytes_of_cells).encode() + b"\n":
        raise damaged_counts(path)
    return facts_line, bytes_of_cells


def check_facts(facts: JsonObject, n_stored: int) -> None:
    """Refuse facts that are not those of ``n_stored`` cells, as any site may have written them."""
    n_columns = len(checked_facts.distinct_texts(facts, "names"))
    class_sizes = checked_facts.whole_numbers(facts, "class_sizes", None, 0, MAX_ROWS)
    for arity in checked_facts.whole_numbers(facts, "arities", n_columns, 1, n_stored):
        if arity * arity * len(class_sizes) > n_stored:  # the cells of the column with itself
            raise ValueError("it has fewer cells than its columns have values")
    checked_facts.check_rule(facts, n_columns, n_stored)
    n_counted_classes = len(checked_facts.plain_array(facts["labels"], "labels"))
    if facts.get("strata") is not None:
        n_counted_classes = check_strata_facts(facts["strata"], n_counted_classes)
    if n_counted_classes != len(class_sizes):
        raise ValueError("'class_sizes' has another length than the classes")
    if facts["edges"] is None:
        checked_facts.sorted_array(facts["labels"], "labels")
    else:
        checked_facts.rising_numbers(facts["edges"], "edges")
    checked_facts.choice(facts, "kind", get_args(KindOfTarget))
    checked_facts.text(facts, "target")
    checked_facts.text(facts, "unit")
    dropped = checked_facts.whole_numbers(facts, "left_out", None, 0, n_columns - 1)
    if dropped != sorted(set(dropped)):
        raise ValueError("'left_out' is not sorted")
    for column_and_kind in facts.get("times", []):
        j, kind = column_and_kind
        if type(j) is not int or not 0 <= j < n_columns or kind not in ("dates", "durations"):
            raise ValueError("'times' names no column or no kind of times")
    checked_facts.whole_numbers({"rounding_bases": [], **facts}, "rounding_bases", None, 1, MAX_ROWS)
    _check_parameters(facts.get("parameters", {}))


def _check_parameters(parameters: JsonObject) -> None:
    """Refuse parameters of a rule that it cannot have."""
    if parameters.get("n_bins") is not None:
        checked_facts.whole_number(parameters, "n_bins", 2, MAX_CODES)
    checked_facts.choice({"uncut": None, **parameters}, "uncut", (None, "leave", "median", "apart"))


def damaged_counts(path: Path) -> DataError:
    return DataError(
        code="damaged-file",
        message=f"the counts in {str(path)!r} are incomplete",
        advice="count again",
    )
