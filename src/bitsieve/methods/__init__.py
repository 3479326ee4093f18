"""Methods as functions: counts, or rows, and plain parameters in; what was found out."""
