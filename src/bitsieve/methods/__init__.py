"""Methods as functions: counts or samples and parameters in, what was found out."""
