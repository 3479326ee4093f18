"""Hashes of the text of categories, which sites exchange in place of the text. Equal text has equal hashes."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from bitsieve.diagnostics import UserError
from bitsieve.engines.counted_rules import with_categories
from bitsieve.engines.saved_counts import OTHER, SavedCounts, with_categories_and_labels
from bitsieve.io.errors import in_one_line
from bitsieve.utils.arrays import Values

MIN_BYTES = 16  # of a salt, so that nobody finds it by trying
_DIGITS = 32  # hexadecimal digits of a hash, 128 bits


@dataclass(frozen=True)
class Salt:
    """The secret of the sites, without which nobody can try which text has a given hash."""

    key: bytes = field(repr=False)

    @classmethod
    def from_file(cls, path: str) -> Salt:
        """Read a salt, without the blanks and line ends around it; a short one is refused."""
        with in_one_line(f"cannot read the salt {path!r}"):
            key = Path(path).read_bytes().strip()
        if len(key) < MIN_BYTES:
            raise UserError(
                code="parameter-not-allowed",
                message=f"the salt in {path!r} has {len(key)} bytes, and needs {MIN_BYTES} or more",
                advice="write a random one, as by 'openssl rand -hex 32'",
            )
        return cls(key)

    @property
    def fingerprint(self) -> str:
        """The same for the same salt; it does not show the salt."""
        return self._hash("bitsieve salt")

    def hashed(self, column: str, categories: Values) -> Values:
        """The hashes of the categories of a column, in their order; categories that are no text stay as they are.

        A hash is the HMAC-SHA-256 of the name of the column and the text, so that equal text in two columns differs.
        """
        if not len(categories) or not isinstance(categories[0], str):
            return categories
        hashes = [text if text == OTHER else self._hash(f"{column}\0{text}") for text in categories.tolist()]
        return np.array(hashes, object)

    def hashed_counts(self, counts: SavedCounts) -> SavedCounts:
        """Counts with hashes in place of the text of categories."""
        hashes = self._hashes_of_columns(counts)
        counts_in_order_of_text = replace(counts, binner=with_categories(counts.binner, hashes), salt=self.fingerprint)
        sorted_hashes = {j: np.sort(values) for j, values in hashes.items()}
        return with_categories_and_labels(counts_in_order_of_text, sorted_hashes, counts.target.labels)

    def _hashes_of_columns(self, counts: SavedCounts) -> Mapping[int, Values]:
        hashes = {}
        for j, categories in enumerate(counts.binner.categories_):
            if categories is not None and j not in counts.dropped and categories.dtype == object:
                hashes[j] = self.hashed(counts.names[j], categories)
        return hashes

    def _hash(self, text: str) -> str:
        return hmac.digest(self.key, text.encode(errors="surrogatepass"), "sha256").hex()[:_DIGITS]


def check_same_salt(fingerprint: str, salt: Salt | None, source: str) -> None:
    """Refuse hashed text without its salt, and a salt for text that is not hashed.

    ``fingerprint`` is that of the salt of the text, and empty for plain text; ``source`` names what has the text.
    """
    if salt is None and fingerprint:
        raise UserError(
            code="counts-differ",
            message=f"{source} have hashes in place of text",
            advice="add --salt-file with the salt of all sites",
        )
    if salt is not None and fingerprint != salt.fingerprint:
        salt_of_source = "by another salt" if fingerprint else "without a salt"
        raise UserError(
            code="counts-differ",
            message=f"{source} were written {salt_of_source}",
            advice="use the same --salt-file at all sites, or none",
        )
