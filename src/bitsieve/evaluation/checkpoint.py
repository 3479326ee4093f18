"""Finished folds on disk, so that an interrupted comparison can go on: one line of JSON each, after a line that tells
what was asked."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.common.messages import quoted
from bitsieve.evaluation.protocol import Scored

if TYPE_CHECKING:
    from os import PathLike

    from bitsieve.evaluation.plan import Plan


class Checkpoint:
    """A file of finished folds.

    Parameters
    ----------
    path : path-like
        Read if it is there, else begun.
    plan : Plan

    Raises
    ------
    ValueError
        If the file holds the folds of another comparison, or cannot be read or written.

    Notes
    -----
    A last line that was cut off while it was written is dropped.
    """

    def __init__(self, path: str | PathLike[str], plan: Plan) -> None:
        self.path = Path(path)
        asked = plan.fingerprint()
        self.finished: dict[int, dict[str, Scored]] = {}
        try:
            text = self.path.read_text(encoding="utf-8", errors="replace") if self.path.exists() else ""
            if not text:
                text = json.dumps(asked) + "\n"
                self.path.write_text(text, encoding="utf-8")
            self._check_same(text.partition("\n")[0], asked)
            whole = text[: text.rfind("\n") + 1]
            if whole != text:
                self.path.write_text(whole, encoding="utf-8")
        except OSError as error:
            raise ValueError(f"cannot use the checkpoint {str(self.path)!r}: {error.strerror}") from None
        for line in whole.splitlines()[1:]:
            record = json.loads(line)
            self.finished[record["fold"]] = {method: _read(values) for method, values in record["methods"].items()}

    def add(self, fold: int, scored: dict[str, Scored]) -> None:
        """Keep a finished fold."""
        self.finished[fold] = scored
        record = {"fold": fold, "methods": {method: _plain(values) for method, values in scored.items()}}
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def _check_same(self, header: str, asked: dict[str, Any]) -> None:
        try:
            kept = json.loads(header)
            differ = [name for name in asked if kept[name] != asked[name]]
        except (ValueError, TypeError, KeyError):
            raise ValueError(f"{str(self.path)!r} is no checkpoint of a comparison: give another path") from None
        if differ:
            raise ValueError(
                f"the checkpoint {str(self.path)!r} is of another comparison ({quoted(differ)} differ): delete it or "
                f"give another path"
            )


def _plain(scored: Scored) -> dict[str, Any]:
    return {
        "selected": scored.selected.tolist(),
        "errors": scored.errors.tolist(),
        "redundancy": scored.redundancy.tolist(),
        "separability": scored.separability.tolist(),
        "seconds_selecting": scored.seconds_selecting,
        "seconds_classifying": scored.seconds_classifying,
    }


def _read(record: dict[str, Any]) -> Scored:
    return Scored(
        np.array(record["selected"], np.intp),
        np.array(record["errors"], np.intp),
        np.array(record["redundancy"], np.float64),
        np.array(record["separability"], np.float64),
        record["seconds_selecting"],
        record["seconds_classifying"],
    )
