"""Figures of results, in the manner of displays in scikit-learn."""
