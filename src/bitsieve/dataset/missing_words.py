"""Words that mean a missing value among numbers or times."""

from __future__ import annotations

import pyarrow as pa

from bitsieve.dataset.arrow import flags, text_of
from bitsieve.utils.arrays import Flags

#: In lower case.
_MISSING_WORDS = text_of(
    [
        *("-", "--", "---", "–", "—", ".", "..", "...", "*", "**", "n.a.", "n.a", "na.", "n/d", "nd", "n/k", "none"),
        *("nil", "missing", "unknown", "unk", "undefined", "not available", "not applicable", "no data", "tbd", "tba"),
        *("#value!", "#div/0!", "#ref!", "#name?", "#num!", "k.a.", "k. a.", "n. a.", "null", "nan", "na", "n/a"),
    ]
)


def means_missing(text: pa.Array) -> Flags:
    """Which text is a word that means a missing value, in any case and with spaces around it."""
    import pyarrow.compute as pc

    words = pc.utf8_lower(pc.utf8_trim_whitespace(text))
    return flags(pc.is_in(words, _MISSING_WORDS))
