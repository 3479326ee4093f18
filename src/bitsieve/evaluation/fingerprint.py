"""What makes two comparisons the same: everything that was asked in full, and digests of the data and the folds."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Mapping, Set
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import sklearn

from bitsieve.table.encoding import Encoded

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from bitsieve.evaluation.plan import Plan


def fingerprint(plan: Plan) -> dict[str, Any]:
    """The question that a plan asks, as plain values: two plans with the same fingerprint find the same.

    Raises
    ------
    ValueError
        A selector or the classifier holds something that cannot be told from another one, such as a lambda.
    """
    from bitsieve import __version__

    values = (plan.columns.values(j) for j in range(len(plan.columns)))
    arrays = (array for each in values for array in (each if isinstance(each, Encoded) else (each,)))
    return {
        "methods": {label: in_full(selector) for label, selector in plan.selectors.items()},
        "features": plan.counts.tolist(),
        "classifier": in_full(plan.grow),
        "protocol": plan.protocol,
        "binning": in_full(plan.binning),
        "random_state": plan.random_state,
        "names": _digest([np.array(plan.features.names, dtype=object)]),
        "data": _digest([*arrays, plan.target.codes]),
        "folds": _digest(rows for fold in plan.folds for rows in (fold.train, fold.test)),
        "versions": {"bitsieve": __version__, "numpy": np.__version__, "scikit-learn": sklearn.__version__},
    }


def in_full(thing: Any) -> str:
    """A text that is the same for equal settings only: unlike ``repr`` of an estimator, which is cut where it is long.

    Raises
    ------
    ValueError
        ``thing`` is of a kind of which nothing is known and cannot be pickled.
    """
    if thing is None or isinstance(thing, (bool, int, float, complex, str, bytes)):
        return f"{type(thing).__name__} {thing!r}"
    if isinstance(thing, np.ndarray):
        return f"array {_digest([thing])}"
    if isinstance(thing, Mapping):
        return f"{{{', '.join(f'{in_full(key)}: {in_full(value)}' for key, value in thing.items())}}}"
    if isinstance(thing, (list, tuple)):
        return f"{type(thing).__name__} [{', '.join(map(in_full, thing))}]"
    if isinstance(thing, Set):
        return f"set [{', '.join(sorted(map(in_full, thing)))}]"
    if not isinstance(thing, type):
        settings = None
        if hasattr(thing, "get_params"):
            settings = thing.get_params(deep=False)
        elif is_dataclass(thing):
            settings = {part.name: getattr(thing, part.name) for part in fields(thing)}
        if settings is not None:
            given = ", ".join(f"{name}={in_full(settings[name])}" for name in sorted(settings))
            return f"{type(thing).__module__}.{type(thing).__qualname__}({given})"
    try:
        return f"{type(thing).__qualname__} {hashlib.sha256(pickle.dumps(thing, protocol=4)).hexdigest()}"
    except (pickle.PicklingError, AttributeError, TypeError):
        raise ValueError(
            f"{' '.join(repr(thing).split())} cannot be told from another one, so finished folds cannot be kept: give "
            f"a function of a module in its place, or no checkpoint"
        ) from None


def _digest(arrays: Iterable[NDArray[Any]]) -> str:
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(f"{array.dtype} {array.shape};".encode())
        whole = array.dtype.kind != "O"
        digest.update(np.ascontiguousarray(array).tobytes() if whole else repr(array.tolist()).encode())
    return digest.hexdigest()
