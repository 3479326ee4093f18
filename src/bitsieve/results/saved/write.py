"""A record as the text of its file: JSON with one line a feature, the same bytes for the same record.

Floats are written in the shortest form that reads back to the same bits. What JSON has no number for is text: "nan",
"inf" and "-inf".
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import TypeAlias

from bitsieve.diagnostics import NAME_ONLY, Diagnostic
from bitsieve.io.saved_files import FORMAT
from bitsieve.results.saved.record import SavedFeature, SavedTarget, SelectionRecord
from bitsieve.results.saved.schema import (
    OPTIONAL_OF_PARSING,
    VERSION,
    Certificate,
    ColumnGroup,
    Cut,
    Label,
    ObjectOption,
    Option,
    SavedColumn,
    SavedData,
    SavedParsing,
    SavedStep,
    SavedStopping,
    SavedStrata,
    Values,
)
from bitsieve.results.saved.values import option_of

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"


def text_of_record(record: SelectionRecord) -> str:
    """The text of the file of a record."""
    document = document_of(record)
    lines = [f" {json.dumps(key)}: {_value_lines(value)}" for key, value in document.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _value_lines(value: Json) -> str:
    """A value on one line; a list of objects with a line for each."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        return "[\n  " + ",\n  ".join(_on_one_line(item) for item in value) + "\n ]"
    return _on_one_line(value)


def _on_one_line(value: Json) -> str:
    return json.dumps(value, allow_nan=False)


def document_of(record: SelectionRecord) -> dict[str, Json]:
    """A record as plain values of JSON."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "versions": record.versions._asdict(),
        "data": _data(record.data),
        "target": _target(record.target),
        "method": record.method,
        "score_unit": record.score_unit,
        "options": _options(record.options),
        "settled": _options(record.settled),
        "execution": _options(record.execution),
        "parameters": _options(record.parameters),
        "features": [_feature(feature) for feature in record.features],
        "steps": [_step(step) for step in record.steps],
        "stopping": None if record.stopping is None else _stopping(record.stopping),
        "certificate": None if record.certificate is None else _certificate(record.certificate),
        "groups": [_group(group) for group in record.groups],
        "strata": None if record.strata is None else _strata(record.strata),
        "diagnostics": [_diagnostic(diagnostic) for diagnostic in record.diagnostics],
        "values_digest": record.values_digest,
    }


def _strata(strata: SavedStrata) -> Json:
    return {
        "n_strata": strata.n_strata,
        "n_informative_rows": strata.n_informative_rows,
        "relevance_pooled": list(strata.relevance_pooled),
        "heterogeneity": None if strata.heterogeneity is None else list(strata.heterogeneity),
    }


def _data(data: SavedData) -> Json:
    return {
        "n_samples": data.n_samples,
        "total_weight": data.total_weight,
        "n_features": data.n_features,
        "digest": data.digest,
        "kinds": data.kinds,
        "names": None if data.names is None else list(data.names),
    }


def _target(target: SavedTarget) -> Json:
    edges: Json = None
    if target.edges is not None:
        edges = [_edges_of_column(edge) for edge in target.edges]
    return {
        "name": target.name,
        "kind": target.kind,
        "columns": list(target.columns),
        "labels": _values(target.labels),
        "edges": edges,
        "unit": target.unit,
        "requested_kind": target.requested_kind,
        "requested_bins": target.requested_bins,
        "n_numbers": target.n_numbers,
        "n_classes_of_quantity": target.n_classes_of_quantity,
        "class_sizes": list(target.class_sizes),
    }


def _edges_of_column(edge: float | tuple[float, ...] | None) -> Json:
    """An edge, or of several target columns the edges of one, None for one that was not cut."""
    if isinstance(edge, tuple):
        return [_number(value) for value in edge]
    return None if edge is None else _number(edge)


def _feature(feature: SavedFeature) -> Json:
    fields = {
        "score": _number(feature.score),
        "relevance": _number(feature.relevance),
        "overlap_with": feature.overlap_with,
        "overlap": _number(feature.overlap),
        "informative": feature.informative,
        "informative_state": feature.informative_state,
        "column": _column(feature.column),
    }
    if feature.rank_test is not None:
        fields["rank_test"] = {"statistic": _number(feature.rank_test.statistic), "p": _number(feature.rank_test.p)}
    if feature.log_p is not None:
        fields["log_p"] = _number(feature.log_p)
    if feature.role is not None:
        fields["role"] = {"name": feature.role.name, "via": list(feature.role.via)}
    if feature.interchangeable:
        fields["interchangeable"] = list(feature.interchangeable)
    return fields


def _column(column: SavedColumn) -> Json:
    return {
        "label": _label(column.label),
        "index": column.index,
        "kind": column.kind,
        "parsing": None if column.parsing is None else _parsing(column.parsing),
        "cut": _cut(column.cut),
        "counts": None if column.counts is None else [list(row) for row in column.counts],
        "smallest": None if column.smallest is None else _number(column.smallest),
        "largest": None if column.largest is None else _number(column.largest),
        "missing_numbers": list(column.missing_numbers),
    }


def _parsing(parsing: SavedParsing) -> Json:
    fields = parsing._asdict()
    for name in OPTIONAL_OF_PARSING:
        if not fields[name]:
            del fields[name]
    return fields


def _cut(cut: Cut) -> Json:
    fields: dict[str, Json] = {
        "edges": None if cut.edges is None else [_number(edge) for edge in cut.edges],
        "side": cut.side,
        "categories": None if cut.categories is None else _values(cut.categories),
        "zero_apart": cut.zero_apart,
        "missing_code": cut.missing_code,
        "n_codes": cut.n_codes,
    }
    if cut.within_strata:
        fields["within_strata"] = True
    return fields


def _step(step: SavedStep) -> Json:
    return {
        "winner": list(step.winner),
        "runner_up": list(step.runner_up),
        "gap": _number(step.gap),
        "is_exact": step.is_exact,
    }


def _stopping(stopping: SavedStopping) -> Json:
    neighbours: Json = None
    if stopping.neighbours is not None:
        neighbours = [list(names) for names in stopping.neighbours]
    return {
        "by": stopping.by,
        "candidate": stopping.candidate,
        "value": _number(stopping.value),
        "reason": stopping.reason,
        "values": [_number(value) for value in stopping.values],
        "neighbours": neighbours,
        "conclusion": stopping.conclusion,
    }


def _certificate(certificate: Certificate) -> Json:
    return {
        "objective_bits": _number(certificate.objective_bits),
        "upper_bound_bits": _number(certificate.upper_bound_bits),
        "gap": _number(certificate.gap),
    }


def _group(group: ColumnGroup) -> Json:
    return {
        "selected": [_label(label) for label in group.selected],
        "others": [_label(label) for label in group.others],
        "correlations": None if group.correlations is None else [_number(value) for value in group.correlations],
        "cohesiveness": None if group.cohesiveness is None else _number(group.cohesiveness),
    }


def _diagnostic(diagnostic: Diagnostic) -> Json:
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity,
        "message": diagnostic.message,
        "advice": diagnostic.advice,
        "columns": list(diagnostic.columns),
        "fix": _settings(diagnostic.fix),
        "parameters": _settings(diagnostic.parameters),
    }


def _settings(settings: Mapping[str, object]) -> Json:
    """Parameters with their values; a parameter that is named without a value has the object {"name_only": true}."""
    return {
        name: {"name_only": True} if value is NAME_ONLY else _option(option_of(value))
        for name, value in settings.items()
    }


def _values(values: Values) -> Json:
    return {"dtype": values.dtype, "items": [_label(item) for item in values.items]}


def _number(value: float) -> Json:
    """A number; "nan", "inf" and "-inf" for what JSON has no number for."""
    return float(value) if math.isfinite(value) else str(float(value))


def _label(label: Label) -> Json:
    """A label; a tuple is a list, bytes and numbers that JSON does not have are an object."""
    if isinstance(label, tuple):
        return [_label(part) for part in label]
    if isinstance(label, bytes):
        return {"bytes": label.hex()}
    if isinstance(label, float) and not math.isfinite(label):
        return {"float": str(label)}
    return label


def _options(options: Mapping[str, Option]) -> Json:
    return {name: _option(value) for name, value in options.items()}


def _option(value: Option) -> Json:
    """An option; what JSON has no value for is an object that says what it is."""
    if isinstance(value, ObjectOption):
        parameters = _options(value.parameters)
        return {"object": {"class": value.class_name, "parameters": parameters, "text": value.text}}
    if isinstance(value, dict):
        return {"mapping": _options(value)}
    if isinstance(value, list):
        return [_option(item) for item in value]
    if isinstance(value, tuple):
        return {"tuple": [_option(item) for item in value]}
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": str(value)}
    return value
