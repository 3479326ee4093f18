"""Scorecards: bins with a trend of the event rate, weight of evidence and information value."""
