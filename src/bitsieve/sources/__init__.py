"""Where count tables come from: memory, and what does not fit there."""
