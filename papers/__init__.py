"""Tables and figures of papers computed anew, and the data they need; for a checkout, not installed."""
