"""Methods that remove what other features make redundant."""
