"""Arguments that several commands take, each said once."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from bitsieve.cli.argument_types import assignment, count, folds, target_bins
from bitsieve.common.defaults import DEFAULT_METHOD

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

BINNING = ("--binning", "--bins", "--uncut", "--missing")
SHARED: Mapping[str, Mapping[str, Any]] = {
    "data": {
        "metavar": "DATA",
        "help": "CSV, TSV, JSON lines, libsvm, Parquet, Arrow/Feather or .npz (X, y), told by content, compressed or "
        "not; -: standard input",
    },
    "--target": {"metavar": "COLUMN", "help": "the column to tell about; y by default in .npz and libsvm"},
    "--weight": {"metavar": "COLUMN", "help": "the column that says how many times each row stands: whole numbers"},
    "--method": {
        "default": DEFAULT_METHOD,
        "metavar": "NAME",
        "help": "one of 'bitsieve methods' (default: %(default)s)",
    },
    "--include": {
        "action": "append",
        "metavar": "COLUMN",
        "help": "select it first, whatever it tells; an identifier: keep it (repeatable)",
    },
    "--exclude": {"action": "append", "metavar": "COLUMN", "help": "never select it (repeatable)"},
    "--set": {
        "action": "append",
        "default": [],
        "type": assignment,
        "metavar": "NAME=VALUE",
        "help": "a parameter of the method, such as beta=0.5; once for each ('bitsieve methods' lists them)",
    },
    "--binning": {
        "default": "mdl",
        "metavar": "RULE",
        "help": "how numeric columns become codes: mdl, quantile, uniform, or none for codes already (default: mdl)",
    },
    "--bins": {"type": count, "metavar": "N", "help": "bins of quantile and uniform (default: 10)"},
    "--uncut": {
        "choices": ("leave", "median"),
        "help": "what mdl does with a column without a cut (default: leave)",
    },
    "--missing": {
        "choices": ("error", "bin"),
        "help": "missing values: an error, or a code of their own (default: error)",
    },
    "--target-bins": {
        "type": target_bins,
        "metavar": "N",
        "help": "classes of a target that is a quantity, or none: each number is a class (default: 5)",
    },
    "--drop-missing-target": {
        "action": "store_true",
        "help": "leave rows without a target out; else they are an error",
    },
    "--header": {
        "action": argparse.BooleanOptionalAction,
        "help": "the first line of a text file has the names, whatever it looks like; --no-header: it is data already",
    },
    "--memory": {
        "metavar": "BYTES",
        "help": "about how much memory to take, such as 4GB: DATA is read in batches, and may be a folder of files",
    },
    "--folds": {
        "type": folds,
        "metavar": "N",
        "help": "stratified folds, or loo (default: loo below 100 rows, else 10)",
    },
    "--seed": {"type": int, "default": 0, "metavar": "N", "help": "of what is drawn at random (default: 0)"},
    "--report": {
        "metavar": "FILE.html",
        "help": "write a report with figures, in one file (needs bitsieve[report])",
    },
    "--json": {"action": "store_true", "help": "print one JSON document"},
    "--threads": {
        "type": count,
        "metavar": "N",
        "help": "threads (default: all cores); the result is the same for any number",
    },
}


def add_shared(add: Callable[..., object], *names: str, **other: Any) -> None:
    """Add shared arguments to a parser in this order, ``other`` in the place of what they share."""
    for name in names:
        add(name, **{**SHARED[name], **other})
