"""Texts that are nearly the same."""

from __future__ import annotations

from collections.abc import Iterable


def alike_but_for_case_and_blanks(texts: Iterable[str]) -> list[list[str]]:
    """The groups of texts that differ in upper and lower case or in blanks only."""
    texts_by_letters: dict[str, list[str]] = {}
    for text in texts:
        texts_by_letters.setdefault("".join(text.split()).casefold(), []).append(text)
    return [group for group in texts_by_letters.values() if len(group) > 1]
