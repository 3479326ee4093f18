"""Booleans in words, such as "yes", "Y" and "no"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import pyarrow as pa

from bitsieve.dataset.arrow import text_of, without_markers
from bitsieve.dataset.column_info import BOOLEANS_IN_WORDS
from bitsieve.dataset.counted_text import CountedText
from bitsieve.dataset.text_format import TextFormat

_MAX_WORDS = 100  # the largest number of distinct words among which booleans are sought
_MIN_SHARE = 0.95  # the share of the rows that must hold a boolean
_TRUE = frozenset(
    ["yes", "y", "true", "t", "on", "1", "ja", "j", "oui", "vrai", "si", "sí", "sim", "да", "wahr", "vero", "verdadero"]
)
_FALSE = frozenset(["no", "n", "false", "f", "off", "0", "nein", "non", "faux", "não", "nao", "нет", "falsch", "falso"])


@dataclass(frozen=True)
class Booleans(TextFormat):
    """Booleans in several spellings, such as "yes", "Y" and "no". Other words stay categories."""

    what: ClassVar[str] = BOOLEANS_IN_WORDS

    def read(self, text: pa.Array) -> pa.Array:
        """The text with every spelling of a boolean replaced by "yes" or "no"."""

        def replaced(word: str | None) -> str | None:
            return None if word is None else yes_or_no(word) or word

        return text_of([replaced(word) for word in without_markers(text).to_pylist()])

    @classmethod
    def guess(cls, text: CountedText) -> Booleans | None:
        """Booleans, if nearly all words are spellings of yes and no, and there are more than two spellings.

        Returns None otherwise: two words are good categories as they are.
        """
        if len(text) > _MAX_WORDS:
            return None
        words = text.values.to_pylist()
        booleans = [yes_or_no(word) for word in words]
        n_yes = booleans.count("yes")
        n_no = booleans.count("no")
        if not n_yes or not n_no or n_yes + n_no == 2:
            return None
        spellings = [word for word, boolean in zip(words, booleans, strict=True) if boolean is not None]
        if all(spelling.strip().isdigit() for spelling in spellings):
            return None  # 0 and 1 alone are numbers
        n_rows = sum(int(n) for n, boolean in zip(text.counts, booleans, strict=True) if boolean is not None)
        return cls() if n_rows >= _MIN_SHARE * text.n_rows else None


def yes_or_no(word: str) -> str | None:
    """The word "yes" or "no" of which a word is a spelling; None for other words."""
    plain = word.strip().casefold()
    if plain in _TRUE:
        return "yes"
    if plain in _FALSE:
        return "no"
    return None
