"""A scorecard as text: a table of the bins of each column, and lines about the columns and the scale."""

from __future__ import annotations

from bitsieve.scorecards.card import Card, CardColumn
from bitsieve.utils.terminal_text import aligned, number

HEADER = ("bin", "rows", "share", "events", "event rate", "WOE", "IV", "points")


def card_summary(card: Card, target: str) -> str:
    """The rows, the event and the scale, in one line."""
    points = card.points
    totals = card.totals
    more_points = "fewer" if points.direction == "score" else "more"
    line = (
        f"{totals.rows:,} rows, {totals.events:,} of them with {target} = {card.event}; "
        f"{points.base_score:g} points at odds of {points.base_odds:g} to 1, {points.pdo:g} points double them; "
        f"more points: {more_points} events"
    )
    if points.base_points:
        line += f"; every row begins with {card.intercept_points:g} points"
    if points.rounded:
        line += f"; rounding moves a score by at most {card.max_rounding_error:.2g}"
    return line


def column_rows(column: CardColumn) -> list[tuple[str, ...]]:
    """The bins of a column as text, below :data:`HEADER`."""
    bins = column.bins
    rows = bins.counts.rows
    events = bins.counts.events
    lines: list[tuple[str, ...]] = []
    for b, label in enumerate(bins.labels):
        lines.append(
            (
                label,
                f"{rows[b]:,}",
                f"{100 * rows[b] / bins.totals.rows:.1f} %",
                f"{events[b]:,}",
                f"{100 * events[b] / rows[b]:.1f} %",
                number(float(column.woe[b])),
                number(float(bins.iv_terms[b])),
                f"{column.points[b]:.6g}",
            )
        )
    return lines


def column_text(column: CardColumn) -> str:
    """The table of the bins of a column, and a line about all of them."""
    table = aligned(HEADER, column_rows(column), right=[name != "bin" for name in HEADER])
    return f"{column.name}\n{table}\n{column_summary(column)}"


def column_summary(column: CardColumn) -> str:
    """One line about all bins of a column: its information value and how sure it is."""
    bins = column.bins
    interval = bins.interval
    parts = [
        f"IV {number(bins.iv)}, corrected {number(bins.iv_corrected)} "
        f"(95 % {number(interval.low)} to {number(interval.high)}), p {column.p_value:.3g}",
        f"MI {number(bins.mutual_information)} bits",
    ]
    if bins.trend is not None:
        parts.append(bins.trend)
    division = bins.merged.division
    if division is not None and division.bound_gap is not None:
        best = "the best bins"
        if not bins.merged.has_every_cut:
            best = f"the best bins that {division.bin_ends[-1]:,} pre-bins can make"
        parts.append(f"at most {100 * division.bound_gap:.2f} % below {best} without bounds")
    parts.append("WOE ln(event/non-event)")
    return ", ".join(parts)
