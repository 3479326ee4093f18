"""The command ``bitsieve methods``: list every method, or one, with its paper and its parameters."""

from __future__ import annotations

import argparse
import json
import textwrap
from typing import TYPE_CHECKING

from bitsieve.cli.set_values import settable_parameters

if TYPE_CHECKING:
    from bitsieve.methods.method import Method

LINE = 100


def run(options: argparse.Namespace) -> int:
    """Print the methods."""
    from bitsieve.methods.registry import find_method, list_methods

    methods = [find_method(options.method)] if options.method else list_methods()
    if options.json:
        print(json.dumps([_document(method) for method in methods], indent=2, default=str))
    else:
        print(listing(methods))
    return 0


def _document(method: Method) -> dict[str, object]:
    return {
        "name": method.name,
        "title": method.title,
        "paper": method.paper,
        "needs": method.inputs,
        "cost": method.cost,
        "formula": method.formula,
        "unit": method.unit,
        "parameters": method.parameters,
        "published": method.published,
        "why_default": method.why_default,
        "same_as": method.same_as,
        "remark": method.remark,
    }


def listing(methods: list[Method]) -> str:
    """The names of methods in one column, and their titles and details in another, wrapped to 100 characters."""
    indent = " " * (max(len(method.name) for method in methods) + 2)
    lines = list[str]()
    for method in methods:
        name = method.name.ljust(len(indent))
        lines += textwrap.wrap(method.title, LINE, initial_indent=name, subsequent_indent=indent + "  ")
        for text in _details(method):
            lines += textwrap.wrap(text, LINE, initial_indent=indent, subsequent_indent=indent + "  ")
    greedy = [method.name for method in methods if "stopping" in method.parameters]
    if greedy:
        options = "--estimator, --stop, --include, --exclude and --group"
        remark = f"{options} are for the greedy methods: {', '.join(greedy)}"
        lines += ["", *textwrap.wrap(remark, LINE)]
    return "\n".join(lines)


def _details(method: Method) -> list[str]:
    """Lines on the paper, the data that it needs, and the parameters of a method."""
    details = [f"paper: {method.paper}; needs: {method.inputs}"]
    if method.same_as:
        details.append(f"the same as {method.same_as}: {method.remark}")
    settable = settable_parameters(method)
    if settable:
        details.append(f"parameters (--set): {', '.join(f'{name}={value}' for name, value in settable.items())}")
    return details
