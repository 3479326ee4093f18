"""Errors of predictions, measures of selections, and the choice of a method by cross-validated errors."""
