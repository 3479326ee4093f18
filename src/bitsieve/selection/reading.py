"""Data, the engine that works on its rows, and the table: planned, and refused, before anything heavy is imported."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from bitsieve.dataset.given import ColumnRules, is_path
from bitsieve.dataset.table import COUNTS, Table, check_several_rows
from bitsieve.engines.registry import Engine, choose_engine, is_pushed_down, may_stay, refuse_groups
from bitsieve.methods.registry import check_offers, find_method, parameters_of
from bitsieve.utils.memory import check_memory
from bitsieve.utils.messages import ParameterError, Sentence, Setting
from bitsieve.utils.parameters import check_flag


class Reading(NamedTuple):
    """Data, the engine that works on its rows, and what is asked of that."""

    data: Any  # as ``select`` takes it
    engine: Engine
    options: Mapping[str, Any]  # ``spool``, ``header``, and ``memory`` where the engine is to keep to it
    own: Mapping[str, Any]  # parameters of the method that are asked for by the same words: ``memory``
    notes: tuple[str, ...] = ()  # on what was decided

    @classmethod
    def planned(
        cls, method: str, data: Any, engine: str | None, *, push_down: bool | None = None, **options: Any
    ) -> Reading:
        """What is to be done, refused before anything is read where it cannot be."""
        memory = check_memory(options["memory"])
        if push_down is not None:
            check_flag("push_down", push_down)
        asked = {"engine": engine, "push_down": push_down or None, **options, "header": None}
        free = engine is None and memory is None and options["spool"] is None
        if push_down and (not free or not may_stay(data)):
            given = repr(str(data)) if is_path(data) else type(data).__name__
            advice = "leave it out" + (", or engine, memory and spool" if may_stay(data) else f" for {given}")
            where = "rows are counted where they are of a lazy frame or a database file"
            raise ParameterError("push_down", push_down, f"{advice}: {where}")
        notes: tuple[str, ...] = ()
        if push_down:
            engine = "database"
        elif push_down is None and free and find_method(method).requires <= COUNTS and is_pushed_down(data):
            engine = "database"
            many = "the table has very many rows: they were counted where they are, and not read; to read them, add "
            notes = (Sentence(many, Setting("push_down", False)),)
        chosen = choose_engine(data, engine, memory, options["spool"])
        own: dict[str, Any] = {}
        if memory is not None and "memory" in parameters_of(method):
            own = {"memory": options["memory"]}
            if "memory" not in chosen.options:
                options = {**options, "memory": None}
        chosen.check_options(data, options)
        if chosen.source:
            typed = [Setting(name) for name, value in asked.items() if value is not None]
            check_offers(method, COUNTS, typed)  # before hours of reading
        return cls(data, chosen, options, own, notes)

    def read(
        self,
        target: Any,
        sample_weight: Any,
        *,
        target_bins: int | str | None,
        target_kind: str | None,
        drop_missing: bool,
        rules: ColumnRules | None = None,
        groups: Any = None,
        client: Any = None,
    ) -> Table:
        """The data as a table, in memory or in parts; ``client`` is that of a cluster."""
        how: dict[str, Any] = {"target_bins": target_bins, "target_kind": target_kind}
        how |= {"drop_missing": drop_missing, "rules": rules}
        opened = self.engine.open(self.data, **self.options, client=client)
        if opened is None:
            from bitsieve.dataset.read import read_data

            return read_data(self.data, target, sample_weight, groups, **how, header=self.options["header"])
        refuse_groups(groups)
        check_flag("drop_missing_target", drop_missing)
        target = getattr(opened, "own_target", None) if target is None else target
        if target is None:
            raise ValueError("no target is given: name one of the columns, or give one value a row")
        table = opened.read_in_parts(target, sample_weight, target_name="target", **how)
        check_several_rows(table)
        if self.notes:
            table.notes = (*self.notes, *table.notes)
        return table
