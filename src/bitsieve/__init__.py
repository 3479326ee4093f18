"""bitsieve: feature selection by information."""
