"""What bins of one column are worth, by one formula for all programs. It needs numpy alone."""

from __future__ import annotations

import numpy as np

MAX_BINS = 10
MIN_SHARE = 0.05


def bins_between(values, is_event, cuts):
    """The rows of each bin with the event, and without it; a value on a cut belongs to the bin above it."""
    bins = np.searchsorted(np.sort(np.asarray(cuts, float)), values, side="right")
    rows = np.bincount(bins, minlength=len(cuts) + 1)
    events = np.bincount(bins, weights=is_event, minlength=len(cuts) + 1)
    return events, rows - events


def worth(events, nonevents):
    """The information value in nats, the number of bins, and whether all bounds are kept.

    The bounds are at most 10 bins of at least 5 % of the rows, each with rows of both classes, and rates that only rise
    or only fall. A bin with an empty cell gets one more row of the overall rate.
    """
    events = np.asarray(events, float)
    nonevents = np.asarray(nonevents, float)
    is_filled = events + nonevents > 0
    events, nonevents = events[is_filled], nonevents[is_filled]
    n_events, n_nonevents = events.sum(), nonevents.sum()
    rate = n_events / (n_events + n_nonevents)
    has_empty_cell = (events == 0) | (nonevents == 0)
    odds = (events + has_empty_cell * rate) / (nonevents + has_empty_cell * (1 - rate))
    weight_of_evidence = np.log(odds * n_nonevents / n_events)
    information_value = ((events / n_events - nonevents / n_nonevents) * weight_of_evidence).sum()
    steps = np.diff(events / (events + nonevents))
    shares = (events + nonevents) / (n_events + n_nonevents)
    is_monotone = (steps >= 0).all() or (steps <= 0).all()
    keeps_sizes = len(events) <= MAX_BINS and shares.min() >= MIN_SHARE - 1e-9 and not has_empty_cell.any()
    return {
        "information_value": float(information_value),
        "bins": len(events),
        "keeps_bounds": bool(is_monotone and keeps_sizes),
    }
