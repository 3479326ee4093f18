"""Methods that take one matrix of all pairs of features."""
