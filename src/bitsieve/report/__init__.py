"""Figures and self-contained HTML reports. matplotlib is imported inside the functions that draw."""
