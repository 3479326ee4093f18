"""How data is to be read and by which engine: planned, and refused, before anything is read or imported."""

from __future__ import annotations

from dataclasses import dataclass, replace
from os import PathLike
from typing import Any

from bitsieve.dataset.data_kinds import is_path
from bitsieve.dataset.dataset import COUNTS, Dataset, check_several_rows
from bitsieve.diagnostics import ParameterError
from bitsieve.engines.registry import Engine, choose_engine, is_pushed_down, may_stay, refuse_groups
from bitsieve.methods.registry import check_offers, find_method, parameters_of
from bitsieve.options import ExecutionOptions, ReadOptions
from bitsieve.utils.memory import check_memory
from bitsieve.utils.messages import Sentence, Setting


@dataclass(frozen=True)
class ReadingPlan:
    """Data, and the engine that works on its rows."""

    data: Any  # as ``select`` takes it
    engine: Engine
    memory: int | str | None  # that the engine is to keep to
    spool: str | PathLike[str] | None
    header: bool | None
    notes: tuple[str, ...] = ()  # on what was decided

    def open(self, options: ReadOptions, client: Any = None) -> Dataset:
        """The data as a table, in memory or in parts; ``client`` is that of a cluster."""
        opened = self.engine.open(self.data, memory=self.memory, spool=self.spool, header=self.header, client=client)
        if opened is None:
            from bitsieve.dataset.read import read_data

            return read_data(self.data, options)
        refuse_groups(options.groups)
        target = getattr(opened, "own_target", None) if options.target is None else options.target
        if target is None:
            raise ValueError("no target is given: name one of the columns, or give one value a row")
        table = opened.read_in_parts(replace(options, target=target))
        check_several_rows(table)
        if self.notes:
            table.notes = (*self.notes, *table.notes)
        return table


def plan_reading(data: Any, method: str, read: ReadOptions, execution: ExecutionOptions) -> ReadingPlan:
    """The engine for some data and a method, refused before anything is read where it cannot serve."""
    memory = check_memory(execution.memory)
    engine_is_open = execution.engine is None and memory is None and execution.spool is None
    engine_name = execution.engine
    notes: tuple[str, ...] = ()
    if execution.push_down:
        _check_push_down(data, execution, engine_is_open)
        engine_name = "database"
    elif execution.push_down is None and engine_is_open and _needs_counts_alone(method) and is_pushed_down(data):
        engine_name = "database"
        many_rows = "the table has very many rows: they were counted where they are, and not read; to read them, add "
        notes = (Sentence(many_rows, Setting("push_down", False)),)
    engine = choose_engine(data, engine_name, memory, execution.spool)
    memory_of_engine = execution.memory
    if "memory" in parameters_of(method) and "memory" not in engine.options:
        memory_of_engine = None  # it is the method's alone
    engine.check_options(data, {"memory": memory_of_engine, "spool": execution.spool, "header": read.header})
    if engine.source:
        check_offers(method, COUNTS, _typed(execution))  # before hours of reading
    return ReadingPlan(data, engine, memory_of_engine, execution.spool, read.header, notes)


def method_memory(method: str, execution: ExecutionOptions) -> dict[str, Any]:
    """The memory that a user allows as a parameter of a method that has such a one."""
    if execution.memory is None or "memory" not in parameters_of(method):
        return {}
    return {"memory": execution.memory}


def _needs_counts_alone(method: str) -> bool:
    return find_method(method).required_capabilities <= COUNTS


def _check_push_down(data: Any, execution: ExecutionOptions, engine_is_open: bool) -> None:
    """Refuse to count rows where they are, of data that is not elsewhere, or beside options for another engine."""
    if engine_is_open and may_stay(data):
        return
    advice = "leave it out, or engine, memory and spool"
    if not may_stay(data):
        given = repr(str(data)) if is_path(data) else type(data).__name__
        advice = f"leave it out for {given}"
    where = "rows are counted where they are of a lazy frame or a database file"
    raise ParameterError("push_down", execution.push_down, f"{advice}: {where}")


def _typed(execution: ExecutionOptions) -> list[Setting]:
    """The options that keep the rows out of memory, as a message names them."""
    options = {
        "engine": execution.engine,
        "push_down": execution.push_down or None,
        "memory": execution.memory,
        "spool": execution.spool,
    }
    return [Setting(name) for name, value in options.items() if value is not None]
