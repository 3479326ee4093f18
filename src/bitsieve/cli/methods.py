"""``bitsieve methods``: every method, or one, its paper, what it needs."""

from __future__ import annotations

import argparse
import json
import textwrap
from typing import TYPE_CHECKING

from bitsieve.cli.options import IN_PLACE_OF_SET

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
        "same_as": method.same_as,
        "remark": method.remark,
    }


def listing(methods: list[Method]) -> str:
    """Every method by its name, with all there is to know beside it, wrapped to 100 characters."""
    indent = " " * (max(len(info.name) for info in methods) + 2)
    lines = list[str]()
    for info in methods:
        for text in (info.title, f"paper: {info.paper}; needs: {info.inputs}", *_details(info)):
            first = indent if text is not info.title else info.name.ljust(len(indent))
            lines += textwrap.wrap(text, LINE, initial_indent=first, subsequent_indent=indent + "  ")
    looped = [info.name for info in methods if set(IN_PLACE_OF_SET) <= set(info.parameters)]
    options = "--estimator, --stop, --include, --exclude and --group"
    also = f"{options} are for the greedy methods: {', '.join(looped)}" if looped else ""
    return "\n".join([*lines, "", *textwrap.wrap(also, LINE)]).rstrip()


def _details(info: Method) -> list[str]:
    details = []
    if info.same_as:
        details.append(f"the same as {info.same_as}: {info.remark}")
    settable = {name: value for name, value in info.parameters.items() if name not in IN_PLACE_OF_SET}
    if settable:
        details.append(f"parameters (--set): {', '.join(f'{name}={value}' for name, value in settable.items())}")
    return details
