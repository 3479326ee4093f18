"""Methods that need the rows themselves: neighbours and correlations."""
