"""A vector and a matrix in, weights out. Knows nothing of features or information."""
