"""Forward selection: one loop, and the ways to keep its scores."""
