"""Results as JSON values that keep every bit, and their comparison."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np

MOST = 12  # numbers that are written out; of longer arrays a digest of all is kept, and the first three
MOST_BESIDE = 5  # of a longer array that is compared with a tolerance, beside its digest
LETTERS = 10  # of a digest: an accident does not hit the same 40 bits
TOLERANCE = 1e-9  # relative to the largest number of the array: case.py says which are compared so
ROUNDING = 1e-12  # what a number may be where all of the array is zero but for rounding


def encode(value: Any) -> Any:
    """A result as a JSON value: floats by the shortest text that reads back to the same bits."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (list, tuple)):
        if any(not isinstance(entry, (int, float, np.number)) for entry in value):
            return [encode(entry) for entry in value]
        return _encode_array(np.array(value))
    return _encode_array(np.asarray(value))


def encode_near(value: Any) -> dict[str, Any]:
    """A result that is compared with a tolerance, which a digest cannot be: of a longer array its first numbers.

    The digest beside them is not compared. Where the files are made again on one machine, it shows a change of bits.
    """
    array = np.asarray(value, np.float64)
    numbers = [_number(number) for number in array.ravel().tolist()]
    if array.size <= MOST:
        return {"near": numbers}
    return {"near": numbers[:MOST_BESIDE], "shape": list(array.shape), "sha256": encode_short(array)}


def encode_short(value: Any) -> str:
    """The digest of a result alone."""
    text = json.dumps(_listed(value))
    return "#" + hashlib.sha256(text.encode()).hexdigest()[:LETTERS]


def difference(found: Any, recorded: Any) -> str:
    """What differs between two encoded results, in a sentence; empty where nothing does."""
    if isinstance(recorded, dict) and "near" in recorded:
        same = _is_near(found, recorded)
    else:  # by their texts, as 0.0 and -0.0 are equal numbers of different bits
        same = repr(found) == repr(recorded)
    return "" if same else f"{found!r} and not {recorded!r}"


def _is_near(found: Any, recorded: dict[str, Any]) -> bool:
    if not isinstance(found, dict) or found.get("shape") != recorded.get("shape"):
        return False
    left, right = (np.array([float(number) for number in side["near"]]) for side in (found, recorded))
    allowed = TOLERANCE * np.abs(right[np.isfinite(right)]).max(initial=0) + ROUNDING
    return len(left) == len(right) and np.allclose(left, right, rtol=0, atol=allowed, equal_nan=True)


def _encode_array(array: np.ndarray) -> Any:
    if array.dtype.kind not in "biuf":
        entries = [str(entry) for entry in array.ravel().tolist()]
        if len(entries) <= MOST:
            return entries if array.ndim else entries[0]
        return _digest("\0".join(entries).encode(), array.shape, entries)
    array = array.astype(np.float64 if array.dtype.kind == "f" else np.int64)
    numbers = [_number(number) for number in array.ravel()[:MOST].tolist()]
    if not array.ndim:
        return numbers[0]
    if array.size > MOST:
        # Every nan is the same one here: its sign and payload tell nothing.
        array = np.where(np.isnan(array), np.nan, array) if array.dtype.kind == "f" else array
        return _digest(np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes(), array.shape, numbers)
    return numbers if array.ndim == 1 else {"shape": list(array.shape), "values": numbers}


def _digest(content: bytes, shape: tuple[int, ...], first: list[Any]) -> dict[str, Any]:
    return {"first": first[:3], "sha256": hashlib.sha256(content).hexdigest()[:LETTERS], "shape": list(shape)}


def _listed(value: Any) -> Any:
    """Arrays, and lists of them, as lists of Python numbers, which json writes by their shortest texts."""
    return [_listed(entry) for entry in value] if isinstance(value, list) else np.asarray(value).tolist()


def _number(number: Any) -> Any:
    """The number, or its name where it is nan or infinite, which JSON does not have."""
    return str(number) if isinstance(number, float) and not np.isfinite(number) else number
