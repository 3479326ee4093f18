"""Methods that consume integer tables only: the greedy criteria, their one loop, global objectives."""
