"""Seeded generators of the papers' synthetic data, one a file."""
