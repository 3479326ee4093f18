"""Does the selection help? Cross-validated error curves, paired tests, redundancy, separability, stability."""
