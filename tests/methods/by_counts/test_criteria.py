"""Every criterion against a loop written from its formula over information by its definition."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitsieve.methods.by_counts.criteria import ALIASES, CRITERIA, make_criterion
from bitsieve.methods.by_counts.criteria.linear import (
    AMIFS,
    CIFE,
    EMRMR,
    ICAP,
    JMI,
    MIFS,
    MIFSU,
    MIM,
    MRMR,
    BetaGamma,
    CondRed,
    MinRed,
)
from bitsieve.methods.by_counts.criteria.minima import CMIM, CMIM2, JMIM, CMIMFleuret
from bitsieve.methods.by_counts.criteria.quotients import DISR, MIQ, NJMIM
from bitsieve.methods.by_counts.forward import forward_select

TIE = 1e-10
NOTHING = 1e-12


class Definition:
    """All terms of a small table, from the definition."""

    def __init__(self, brute, codes, classes):
        columns = list(codes.T)
        self.n = len(columns)
        self.H = [brute.entropy(x) for x in columns]
        self.varies = [len(set(column.tolist())) > 1 for column in columns]
        self.rel = [brute.mutual_information(x, classes) for x in columns]
        self.red = [[brute.mutual_information(x, s) for s in columns] for x in columns]
        self.redc = [[brute.conditional_information(x, s, classes) for s in columns] for x in columns]
        self.relg = [[brute.conditional_information(x, classes, s) for s in columns] for x in columns]
        self.jrel = [[brute.joint_information(x, s, classes) for s in columns] for x in columns]
        self.H3 = [[brute.entropy(x, s, classes) for s in columns] for x in columns]


def quotient(d, i, chosen, eps):
    top = d.rel[i] if d.rel[i] > NOTHING else 0.0
    mean = sum(d.red[i][s] for s in chosen) / len(chosen)
    bottom = eps + (mean if mean > NOTHING else 0.0)
    if bottom == 0:
        return float("inf") if top > 0 else 0.0
    return top / bottom


def ratio(top, bottom):
    return top / bottom if bottom > NOTHING else 0.0


def mean(terms):
    terms = list(terms)
    return sum(terms) / len(terms)


def weighted_redundancy(d, i, chosen):
    return sum(ratio(d.rel[s], d.H[s]) * d.red[i][s] for s in chosen)


def normalised_redundancy(d, i, chosen):
    return mean(ratio(d.red[i][s], min(d.H[i], d.H[s])) for s in chosen)


FORMULAS = {
    MIM(): lambda d, i, chosen: d.rel[i],
    MIFS(): lambda d, i, chosen: d.rel[i] - sum(d.red[i][s] for s in chosen),
    MIFS(beta=0.3): lambda d, i, chosen: d.rel[i] - 0.3 * sum(d.red[i][s] for s in chosen),
    MIFS(beta=0): lambda d, i, chosen: d.rel[i],
    MRMR(): lambda d, i, chosen: d.rel[i] - sum(d.red[i][s] for s in chosen) / len(chosen),
    MIQ(): lambda d, i, chosen: quotient(d, i, chosen, 0.0),
    MIQ(eps=0.01): lambda d, i, chosen: quotient(d, i, chosen, 0.01),
    JMI(): lambda d, i, chosen: sum(d.jrel[i][s] for s in chosen),
    CIFE(): lambda d, i, chosen: d.rel[i] - sum(d.red[i][s] - d.redc[i][s] for s in chosen),
    CMIM(): lambda d, i, chosen: min(d.relg[i][s] for s in chosen),
    CMIM2(): lambda d, i, chosen: mean(sorted(d.relg[i][s] for s in chosen)[:2]),
    CMIMFleuret(): lambda d, i, chosen: min(d.rel[i], *(d.relg[i][s] for s in chosen)),
    MIFSU(): lambda d, i, chosen: d.rel[i] - weighted_redundancy(d, i, chosen),
    MIFSU(beta=0.3): lambda d, i, chosen: d.rel[i] - 0.3 * weighted_redundancy(d, i, chosen),
    MinRed(): lambda d, i, chosen: -mean(d.red[i][s] for s in chosen),
    EMRMR(): lambda d, i, chosen: d.rel[i] - mean(d.red[i][s] - d.redc[i][s] for s in chosen),
    ICAP(): lambda d, i, chosen: d.rel[i] - sum(max(0, d.red[i][s] - d.redc[i][s]) for s in chosen),
    CondRed(): lambda d, i, chosen: d.rel[i] + sum(d.redc[i][s] for s in chosen),
    BetaGamma(): lambda d, i, chosen: d.rel[i] - sum(d.red[i][s] for s in chosen) + sum(d.redc[i][s] for s in chosen),
    BetaGamma(beta=0.3, gamma=2): lambda d, i, chosen: (
        d.rel[i] - 0.3 * sum(d.red[i][s] for s in chosen) + 2 * sum(d.redc[i][s] for s in chosen)
    ),
    JMIM(): lambda d, i, chosen: min(d.jrel[i][s] for s in chosen),
    NJMIM(): lambda d, i, chosen: min(ratio(d.jrel[i][s], d.H3[i][s]) for s in chosen),
    DISR(): lambda d, i, chosen: sum(ratio(d.jrel[i][s], d.H3[i][s]) for s in chosen),
    AMIFS(): lambda d, i, chosen: d.rel[i] - normalised_redundancy(d, i, chosen),
}

OF_ALIASES = {  # each by the formula of its own paper
    "maxrel": lambda d, i, chosen: d.rel[i],
    "mifs-u": lambda d, i, chosen: d.rel[i] - weighted_redundancy(d, i, chosen),
    "mid": lambda d, i, chosen: d.rel[i] - mean(d.red[i][s] for s in chosen),
    "avgcmim": lambda d, i, chosen: mean(d.relg[i][s] for s in chosen),
    "igfs": lambda d, i, chosen: d.rel[i] + mean(d.jrel[i][s] - d.rel[i] - d.rel[s] for s in chosen),
    "soa": lambda d, i, chosen: d.rel[i] - sum(d.red[i][s] for s in chosen) + sum(d.redc[i][s] for s in chosen),
    "if": lambda d, i, chosen: min(d.jrel[i][s] - d.rel[s] for s in chosen),
    "nmifs": lambda d, i, chosen: d.rel[i] - normalised_redundancy(d, i, chosen),
}

CASES = {repr(criterion): (criterion, formula) for criterion, formula in FORMULAS.items()}
CASES |= {name: (make_criterion(name), formula) for name, formula in OF_ALIASES.items()}


def test_a_criterion_is_listed_by_its_name():
    assert [criterion.name for criterion in CRITERIA.values()] == list(CRITERIA)


def by_definition(d, formula, k, tie):
    """The greedy loop again: first the most relevant, then the best; ties to the lowest; constants last."""
    chosen, scores = [], []
    for step in range(k):
        open_ = [i for i in range(d.n) if i not in chosen]
        open_ = [i for i in open_ if d.varies[i]] or open_
        value = {i: d.rel[i] if step == 0 else formula(d, i, chosen) for i in open_}
        best = max(value.values())
        chosen.append(next(i for i in open_ if value[i] >= best - tie(best)))
        scores.append(value[chosen[-1]])
    return chosen, scores


def test_every_name_is_compared():
    """But for those that condition on several features at once: test_joint.py."""
    assert {type(criterion) for criterion in FORMULAS} == {c for c in CRITERIA.values() if c.required_tables != "joint"}
    assert list(OF_ALIASES) == list(ALIASES)


@settings(deadline=None, max_examples=60)
@given(
    n_samples=st.integers(2, 60),
    n_features=st.integers(1, 6),
    n_codes=st.integers(1, 4),
    n_classes=st.integers(1, 3),
    seed=st.integers(0, 2**32 - 1),
)
def test_selection_and_scores(information_of, brute, make_table, n_samples, n_features, n_codes, n_classes, seed):
    codes, classes = make_table(n_samples, n_features, n_codes=n_codes, n_classes=n_classes, seed=seed)
    d = Definition(brute, codes, classes)
    information = information_of(codes, classes)
    for name, (criterion, formula) in CASES.items():
        got = forward_select(information, criterion, n_features)
        is_quotient = isinstance(criterion, MIQ)
        # A quotient by a tiny redundancy carries the roundings of the definition many times over; what is equal in
        # integers may there differ by more than the tie.
        selected, scores = by_definition(
            d,
            formula,
            n_features,
            lambda best, wide=is_quotient: TIE + (1e-8 * best if wide and 0 < best < np.inf else 0),
        )
        assert got.order.tolist() == selected, name
        for value, expected in zip(got.scores.tolist(), scores, strict=True):
            # Sums of at most 5 terms right to 1e-13, by the definition; a quotient in proportion. What is 0 by the
            # definition may be the rounding of a term.
            slack = max(1e-8 * expected, 1e-12) if is_quotient else 1e-12
            assert value == expected or abs(value - expected) <= slack, name


def test_quotient_by_decision(make_table):
    """x / 0 is infinite, 0 / 0 is 0; both sides count as 0 below 1e-12 bit."""
    folded = np.array([0.0, 0.0, 1e-16, -1e-16, 2.0, 1e-16])
    relevance = np.array([0.5, 0.0, 0.5, 1e-17, 0.5, -1e-17])
    inf = float("inf")
    assert MIQ().score(folded, relevance, 2).tolist() == [inf, 0, inf, 0, 0.5, 0]
    assert MIQ(eps=0.25).score(folded, relevance, 2).tolist() == [2, 0, 2, 0, 0.4, 0]


def test_names_and_defaults():
    for name, criterion in CRITERIA.items():
        assert make_criterion(name) == make_criterion(name.upper()) == criterion()
        assert criterion.name == name
        assert criterion.formula
        assert criterion.paper
        assert criterion.unit in ("bits", "ratio", "mixed")
        assert criterion.required_tables in ("marginals", "pairs", "class pairs", "joint")
        assert criterion.__doc__
    assert make_criterion("mifs", beta=0.5) == MIFS(beta=0.5)
    assert make_criterion("miq", eps=0.01) == MIQ(eps=0.01)
    assert (MIFS().beta, MIQ().eps) == (1.0, 0.0)
    assert make_criterion("betagamma", gamma=0.5) == BetaGamma(beta=1.0, gamma=0.5)
    own = JMI()
    assert make_criterion(own) is own


def test_second_names():
    for name, alias in ALIASES.items():
        assert name not in CRITERIA
        assert make_criterion(name.upper()) == CRITERIA[alias.same_as]()
        assert all(alias)
    assert make_criterion("mifs-u", beta=0.5) == MIFSU(beta=0.5)


def test_criteria_do_not_change():
    with pytest.raises(AttributeError):
        MIFS().beta = 2.0


@pytest.mark.parametrize("value", [-0.1, float("nan"), float("inf"), "1", None])
def test_parameters_out_of_range(value):
    with pytest.raises(ValueError, match=rf"beta={value!r} is not a weight: give a finite number of 0 or more"):
        MIFS(beta=value)
    with pytest.raises(ValueError, match=rf"^beta={value!r} is not a weight: give a finite number of 0 or more$"):
        make_criterion("mifs-u", beta=value)
    with pytest.raises(ValueError, match=rf"^gamma={value!r} is not a weight: give a finite number of 0 or more$"):
        BetaGamma(gamma=value)
    with pytest.raises(ValueError, match=rf"eps={value!r} cannot be added to a denominator: give a finite number"):
        make_criterion("miq", eps=value)


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("mrm", {}, "criterion='mrm' is not known: did you mean mrmr"),
        ("jim", {}, "criterion='jim' is not known: did you mean "),
        ("njmi", {}, "criterion='njmi' is not known: did you mean njmim or jmi or jmim? 'bitsieve methods' lists all"),
        ("xxxx", {}, f"criterion='xxxx' is not known: choose one of {', '.join([*CRITERIA, *ALIASES])}"),
        ("mifs-u", {"gamma": 1.0}, "criterion 'mifs-u' does not take gamma: it takes beta"),
        ("betagamma", {"alpha": 1.0}, "criterion 'betagamma' does not take alpha: it takes beta, gamma"),
        ("mifs", {"gamma": 1.0}, "criterion 'mifs' does not take gamma: it takes beta"),
        ("jmi", {"beta": 1.0, "alpha": 2}, "criterion 'jmi' does not take alpha, beta: it takes no parameters"),
    ],
)
def test_unknown_names(name, parameters, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the line is compared
        make_criterion(name, **parameters)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "thing", [3, None, 1.5, ["jmi"], object(), SimpleNamespace(fold=max), SimpleNamespace(score=max)]
)
def test_neither_a_name_nor_a_criterion(thing):
    with pytest.raises(ValueError, match=r"is neither a name nor a criterion: choose one of mim"):
        make_criterion(thing)


def test_a_class_is_not_a_criterion():
    with pytest.raises(ValueError, match=r"MIFS"):
        make_criterion(MIFS)
