"""One call from a table to a ranked, explained selection; the information functions."""
