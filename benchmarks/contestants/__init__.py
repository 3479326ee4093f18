"""Contestants: functions that take the arrays of a job and return the function to be timed.

That function takes the options of a run and returns its details (what it selected, times of its parts) or None. A
detail `seconds` stands in place of the measured time. `ours` is bitsieve, `by_hand` what one writes in numpy, `others`
the programs of others; PACKAGES of a module names the packages behind a contestant, for their versions.
"""
