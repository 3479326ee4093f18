"""Where tables come from: memory, files."""
