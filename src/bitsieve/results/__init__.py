"""What a user holds after a call: a selection, a comparison, how many columns to take, interactions."""
