"""Contingency tables of integers: the count source protocol, the reference, the native engine."""
