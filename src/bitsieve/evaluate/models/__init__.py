"""Classifiers and regressors that are asked for a prediction again and again while features are added."""
