"""Classifiers that are asked for a prediction again and again while features are added."""

from bitsieve.evaluate.classifiers.registry import CLASSIFIERS, make_classifier

__all__ = ["CLASSIFIERS", "make_classifier"]
