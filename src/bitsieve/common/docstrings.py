"""Docstrings of classes that share parameters and attributes, each described once."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping


def described_fully(
    doc: str, names: Iterable[str], parameters: Mapping[str, str], attributes: Mapping[str, str]
) -> str:
    """A numpydoc docstring with the shared parameters and attributes that it leaves out.

    ``names`` are all parameters in their order; of what is shared the lines ``name : type`` and their descriptions.
    """
    doc = inspect.cleandoc(doc)
    before, own, after = _section(doc, "Parameters")
    every = {**{line.split()[0]: f"{line}\n    {text}" for line, text in parameters.items()}, **own}
    if own:
        doc = before + "\n".join(every[name] for name in names if name in every) + after
    before, own, after = _section(doc, "Attributes")
    if not own:
        return doc
    more = [f"{line}\n    {text}" for line, text in attributes.items() if line.split()[0] not in own]
    return before + "\n".join([*own.values(), *more]) + after


def _section(doc: str, title: str) -> tuple[str, dict[str, str], str]:
    """What is before the entries of a section, the entries by their names, and what is behind."""
    start, found, rest = doc.partition(f"\n{title}\n{'-' * len(title)}\n")
    end = re.search(r"\n\n\w[\w ]*\n-{3,}\n", rest)
    entries = re.split(r"\n(?=\S)", (rest[: end.start()] if end else rest).rstrip()) if found else []
    return start + found, {entry.split()[0]: entry for entry in entries}, rest[end.start() :] if end else ""
