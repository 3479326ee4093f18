"""Benchmarks of bitsieve: one script per claim, run side by side with what users have today."""
