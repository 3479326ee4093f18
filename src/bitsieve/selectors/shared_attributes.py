"""The fitted attributes that selectors share, described once and shown in the help of every class."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

OF_ALL = {
    "support_ : ndarray of bool, shape (n_features,)": "Which columns were selected.",
    "ranking_ : ndarray of int, shape (n_features,)": (
        "1 = selected first; columns that were not selected share the next rank."
    ),
    "selected_ : ndarray of int, shape (k,)": "Indices of the k selected columns, best first.",
    "classes_ : ndarray": "The labels of the target, or its intervals where it was continuous.",
    "target_edges_ : ndarray or None": "The inner edges of a continuous target.",
    "n_features_in_ : int": "Number of columns of the table.",
    "feature_names_in_ : ndarray of str": "Names of the columns, where they have names.",
}
OF_COUNTS = {
    "relevance_ : ndarray of float, shape (n_features,)": "I(Xi;C) of every column, in bits.",
    "overlap_with_ : ndarray of int, shape (k,)": (
        "For every selected column, the one before it in ``selected_`` with the largest I(Xi;Xs); -1 for the first."
    ),
    "overlap_ : ndarray of float, shape (k,)": "That information in bits; nan for the first.",
    "informative_ : ndarray of bool, shape (k,)": (
        "Whether each selected column tells more about the class than chance, alone or given one of the others, at "
        "level 0.05 for all of them; the others may be there only to fill up the list."
    ),
    "binner_ : binner": "The fitted binner; its ``bin_edges_`` show every cut.",
}


def with_attributes(doc: str, described: Mapping[str, str]) -> str:
    """A numpydoc docstring with more attributes in its section ``Attributes``, but for those that it describes itself.

    Parameters
    ----------
    doc : str
        Without the indentation of the source.
    described : mapping of str to str
        The line of every attribute, ``name : type``, and its description.
    """
    title = "\nAttributes\n----------\n"
    before, found, rest = doc.partition(title)
    if not found:
        return doc
    end = re.search(r"\n\n\w[\w ]*\n-{3,}\n", rest)
    own = rest[: end.start()] if end else rest.rstrip()
    after = rest[end.start() :] if end else ""
    names = set(re.findall(r"^(\w+) :", own, re.MULTILINE))
    more = [f"{line}\n    {text}" for line, text in described.items() if line.split()[0] not in names]
    return before + found + "\n".join([own, *more]) + after
