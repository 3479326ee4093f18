"""Stop by knockoffs: columns drawn like the others, but without a relation to the class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bitsieve.information.protocol import Information
from bitsieve.methods.by_counts.dependent.forest import Forest, spanning_forest
from bitsieve.methods.by_counts.dependent.knockoffs import knockoff_wins
from bitsieve.methods.by_counts.stopping.knockoff_filter import KnockoffFilter
from bitsieve.methods.by_counts.stopping.tree import TreeStopping
from bitsieve.methods.method import CONDITIONED, INDEPENDENT, ROWS, UNSTRATIFIED
from bitsieve.utils.arrays import Columns, Floats
from bitsieve.utils.docstrings import cites


@cites("Sesia, Sabatti, Candès 2019", "Bates, Candès, Janson, Wang 2021", "Ren, Barber 2024")
@dataclass(frozen=True)
class KnockoffStopping(KnockoffFilter, TreeStopping):
    r"""Take the columns that beat knockoffs of themselves: those on which the class depends given all others.

    Knockoffs are drawn from the tree of :func:`bitsieve.chow_liu_tree`, the class is fitted by columns and knockoffs
    together, and ``W_j`` is the gain of a column less that of its knockoff. The k columns of the largest mean over
    draws of ``e_j = n [W_j >= T] / (1 + #{W <= -T})`` are taken, for the largest k of which all reach
    ``n / (k level)``; T is the least with ``(1 + #{W <= -T}) / #{W >= T}`` at most 0.8 level (one draw: level).

    Parameters
    ----------
    level : float, default=0.1
        Of the false discovery rate. The list has at least 1 / level columns, or none (several draws: 1.25 / level).
    n_draws : int, default=1
        One is the knockoff+ filter. The list of several draws has the columns that nearly all of them select: it is
        shorter, and empty where columns are hard to find.
    random_state : int, default=0
        Same seed, same knockoffs, for any number of threads.

    Notes
    -----
    Exact where the columns are known to be a tree with known tables; here it is learned on the same rows, with half a
    sample added to every cell. Needs the rows in memory, and bins made without a look at the class. Cost: all pairs of
    columns, then O(n d codes^2) a draw.

    Examples
    --------
    >>> from bitsieve import ForwardSelector, KnockoffStopping
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> rule = KnockoffStopping()
    >>> fitted = ForwardSelector("auto", criterion="mim", stopping=rule, binning="quantile").fit(X, y)
    >>> len(fitted.selected_), bool((fitted.stopping_values_ <= 0.1).all())
    (55, True)
    """

    name: ClassVar[str] = "knockoffs"
    required_capabilities: ClassVar[frozenset[str]] = CONDITIONED | ROWS | INDEPENDENT | UNSTRATIFIED

    def rates(self, information: Information, columns: Columns) -> tuple[Forest, Floats, Columns]:
        """``n / (k e)`` of the k-th largest e-value e, at most 1."""
        forest = spanning_forest(information, columns)
        wins = knockoff_wins(information.source, forest, columns, self.n_draws, self.random_state)
        untested = columns[:0]
        return forest, self.rates_of_wins(wins), untested
