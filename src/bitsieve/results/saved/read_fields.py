"""The fields of the file of a selection, by the schema: a value of another type, range or length is refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bitsieve.diagnostics import Diagnostic, Severity
from bitsieve.options import DAY_FIRST, MONTH_FIRST
from bitsieve.pipeline.selected_tests import INFORMATIVE_STATES, InformativeState
from bitsieve.results.saved.fields import Field
from bitsieve.results.saved.read_values import read_label, read_options, read_settings, read_values
from bitsieve.results.saved.record import SavedFeature, SavedTarget, SelectionRecord
from bitsieve.results.saved.schema import (
    COLUMN_KINDS,
    KINDS_OF_FEATURES,
    OPTIONAL_OF_CUT,
    OPTIONAL_OF_PARSING,
    ROLES,
    SIDES,
    TARGET_KINDS,
    VERSION,
    Certificate,
    ColumnGroup,
    Cut,
    ParsingFormat,
    SavedColumn,
    SavedData,
    SavedParsing,
    SavedRankTest,
    SavedRole,
    SavedStep,
    SavedStopping,
    SavedStrata,
    Versions,
    field_names,
)

MAX_CODES = 1 << 16  # of a column
_SEVERITIES: tuple[Severity, ...] = ("note", "warning", "error")
_PARSINGS: tuple[ParsingFormat, ...] = ("numbers", "dates", "durations", "booleans")
_DECIMALS = ("", ".", ",")
_GROUPS = ("", ",", ".", "'’", " \u00a0\u2009\u202f")
_ORDERS = ("", DAY_FIRST, MONTH_FIRST, "undecided")
_UNITS_OF_TIME = "Mm"
#: The fields that a version of the schema has added.
_ADDED_FIELDS = {
    2: ("informative_state",),
    3: ("values_digest", "smallest", "largest"),
    4: ("groups",),
    5: ("strata", "kinds", "missing_numbers"),
}


def read_fields(root: Field) -> SelectionRecord:
    """The record of a selection. Raises FieldError for a value that is not what the schema says."""
    later_fields = _fields_later_than(root.mapping())
    members = root.members(["format", "version", *field_names(SelectionRecord)], optional=later_fields)
    data = _data(members["data"], later_fields)
    target = _target(members["target"])
    features = tuple(
        _feature(item, i, data, target, later_fields) for i, item in enumerate(members["features"].items())
    )
    indices = [feature.column.index for feature in features]
    if len({*indices}) < len(indices):
        raise members["features"].error("has a column twice")
    stopping = members["stopping"]
    certificate = members["certificate"]
    return SelectionRecord(
        versions=_versions(members["versions"]),
        data=data,
        target=target,
        method=members["method"].text(),
        score_unit=members["score_unit"].text(),
        options=read_options(members["options"]),
        settled=read_options(members["settled"]),
        execution=read_options(members["execution"]),
        parameters=read_options(members["parameters"]),
        features=features,
        steps=tuple(_step(item) for item in members["steps"].items()),
        stopping=None if stopping.is_null else _stopping(stopping, len(features)),
        certificate=None if certificate.is_null else _certificate(certificate),
        groups=tuple(_group(item) for item in members["groups"].items()) if "groups" in members else (),
        strata=_strata(members["strata"], len(features)) if "strata" in members else None,
        diagnostics=tuple(_diagnostic(item) for item in members["diagnostics"].items()),
        values_digest=members["values_digest"].optional_text() if "values_digest" in members else None,
    )


def _fields_later_than(members: Mapping[str, Field]) -> list[str]:
    """The names of the fields that the schema of a file does not have yet."""
    if "version" not in members:
        return []
    version = members["version"].integer(1, VERSION)
    later_fields: list[str] = []
    for version_of_fields, names in _ADDED_FIELDS.items():
        if version_of_fields > version:
            later_fields += names
    return later_fields


def _versions(field: Field) -> Versions:
    members = field.members(field_names(Versions))
    return Versions(
        bitsieve=members["bitsieve"].text(),
        python=members["python"].text(),
        numpy=members["numpy"].text(),
    )


def _data(field: Field, later_fields: Sequence[str]) -> SavedData:
    members = field.members(field_names(SavedData), optional=later_fields)
    names = None if members["names"].is_null else members["names"].texts()
    n_features = members["n_features"].integer()
    if names is not None and len(names) != n_features:
        raise members["names"].error(f"must hold {n_features:,} names")
    kinds = members["kinds"].optional_text() if "kinds" in members else None
    if kinds is not None and (len(kinds) != n_features or not set(kinds) <= set(KINDS_OF_FEATURES)):
        raise members["kinds"].error(f"must hold {n_features:,} letters of {KINDS_OF_FEATURES!r}")
    return SavedData(
        n_samples=members["n_samples"].integer(),
        total_weight=members["total_weight"].integer(),
        n_features=n_features,
        names=names,
        digest=members["digest"].text(),
        kinds=kinds,
    )


def _target(field: Field) -> SavedTarget:
    members = field.members(field_names(SavedTarget))
    labels = read_values(members["labels"])
    class_sizes = members["class_sizes"].integers()
    if len(class_sizes) != len(labels.items):
        raise members["class_sizes"].error(f"must hold {len(labels.items):,} numbers, one a class")
    return SavedTarget(
        name=members["name"].text(),
        kind=members["kind"].choice(TARGET_KINDS),
        columns=members["columns"].texts(),
        labels=labels,
        edges=_target_edges(members["edges"]),
        unit=_unit(members["unit"]),
        requested_kind=members["requested_kind"].optional_text(),
        requested_bins=members["requested_bins"].optional_integer(),
        n_numbers=members["n_numbers"].integer(),
        n_classes_of_quantity=members["n_classes_of_quantity"].integer(),
        class_sizes=class_sizes,
    )


def _unit(field: Field) -> str:
    unit = field.text()
    if not {*unit} <= {*_UNITS_OF_TIME, " "}:
        raise field.error("must be 'M' of dates, 'm' of durations, or empty")
    return unit


def _target_edges(field: Field) -> tuple[float, ...] | tuple[tuple[float, ...] | None, ...] | None:
    if field.is_null:
        return None
    items = field.items()
    is_joint = any(item.is_null or isinstance(item.value, list) for item in items)
    if is_joint:
        return tuple(None if item.is_null else item.ascending_numbers() for item in items)
    return field.ascending_numbers()


def _feature(
    field: Field, position: int, data: SavedData, target: SavedTarget, later_fields: Sequence[str]
) -> SavedFeature:
    optional = [*later_fields, "rank_test", "log_p", "role", "interchangeable"]
    members = field.members(field_names(SavedFeature), optional=optional)
    informative = members["informative"].boolean()
    state: InformativeState = "not tested" if informative else "not shown"
    if "informative_state" in members:
        state = members["informative_state"].choice(INFORMATIVE_STATES)
    return SavedFeature(
        score=members["score"].number(),
        relevance=members["relevance"].number(),
        overlap_with=members["overlap_with"].optional_integer(0, position - 1),
        overlap=members["overlap"].number(),
        informative=informative,
        informative_state=state,
        column=_column(members["column"], data, target, later_fields),
        rank_test=_rank_test(members["rank_test"]) if "rank_test" in members else None,
        log_p=members["log_p"].number() if "log_p" in members else None,
        role=_role(members["role"]) if "role" in members else None,
        interchangeable=members["interchangeable"].texts() if "interchangeable" in members else (),
    )


def _rank_test(field: Field) -> SavedRankTest:
    members = field.members(field_names(SavedRankTest))
    return SavedRankTest(statistic=members["statistic"].number(), p=members["p"].number())


def _role(field: Field) -> SavedRole:
    members = field.members(field_names(SavedRole))
    return SavedRole(name=members["name"].choice(ROLES), via=members["via"].texts())


def _column(field: Field, data: SavedData, target: SavedTarget, later_fields: Sequence[str]) -> SavedColumn:
    members = field.members(field_names(SavedColumn), optional=later_fields)
    cut = _cut(members["cut"])
    kind = members["kind"].choice(COLUMN_KINDS)
    if (kind == "category") != (cut.edges is None):
        raise members["cut"].error(f"does not go with a column of the kind {kind!r}")
    parsing = members["parsing"]
    return SavedColumn(
        label=read_label(members["label"]),
        index=members["index"].integer(0, data.n_features - 1),
        kind=kind,
        parsing=None if parsing.is_null else _parsing(parsing),
        cut=cut,
        counts=_counts(members["counts"], cut.n_codes, len(target.class_sizes)),
        smallest=_end_of_range(members.get("smallest")),
        largest=_end_of_range(members.get("largest")),
        missing_numbers=members["missing_numbers"].numbers() if "missing_numbers" in members else (),
    )


def _end_of_range(field: Field | None) -> float | None:
    return None if field is None or field.is_null else field.number()


def _counts(field: Field, n_codes: int, n_classes: int) -> tuple[tuple[int, ...], ...] | None:
    if field.is_null:
        return None
    rows = tuple(row.integers() for row in field.items())
    if len(rows) != n_codes or any(len(row) != n_classes for row in rows):
        raise field.error(f"must be {n_codes:,} rows of {n_classes:,} numbers")
    return rows


def _parsing(field: Field) -> SavedParsing:
    members = field.members(field_names(SavedParsing), OPTIONAL_OF_PARSING)
    optional = {name: members[name].boolean() for name in OPTIONAL_OF_PARSING if name in members}
    parsing = SavedParsing(
        format=members["format"].choice(_PARSINGS),
        decimal=members["decimal"].choice(_DECIMALS),
        group=members["group"].choice(_GROUPS),
        unit=members["unit"].text(),
        is_whole=members["is_whole"].boolean(),
        reads_marks=optional.get("reads_marks", False),
        unit_is_optional=optional.get("unit_is_optional", False),
        order=members["order"].choice(_ORDERS),
        has_time_zone=members["has_time_zone"].boolean(),
        is_time_of_day=members["is_time_of_day"].boolean(),
    )
    if parsing.format == "numbers" and not (parsing.decimal and parsing.group):
        raise field.error("lacks how numbers are written")
    if parsing.format == "dates" and not parsing.order:
        raise field.error("lacks the order of day and month")
    return parsing


def _cut(field: Field) -> Cut:
    members = field.members(field_names(Cut), OPTIONAL_OF_CUT)
    n_codes = members["n_codes"].integer(1, MAX_CODES)
    edges = None if members["edges"].is_null else members["edges"].ascending_numbers()
    categories = None if members["categories"].is_null else read_values(members["categories"])
    if (edges is None) == (categories is None):
        raise field.error("must have edges or categories, and not both")
    n_values = len(edges or ()) if categories is None else len(categories.items)
    if n_values > n_codes:
        raise field.error(f"has {n_values:,} values for {n_codes:,} codes")
    return Cut(
        edges=edges,
        side=members["side"].choice(SIDES),
        categories=categories,
        zero_apart=members["zero_apart"].boolean(),
        missing_code=members["missing_code"].optional_integer(0, n_codes - 1),
        n_codes=n_codes,
        within_strata="within_strata" in members and members["within_strata"].boolean(),
    )


def _step(field: Field) -> SavedStep:
    members = field.members(field_names(SavedStep))
    return SavedStep(
        winner=members["winner"].texts(),
        runner_up=members["runner_up"].texts(),
        gap=members["gap"].number(),
        is_exact=members["is_exact"].boolean(),
    )


def _stopping(field: Field, n_selected: int) -> SavedStopping:
    members = field.members(field_names(SavedStopping))
    values = members["values"].numbers()
    neighbours = None
    if not members["neighbours"].is_null:
        neighbours = tuple(item.texts() for item in members["neighbours"].items())
    if len(values) != n_selected:
        raise members["values"].error(f"must hold {n_selected:,} numbers, one a feature")
    if neighbours is not None and len(neighbours) != n_selected:
        raise members["neighbours"].error(f"must hold {n_selected:,} lists, one a feature")
    return SavedStopping(
        by=members["by"].text(),
        candidate=members["candidate"].optional_text(),
        value=members["value"].number(),
        reason=members["reason"].text(),
        values=values,
        neighbours=neighbours,
        conclusion=members["conclusion"].optional_text(),
    )


def _strata(field: Field, n_selected: int) -> SavedStrata | None:
    if field.is_null:
        return None
    members = field.members(field_names(SavedStrata))
    relevance_pooled = members["relevance_pooled"].numbers()
    heterogeneity = None if members["heterogeneity"].is_null else members["heterogeneity"].numbers()
    for name, numbers in (("relevance_pooled", relevance_pooled), ("heterogeneity", heterogeneity)):
        if numbers is not None and len(numbers) != n_selected:
            raise members[name].error(f"must hold {n_selected:,} numbers, one a feature")
    return SavedStrata(
        n_strata=members["n_strata"].integer(),
        n_informative_rows=members["n_informative_rows"].integer(),
        relevance_pooled=relevance_pooled,
        heterogeneity=heterogeneity,
    )


def _certificate(field: Field) -> Certificate:
    members = field.members(field_names(Certificate))
    return Certificate(
        objective_bits=members["objective_bits"].number(),
        upper_bound_bits=members["upper_bound_bits"].number(),
        gap=members["gap"].number(),
    )


def _group(field: Field) -> ColumnGroup:
    members = field.members(field_names(ColumnGroup))
    others = tuple(read_label(item) for item in members["others"].items())
    correlations = None if members["correlations"].is_null else members["correlations"].numbers()
    if correlations is not None and len(correlations) != len(others):
        raise members["correlations"].error(f"must hold {len(others):,} numbers, one for each of the others")
    cohesiveness = members["cohesiveness"]
    return ColumnGroup(
        selected=tuple(read_label(item) for item in members["selected"].items()),
        others=others,
        correlations=correlations,
        cohesiveness=None if cohesiveness.is_null else cohesiveness.number(),
    )


def _diagnostic(field: Field) -> Diagnostic:
    members = field.members(["code", "severity", "message", "advice", "columns", "fix", "parameters"])
    diagnostic = Diagnostic(
        code=members["code"].text(),
        severity=members["severity"].choice(_SEVERITIES),
        message=members["message"].text(),
        advice=members["advice"].text(),
        columns=members["columns"].texts(),
        fix=read_settings(members["fix"]),
        parameters=read_settings(members["parameters"]),
    )
    try:
        str(diagnostic)
    except (ValueError, SyntaxError, RecursionError, MemoryError):  # of a value that stands in the advice
        raise members["advice"].error("is no advice") from None
    return diagnostic
