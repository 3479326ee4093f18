"""Every criterion against a loop written from its formula over information by its definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitsieve.by_counts.criteria import CIFE, CMIM, CRITERIA, JMI, MIFS, MIM, MIQ, MRMR, make_criterion
from bitsieve.by_counts.greedy import forward_select
from bitsieve.information import PairwiseInformation
from bitsieve.sources.memory import MemoryCounts

TIE = 1e-10
NOTHING = 1e-12


class Definition:
    """All terms of a small table, from the definition."""

    def __init__(self, brute, codes, classes):
        columns = list(codes.T)
        self.n = len(columns)
        self.varies = [len(set(column.tolist())) > 1 for column in columns]
        self.rel = [brute.mutual_information(x, classes) for x in columns]
        self.red = [[brute.mutual_information(x, s) for s in columns] for x in columns]
        self.redc = [[brute.conditional_information(x, s, classes) for s in columns] for x in columns]
        self.relg = [[brute.conditional_information(x, classes, s) for s in columns] for x in columns]
        self.jrel = [[brute.joint_information(x, s, classes) for s in columns] for x in columns]


def quotient(d, i, chosen, eps):
    top = d.rel[i] if d.rel[i] > NOTHING else 0.0
    mean = sum(d.red[i][s] for s in chosen) / len(chosen)
    bottom = eps + (mean if mean > NOTHING else 0.0)
    if bottom == 0:
        return float("inf") if top > 0 else 0.0
    return top / bottom


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
}


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


@pytest.mark.parametrize("criterion", FORMULAS, ids=repr)
@settings(deadline=None, max_examples=20)
@given(
    n_samples=st.integers(2, 60),
    n_features=st.integers(1, 6),
    n_codes=st.integers(1, 4),
    n_classes=st.integers(1, 3),
    seed=st.integers(0, 2**32 - 1),
)
def test_selection_and_scores(brute, make_table, criterion, n_samples, n_features, n_codes, n_classes, seed):
    codes, classes = make_table(n_samples, n_features, n_codes=n_codes, n_classes=n_classes, seed=seed)
    d = Definition(brute, codes, classes)
    got = forward_select(PairwiseInformation(MemoryCounts(codes, classes)), criterion, n_features)
    is_quotient = isinstance(criterion, MIQ)
    # A quotient by a tiny redundancy carries the roundings of the definition many times over; what is equal in
    # integers may there differ by more than the tie.
    selected, scores = by_definition(
        d,
        FORMULAS[criterion],
        n_features,
        lambda best: TIE + (1e-8 * best if 0 < best < np.inf else 0) if is_quotient else TIE,
    )
    assert got.selected.tolist() == selected
    for value, expected in zip(got.scores.tolist(), scores, strict=True):
        # Sums of at most 5 terms right to 1e-13, by the definition; a quotient in proportion.
        assert value == expected or abs(value - expected) <= (1e-8 * expected if is_quotient else 1e-12)


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
        assert criterion.needs in ("marginals", "pairs", "class pairs", "joint")
        assert criterion.__doc__
    assert make_criterion("mifs", beta=0.5) == MIFS(beta=0.5)
    assert make_criterion("miq", eps=0.01) == MIQ(eps=0.01)
    assert (MIFS().beta, MIQ().eps) == (1.0, 0.0)
    own = JMI()
    assert make_criterion(own) is own


def test_criteria_do_not_change():
    with pytest.raises(AttributeError):
        MIFS().beta = 2.0


@pytest.mark.parametrize("value", [-0.1, float("nan"), float("inf"), "1", None])
def test_parameters_out_of_range(value):
    with pytest.raises(ValueError, match=rf"beta={value!r} is not a weight; give a finite number of 0 or more"):
        MIFS(beta=value)
    with pytest.raises(ValueError, match=rf"eps={value!r} cannot be added to a denominator; give a finite number"):
        make_criterion("miq", eps=value)


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("mrm", {}, "criterion='mrm' is not known; did you mean mrmr"),
        ("jim", {}, "criterion='jim' is not known; did you mean "),
        ("xxxx", {}, "criterion='xxxx' is not known; choose one of mim, mifs, mrmr, miq, jmi, cife, cmim"),
        ("mifs", {"gamma": 1.0}, "criterion 'mifs' does not take gamma; it takes beta"),
        ("jmi", {"beta": 1.0, "alpha": 2}, "criterion 'jmi' does not take alpha, beta; it takes no parameters"),
    ],
)
def test_unknown_names(name, parameters, message):
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - the line is compared
        make_criterion(name, **parameters)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("thing", [3, None, 1.5, ["jmi"], object()])
def test_neither_a_name_nor_a_criterion(thing):
    with pytest.raises(ValueError, match=r"is neither a name nor a criterion; choose one of mim"):
        make_criterion(thing)


def test_a_class_is_not_a_criterion():
    with pytest.raises(ValueError, match=r"MIFS"):
        make_criterion(MIFS)
