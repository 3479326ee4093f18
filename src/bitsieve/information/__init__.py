"""Bits from tables: entropies and the mutual informations of pairs of features, exact to the last place."""

from bitsieve.information.pairwise import PairTerms, PairwiseInformation

__all__ = ["PairTerms", "PairwiseInformation"]
