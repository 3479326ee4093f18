"""A chosen cover in place of a whole cross: which cases run in ``make test``, and which in ``make test-slow`` alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from bitsieve.methods.registry import list_methods

if TYPE_CHECKING:
    from collections.abc import Container, Iterable


def quick_and_slow(cases: Iterable[Any], *, quick: Container[Any], reason: str) -> list[Any]:
    """The cases for ``parametrize``: those in ``quick`` as they are, the others marked as slow for this reason.

    A case of several values is a tuple, as ``parametrize`` takes it.
    """
    marked = []
    for case in cases:
        values = case if isinstance(case, tuple) else (case,)
        marks = () if case in quick else (pytest.mark.slow(reason),)
        marked.append(pytest.param(*values, marks=marks))
    return marked


CHOSEN = {
    "ForwardSelector": ("mrmr", "jmi", "cmim", "cmi"),
    "MarkovBlanketSelector": ("iamb-fdr",),  # the others test many subsets
    "ModelSelector": ("linear-svc",),  # the other fits many trees
}
OF_EACH_KIND = {
    method.name
    for method in list_methods()
    if not method.same_as and method.name in CHOSEN.get(method.estimator, (method.name,))
}


def methods_of_each_kind(names: Iterable[str]) -> list[Any]:
    """The methods for ``parametrize``; other criteria, searches for blankets, models and second names are slow."""
    return quick_and_slow(
        names,
        quick=OF_EACH_KIND,
        reason="another criterion, search or model in the same loop, held by golden results",
    )
