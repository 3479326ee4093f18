"""The finished folds of a comparison on disk, so that an interrupted one goes on where it stopped."""

from __future__ import annotations

import pickle
from contextlib import suppress
from dataclasses import fields
from os import PathLike
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import joblib
import numpy as np
import sklearn

from bitsieve.diagnostics import UserError
from bitsieve.evaluate.plan import Plan
from bitsieve.io.errors import DataError
from bitsieve.io.output import writing
from bitsieve.metrics.fold_scores import Scored
from bitsieve.utils.messages import one_line

SCORED_FIELDS = tuple(field.name for field in fields(Scored))
FOLD_PATTERN = "fold-*.npz"
PARTIAL_PATTERN = ".bitsieve-*.tmp"  # files of a process that was killed while it wrote


class Checkpoint:
    """A folder with a file for every finished fold. It is made if it does not exist.

    ``finished`` maps the number of a fold to the results of its methods, by label. Raises DataError if the folder
    holds other files, damaged ones, or the folds of another comparison.
    """

    def __init__(self, path: str | PathLike[str], plan: Plan) -> None:
        self.path = Path(path)
        self._fingerprint = fingerprint(plan)
        self._plan = plan
        self._methods = list(plan.selectors)
        self.finished: dict[int, dict[str, Scored]] = {}
        for file in self._files():
            if file.match(FOLD_PATTERN):
                self._read(file)
            elif not file.match(PARTIAL_PATTERN):
                raise DataError(
                    code="not-a-checkpoint",
                    message=f"{str(self.path)!r} is no checkpoint of a comparison, it holds {file.name!r}",
                    advice="give another path",
                )

    def _files(self) -> list[Path]:
        try:
            self.path.mkdir(exist_ok=True)
            return sorted(self.path.iterdir())
        except OSError as error:
            raise DataError(
                code="cannot-write",
                message=f"{str(self.path)!r} cannot be the folder of a checkpoint ({error.strerror})",
                advice="give a new one in a folder that exists",
            ) from None

    def add(self, fold: int, scored: dict[str, Scored]) -> None:
        """Write a finished fold. Its arrays are named by the number of the method and the field, as in "0 errors"."""
        arrays = {}
        for i, method in enumerate(self._methods):
            for name in SCORED_FIELDS:
                arrays[f"{i} {name}"] = getattr(scored[method], name)
        with writing(self.path / f"fold-{fold}.npz", "checkpoint") as file:
            np.savez(file, asked=self._fingerprint, fold=fold, **arrays)
        self.finished[fold] = scored

    def _read(self, file: Path) -> None:
        """Read a finished fold; every byte is compared with its checksum."""
        try:
            with open(file, "rb") as opened, np.load(opened, allow_pickle=False) as stored:
                _check_bytes(stored.zip)
                is_same_comparison = str(stored["asked"]) == self._fingerprint
                if is_same_comparison:
                    fold = int(stored["fold"])
                    _check_fold(fold, self._plan)
                    self.finished[fold] = self._scored(stored)
        except Exception:  # whatever a damaged zip raises
            raise DataError(
                code="damaged-file",
                message=f"the finished fold {str(file)!r} is damaged",
                advice="delete it, so that the fold is done again",
            ) from None
        if not is_same_comparison:
            raise DataError(
                code="other-comparison",
                message=f"the checkpoint {str(self.path)!r} is of another comparison",
                advice="delete it, or give another path or the same data and settings",
            )

    def _scored(self, stored: np.lib.npyio.NpzFile) -> dict[str, Scored]:
        scored = {}
        for i, method in enumerate(self._methods):
            values: dict[str, Any] = {name: stored[f"{i} {name}"][()] for name in SCORED_FIELDS}
            scored[method] = Scored(**values)
            _check_scored(scored[method], self._plan)
        return scored


def _check_bytes(archive: ZipFile) -> None:
    """Raise ValueError unless all bytes have their checksums."""
    if archive.testzip() is not None:
        raise ValueError("bytes without their checksum")


def _check_fold(fold: int, plan: Plan) -> None:
    """Raise ValueError unless the plan has a fold of this number."""
    if not 0 <= fold < len(plan.folds):
        raise ValueError("a fold that the plan does not have")


def _check_scored(scored: Scored, plan: Plan) -> None:
    """Raise ValueError unless the results of a method have the types and the shapes of those of a plan's fold."""
    for measured in (scored.errors, scored.redundancy, scored.separability):
        if measured.shape != plan.counts.shape or measured.dtype.kind not in "if":
            raise ValueError("not a number for each number of features")
    if scored.selected.ndim != 1 or scored.selected.dtype.kind != "i":
        raise ValueError("not a list of columns")
    if not np.isin(scored.selected, np.arange(plan.table.n_features)).all():
        raise ValueError("a column that the table does not have")
    if not (isinstance(scored.seconds_selecting, float) and isinstance(scored.seconds_classifying, float)):
        raise ValueError("seconds that are no number")


def remove(path: Path) -> None:
    """Delete the files of a checkpoint, and its folder if nothing else is in it."""
    for pattern in (FOLD_PATTERN, PARTIAL_PATTERN):
        for file in path.glob(pattern):
            file.unlink(missing_ok=True)
    with suppress(OSError):
        path.rmdir()


def fingerprint(plan: Plan) -> str:
    """A hash of the data and of all options. Raises UserError for a setting that has no hash, such as a lambda."""
    from bitsieve import __version__

    table = plan.table
    options = plan.options
    hashed_one_by_one = [
        *[table.values(j) for j in range(table.n_features)],
        plan.target.truth,
        table.weights,
        plan.target.requested_kind.n_bins,
        list(plan.selectors.items()),
        plan.counts,
        plan.predict,
        plan.discretization,
        [(fold.train, fold.test) for fold in plan.folds],
        options.protocol,
        plan.measure.name,
        options.random_state,
        list(table.names),
        (__version__, np.__version__, sklearn.__version__),
    ]
    try:
        return str(joblib.hash([joblib.hash(value) for value in hashed_one_by_one]))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise UserError(
            code="settings-not-comparable",
            message=f"finished folds cannot be kept, as the value of a setting cannot be compared ({one_line(error)})",
            advice="give a function that is defined in a module, or no checkpoint",
        ) from None
