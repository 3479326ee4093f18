"""The way from data to a selection: read, prepare, discretize, run."""
