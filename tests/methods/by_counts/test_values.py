"""Criteria, rules and what is found are values: none can be changed, and those of equal parameters are equal."""

from __future__ import annotations

import pytest
from tests.values import can_be_changed, data_classes

from bitsieve.methods.by_counts.criteria import CRITERIA
from bitsieve.methods.by_counts.stopping import STOPPING_RULES


@pytest.mark.parametrize("kind", data_classes("bitsieve.methods.by_counts"))
def test_nothing_can_be_changed(kind):
    assert not can_be_changed(kind)


@pytest.mark.parametrize("kind", [*CRITERIA.values(), *STOPPING_RULES.values()])
def test_of_equal_parameters_are_equal(kind):
    one, other = kind(), kind()
    assert one == other == eval(repr(one), {kind.__name__: kind})
    assert len({one, other}) == 1
    assert not can_be_changed(kind)


@pytest.mark.parametrize("kind", STOPPING_RULES.values())
def test_a_rule_names_the_papers_that_it_follows(kind):
    """The threshold is that of the review of all criteria."""
    assert "References" in kind.__doc__
