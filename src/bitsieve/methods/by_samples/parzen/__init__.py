"""Entropy and mutual information of numeric columns by Gaussian Parzen windows with full covariance."""
