"""Where tables come from: codes in memory, tables in files told by their content."""
