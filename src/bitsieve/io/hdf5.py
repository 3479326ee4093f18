"""Groups and arrays of an HDF5 file that may come from a stranger, read by h5py.

HDF5 lets links, arrays and filters name other files, and lets a few bytes stand for any number of values. Here nothing
outside the file is read, and its arrays take a bounded multiple of its size.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from bitsieve.io.errors import MAX_EXPANSION, MIN_EXPANDED_BYTES, DataError
from bitsieve.utils.arrays import Values
from bitsieve.utils.memory import check_room

CHUNK_CACHE_BYTES = 64 << 20  # a chunk that is no larger is unpacked once while an array is read in parts
BYTES_OF_TEXT = 64  # of memory for a text, besides its letters
TEXT_BYTES_AT_ONCE = 1 << 28
#: Deflate, shuffle, Fletcher's checksum, szip, n-bit and scale-offset, which are parts of HDF5, and lzf of h5py
FILTERS = frozenset({1, 2, 3, 4, 5, 6, 32000})
NUMERIC_KINDS = "biuf"  # of numpy's types: truth values and real numbers
MAX_NUMBER_BYTES = 8


class ContentLimit:
    """The bytes that all arrays of a file may take: 128 times the file, or 1 GiB if that is more."""

    def __init__(self, path: Path, label: str) -> None:
        self.label = label
        self.file_bytes = path.stat().st_size
        self.max_bytes = max(MIN_EXPANDED_BYTES, MAX_EXPANSION * self.file_bytes)
        self.n_bytes = 0  # of the arrays so far

    def add(self, n_bytes: int) -> None:
        """Add the bytes of an array that will be read, or refuse it."""
        self.n_bytes += n_bytes
        if self.n_bytes > self.max_bytes:
            raise DataError(
                code="cannot-read",
                message=(
                    f"the arrays of {self.label} take more than {self.max_bytes / 1e9:,.3g} GB and than "
                    f"{MAX_EXPANSION} times the file"
                ),
                advice="store fewer values, or compress them less",
            )


@dataclass(frozen=True)
class StoredArray:
    """An array of an open file, of numbers or of text."""

    dataset: Any  # h5py.Dataset
    limit: ContentLimit
    is_text: bool

    @classmethod
    def of_dataset(cls, dataset: Any, limit: ContentLimit) -> StoredArray:
        """The array that HDF5 has stored as ``dataset``, if all of it is in the file."""
        import h5py

        properties = dataset.id.get_create_plist()
        # The shape of a virtual array must not be asked for before this: HDF5 opens its files to find it.
        if properties.get_layout() == h5py.h5d.VIRTUAL or properties.get_external_count() > 0:
            raise _not_read(dataset, limit, "its values are in other files", "write it again with all values in it")
        filters = {properties.get_filter(number)[0] for number in range(properties.get_nfilters())}
        if not filters <= FILTERS:
            raise _not_read(dataset, limit, "it is packed by a filter of another program", "write it again with gzip")
        if dataset.shape is None:
            raise _not_read(dataset, limit, "it has no values", "write the file again")
        chunk_bytes = prod(dataset.chunks or ()) * dataset.dtype.itemsize
        if filters and chunk_bytes > CHUNK_CACHE_BYTES:
            advice = f"write it again with chunks of at most {CHUNK_CACHE_BYTES >> 20} MiB"
            raise _not_read(dataset, limit, f"it is packed in chunks of {chunk_bytes / 1e9:,.3g} GB", advice)
        is_text = h5py.check_string_dtype(dataset.dtype) is not None
        is_number = dataset.dtype.kind in NUMERIC_KINDS and dataset.dtype.itemsize <= MAX_NUMBER_BYTES
        if not is_text and not is_number:
            raise _not_read(dataset, limit, f"it holds values of type {dataset.dtype}", "store numbers or text")
        return cls(dataset, limit, is_text)

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(int(size) for size in self.dataset.shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of numbers in memory, in the byte order of this machine."""
        dtype: np.dtype[Any] = self.dataset.dtype.newbyteorder("=")
        return dtype

    @property
    def kind(self) -> str:
        """The kind of numpy's type: b, i, u or f of numbers, O or S of text."""
        return str(self.dataset.dtype.kind)

    @property
    def n_bytes(self) -> int:
        """The bytes that the values take in memory, without the letters of text of any length."""
        bytes_of_value = self.dataset.dtype.itemsize + (BYTES_OF_TEXT if self.is_text else 0)
        return prod(self.shape) * int(bytes_of_value)

    def read(self) -> Values:
        """All values: numbers, or text as objects."""
        self.limit.add(self.n_bytes)
        check_room(self.n_bytes, f"an array of {self.limit.label} takes", "give a smaller file")
        if self.kind == "O":
            return self._read_text_of_any_length()
        if self.is_text:
            return np.asarray(self.dataset.asstr()[()], object)
        return np.asarray(self.dataset[()], self.dtype)

    def part(self, start: int, stop: int) -> Values:
        """The numbers from ``start`` to before ``stop``; whoever reads in parts has added the bytes to the limit."""
        return np.asarray(self.dataset[start:stop], self.dtype)

    def find_chunks(self) -> None:
        """Let HDF5 walk over the whole index of the chunks, whose values are not read."""
        if self.dataset.chunks is not None:
            self.dataset.id.get_num_chunks()

    def _read_text_of_any_length(self) -> Values:
        """Read the text in batches, as many values may be one long text that is stored once."""
        if len(self.shape) != 1:
            raise _not_read(self.dataset, self.limit, "its text is no column", "write the file again")
        text_per_batch = max(16, TEXT_BYTES_AT_ONCE // self.limit.file_bytes)
        values = np.empty(self.shape, object)
        for start in range(0, len(values), text_per_batch):
            batch = self.dataset.asstr()[start : start + text_per_batch]
            self.limit.add(sum(map(len, batch)))
            values[start : start + text_per_batch] = batch
        return values


@dataclass(frozen=True)
class StoredGroup:
    """A group of an open file: arrays and groups by their names."""

    group: Any  # h5py.Group
    limit: ContentLimit

    def names(self) -> list[str]:
        """The names of the arrays and groups."""
        return [str(name) for name in self.group]

    def member(self, name: str) -> StoredArray | StoredGroup:
        """The array or group of this name; a path such as ``a/b`` leads through groups."""
        import h5py

        parent, _, last = name.rpartition("/")
        if parent:
            return self.subgroup(parent).member(last)
        link = self.group.get(name, getlink=True)
        if link is None:
            raise self._refused(f"{self._path(name)} is missing")
        if not isinstance(link, h5py.HardLink):
            raise self._refused(f"{self._path(name)} is a link to something else")
        stored = self.group[name]
        if isinstance(stored, h5py.Group):
            return StoredGroup(stored, self.limit)
        if isinstance(stored, h5py.Dataset):
            return StoredArray.of_dataset(stored, self.limit)
        raise self._refused(f"{self._path(name)} is no array and no group")

    def subgroup(self, name: str) -> StoredGroup:
        """The group of this name."""
        member = self.member(name)
        if not isinstance(member, StoredGroup):
            raise self._refused(f"{self._path(name)} is no group")
        return member

    def array(self, name: str) -> StoredArray:
        """The array of this name."""
        member = self.member(name)
        if not isinstance(member, StoredArray):
            raise self._refused(f"{self._path(name)} is no array")
        return member

    def text_attribute(self, name: str) -> str:
        """An attribute that is one text."""
        import h5py

        if name not in self.group.attrs:
            raise self._refused(f"{self._path(name)} is missing among its attributes")
        attribute = self.group.attrs.get_id(name)
        if attribute.shape != () or h5py.check_string_dtype(attribute.dtype) is None:
            raise self._refused(f"the attribute {self._path(name)} is no text")
        text = self.group.attrs[name]
        return text.decode() if isinstance(text, bytes) else str(text)

    def sizes_attribute(self, name: str) -> tuple[int, int]:
        """An attribute that is two whole numbers."""
        if name not in self.group.attrs:
            raise self._refused(f"{self._path(name)} is missing among its attributes")
        attribute = self.group.attrs.get_id(name)
        if attribute.shape != (2,) or attribute.dtype.kind not in "iu":
            raise self._refused(f"the attribute {self._path(name)} is not two whole numbers")
        first, second = self.group.attrs[name]
        return int(first), int(second)

    def _path(self, name: str) -> str:
        return repr(f"{self.group.name.rstrip('/')}/{name}")

    def _refused(self, problem: str) -> DataError:
        return DataError(
            code="cannot-read",
            message=f"{self.limit.label} is broken: {problem}",
            advice="write the file again",
        )


def open_hdf5(path: Path, label: str) -> Any:
    """Open a file for reading, as a context manager."""
    try:
        import h5py
    except ImportError:
        raise DataError(
            code="package-missing",
            message=f"{label} is an HDF5 file, which is read by h5py",
            advice="pip install 'bitsieve[formats]'",
        ) from None
    return h5py.File(path, "r", rdcc_nbytes=CHUNK_CACHE_BYTES)


def _not_read(dataset: Any, limit: ContentLimit, problem: str, advice: str) -> DataError:
    return DataError(
        code="cannot-read",
        message=f"cannot read the array {dataset.name!r} of {limit.label}: {problem}",
        advice=advice,
    )
