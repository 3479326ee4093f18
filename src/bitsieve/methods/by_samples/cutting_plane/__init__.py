"""The group discovery machine: support features of a linear classifier and what is correlated with them."""
