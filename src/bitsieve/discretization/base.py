"""What all rules of binning share: columns to bins, columns to codes; and the rules by name."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import cache, partial
from importlib import import_module
from types import MappingProxyType
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from bitsieve import _native
from bitsieve.counts.kernels import choose_kernel
from bitsieve.counts.search import ClassSearch
from bitsieve.counts.threads import run_blocks
from bitsieve.dataset.encoding import WHOLE, Encoded, check_whole_numbers, encode, encode_known, lookup
from bitsieve.dataset.extents import MISSING, NUMBERS, Extents, KnownColumns, NumericBlock, check_values
from bitsieve.dataset.table import Table, TableInMemory
from bitsieve.dataset.text_format import TextFormat
from bitsieve.diagnostics import NAME_ONLY, ParameterError, UserError
from bitsieve.discretization.ragged import Ragged
from bitsieve.options import DiscretizationOptions
from bitsieve.utils.arrays import Floats, Integers
from bitsieve.utils.defaults import BINNING
from bitsieve.utils.parameters import Rule, check_choice, check_parameters, check_threads
from bitsieve.utils.progress import phase

MAX_CODES = 1 << 16
RULES = {  # name to the module, with a dot before it where it is in this folder, and the class of the rule
    "auto": (".mdl", "AutoBinning"),
    "mdl": (".mdl", "MDLBinning"),
    "quantile": (".equal", "EqualFrequencyBinning"),
    "uniform": (".equal", "EqualWidthBinning"),
    "none": (".categorical", "CategoricalBinning"),
}


class Binning(ABC):
    """A rule that turns columns into codes; a subclass cuts numeric columns, and categories have their sorted rank."""

    parameter_rules: ClassVar[Mapping[str, Rule]] = {
        "missing": partial(check_choice, choices=("error", "bin")),
        "n_jobs": check_threads,
    }
    missing: str | None  # None: a code of their own, of a table that has some
    n_jobs: int | None
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    bin_edges_: Ragged
    categories_: Sequence[NDArray[Any] | None]
    n_bins_: Integers
    uncut_: Integers  # of cuts by the classes, columns without one
    #: What the bins of a numeric column follow from: its "ends", its "numbers", its numbers in the "classes" of the
    #: target, or its numbers as "codes", which must be whole.
    requires: ClassVar[Literal["ends", "numbers", "classes", "codes"]] = "numbers"
    bins_parts: ClassVar[bool] = True  # whether it can be fitted on what is known of rows in parts
    side: ClassVar[Literal["left", "right"]] = "left"  # where a value on a cut goes
    _formats: Mapping[int, TextFormat] = MappingProxyType({})  # of columns of text that are not plain

    @classmethod
    @cache
    def parameter_names(cls) -> tuple[str, ...]:
        """The names of its parameters."""
        return tuple(inspect.signature(cls).parameters)

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters it was made with, by name."""
        return {name: getattr(self, name) for name in self.parameter_names()}

    def __repr__(self) -> str:
        given = (f"{name}={value!r}" for name, value in self.parameters.items() if value is not None)
        return f"{type(self).__name__}({', '.join(given)})"

    def unfitted(self, **changed: Any) -> Self:
        """A copy that is not fitted, with some parameters changed."""
        return type(self)(**{**self.parameters, **changed})

    def for_table(self, table: Table) -> Binning:
        """The rule for a table, not fitted: what a user left open is settled by the table."""
        return self if self.missing is not None else self.unfitted(missing=self._missing_of(table))

    def _missing_of(self, table: Table) -> str:
        """What missing values of a table are; where nothing is said of them, a code if there are any."""
        if self.missing is not None:
            return self.missing
        return "bin" if table.may_hold_missing(self.n_jobs, whole=self.requires == "codes") else "error"

    def fit_table(self, table: TableInMemory) -> Self:
        """Find the bins of every column of a table that is read already."""
        extents = self.start_fit(table)
        self._fit_numeric(table, extents)
        self.n_bins_ += self.missing == "bin"
        self.n_bins_[(extents.holds & NUMBERS) == 0] = 1  # all missing: one code
        self._check_code_limit(table)
        return self

    def _fit_numeric(self, table: TableInMemory, extents: Extents) -> None:
        """Set the edges, the categories, and the number of codes that are not for missing values, of every column."""
        raise NotImplementedError

    def start_fit(self, table: KnownColumns) -> Extents:
        """Check the parameters and what the columns of a table, or of its summary, hold, and keep their names."""
        check_parameters(self)
        keeps_missing = self.missing == "bin"
        whole = self.requires == "codes"
        extents = check_values(table, allow_missing=keeps_missing, n_jobs=self.n_jobs, whole=whole)
        self.check_numbers(table, extents)
        table.set_names_on(self)
        self._formats = {j: of.format for j, of in table.meanings.items() if not of.is_plain}
        return extents

    def codes(self, table: TableInMemory, room: NDArray[np.uint8] | None = None) -> NDArray[Any]:
        """Codes of a table, to be read only, maybe its own values; ``room`` is memory for them, two bytes a value."""
        if self.requires != "codes":  # where they are, numbers are looked up as they are
            table = as_known(table, self.categories_)
        extents = check_values(
            table, allow_missing=self.missing == "bin", n_jobs=self.n_jobs, whole=self.requires == "codes"
        )
        self.check_numbers(table, extents)
        shape = table.n_samples, table.n_features
        out = np.ndarray(shape, self._code_type, None if room is None else room.data, order="F")
        missing_code = self.n_bins_ - 1 if self.missing == "bin" else np.zeros_like(self.n_bins_)

        def code(block: NumericBlock) -> None:
            self._code_block(table, block, missing_code[block.places], out)

        run_blocks(code, extents.blocks, self.n_jobs, phase("encoding"))
        for j, values in table.categories():
            code_categories(table.names[j], values, self.categories_[j], out[:, j])
            if extents.holds[j] & MISSING:
                out[values.codes < 0, j] = missing_code[j]
        return out

    @property
    def _code_type(self) -> type[np.unsignedinteger[Any]]:
        return np.uint8 if self.n_bins_.max() <= 256 else np.uint16

    @property
    def known_arities(self) -> Integers | None:
        """One more than the largest code of every column in the table it was fitted on; None where it is not known."""
        return None

    def search(self, table: TableInMemory) -> ClassSearch | None:
        """What looked at the classes of the table it was fitted on, to be repeated with others; None if nothing did."""
        return None

    def check_numbers(self, table: KnownColumns, extents: Extents) -> None:
        """Refuse numbers that the rule does not take: those that fall together when they are cut, or are no codes."""
        for block, low, high in zip(extents.blocks, extents.low, extents.high, strict=True):
            if low.dtype.kind == "f" or low.itemsize < 8:
                continue
            for c in np.flatnonzero((low < -WHOLE) | (high > WHOLE)).tolist():
                check_whole_numbers(block.column(c), f"column {table.names[int(block.places[c])]!r}")

    def _known_categories(self, table: TableInMemory) -> list[NDArray[Any] | None]:
        """The categories of every categorical column, whose number becomes that of its codes."""
        categories: list[NDArray[Any] | None] = [None] * table.n_features
        for j, values in table.categories():
            categories[j] = values.categories
            self.n_bins_[j] = len(values.categories)
        return categories

    def _cut_stored(self, table: TableInMemory, first: int, last: int) -> tuple[Floats, Integers]:
        """The rule on the numbers that columns ``first`` to ``last`` of a sparse table store: cuts, and their ends."""
        raise UserError(
            code="dense-rows-needed",
            message=f"{type(self).__name__} bins dense columns alone",
            advice="give them by .toarray()",
        )

    def _code_block(self, table: TableInMemory, block: NumericBlock, missing_code: Integers, out: NDArray[Any]) -> None:
        """Write the codes of numeric columns to their places in ``out``."""
        for j in block.places.tolist():
            if self.categories_[j] is not None:
                raise UserError(
                    code="column-kind-changed",
                    message=f"column {table.names[j]!r} was categorical when fitting",
                    advice="give categories",
                )
        edges = self.bin_edges_.take(block.places)
        kernel, left = choose_kernel().name, self.side == "left"
        _native.code_by_cuts(kernel, block.values, edges.values, edges.ends, left, missing_code, block.places, out)

    def _check_code_limit(self, table: TableInMemory) -> None:
        if self.n_bins_.max() > MAX_CODES:
            j = int(self.n_bins_.argmax())
            raise UserError(
                code="too-many-bins",
                message=f"column {table.names[j]!r} has {self.n_bins_[j]:,} codes",
                advice=f"at most {MAX_CODES:,} are supported, drop it or group its values",
            )


class CutBinning(Binning):
    """A rule that cuts a numeric column into intervals; a subclass says where."""

    def _fit_numeric(self, table: TableInMemory, extents: Extents) -> None:
        cuts: list[Any] = [None] * len(extents.blocks)

        def cut(b: int) -> None:
            places = extents.blocks[b].places
            cuts[b] = places, *self._cut(table, extents.blocks[b], extents.low[b], extents.high[b])

        run_blocks(cut, range(len(cuts)), self.n_jobs, phase("binning"))
        self.bin_edges_ = Ragged.merged(table.n_features, cuts)
        self.n_bins_ = self.bin_edges_.lengths + 1
        self.categories_ = self._known_categories(table)

    @abstractmethod
    def _cut(
        self, table: TableInMemory, block: NumericBlock, low: NDArray[Any], high: NDArray[Any]
    ) -> tuple[Floats, Integers]:
        """The rule: the cuts of the columns of a block, one after the other, and where those of each column end."""


def rule_named(name: str) -> type[Binning]:
    """The class of a rule."""
    module, kind = RULES[name]
    rule: type[Binning] = getattr(import_module(module, __package__), kind)
    return rule


def make_binner(spec: Any = BINNING, *, n_jobs: int | None = None, **parameters: Any) -> Binning:
    """The rule of a name, or an unfitted copy of a binner; ``n_jobs`` and the parameters are for a name alone.

    Missing values have a code of their own by the rule of a name, unless ``missing`` says otherwise.
    """
    if isinstance(spec, Binning):
        if parameters:
            raise UserError(
                code="contradicting-parameters",
                message=f"binning is an object, so set {', '.join(parameters)} on that object",
            )
        return spec.unfitted()
    names = ", ".join(map(repr, RULES))
    if not isinstance(spec, str) or spec not in RULES:
        near = get_close_matches(spec.lower(), RULES, n=1) if isinstance(spec, str) else []
        hint = f", did you mean {near[0]!r}?" if near else "" if isinstance(spec, str) else " or a binner object"
        raise ParameterError("binning", spec, f"give one of {names}{hint}", "is not known", code="unknown-name")
    rule: Any = rule_named(spec)  # whose parameters are its own
    accepted = [name for name in rule.parameter_names() if name != "n_jobs"]
    for name in parameters:
        if name not in accepted:
            raise UserError(
                code="unknown-parameter",
                message=f"is no parameter of binning {spec!r}",
                advice=f"it has {', '.join(f'{{{other}}}' for other in accepted)}",
                parameters={name: NAME_ONLY},
            )
    parameters.setdefault("missing", None)
    made: Binning = rule(n_jobs=n_jobs, **parameters)
    return made


def make_discretizer(options: DiscretizationOptions, n_jobs: int | None = None) -> Binning:
    """The rule that a user chose, not fitted: the default one where none is chosen."""
    name_or_rule = BINNING if options.binning is None else options.binning
    return make_binner(name_or_rule, n_jobs=n_jobs, **options.rule_parameters)


def binning_with(spec: Any, n_jobs: int | None = None, **parameters: Any) -> Any:
    """What names a binner, or a binner where a parameter is given; one that is None is not."""
    given = {name: value for name, value in parameters.items() if value is not None}
    return make_binner(spec, n_jobs=n_jobs, **given) if given else spec


def keeps_missing(spec: Any) -> bool:
    """Whether missing values get a code of their own, by a rule of a name or by a binner."""
    return isinstance(spec, str) or getattr(spec, "missing", "error") in ("bin", None)


def codes_that_occur(binner: Binning, table: Table) -> Integers:
    """How many codes every column can show; in dense tables the code of missing values only where there are such."""
    n_codes = np.asarray(binner.n_bins_)
    if not keeps_missing(binner):
        return n_codes
    if table.coded_arities is not None:
        return table.coded_arities
    if table.rows is None or table.is_sparse:
        return n_codes
    none_missing = (table.rows.extents(binner.n_jobs).holds & MISSING) == 0
    return np.asarray(n_codes - none_missing, np.int64)


def code_categories(name: str, given: Encoded, known: NDArray[Any] | None, out: NDArray[Any]) -> None:
    """Codes of the categories of a column among those ``known`` when fitting, written to ``out``."""
    if known is None:
        raise UserError(
            code="column-kind-changed",
            message=f"column {name!r} was numeric when fitting",
            advice="give numbers",
        )
    if known is given.categories:
        out[:] = given.codes
        return
    try:
        codes = lookup(given.categories, known)
    except TypeError:  # of another kind than when fitting
        codes = np.full(len(given.categories), -1, np.int32)
    if len(codes) and codes.min() < 0:
        raise unknown_category(name, given.categories[codes < 0])
    if len(codes):
        out[:] = codes[given.codes]


def unknown_category(name: str, values: NDArray[Any]) -> UserError:
    """The error for values of a column that were not there when fitting."""
    value = values[:1].tolist()[0]
    return UserError(
        code="unseen-value",
        message=f"column {name!r} holds {value!r}, which was not there when fitting",
        advice="fit on data that has every value, or replace it",
    )


def as_known(table: TableInMemory, categories: Sequence[NDArray[Any] | None]) -> TableInMemory:
    """The table with every column of whole numbers as categories whose known categories are whole numbers."""
    whole = [j for j, known in enumerate(categories) if known is not None and known.dtype.kind in "iu"]
    changed = {j: _encoded(table.numbers(j)) for j in whole if table.is_numeric(j)}
    if not changed:
        return table
    return replace(table, columns=[changed.get(j, table.values(j)) for j in range(table.n_features)])


def _encoded(values: Any) -> Any:
    """The codes of whole numbers, -1 for missing ones; numbers of another kind as they are."""
    if values.dtype.kind in "iu":
        return encode(values)
    numbers = values[~np.isnan(values)]
    if (np.abs(numbers) > WHOLE).any() or (numbers != np.rint(numbers)).any():
        return values
    found = encode_known(values)
    return replace(found, categories=found.categories.astype(np.int64))
