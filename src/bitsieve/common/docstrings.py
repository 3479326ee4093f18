"""Docstrings of classes that share parameters and attributes, each described once."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping


def described_fully(
    doc: str, names: Iterable[str], parameters: Mapping[str, str], attributes: Mapping[str, str]
) -> str:
    """A numpydoc docstring with the shared parameters, in the order of ``names``, and attributes that it leaves out."""
    if "\n---" not in (doc := inspect.cleandoc(doc)):  # it has no sections
        return doc
    before, own, after = _section(doc, "Parameters")
    every = {**_entries(parameters), **own}
    doc = before + "\n".join(every[name] for name in names if name in every) + after
    before, own, after = _section(doc, "Attributes")
    return before + "\n".join({**own, **_entries(attributes), **own}.values()) + after


def _entries(shared: Mapping[str, str]) -> dict[str, str]:
    return {line.split()[0]: f"{line}\n    {text}" for line, text in shared.items()}


def _section(doc: str, title: str) -> tuple[str, dict[str, str], str]:
    """What is before the entries of a section, the entries by their names, and what is behind."""
    heading = f"\n{title}\n{'-' * len(title)}\n"
    if heading not in doc:  # it comes before the others but the parameters
        doc = re.sub(r"\n(?=\n(?!Parameters\n)\w[\w ]*\n-{3,}\n)", f"\n{heading}\n", doc, count=1)
    start, found, rest = doc.partition(heading)
    end = re.search(r"\n\n\w[\w ]*\n-{3,}\n", rest)
    entries = re.split(r"\n(?=\S)", (rest[: end.start()] if end else rest).rstrip())
    return (
        start + found,
        {re.split("[ ,]", entry)[0]: entry for entry in entries if entry},
        rest[end.start() :] if end else "",
    )
