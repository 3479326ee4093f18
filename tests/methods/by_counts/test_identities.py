"""Identities between the criteria, for every candidate beside a set S, and the orders that follow from them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitsieve.methods.by_counts.criteria import ALIASES, make_criterion
from bitsieve.methods.by_counts.forward import forward_select

# Sums over at most a dozen chosen features of numbers below 4 bits, each side rounded in its own order.
SUMS = 1e-13

tables = {
    "n_samples": st.integers(1, 80),
    "n_features": st.integers(2, 9),
    "n_codes": st.integers(1, 4),
    "n_classes": st.integers(1, 3),
    "seed": st.integers(0, 2**32 - 1),
}


class Conditional:
    """Scores of all candidates given S, the first ``size`` features, and the terms of which they are made."""

    def __init__(self, information_of, codes, classes, size):
        self.information = information_of(codes, classes)
        self.size = min(size, self.information.n_features)
        self.terms = [self.information.pair(s) for s in range(self.size)]
        self.rel = self.information.relevance
        self.rel_s = self.rel[: self.size, None]

    def all(self, term):
        """A term of every chosen feature (down) with every candidate (across)."""
        return np.array([getattr(terms, term) for terms in self.terms])

    def scores(self, name, **parameters):
        criterion = make_criterion(name, **parameters)
        folded = criterion.empty_fold(self.information.n_features)
        for terms in self.terms:
            folded = criterion.fold(folded, terms)
        return criterion.score(folded, self.rel, self.size)


def close(left, right):
    return np.abs(left - right).max() <= SUMS


@settings(deadline=None, max_examples=100)
@given(size=st.integers(1, 6), **tables)
def test_class_conditional_family(information_of, make_table, size, n_samples, n_features, **table):
    b = Conditional(information_of, *make_table(n_samples, n_features, **table), size)
    red, redc = b.all("redundancy"), b.all("conditional_redundancy")
    relg, joint = b.all("conditional_relevance"), b.all("joint_relevance")
    emrmr, jmi, cife = b.scores("emrmr"), b.scores("jmi"), b.scores("cife")

    # Theorem 1, the decomposition and the chain rule of Vinh et al. 2014 (eq. 14, 15, 16).
    assert close(relg.sum(axis=0), b.size * emrmr)
    assert close(relg, b.rel - red + redc)
    assert close(joint.sum(axis=0), b.rel_s.sum() + b.size * b.rel - (red - redc).sum(axis=0))

    assert close(emrmr, b.rel - (red - redc).mean(axis=0))
    assert close(jmi, b.size * emrmr + b.rel_s.sum())
    assert close(cife, (1 - b.size) * b.rel + relg.sum(axis=0))
    assert close(cife, b.rel + b.size * (emrmr - b.rel))
    assert (b.scores("icap") <= np.minimum(b.rel, cife) + SUMS).all()


@settings(deadline=None, max_examples=100)
@given(size=st.integers(1, 6), **tables)
def test_minima(information_of, make_table, size, n_samples, n_features, **table):
    b = Conditional(information_of, *make_table(n_samples, n_features, **table), size)
    interactions = b.all("redundancy") - b.all("conditional_redundancy")
    assert close(b.scores("cmim"), b.rel - interactions.max(axis=0))
    assert (b.scores("cmim_fleuret") == np.minimum(b.rel, b.scores("cmim"))).all()
    assert close(b.scores("jmim"), (b.rel_s + b.all("conditional_relevance")).min(axis=0))
    # A minimum is at most the mean of the two smallest, and that at most the mean; of one or two values it is the mean.
    assert (b.scores("cmim") <= b.scores("cmim2")).all()
    assert (b.scores("cmim2") <= b.scores("emrmr") + SUMS).all()
    if b.size <= 2:
        assert close(b.scores("cmim2"), b.scores("emrmr"))
    # A minimum is at most the mean.
    assert (b.scores("cmim") <= b.scores("emrmr") + SUMS).all()
    assert (b.scores("jmim") <= b.scores("jmi") / b.size + SUMS).all()
    assert (b.scores("njmim") <= b.scores("disr") / b.size + SUMS).all()
    # What a pair tells about the class is at most all that the three hold.
    assert (b.scores("njmim") <= 1 + SUMS).all()
    assert (b.scores("jmim") <= b.information.class_entropy + SUMS).all()


@pytest.mark.parametrize("estimator", ["plug-in", "corrected", "miller-madow", "shrinkage"])
def test_mean_of_the_two_smallest_by_every_estimator(information_of, make_table, estimator):
    """The order of the chosen features does not matter, nor does it matter whether two of them are equal."""
    codes, classes = make_table(60, 8, n_codes=3, n_classes=3, seed=4)
    codes[:, 1] = codes[:, 0]
    information = information_of(codes, classes, estimator=estimator)
    criterion = make_criterion("cmim2")
    for chosen in ([0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 0, 4, 1, 3]):
        folded = criterion.empty_fold(8)
        for feature in chosen:
            folded = criterion.fold(folded, information.pair(feature))
        rows = np.sort([information.pair(feature).conditional_relevance for feature in chosen], axis=0)
        assert (criterion.score(folded, information.relevance, 5) == (rows[0] + rows[1]) / 2).all()


@settings(deadline=None, max_examples=100)
@given(size=st.integers(1, 6), **tables)
def test_linear_family(information_of, make_table, size, n_samples, n_features, **table):
    b = Conditional(information_of, *make_table(n_samples, n_features, **table), size)
    for weights, name in {(0, 0): "mim", (1, 0): "mifs", (0, 1): "condred", (1, 1): "cife"}.items():
        beta, gamma = weights
        assert close(b.scores("betagamma", beta=beta, gamma=gamma), b.scores(name))
    share = 1 / b.size
    assert close(b.scores("betagamma", beta=share, gamma=share), b.scores("emrmr"))
    assert close(b.scores("mifs", beta=share), b.scores("mrmr"))
    assert close(b.scores("mrmr"), b.rel + b.scores("minred"))
    assert close(b.scores("mifsu", beta=0), b.rel)


@settings(deadline=None, max_examples=100)
@given(size=st.integers(1, 6), **tables)
def test_second_names_by_the_formulas_of_their_papers(information_of, make_table, size, n_samples, n_features, **table):
    b = Conditional(information_of, *make_table(n_samples, n_features, **table), size)
    joint = b.all("joint_relevance")
    assert close(b.scores("avgcmim"), b.all("conditional_relevance").mean(axis=0))
    assert close(b.scores("igfs"), b.rel + (joint - b.rel - b.rel_s).mean(axis=0))
    assert close(b.scores("soa"), b.scores("mifs") + b.all("conditional_redundancy").sum(axis=0))
    assert close(b.scores("if"), (joint - b.rel_s).min(axis=0))


@settings(deadline=None, max_examples=50)
@given(**tables)
def test_where_the_class_determines_s_mifsu_is_mifs(information_of, make_table, n_samples, n_features, **table):
    """I(Xs;C) = H(Xs) then, so every weight is 1."""
    codes, classes = make_table(n_samples, n_features, **table)
    codes[:, 0] = classes % 2
    b = Conditional(information_of, codes, classes, 1)
    assert close(b.scores("mifsu", beta=0.7), b.scores("mifs", beta=0.7))


@settings(deadline=None, max_examples=50)
@given(**tables)
def test_normalised_redundancy_of_a_duplicate_is_1(information_of, make_table, n_samples, n_features, **table):
    """As is that of a feature which the chosen one determines; a constant's is 0."""
    codes, classes = make_table(n_samples, n_features, **table)
    duplicate, coarser, constant = codes[:, :1] + 3, codes[:, :1] // 2, codes[:, :1] * 0
    b = Conditional(information_of, np.hstack([codes, duplicate, coarser, constant]), classes, 1)
    entropy, expected = b.information.entropy, b.rel.copy()
    expected[[n_features, n_features + 1]] -= entropy[[n_features, n_features + 1]] > 0
    for column in (n_features, n_features + 1, n_features + 2):
        assert abs(b.scores("amifs")[column] - expected[column]) <= SUMS


@settings(deadline=None, max_examples=20)
@given(**tables)
def test_merging_codes_loses_what_they_tell_apart(information_of, make_table, n_samples, n_features, **table):
    """I(X;C) - I(f(X);C) = I(X;C|f(X)) >= 0 and H(X) - H(f(X)) = H(X|f(X)); names of codes are no matter."""
    codes, classes = make_table(n_samples, n_features, **table)
    information = information_of(np.hstack([codes, codes // 2, (7 * codes + 3) % 29]), classes)
    rel, entropy = information.relevance.reshape(3, -1), information.entropy.reshape(3, -1)
    assert rel[2].tobytes() == rel[0].tobytes()
    assert entropy[2].tobytes() == entropy[0].tobytes()
    for column in range(n_features):
        terms = information.pair(n_features + column)
        lost = rel[0, column] - rel[1, column]
        assert abs(terms.conditional_relevance[column] - lost) <= SUMS
        assert lost >= -SUMS
        assert abs(terms.redundancy[column] - entropy[1, column]) <= SUMS  # X determines f(X)


@settings(deadline=None, max_examples=20)
@given(**tables)
def test_the_chain_rule_in_any_order(information_of, make_table, n_samples, n_features, **table):
    """Scores of cmi add up to I(S;C), which is what one column of the joint values of S tells; no order changes it."""
    codes, classes = make_table(n_samples, n_features, **table)
    joint = np.unique(codes, axis=0, return_inverse=True)[1].reshape(-1)
    whole = information_of(joint[:, None], classes).relevance[0]
    for order in (np.arange(n_features), np.arange(n_features)[::-1]):
        found = forward_select(information_of(codes[:, order], classes), make_criterion("cmi"), n_features)
        assert sorted(found.order.tolist()) == list(range(n_features))
        assert abs(found.scores.sum() - whole) <= SUMS


@pytest.mark.parametrize("seed", range(10))
def test_one_order(information_of, make_table, seed):
    """jmi, emrmr, avgcmim and igfs choose alike; so do a criterion and its second names, bit for bit."""
    information = information_of(*make_table(100, 15, n_codes=4, n_classes=3, seed=seed))

    def chosen(name):
        return forward_select(information, make_criterion(name), 12)

    joint = chosen("jmi")
    for name in ("emrmr", "avgcmim", "igfs"):
        assert chosen(name).order.tolist() == joint.order.tolist()
    for name, alias in ALIASES.items():
        assert chosen(name).order.tolist() == chosen(alias.same_as).order.tolist()
        assert chosen(name).scores.tobytes() == chosen(alias.same_as).scores.tobytes()


def test_the_definition_and_the_algorithm_of_cmim_differ_under_synergy(information_of):
    """``b`` tells nothing alone and all beside ``a``: 1 bit by the definition, 0 by the algorithm."""
    a, b = np.arange(8) & 1, np.arange(8) >> 1 & 1
    information = information_of(np.column_stack([a, b]), a ^ b)
    assert forward_select(information, make_criterion("cmim"), 2).scores.tolist() == [0, 1]
    assert forward_select(information, make_criterion("cmim_fleuret"), 2).scores.tolist() == [0, 0]
