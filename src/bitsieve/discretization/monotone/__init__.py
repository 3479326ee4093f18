"""Bins of a column whose event rates follow a trend, and what they say about the event."""
