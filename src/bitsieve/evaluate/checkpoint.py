"""Finished folds on disk, so that an interrupted comparison can go on.

A line of JSON each, after a line that tells what was asked. Before each line stands its digest, which takes in the
first line too: a line that was changed, or that comes from another comparison, is never taken for a finished fold.
"""

from __future__ import annotations

import hashlib
import json
import os
import pickle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import joblib
import numpy as np
import sklearn

from bitsieve.common.messages import one_line, quoted
from bitsieve.evaluate.run import Scored
from bitsieve.files.errors import DataError
from bitsieve.files.output import writing

if TYPE_CHECKING:
    from os import PathLike

    from bitsieve.evaluate.plan import Plan

_TYPES: dict[str, Any] = {"selected": np.intp, "errors": np.intp, "redundancy": np.float64, "separability": np.float64}
_DIGEST = hashlib.sha256().digest_size * 2


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
        If the file is damaged, holds the folds of another comparison, or cannot be read or written.

    Notes
    -----
    A last line that was cut off while it was written is dropped.
    """

    def __init__(self, path: str | PathLike[str], plan: Plan) -> None:
        self.path = Path(path)
        asked = fingerprint(plan)
        self._first = json.dumps(asked).encode()
        self.finished: dict[int, dict[str, Scored]] = {}
        try:
            *whole, cut_off = self.path.read_bytes().split(b"\n") if self.path.exists() else [b""]
        except OSError as error:
            raise DataError(f"cannot use the checkpoint {str(self.path)!r}: {error.strerror}") from None
        if whole or cut_off:
            self._check_same(whole[0] if whole else b"", asked)
            for number, line in enumerate(whole[1:], 2):
                self._take(line, number)
        if cut_off or not whole:
            with writing(self.path, "checkpoint") as file:
                file.writelines(line + b"\n" for line in whole or [_digest(self._first) + b" " + self._first])

    def add(self, fold: int, scored: dict[str, Scored]) -> None:
        """Keep a finished fold."""
        record = {"fold": fold, "methods": {method: _plain(values) for method, values in scored.items()}}
        text = json.dumps(record).encode()
        line = _digest(self._first, text) + b" " + text + b"\n"
        try:
            with open(self.path, "ab", buffering=0) as file:
                start = file.tell()
                try:
                    if file.write(line) < len(line):
                        raise OSError("the disk is full")
                    os.fsync(file.fileno())
                except BaseException:
                    file.truncate(start)  # the next line must not be joined to a part of this one
                    raise
        except OSError as error:
            reason = error.strerror or one_line(error)
            raise DataError(f"cannot write the checkpoint {str(self.path)!r}: {reason}") from None
        self.finished[fold] = scored

    def _check_same(self, line: bytes, asked: dict[str, Any]) -> None:
        digest, text = line[:_DIGEST], line[_DIGEST + 1 :]
        if digest != _digest(text):
            raise DataError(
                f"{str(self.path)!r} is no checkpoint of a comparison, or its first line is damaged: give another path "
                f"or delete it"
            )
        kept = json.loads(text)
        differ = [name for name in {**asked, **kept} if name not in kept or kept[name] != asked.get(name)]
        if differ:
            raise DataError(
                f"the checkpoint {str(self.path)!r} is of another comparison ({quoted(differ)} differ): delete it or "
                f"give another path"
            )

    def _take(self, line: bytes, number: int) -> None:
        digest, text = line[:_DIGEST], line[_DIGEST + 1 :]
        if digest != _digest(self._first, text):
            raise DataError(
                f"line {number:,} of the checkpoint {str(self.path)!r} is damaged: delete that line, so that its fold "
                f"is done again"
            )
        record = json.loads(text)
        self.finished[record["fold"]] = {method: _read(values) for method, values in record["methods"].items()}


def _digest(*parts: bytes) -> bytes:
    return hashlib.sha256(b"\n".join(parts)).hexdigest().encode()


def _plain(scored: Scored) -> dict[str, Any]:
    return {name: value.tolist() if name in _TYPES else value for name, value in vars(scored).items()}


def _read(record: dict[str, Any]) -> Scored:
    values: dict[str, Any] = {n: np.array(v, _TYPES[n]) if n in _TYPES else v for n, v in record.items()}
    values["errors"] = np.array(record["errors"], None if record["errors"] else np.intp)  # whole, or of another score
    return Scored(**values)


def fingerprint(plan: Plan) -> dict[str, Any]:
    """What was asked: two plans with the same fingerprint find the same.

    Settings are hashed in full: the ``repr`` of an estimator is cut where it is long.

    Raises
    ------
    ValueError
        A setting cannot be told from another one, such as a lambda.
    """
    from bitsieve import __version__

    try:
        return {
            "methods": {label: joblib.hash(selector) for label, selector in plan.selectors.items()},
            "features": plan.counts.tolist(),
            "classifier": joblib.hash(plan.grow),
            "protocol": plan.protocol,
            "scoring": plan.loss.__name__,
            "binning": joblib.hash(plan.binning),
            "random_state": plan.random_state,
            "names": joblib.hash(list(plan.table.names)),
            "data": joblib.hash(
                [[*map(plan.table.values, range(plan.table.n_features))], plan.target.codes, plan.table.weights]
            ),
            "folds": joblib.hash([(fold.train, fold.test) for fold in plan.folds]),
            "versions": {"bitsieve": __version__, "numpy": np.__version__, "scikit-learn": sklearn.__version__},
        }
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ValueError(
            f"finished folds cannot be kept, as a setting cannot be told from another one ({one_line(error)}): give a "
            f"function of a module in its place, or no checkpoint"
        ) from None
