"""Criteria that condition on several features at once, against plain loops over the definition."""

from __future__ import annotations

from itertools import combinations

import hypothesis
import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st

from bitsieve.methods.by_counts.criteria.joint import CMI, CMIFS, JMI3
from bitsieve.methods.by_counts.criteria.linear import JMI
from bitsieve.methods.by_counts.criteria.minima import CMIM
from bitsieve.methods.by_counts.forward import forward_select

# A definition adds at most a hundred terms of at most one bit, each right to a few 1e-16.
DEFINITION = 1e-13


def joint_code(codes, columns):
    rows = codes[:, columns]
    return np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)


def check_against_definition(brute, information_of, codes, classes, criterion, score, k):
    """Every choice is the best by the definition, the lowest of those that tie, and has its score.

    ``score(column, chosen)``, with at least one chosen.
    """
    found = forward_select(information_of(codes, classes), criterion, k)
    chosen = found.order.tolist()
    assert len(set(chosen)) == k
    varies = [len(set(column.tolist())) > 1 for column in codes.T]
    for step in range(k):
        left = [i for i in range(codes.shape[1]) if i not in chosen[:step]]
        left = [i for i in left if varies[i]] or left
        scores = {i: score(i, chosen[:step]) if step else brute.mutual_information(codes[:, i], classes) for i in left}
        best = max(scores.values())
        assert abs(found.scores[step] - scores[chosen[step]]) <= DEFINITION
        # 2e-10: scores tie within 1e-10 of the best, and the definition rounds a little
        assert scores[chosen[step]] >= best - 2e-10
        clear = [i for i in left if scores[i] >= best - 5e-11]
        assert chosen[step] <= min(clear)


def given(brute, codes, classes, condition):
    """The information of a column about the class, conditional on some of the chosen ones."""
    return lambda i, chosen: brute.conditional_information(codes[:, i], classes, joint_code(codes, condition(chosen)))


def of_triples(brute, codes, classes):
    """praznik's JMI3: the sum over pairs of chosen columns; the second column is that of jmi."""

    def score(i, chosen):
        pairs = list(combinations(chosen, 2)) or [(chosen[0],)]
        return sum(brute.mutual_information(joint_code(codes, [i, *pair]), classes) for pair in pairs)

    return score


tables = st.tuples(st.integers(2, 60), st.integers(2, 4), st.integers(2, 3), st.integers(0, 9999))


@settings(deadline=None, max_examples=40)
@hypothesis.given(table=tables)
def test_cmi(information_of, brute, make_table, table):
    n_samples, n_codes, n_classes, seed = table
    codes, classes = make_table(n_samples, 6, n_codes=n_codes, n_classes=n_classes, seed=seed)
    by_all = given(brute, codes, classes, lambda chosen: chosen)
    check_against_definition(brute, information_of, codes, classes, CMI(), by_all, 6)


@settings(deadline=None, max_examples=40)
@hypothesis.given(table=tables)
def test_cmifs(information_of, brute, make_table, table):
    n_samples, n_codes, n_classes, seed = table
    codes, classes = make_table(n_samples, 6, n_codes=n_codes, n_classes=n_classes, seed=seed)
    by_two = given(brute, codes, classes, lambda chosen: [chosen[0], chosen[-1]])
    check_against_definition(brute, information_of, codes, classes, CMIFS(), by_two, 6)


@settings(deadline=None, max_examples=40)
@hypothesis.given(table=tables)
def test_jmi3(information_of, brute, make_table, table):
    n_samples, n_codes, n_classes, seed = table
    codes, classes = make_table(n_samples, 6, n_codes=n_codes, n_classes=n_classes, seed=seed)
    score = of_triples(brute, codes, classes)
    check_against_definition(brute, information_of, codes, classes, JMI3(), score, 6)


@pytest.mark.parametrize("estimator", ["plug-in", "corrected", "miller-madow"])
def test_the_first_two_choices_of_jmi3_are_those_of_jmi(information_of, make_table, estimator):
    information = information_of(*make_table(300, 10, n_codes=4, n_classes=3, seed=1), estimator=estimator)
    ours, theirs = (forward_select(information, criterion, 2) for criterion in (JMI3(), JMI()))
    assert ours.order.tolist() == theirs.order.tolist()
    np.testing.assert_allclose(ours.scores, theirs.scores, rtol=0, atol=1e-14)  # a sum of two against one rounding


def test_jmi3_takes_the_third_column_of_a_parity(information_of):
    """After two bits of a parity of three, jmi has no reason for the third, which determines the class with them."""
    random = np.random.default_rng(0)
    bits = random.integers(0, 2, (400, 6))
    classes = (bits[:, 0] + bits[:, 1] + bits[:, 2]) % 2
    information = information_of(bits.astype(np.uint8), classes)
    found = forward_select(information, JMI3(), 3, must_include=[0, 1])
    assert found.order.tolist() == [0, 1, 2]
    assert abs(found.scores[2] - information.class_entropy) <= DEFINITION


@pytest.mark.parametrize("seed", range(5))
def test_chain_rule(information_of, brute, make_table, seed):
    """The scores of cmi add up to what all chosen features tell together."""
    codes, classes = make_table(200, 8, n_codes=3, n_classes=3, seed=seed)
    found = forward_select(information_of(codes, classes), CMI(), 5)
    together = brute.mutual_information(joint_code(codes, found.order), classes)
    assert abs(found.scores.sum() - together) <= DEFINITION


@pytest.mark.parametrize("seed", range(5))
def test_the_second_choice_is_that_of_cmim(information_of, make_table, seed):
    """Beside one feature, all of S and the worst of S are the same."""
    information = information_of(*make_table(300, 10, n_codes=4, n_classes=3, seed=seed))
    second = [forward_select(information, criterion, 2) for criterion in (CMI(), CMIFS(), CMIM())]
    assert len({tuple(found.order.tolist()) for found in second}) == 1
    assert len({found.scores.tobytes() for found in second}) == 1


def test_three_way_exclusive_or(information_of):
    """No pair tells anything; the third of three columns tells the whole bit beside the other two."""
    bits = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)] * 3, np.uint8)
    found = forward_select(information_of(bits, bits.sum(axis=1) % 2), CMI(), 3)
    assert found.order.tolist() == [0, 1, 2]
    # a zero is one up to the rounding of the terms of 24 samples, 2**-57 bit each
    np.testing.assert_allclose(found.scores, [0.0, 0.0, 1.0], rtol=0, atol=1e-16)


def test_when_the_class_is_determined_all_that_is_left_scores_nothing(information_of):
    codes = np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 1, 1]] * 4, np.uint8)
    found = forward_select(information_of(codes, codes[:, 1]), CMI(), 3)
    assert found.order.tolist() == [1, 0, 2]
    assert found.scores.tolist() == [1.0, 0.0, 0.0]
