"""The methods that are classes of their own; the greedy criteria describe themselves."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from bitsieve.selectors.eqpfs import EQPFS
from bitsieve.selectors.fcbf import FCBF
from bitsieve.selectors.koller_sahami import KollerSahami
from bitsieve.selectors.method_info import MethodInfo
from bitsieve.selectors.qpfs import QPFS
from bitsieve.selectors.rcfs import RCFS
from bitsieve.selectors.relieff import ReliefF
from bitsieve.selectors.sdpcmi import SDPCMI
from bitsieve.selectors.speccmi import SpecCMI
from bitsieve.selectors.vmi import VMI

if TYPE_CHECKING:
    from collections.abc import Callable

CATALOGUE: tuple[tuple[MethodInfo, Callable[..., Any]], ...] = (
    (
        MethodInfo(
            "speccmi",
            "Spectral relaxation of global conditional mutual information",
            "max x'Qx, |x| = 1, Q_ij = [I(Xi;C|Xj) + I(Xj;C|Xi)] / 2",
            "Vinh, Chan, Romano, Bailey 2014",
            "all pairs of features within each class; n x n numbers",
            "SpecCMI",
        ),
        SpecCMI,
    ),
    (
        MethodInfo(
            "sdpcmi",
            "Semidefinite relaxation of global conditional mutual information",
            "max <Qa,Y>, diag Y = 1, sum_i Y_0i = 2k - n, Y psd; Qa = [[1'Q1, 1'Q], [Q1, Q]], Q_ii = I(Xi;C)",
            "Vinh, Chan, Romano, Bailey 2014",
            "all pairs of features within each class; n x n numbers",
            "SDPCMI",
        ),
        SDPCMI,
    ),
    (
        MethodInfo(
            "qpfs",
            "Quadratic programming: relevance against redundancy",
            "min (1-a)/2 x'Hx - a f'x on the simplex, f_i = I(Xi;C), H_ij = I(Xi;Xj), H_ii = H(Xi)",
            "Rodriguez-Lujan, Huerta, Elkan, Santa Cruz 2010",
            "all pairs of features; n x n numbers",
            "QPFS",
            "share",
        ),
        QPFS,
    ),
    (
        MethodInfo(
            "eqpfs",
            "Quadratic programming: relevance against total redundancy",
            "min (1-a)/2 x'Hx - a f'x on the simplex, f_i = I(Xi;C), H_ij = I(Xi;Xj) - beta I(Xi;Xj|C), H_ii = shift",
            "Vinh, Chan, Romano, Bailey 2014",
            "all pairs of features, alone and within each class; n x n numbers",
            "EQPFS",
            "share",
        ),
        EQPFS,
    ),
    (
        MethodInfo(
            "fcbf",
            "Fast correlation-based filter",
            "SU(Xi;C) of those no better p removes by SU(Xp;Xi) >= SU(Xi;C), SU(X;Y) = 2 I(X;Y) / [H(X) + H(Y)]",
            "Yu, Liu 2004",
            "each feature with the class, then each kept feature with those still in play",
            "FCBF",
            "ratio",
        ),
        FCBF,
    ),
    (
        MethodInfo(
            "koller-sahami",
            "Backward elimination by approximate Markov blankets",
            "drop the least I(Xi;C|M_i), M_i the K features j with the smallest I(Xi;C|Xj)",
            "Koller, Sahami 1996",
            "all pairs of features within each class, each feature within the strata of its blanket; n x n numbers",
            "KollerSahami",
        ),
        KollerSahami,
    ),
    (
        MethodInfo(
            "relieff",
            "Weights by what differs between near samples",
            "mean over samples of [mean diff to near samples of other classes - mean diff to near ones of its own]",
            "Robnik-Sikonja, Kononenko 2003",
            "the values themselves: distances of all pairs of samples",
            "ReliefF",
            "weight",
        ),
        ReliefF,
    ),
    (
        MethodInfo(
            "rcfs",
            "Class separability with one feature a cluster",
            "max [sum b_j] / [sum w_j] over sets with at most one feature of each correlation cluster",
            "Zhou, Wang, Shen 2010",
            "the values themselves: correlations of all pairs of features; n x n numbers",
            "RCFS",
            "ratio",
        ),
        RCFS,
    ),
    (
        MethodInfo(
            "vmi",
            "Variational information maximisation, naive",
            "I(XS,Xi;C) >= mean log2 q(xS,xi|c) / q(xS,xi), q(xi|xS,c) = p(xi|c)",
            "Gao, Ver Steeg, Galstyan 2016",
            "the rows: a likelihood a sample and class",
            "VMI",
        ),
        partial(VMI, decomposition="naive"),
    ),
    (
        MethodInfo(
            "vmi-pairwise",
            "Variational information maximisation, pairwise",
            "I(XS,Xi;C) >= mean log2 q(xS,xi|c) / q(xS,xi), q(xi|xS,c) = prod_s p(xi|xs,c)^(1/#S)",
            "Gao, Ver Steeg, Galstyan 2016",
            "the rows: a likelihood a sample and class",
            "VMI",
        ),
        partial(VMI, decomposition="pairwise"),
    ),
)
