"""Readers and writers: text, Parquet and Arrow, npz."""
