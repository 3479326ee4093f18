"""The data as it was given: its kind, what its columns are used for, and how their text is to be read."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, cast

import numpy as np

from bitsieve.options import ReadOptions
from bitsieve.utils.arrays import Columns, Flags
from bitsieve.utils.messages import Sentence, Setting, allowed_names, meant, quoted

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False)
class Given:
    """The data as it was given, all of its rows."""

    # ``take(indices)`` gives these features in that order, in the kind and with the dtypes of the data given; None
    # where the data is not read again
    take: Callable[[Columns], Any]
    # ``with_target(names)`` gives these features, then the target and the weights, for writing to a file; None where
    # the data came without them
    with_target: Callable[[Sequence[str]], Any] | None = None
    # the name of the frequency weights, "sample_weight" where they were given by their values
    weight: str | None = None
    # what the features are called in the data, of whatever type; None where they have no names
    labels: Sequence[Any] | None = None
    whole: Any = None  # the table in memory that held the target, too
    groups: str | None = None  # the name of the groups, "groups" where they were given by their values


def not_read_again(indices: Columns) -> None:
    """What ``take`` is where the selected columns lie in files and need not fit into memory."""


def is_path(data: Any) -> bool:
    """Whether something is the path of a file or a folder, or several paths of files that are one table."""
    if isinstance(data, (list, tuple)) and data:
        return all(isinstance(one, (str, PathLike)) for one in data)
    return isinstance(data, (str, PathLike))


def with_rows(data: Any) -> Any:
    """A lazy frame collected, a record batch as a pyarrow table, anything else as it is."""
    if _is_record_batch(data):
        import pyarrow as pa

        return pa.table(data)
    if _is_of_a_cluster(data):
        library = type(data).__module__.partition(".")[0]
        raise ValueError(
            f"the data is a frame of {library}, whose rows may be too many for memory: if they are not, give them as a "
            "table in memory, such as by compute() or toArrow()"
        )
    if not is_lazy(data):
        return data
    import narwhals as nw

    return nw.from_native(data).collect().to_native()


def is_frame(data: Any) -> bool:
    """Whether something is a data frame in memory."""
    import narwhals as nw

    return nw.dependencies.is_into_dataframe(data)


def is_lazy(data: Any) -> bool:
    """Whether something is a lazy frame, such as a relation of a database."""
    if is_frame(data):
        return False
    import narwhals as nw

    return _is_of_a_cluster(data) or isinstance(nw.from_native(data, pass_through=True), nw.LazyFrame)


def gives_batches(data: Any) -> bool:
    """Whether something is read in batches: it speaks the Arrow stream protocol, or is of a kind that gives batches."""
    kind = type(data)
    if not any(hasattr(kind, name) for name in ("__arrow_c_stream__", "collect_batches", "scanner")):
        return False
    import narwhals as nw

    return not (hasattr(kind, "__arrow_c_array__") or nw.dependencies.is_into_series(data))  # one batch, or one column


def keeps_columns_only(data: Any) -> bool:
    """Whether the data is a lazy frame or a record batch, from which columns are taken by name."""
    return _is_record_batch(data) or is_lazy(data)


def take_columns(data: Any, names: Sequence[str]) -> Any:
    """Columns of a lazy frame or a record batch, in its own kind."""
    if _is_record_batch(data):
        return data.select(list(names))
    import narwhals as nw

    return nw.from_native(data).lazy().select(list(names)).to_native()


def _is_of_a_cluster(data: Any) -> bool:
    return hasattr(data, "persist") and hasattr(data, "columns")  # it may be kept where it is


def _is_record_batch(data: Any) -> bool:
    return hasattr(data, "__arrow_c_array__") and hasattr(data, "num_columns")


def library_of(data: Any) -> str:
    """The library of data frames that results on some data are given in: its own, else pandas where it is installed."""
    import narwhals as nw

    frame = nw.from_native(data, pass_through=True)
    lazy = isinstance(frame, nw.LazyFrame) and frame.implementation.is_polars()  # others have no frames in memory
    if lazy or isinstance(frame, nw.DataFrame):
        return str(frame.implementation.name.lower())
    with suppress(ModuleNotFoundError):  # of a finder that refuses the name
        if find_spec("pandas"):
            return "pandas"
    return "pyarrow"


def frame_of(columns: Mapping[str, Any], library: str) -> Any:
    """A data frame of a library."""
    import narwhals as nw

    return nw.from_dict(columns, backend=cast(Any, library)).to_native()


@dataclass(frozen=True)
class Roles:
    """The columns of a table by what they are used for."""

    features: list[Any]  # labels, in the order of the data
    target: list[Any]  # labels of one column or of several; empty where the target is given by its values
    weight: Any  # the column of frequency weights
    groups: Any  # the column of what belongs together
    target_name: str  # what messages call the target
    # the name of the weights, "sample_weight" where they are given by their values; None without weights
    weight_name: str | None

    @property
    def others(self) -> list[Any]:
        """The columns of the target and the weights."""
        return [*self.target, *([] if self.weight is None else [self.weight])]


def divide(
    labels: Sequence[Any],  # of all columns; empty for an array, whose columns have none
    target: Any,  # as :func:`bitsieve.select` takes them
    sample_weight: Any,
    groups: Any = None,
    *,
    # rows, where their number is known: it helps to see whether a list holds names or values
    n_samples: int | None = None,
    never: Sequence[Any] = (),  # labels that are no features
    unnamed: str = "target",  # what messages call a target that is given by values without a name
) -> Roles:
    """Divide the columns of a table into features, target and weights."""
    targets = _named(target, labels, "target", n_samples)
    weights, of_groups = (
        [] if isinstance(given, list) else _named(given, labels, what, n_samples)
        for given, what in ((sample_weight, "weight"), (groups, "groups"))
    )
    if len(set(targets)) < len(targets):
        raise ValueError(f"the targets {quoted(targets)} name a column twice: name each once")
    weight = weights[0] if weights else None
    for column, what in (*((one, "the weight") for one in weights), *((one, "the groups") for one in of_groups)):
        if column in targets:
            raise ValueError(f"column {column!r} cannot be both the target and {what}")
    name = ", ".join(map(str, targets)) if targets else str(getattr(target, "name", None) or unnamed)
    taken = {*targets, *weights, *of_groups, *never}
    features = [label for label in labels if label not in taken]
    if labels and not features:
        raise ValueError(f"the data holds only the target {name!r}: at least one feature is needed")
    weight_name = None if sample_weight is None else "sample_weight" if weight is None else str(weight)
    return Roles(features, targets, weight, of_groups[0] if of_groups else None, name, weight_name)


def _named(given: Any, labels: Sequence[Any], what: str, n_samples: int | None) -> list[Any]:
    """The columns that are meant where names are given; none where values are."""
    if given is None:
        return []
    if isinstance(given, (list, tuple)) and given and all(isinstance(part, str) for part in given):
        values = not labels or (n_samples == len(given) and not set(given) <= set(labels))
        return [] if values else _checked(list(given), labels, what)
    values = not np.isscalar(given) and not isinstance(given, tuple) and hasattr(given, "__len__")  # may be hashable
    if values or not isinstance(given, Hashable) or (isinstance(given, tuple) and given not in labels):
        return []
    return _checked([given], labels, what)


def _checked(names: list[Any], labels: Sequence[Any], what: str) -> list[Any]:
    if not labels:
        name = {"weight": "sample_weight"}.get(what, what)
        values = "the target as an array of its values" if what == "target" else f"{name} as an array"
        raise ValueError(f"the data is an array, whose columns have no names: give {values}")
    names = [meant(name, labels) if isinstance(name, str) else name for name in names]
    for name in names:
        if name not in labels:
            known = allowed_names(str(name), [str(label) for label in labels])
            raise ValueError(f"there is no column {str(name)!r} for the {what}: {known}")
    return names


class Form(Protocol):
    """What text of one column means."""

    @property
    def what(self) -> str:
        """What it is, in words."""

    @property
    def time(self) -> Literal["dates", "durations"] | None:
        """Its kind, where its numbers are microseconds."""
        return None

    @property
    def no_class(self) -> bool:
        """Whether a target of it is no classes; plain whole numbers stay classes where they are text."""
        return True

    def read(self, text: pa.Array) -> pa.Array:
        """The values of some text, null for what is missing or not of this form."""


@dataclass(frozen=True)
class Account:
    """How the text of a column was read."""

    what: str  # what the values are, in words; "codes" and "open dates" stay categories
    example: str  # one of them
    n_read: int  # rows that are read so, and rows with other text, which is read as missing
    n_unread: int = 0
    unread: tuple[tuple[str, int], ...] = ()  # the most frequent of that text, and in how many rows it is
    has_missing: bool = False  # whether other rows have no value

    @property
    def listed(self) -> str:
        """The most frequent text that is read as missing."""
        listed = ", ".join(f"{value!r} ({times:,})" for value, times in self.unread)
        return f"{listed}{', ...' if self.n_unread > sum(times for _, times in self.unread) else ''}"


class Understood(NamedTuple):
    """The form of the text of a column, and an account where it is not plain."""

    form: Form
    account: Account | None = None
    is_plain: bool = False  # whether it is numbers or times as every file of text has them


@dataclass(frozen=True, eq=False)
class ColumnRules:
    """How columns are read."""

    repair: bool = True  # whether text that is almost numbers, times or booleans is read as such
    # of some columns, by name or place, what they hold: one of ``COLUMN_TYPES``
    types: Mapping[Any, str] = field(default_factory=dict)
    # of some of the rows, by their places the columns of text that are no categories in all rows; None: these are all
    # rows
    forms: Mapping[int, Form] | None = None
    counted: Flags | None = None  # shape (n_samples,): which rows count; None: all

    @classmethod
    def from_options(cls, options: ReadOptions) -> ColumnRules:
        """The rules that a user chose, of all rows."""
        return cls(options.repair, options.column_types or {})

    def by_place(self, names: Sequence[str]) -> dict[int, str]:
        """The types of columns by their places."""
        found = {}
        for column, kind in self.types.items():
            name = meant(str(column), names)
            if isinstance(column, int) and name not in names and column < len(names):
                found[column] = kind
            elif name in names:
                found[list(names).index(name)] = kind
            else:
                what = f" names {name!r}, which is no feature: {allowed_names(name, [*names])}"
                raise ValueError(Sentence(Setting("column_types"), what))
        return found
