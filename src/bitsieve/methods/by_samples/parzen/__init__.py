"""Entropy and information of numeric columns by Gaussian kernel densities (Parzen windows), in bits."""
