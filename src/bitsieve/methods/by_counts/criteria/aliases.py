"""Criteria that are another one under a second name: of another paper, or in another notation."""

from __future__ import annotations

from typing import NamedTuple


class Alias(NamedTuple):
    """A second name of a criterion.

    ``same_as``: the name of the criterion that it is, parameters and all. ``title``, ``formula``, ``paper``: its own.
    ``why``: why the two are one, value for value.
    """

    same_as: str
    title: str
    formula: str
    paper: str
    why: str


ALIASES: dict[str, Alias] = {
    "maxrel": Alias(
        "mim",
        "Maximum relevance",
        "I(Xi;C)",
        "Peng, Long, Ding 2005",
        "the same formula",
    ),
    "mifs-u": Alias(
        "mifsu",
        "Mutual information feature selection under uniform information",
        "I(Xi;C) - beta sum_s [I(Xs;C)/H(Xs)] I(Xi;Xs)",
        "Kwak, Choi 2002",
        "the spelling of the paper",
    ),
    "mid": Alias(
        "mrmr",
        "Mutual information difference",
        "I(Xi;C) - mean_s I(Xi;Xs)",
        "Ding, Peng 2003",
        "the same formula",
    ),
    "avgcmim": Alias(
        "emrmr",
        "Average conditional mutual information maximisation",
        "mean_s I(Xi;C|Xs)",
        "Herman, Zhang, Wang, Ye, Chen 2013",
        "I(Xi;C|Xs) = I(Xi;C) - I(Xi;Xs) + I(Xi;Xs|C)",
    ),
    "igfs": Alias(
        "emrmr",
        "Interaction gain feature selection",
        "I(Xi;C) + mean_s [I(Xi,Xs;C) - I(Xi;C) - I(Xs;C)]",
        "El Akadi, El Ouardighi, Aboutajdine 2008",
        "I(Xi,Xs;C) - I(Xi;C) - I(Xs;C) = I(Xi;Xs|C) - I(Xi;Xs)",
    ),
    "soa": Alias(
        "cife",
        "Second-order approximation",
        "I(Xi;C) - sum_s I(Xi;Xs) + sum_s I(Xi;Xs|C)",
        "Guo, Nixon 2009",
        "the same sum in two parts",
    ),
    "if": Alias(
        "cmim",
        "Informative fragments",
        "min_s [I(Xi,Xs;C) - I(Xs;C)]",
        "Vidal-Naquet, Ullman 2003",
        "I(Xi,Xs;C) - I(Xs;C) = I(Xi;C|Xs)",
    ),
    "nmifs": Alias(
        "amifs",
        "Normalised mutual information feature selection",
        "I(Xi;C) - mean_s I(Xi;Xs) / min(H(Xi), H(Xs))",
        "Estevez, Tesmer, Perez, Zurada 2009",
        "the same formula",
    ),
}
