"""Missing and infinite values: which columns have them, and the line that says what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bitsieve.common.errors import Sentence, Setting
from bitsieve.table.extents import INFINITE, MISSING

if TYPE_CHECKING:
    from bitsieve.table.extents import Extents
    from bitsieve.table.named import NamedColumns

IN_A_BIN = Sentence("set ", Setting("missing", "bin"), " to give them a code of their own, or impute them first")


def check_values(
    table: NamedColumns,
    *,
    allow_missing: bool,
    instead: str = IN_A_BIN,
    n_jobs: int | None = None,
    whole: bool = False,
) -> Extents:
    """Refuse infinite values, and missing ones unless they are allowed; ``instead`` says what to do about those.

    Returns
    -------
    Extents
        What the columns hold; whether they hold fractions is looked for only if ``whole``.

    Raises
    ------
    ValueError
        One line with the names of up to five columns, their number, and what to do.
    """
    extents = table.extents(n_jobs, whole)
    infinite, missing = extents.which(INFINITE), extents.which(MISSING)
    if infinite:
        raise ValueError(
            f"{columns_hold(len(infinite))} infinite values (inf): {table.quoted(infinite)}; "
            "replace infinity by a finite number, or drop the rows"
        )
    if missing and not allow_missing:
        what = f"{columns_hold(len(missing))} missing values (NaN): {table.quoted(missing)}; "
        raise ValueError(Sentence(what, instead))
    return extents


def columns_hold(count: int) -> str:
    """The beginning of a message about so many columns."""
    return "1 column holds" if count == 1 else f"{count:,} columns hold"
