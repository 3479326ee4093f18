r"""Miller and Madow's correction of the entropy, as a price of every cell that is not empty.

``H_mm = H + (K - 1) / (2 N ln 2)`` bits, K the number of non-empty cells of the table. With the terms
``T_mm[c] = T[c] - e`` for c > 0, ``T_mm[0] = 0`` and ``e = 2**shift / (2 ln 2)``, a sum over a table is ``S - K e``, so

    ``(T_mm[N] - S_mm) / B = (T[N] - S + (K - 1) e) / B = H_mm``

and every formula of :mod:`bitsieve.information.plug_in` holds as it stands, at no more cost and with the same
exactness: integers, one rounding of half a last place a cell.

G. A. Miller, "Note on the bias of information estimates", in: Information Theory in Psychology, 1955, pp. 95-100.
"""

from __future__ import annotations

from functools import lru_cache
from math import ldexp
from typing import ClassVar

from bitsieve.counts.terms import Terms, entropy_terms
from bitsieve.information.plug_in import SumInformation

BITS_PER_CELL = 0.7213475204444817  # 1 / (2 ln 2), times N


class MillerMadowInformation(SumInformation):
    """Information quantities of corrected entropies, in bits; any of them but an entropy may be negative."""

    estimator: ClassVar[str] = "miller-madow"

    @staticmethod
    def terms_of(n_samples: int) -> Terms:
        return miller_madow_terms(n_samples)


@lru_cache(maxsize=8)
def miller_madow_terms(n_samples: int) -> Terms:
    """The terms of ``n_samples`` with the price of a non-empty cell taken off."""
    plain = entropy_terms(n_samples)
    table = plain.table.copy()
    table[1:] -= round(ldexp(BITS_PER_CELL, plain.shift))
    table.flags.writeable = False
    return Terms(n_samples, plain.shift, table)
