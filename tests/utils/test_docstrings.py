"""Every paper of a method is known, and cited once where the method is documented."""

from __future__ import annotations

import inspect
from importlib import import_module

import pytest

from bitsieve.methods.registry import list_methods
from bitsieve.utils.docstrings import PAPERS, cites, with_references


@pytest.mark.parametrize("method", [method for method in list_methods() if not method.same_as], ids=lambda m: m.name)
def test_the_class_of_a_method_cites_its_paper(method):
    module, _, name = method.selector.partition(":")
    criteria = import_module("bitsieve.methods.by_counts.criteria").CRITERIA
    documented = criteria.get(method.name) or getattr(import_module(module), name)
    assert inspect.getdoc(documented).count(PAPERS[method.paper]) == 1


def test_a_paper_is_named_by_its_authors_and_the_year():
    for name, citation in PAPERS.items():
        *authors, year = name.replace(",", "").split()
        assert all(author in citation for author in (*authors, year))
    with pytest.raises(KeyError):
        cites("Nobody 1900")(type("Thing", (), {}))


def test_references_stand_before_examples_and_own_ones_are_kept():
    doc = "One sentence.\n\nExamples\n--------\n>>> 1\n1"
    found = with_references(doc, [PAPERS["Yu, Liu 2004"]])
    assert found.index("L. Yu, H. Liu") < found.index("Examples")
    assert with_references(found, [PAPERS["Chow, Liu 1968"]]) == found
    assert with_references(doc, []) == doc
