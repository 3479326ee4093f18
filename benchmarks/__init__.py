"""Benchmarks of bitsieve: claims as data, run side by side with what users have today."""
