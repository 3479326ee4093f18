"""Finished folds on disk, one .npz each in a folder, so that an interrupted comparison can go on.

Each file holds what was asked beside what was found, so that the file of another comparison is never taken for one that
is finished.
"""

from __future__ import annotations

import json
import pickle
from contextlib import suppress
from dataclasses import fields
from os import PathLike
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import sklearn

from bitsieve.common.messages import one_line, quoted
from bitsieve.evaluate.measures import Scored
from bitsieve.evaluate.plan import Plan
from bitsieve.files.errors import DataError
from bitsieve.files.output import writing

_MEASURED = tuple(field.name for field in fields(Scored))
_FOLD, _UNFINISHED = "fold-*.npz", ".bitsieve-*.tmp"  # the second: of a process that was killed while it wrote


class Checkpoint:
    """A folder of finished folds, made where it is not there.

    DataError where a file is damaged or of another comparison, or the folder holds something else or cannot be used.
    """

    def __init__(self, path: str | PathLike[str], plan: Plan) -> None:
        self.path = Path(path)
        self._asked = fingerprint(plan)
        self.finished: dict[int, dict[str, Scored]] = {}
        if self.path.is_file():
            raise DataError(
                f"{str(self.path)!r} is no checkpoint of a comparison, which is a folder (earlier versions wrote one "
                "file): give another path or delete it"
            )
        if not self.path.parent.is_dir():
            raise DataError(f"there is no directory {str(self.path.parent)!r} for the checkpoint: make it first")
        try:
            self.path.mkdir(exist_ok=True)
            found = sorted(self.path.iterdir())
        except OSError as error:
            raise DataError(f"cannot use the checkpoint {str(self.path)!r}: {error.strerror}") from None
        for file in found:
            if file.match(_FOLD):
                self._take(file)
            elif not file.match(_UNFINISHED):
                raise DataError(
                    f"{str(self.path)!r} is no checkpoint of a comparison, it holds {file.name!r}: give another path"
                )

    def add(self, fold: int, scored: dict[str, Scored]) -> None:
        """Keep a finished fold."""
        measured = {
            f"{place} {name}": getattr(scored[method], name)
            for place, method in enumerate(self._asked["methods"])
            for name in _MEASURED
        }
        with writing(self.path / _FOLD.replace("*", str(fold)), "checkpoint") as file:
            np.savez(file, asked=json.dumps(self._asked), fold=fold, **measured)
        self.finished[fold] = scored

    def _take(self, file: Path) -> None:
        """Read a finished fold of the same comparison."""
        asked, fold, scored = _read(file)
        differ = [name for name in {**self._asked, **asked} if asked.get(name) != self._asked.get(name)]
        if differ:
            raise DataError(
                f"the checkpoint {str(self.path)!r} is of another comparison ({quoted(differ)} differ): delete it or "
                f"give another path"
            )
        self.finished[fold] = scored


def remove(path: Path) -> None:
    """Delete a checkpoint, and its folder where nothing else is in it."""
    for pattern in (_FOLD, _UNFINISHED):
        for file in path.glob(pattern):
            file.unlink(missing_ok=True)
    with suppress(OSError):
        path.rmdir()


def _read(file: Path) -> tuple[dict[str, Any], int, dict[str, Scored]]:
    """What was asked, the number of the fold, and what was found in it; every byte is compared with its checksum."""
    # Whatever a damaged zip raises is suppressed.
    with suppress(Exception), open(file, "rb") as opened, np.load(opened, allow_pickle=False) as stored:
        if stored.zip.testzip() is None:
            asked = json.loads(str(stored["asked"]))
            scored = {
                method: Scored(**{name: stored[f"{place} {name}"][()] for name in _MEASURED})
                for place, method in enumerate(asked["methods"])
            }
            return asked, int(stored["fold"]), scored
    raise DataError(f"the finished fold {str(file)!r} is damaged: delete it, so that the fold is done again")


def fingerprint(plan: Plan) -> dict[str, Any]:
    """What was asked: two plans with the same fingerprint find the same.

    Settings are hashed in full, as the ``repr`` of an estimator is cut where it is long. ValueError where a setting,
    such as a lambda, cannot be compared with another one.
    """
    from bitsieve import __version__

    try:
        return {
            "methods": {label: joblib.hash(selector) for label, selector in plan.selectors.items()},
            "features": plan.counts.tolist(),
            "classifier": joblib.hash(plan.grow),
            "protocol": plan.question.protocol,
            "scoring": plan.question.scoring,
            "binning": joblib.hash(plan.binning),
            "random_state": plan.question.random_state,
            "names": joblib.hash(list(plan.table.names)),
            "data": joblib.hash(
                [[*map(plan.table.values, range(plan.table.n_features))], plan.target.truth, plan.table.weights]
            ),
            "target_bins": plan.target.said.n_bins,
            "folds": joblib.hash([(fold.train, fold.test) for fold in plan.folds]),
            "versions": {"bitsieve": __version__, "numpy": np.__version__, "scikit-learn": sklearn.__version__},
        }
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ValueError(
            f"finished folds cannot be kept, as a setting has no value to compare ({one_line(error)}): give a "
            f"function of a module in its place, or no checkpoint"
        ) from None
