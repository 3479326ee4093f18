"""Plan how data is read and by which engine, and refuse what cannot be done before anything is read."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from typing import Any, NamedTuple

from bitsieve.dataset.data_kinds import is_path
from bitsieve.dataset.dataset import COUNTS, Dataset, check_several_rows
from bitsieve.diagnostics import Diagnostic, ParameterError, UserError, literal
from bitsieve.discretization.registry import makes_bins_within
from bitsieve.discretization.within_strata import bins_within_need_rows
from bitsieve.engines.postgres import is_postgres_table
from bitsieve.engines.registry import (
    EngineEntry,
    SourceOptions,
    can_be_counted_in_place,
    choose_engine,
    is_counted_in_place,
    refuse_groups,
    refuse_sampling_weights,
    refuse_survival,
)
from bitsieve.io.address_text import is_postgres
from bitsieve.methods.method import Method, check_capabilities
from bitsieve.options import DiscretizationOptions, ExecutionOptions, ReadOptions
from bitsieve.pipeline.notes import job_notes
from bitsieve.utils.memory import check_memory
from bitsieve.utils.types import TableLike


class Requirements(NamedTuple):
    """What a method, or another task, requires of the data."""

    capabilities: frozenset[str]
    method_name: str = ""  # for messages; empty for a task without a method
    has_memory_parameter: bool = False  # whether the method itself has a parameter ``memory``
    makes_bins_within: bool = False  # whether each stratum gets bins of its own, for which the rows must be in memory

    @classmethod
    def of_method(cls, method: Method, discretization: DiscretizationOptions) -> Requirements:
        """What a method requires with any parameters, on columns that are cut in this way."""
        return cls(
            capabilities=method.required_capabilities,
            method_name=method.name,
            has_memory_parameter="memory" in method.parameters,
            makes_bins_within=makes_bins_within(discretization),
        )


class ReadingPlan(NamedTuple):
    """Data, and the engine that works on its rows."""

    data: TableLike  # as the user gave it
    engine: EngineEntry
    memory: int | str | None  # the limit for the engine
    spool: str | PathLike[str] | None
    header: bool | None
    diagnostics: tuple[Diagnostic, ...] = ()  # on a choice that the user did not make

    def open(self, options: ReadOptions, client: Any = None) -> Dataset:
        """Read the data into memory, or open it as a table in parts; ``client`` is that of a Dask cluster."""
        source_options = SourceOptions(memory=self.memory, spool=self.spool, header=self.header, client=client)
        opened = self.engine.open(self.data, source_options)
        if opened is None:
            from bitsieve.dataset.read import read_data

            return read_data(self.data, options)
        refuse_groups(options.groups)
        refuse_survival(options.survival)
        target = options.target
        if target is None:
            target = opened.target_in_file
        if target is None:
            raise UserError(
                code="target-needed",
                message="no target is given",
                advice="name one of the columns, or give one value a row",
            )
        table = opened.read_in_parts(replace(options, target=target))
        check_several_rows(table)
        if self.diagnostics:
            table.diagnostics = (*self.diagnostics, *table.diagnostics)
        return table


def plan_reading(
    data: TableLike, read: ReadOptions, execution: ExecutionOptions, requirements: Requirements
) -> ReadingPlan:
    """Choose the engine for the data. Raises UserError for options and requirements that it cannot meet."""
    memory = check_memory(execution.memory)
    leaves_engine_open = execution.engine is None and memory is None and execution.spool is None
    needs_only_counts = requirements.capabilities <= COUNTS and not requirements.makes_bins_within
    engine_name = execution.engine
    diagnostics: tuple[Diagnostic, ...] = ()
    if execution.push_down:
        _check_push_down(data, execution, leaves_engine_open)
        engine_name = "database"
        if is_postgres_table(data):
            diagnostics = (job_notes.counted_in_postgres(len(data.columns)),)
    elif execution.push_down is None and leaves_engine_open and needs_only_counts and _may_be_pushed_down(data, read):
        engine_name = "database"
        diagnostics = (job_notes.counted_in_place(),)
    engine = choose_engine(data, engine_name, memory, execution.spool)
    memory_of_engine = execution.memory
    if requirements.has_memory_parameter and "memory" not in engine.options:
        memory_of_engine = None  # the limit is for the method alone
    source_options = SourceOptions(memory=memory_of_engine, spool=execution.spool, header=read.header)
    engine.check_options(data, source_options)
    if engine.source:  # the rows stay outside memory
        refuse_sampling_weights(read)
        if requirements.makes_bins_within:
            raise bins_within_need_rows()
        who = f"method {requirements.method_name!r}"
        check_capabilities(who, requirements.capabilities, COUNTS, execution.parameters_for_engines)
    return ReadingPlan(
        data=data,
        engine=engine,
        memory=memory_of_engine,
        spool=execution.spool,
        header=read.header,
        diagnostics=diagnostics,
    )


def _may_be_pushed_down(data: TableLike, read: ReadOptions) -> bool:
    """Whether the rows are so many, and read in such a way, that a database counts them where they are."""
    return is_counted_in_place(data) and not read.has_sampling_weights and read.survival is None


def _check_push_down(data: TableLike, execution: ExecutionOptions, leaves_engine_open: bool) -> None:
    """Refuse ``push_down`` for data in memory, and together with options that choose another engine.

    ``leaves_engine_open`` says that no other option chooses an engine.
    """
    if leaves_engine_open and can_be_counted_in_place(data):
        return
    name_of_data = repr(str(data)) if is_path(data) else type(data).__name__
    if can_be_counted_in_place(data):
        advice = "leave it out, or {engine}, {memory} and {spool}"
    elif is_path(data) and is_postgres(str(data)):
        advice = (
            f"leave it out for {literal(name_of_data)}: the rows are read once, which takes less time than to count "
            "them there; if they may not be read, 'bitsieve sql' prints a statement that counts them"
        )
    else:
        advice = (
            f"leave it out for {literal(name_of_data)}: only rows of a lazy frame or a database file are counted "
            "where they are"
        )
    raise ParameterError("push_down", execution.push_down, advice)
