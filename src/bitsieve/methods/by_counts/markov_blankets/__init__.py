"""Searches for the Markov blanket of a variable: the columns that matter given all others."""
