"""Protocols of a file at an address, on any server or store."""

from __future__ import annotations

from typing import Protocol

from bitsieve.io.errors import DataError


class RemoteStream(Protocol):
    """A file at an address that is being read."""

    def read1(self, n_bytes: int, /) -> bytes:
        """Read what is there, at most ``n_bytes``; nothing at the end."""

    def close(self) -> None:
        """Close the connection."""


class RemoteFile(Protocol):
    """A file at an address."""

    def open(self) -> RemoteStream:
        """Open the file."""

    def check(self, n_bytes: int, where: str) -> None:
        """Refuse a copy of ``n_bytes`` that is not the file as it was listed."""


def check_size_of_copy(n_bytes: int, n_promised: int, where: str) -> None:
    """Refuse a copy that is shorter or longer than was promised."""
    if n_bytes != n_promised:
        raise DataError(
            code="incomplete-download",
            message=f"{where!r} was cut short: {n_bytes:,} of {n_promised:,} bytes came",
            advice="run again",
        )
