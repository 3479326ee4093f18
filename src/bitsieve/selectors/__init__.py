"""Public scikit-learn transformers, their registry, and the one-call selection."""
