"""A selection as one file: what it holds, how it is written and read, and how new data is read by it."""
