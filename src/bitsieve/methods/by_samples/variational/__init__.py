"""Lower bounds of information from the running likelihood of the samples."""
