"""Points: the scale on which the log-odds of a scorecard are written."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from bitsieve.utils.arrays import Floats
from bitsieve.utils.parameters import check_above_zero, check_choice, check_flag, check_number

Direction = Literal["score", "risk"]
DIRECTIONS: tuple[Direction, ...] = ("score", "risk")


@dataclass(frozen=True, kw_only=True)
class Points:
    """The scale of a scorecard.

    A row with the log-odds z of the event has the score ::

        base_score - factor (ln(base_odds) + z),   factor = pdo / ln 2

    Parameters
    ----------
    pdo : float, default=20
        The points that double the odds.
    base_score : float, default=600
        The score of a row with the odds ``base_odds``.
    base_odds : float, default=50
        Rows without the event for each row with it.
    direction : {"score", "risk"}, default="score"
        Whether more points mean fewer events, or more.
    base_points : bool, default=False
        Whether the intercept has points of its own, or is shared by the columns.
    rounded : bool, default=True
        Whether the points of a bin are a whole number.

    Raises
    ------
    ValueError
        If a parameter is not allowed.

    Examples
    --------
    >>> import numpy as np
    >>> from bitsieve import Points
    >>> Points(pdo=50, base_score=500, base_odds=20).score_of(np.log([1 / 20, 1 / 40])).round(6).tolist()
    [500.0, 550.0]
    """

    pdo: float = 20
    base_score: float = 600
    base_odds: float = 50
    direction: Direction = "score"
    base_points: bool = False
    rounded: bool = True

    def __post_init__(self) -> None:
        check_above_zero("pdo", self.pdo)
        check_number("base_score", self.base_score, low=-1e9, high=1e9)
        check_above_zero("base_odds", self.base_odds)
        check_choice("direction", self.direction, DIRECTIONS)
        check_flag("base_points", self.base_points)
        check_flag("rounded", self.rounded)

    @property
    def factor(self) -> float:
        """The points of a unit of log-odds; negative where more points mean more events."""
        factor = self.pdo / math.log(2)
        return factor if self.direction == "score" else -factor

    def score_of(self, log_odds: Floats) -> Floats:
        """The exact score of rows with these log-odds of the event.

        Parameters
        ----------
        log_odds : ndarray of float64, shape (n_samples,)

        Returns
        -------
        ndarray of float64, shape (n_samples,)
        """
        return self.base_score - self.factor * (math.log(self.base_odds) + log_odds)
