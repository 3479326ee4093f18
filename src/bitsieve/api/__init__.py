"""The public functions: each builds options, walks the pipeline and returns a result."""
