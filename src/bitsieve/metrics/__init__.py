"""Losses of predictions, and measures of selections."""
