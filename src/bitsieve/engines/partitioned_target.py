"""The target of a table whose rows an engine reads in partitions: its classes, from one pass over it or several."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from bitsieve.dataset.column_info import TextParsing
from bitsieve.dataset.quantity import TargetKind
from bitsieve.dataset.roles import Roles
from bitsieve.dataset.target import check_read
from bitsieve.dataset.target_summary import TargetCoding, TargetSummary
from bitsieve.dataset.weights import no_rows_left
from bitsieve.engines.engine import Engine, TargetRequest
from bitsieve.engines.partition_counts import union_of
from bitsieve.engines.partition_reader import PartitionReader
from bitsieve.options import ReadOptions


class OpenedTarget(NamedTuple):
    """An engine, and the target that it has read."""

    engine: Engine
    reader: PartitionReader  # by which the engine reads: it knows what the text of the target means
    coding: TargetCoding
    n_samples: int
    total_weight: int


class _SummarizedTarget(NamedTuple):
    """An engine, and the summary of the target that it has read."""

    engine: Engine
    reader: PartitionReader
    summary: TargetSummary | None  # None where no row counts
    parsings: dict[str, TextParsing]  # what text was read as, by column of the target


def open_target(
    open_engine: Callable[[PartitionReader], Engine], reader: PartitionReader, roles: Roles, options: ReadOptions
) -> OpenedTarget:
    """Open an engine and find the classes of the target."""
    engine, reader, summary, parsings = _summarize_text(open_engine, reader)
    if summary is None:
        weighted = roles.weight_name is not None
        drops_rows = engine.n_without_target > 0
        raise no_rows_left(engine.label, weighted=weighted, drop_missing=drops_rows)
    coding = summary.fitted(roles.target_name, TargetKind.from_options(options), options.categories_of_strata)
    if coding.needs_combinations:
        coding = with_combinations(coding, engine, reader)
    coding = replace(coding, target=replace(coding.target, parsings=parsings))
    return OpenedTarget(engine, reader, coding, summary.n_samples, summary.total_weight)


def with_combinations(coding: TargetCoding, engine: Engine, reader: PartitionReader) -> TargetCoding:
    """The coding with the combinations of strata and classes that occur in any row, found in one pass."""
    work = partial(reader.combinations, target=coding)
    combinations = engine.summarize_target(TargetRequest(work=work, merge=union_of))
    assert combinations is not None  # the target has rows
    return coding.with_combinations(combinations)


def _summarize_text(open_engine: Callable[[PartitionReader], Engine], reader: PartitionReader) -> _SummarizedTarget:
    """Open an engine and summarize the target: as it is, and again where its text means numbers or times."""
    engine = open_engine(reader)
    summary = _summarize(engine, reader)
    text_meanings = {} if summary is None else summary.decide_text_meanings(reader.rules)
    if summary is None or not text_meanings:
        return _SummarizedTarget(engine, reader, summary, {})
    names = list(summary.columns)
    parsings = {names[j]: meaning.parsing for j, meaning in text_meanings.items() if meaning.parsing is not None}
    check_read(parsings, reader.drop_missing)
    formats = {j: meaning.format for j, meaning in text_meanings.items()}
    reader_of_text = replace(reader, target_rules=replace(reader.rules, formats=formats))
    engine = open_engine(reader_of_text)  # fewer rows may have a target
    return _SummarizedTarget(engine, reader_of_text, _summarize(engine, reader_of_text), parsings)


def _summarize(engine: Engine, reader: PartitionReader) -> TargetSummary | None:
    """Summarize the target in one pass, two where it has very many numbers; None where no row counts."""
    summary = _summarize_once(engine, reader, sampled=False)
    if summary is not None and summary.needs_sample:
        summary = _summarize_once(engine, reader, sampled=True)
    return summary


def _summarize_once(engine: Engine, reader: PartitionReader, *, sampled: bool) -> TargetSummary | None:
    work = partial(reader.summarize_target, sampled=sampled)
    return engine.summarize_target(TargetRequest(work=work, merge=TargetSummary.merged))
