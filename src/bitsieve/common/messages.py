"""Words for messages: every message is one line, names are quoted, and a wrong name gets its nearest right ones."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def one_line(text: object) -> str:
    """``text`` with every run of white space made one space, so that it fits a line."""
    return " ".join(str(text).split())


def quoted(names: Iterable[object], limit: int = 5) -> str:
    """``'a', 'b', 'c' and 7 more``: at most ``limit`` names, each quoted."""
    listed = [repr(str(name)) for name in names]
    if len(listed) <= limit:
        return ", ".join(listed)
    return f"{', '.join(listed[:limit])} and {len(listed) - limit:,} more"


def quoted_places(places: Sequence[int], names: Sequence[str], limit: int = 5) -> str:
    """The same of the names at some places, of which no more are looked up than are shown."""
    listed = ", ".join(repr(str(names[j])) for j in places[:limit])
    return listed if len(places) <= limit else f"{listed} and {len(places) - limit:,} more"


def nearest(name: str, allowed: Sequence[str], limit: int = 3) -> list[str]:
    """The names in ``allowed`` that ``name`` may be a slip of, best first (perhaps none)."""
    wanted = name.strip().casefold()
    # Long tables have 10^5 names; a slip changes the length by little, so only those are compared.
    near = [other for other in allowed if abs(len(other) - len(name)) <= 2 + len(name) // 4]
    folded = [other for other in allowed if other.strip().casefold() == wanted]
    close = difflib.get_close_matches(wanted, [other.casefold() for other in near[:5000]], n=limit, cutoff=0.6)
    by_fold: dict[str, str] = {}
    for other in near[:5000]:
        by_fold.setdefault(other.casefold(), other)
    ordered = folded + [by_fold[text] for text in close]
    return list(dict.fromkeys(ordered))[:limit]


def choices(name: str, allowed: Iterable[str], whole: str = "") -> str:
    """The end of a message about a wrong ``name``: the three nearest of ``allowed``, then all of them.

    ``whole`` says where they are listed, if they are too many for a line that names the nearest already.
    """
    known = list(allowed)
    near = difflib.get_close_matches(name, known, 3, 0.4)
    rest = whole if near and whole else f"choose one of {', '.join(known)}"
    return f"did you mean {' or '.join(near)}? {rest}" if near else rest


def allowed_names(name: str, allowed: Sequence[str]) -> str:
    """The end of a message about the wrong ``name``: the nearest names, else the first allowed ones."""
    close = nearest(name, allowed)
    if close:
        return f"did you mean {' or '.join(repr(other) for other in close)}?"
    return f"it is one of {quoted(allowed, limit=8)}"
