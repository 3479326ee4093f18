"""Contestants: a module each, with `prepare(**arrays)` that returns the function to be timed.

That function takes the options of a run and returns its details (what it selected, times of its parts) or
None.
"""
