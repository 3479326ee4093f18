"""A selection as plain Python values that ``json.dumps`` takes; a value that is no number is None."""

from __future__ import annotations

from typing import Any

import numpy as np

from bitsieve.dataset.target import Target
from bitsieve.results.ranking import Ranking
from bitsieve.results.saved.schema import Certificate, SavedStopping, SavedStrata
from bitsieve.utils.terminal_text import finite
from bitsieve.utils.types import JsonObject

MAX_LABELS = 100  # the labels of more classes are not listed


def plain(value: object) -> Any:
    """A value as JSON can hold it."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return finite(value)
    if value is None or isinstance(value, (bool, int, str)):
        return value
    return str(value)


def features_document(ranking: Ranking) -> list[JsonObject]:
    """The selected features, best first."""
    test_results = {**ranking.levels(), **ranking.rank_results(), **ranking.p_of_members()}
    without_strata = ranking.without_strata()
    features = []
    for i, name in enumerate(ranking.features):
        feature = {
            "rank": i + 1,
            "name": name,
            "index": ranking.indices[i],
            "score": ranking.scores[i],
            "relevance_bits": ranking.relevance[i],
            "overlap_with": ranking.overlap_with[i],
            "overlap_bits": ranking.overlap[i],
            "informative": ranking.informative[i],
            "informative_state": ranking.informative_state[i],
        }
        for result, values in test_results.items():
            feature[result] = values[i]
        for result, values in without_strata.items():
            feature[f"{result}_bits"] = values[i]
        role = ranking.roles[i]
        if role is not None:
            feature["role"] = role.name
            feature["via"] = role.via
        if ranking.interchangeable[i]:
            feature["interchangeable"] = ranking.interchangeable[i]
        features.append({key: plain(value) for key, value in feature.items()})
    return features


def strata_document(strata: SavedStrata | None) -> JsonObject | None:
    """The strata of the rows; None without strata."""
    if strata is None:
        return None
    return {"n_strata": strata.n_strata, "n_informative_rows": strata.n_informative_rows}


def target_document(target: Target, name: str) -> JsonObject:
    """The target: its classes, and its edges if it was cut."""
    return {
        "name": name,
        "kind": target.kind,
        "n_classes": int(target.n_classes),
        "labels": [plain(label) for label in target.labels] if len(target.labels) <= MAX_LABELS else None,
        "edges": _edges(target),
    }


def _edges(target: Target) -> list[float] | list[list[float] | None] | None:
    """The edges of a quantity, or those of each column of a joint target; None for classes."""
    if target.edges is None:
        return None
    if target.kind != "joint":
        return [float(edge) for edge in target.quantity_edges]
    return [None if edges is None else edges.tolist() for edges in target.edges_of_columns]


def stopping_document(stopping: SavedStopping | None) -> JsonObject | None:
    """What ended the selection, and at which candidate; None if the method has no stopping rule."""
    if stopping is None:
        return None
    document: JsonObject = {
        "by": stopping.by,
        "candidate": stopping.candidate,
        "value": finite(stopping.value),
        "values": [finite(value) for value in stopping.values],
    }
    if stopping.neighbours is not None:
        document["given"] = [list(names) for names in stopping.neighbours]
    if stopping.conclusion is not None:
        document["each_is"] = stopping.conclusion
    return document


def certificate_document(certificate: Certificate | None) -> dict[str, float | None] | None:
    """The objective of the selected subset, an upper bound of all subsets, and the gap; None if the method has none."""
    if certificate is None:
        return None
    return {
        "objective_bits": finite(certificate.objective_bits),
        "upper_bound_bits": finite(certificate.upper_bound_bits),
        "gap": finite(certificate.gap),
    }
