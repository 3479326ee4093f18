"""The base of all selectors, and their constructors, which are made from fields."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar, dataclass_transform

import narwhals as nw
import numpy as np
from sklearn import get_config
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from bitsieve.dataset.data_kinds import collect, keeps_columns_only, refuse_path, take_columns
from bitsieve.discretization.base import Binning
from bitsieve.discretization.registry import make_discretizer
from bitsieve.methods.method import DENSE_ROWS, SHARED, Method
from bitsieve.options import DiscretizationOptions, ExecutionOptions
from bitsieve.selectors.callbacks import CallbackSupportMixin
from bitsieve.selectors.descriptions import ATTRIBUTES, PARAMETERS
from bitsieve.utils.arrays import Columns, Flags
from bitsieve.utils.docstrings import PAPERS, described_fully, with_references
from bitsieve.utils.estimator import Estimator
from bitsieve.utils.parameter_names import proposes_right_names
from bitsieve.utils.parameters import Rule, check_parameters
from bitsieve.utils.types import TableLike

S = TypeVar("S", bound="ColumnSelector")


class ColumnSelector(CallbackSupportMixin, SelectorMixin, Estimator):
    """Base of all selectors. A subclass has parameters, a docstring and ``fit``, which sets ``support_``."""

    #: Checks of the parameters that no method of the registry checks.
    parameter_rules: ClassVar[Mapping[str, Rule]] = {}
    #: The methods of the registry that the selector can use. All of them call one function.
    registry_methods: ClassVar[tuple[Method, ...]] = ()
    #: What the data must offer: what the method requires, if there is one.
    required_capabilities: ClassVar[frozenset[str]] = DENSE_ROWS
    #: Descriptions of the fitted attributes that the docstring gets.
    shared_attributes: ClassVar[Mapping[str, str]] = ATTRIBUTES

    parameter_names: ClassVar[tuple[str, ...]]
    support_: Flags
    selected_: Columns

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.registry_methods:
            cls.required_capabilities = cls.registry_methods[0].required_capabilities
        if "__init__" in vars(cls):
            cls._describe_parameters()

    @classmethod
    def _describe_parameters(cls) -> None:
        """Add the parameters, attributes and papers that several selectors share to the docstring."""
        cls.parameter_names = tuple(inspect.signature(cls).parameters)
        doc = described_fully(cls.__doc__ or "", cls.parameter_names, PARAMETERS, cls.shared_attributes)
        papers = dict.fromkeys(method.paper for method in cls.registry_methods)
        cls.__doc__ = with_references(doc, [PAPERS[name] for name in papers if name in PAPERS])

    def transform(self, X: TableLike) -> TableLike:
        """Keep the selected columns, in their order in X.

        Parameters
        ----------
        X : array-like, pandas or polars DataFrame, pyarrow Table, of shape (n_samples, n_features)

        Returns
        -------
        X_selected : of the kind of X, shape (n_samples, k)
            Column names and dtypes are those of X.
        """
        check_is_fitted(self)
        refuse_path(X)
        if keeps_columns_only(X):
            return self._take_by_name(X)
        frame = nw.from_native(X, pass_through=True)
        if not isinstance(frame, nw.DataFrame):
            return super().transform(X)
        validate_data(self, X, reset=False, skip_check_array=True)
        return self._take_of_frame(frame)

    def _take_by_name(self, X: TableLike) -> TableLike:
        """Select from a lazy frame or a record batch, which stays what it is."""
        collected = collect(X)
        validate_data(self, collected, reset=False, skip_check_array=True)
        names = nw.from_native(collected).columns
        return take_columns(X, [names[j] for j in np.flatnonzero(self.support_)])

    def _take_of_frame(self, frame: nw.DataFrame[Any]) -> TableLike:
        """Select from a data frame, as scikit-learn loses the dtypes of some frames and refuses an Arrow table."""
        selected = np.flatnonzero(self.support_).tolist()
        X = frame.to_native()
        if nw.dependencies.is_pandas_like_dataframe(X):
            return X.iloc[:, selected]
        config_of_selector = getattr(self, "_sklearn_output_config", {})  # which set_output sets
        requested_output = config_of_selector.get("transform") or get_config()["transform_output"]
        if requested_output == "pandas":
            return frame[:, selected].to_pandas()
        return frame[:, selected].to_native()

    @property
    def discretization(self) -> DiscretizationOptions:
        """The options of discretization; ``binning`` is None for a selector without this parameter."""
        parameters = self.get_params(deep=False)
        return DiscretizationOptions(
            binning=parameters.get("binning"),
            bins_within=parameters.get("bins_within", False),
            missing=parameters.get("missing"),
        )

    def _execution(self) -> ExecutionOptions:
        return ExecutionOptions(n_jobs=self.get_params(deep=False).get("n_jobs"))

    def _check_parameters(self) -> None:
        """Raise ValueError for parameters that are wrong for any data."""
        check_parameters(self)

    def _name_in_messages(self) -> str:
        """The name that messages on missing capabilities of the data use, such as "StabilitySelector"."""
        return type(self).__name__

    def _get_support_mask(self) -> Flags:
        check_is_fitted(self)
        return self.support_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.input_tags.sparse = "dense" not in self.required_capabilities
        tags.input_tags.allow_nan = self._takes_missing()
        return tags

    def _takes_missing(self) -> bool:
        """Whether missing values are allowed, by the method or by the binner."""
        if any(method.takes_missing for method in self.registry_methods):
            return True
        if self.discretization.binning is None:
            return False
        return make_discretizer(self.discretization).takes_missing


def fitted_binner(selector: ColumnSelector) -> Binning | None:
    """The binner that a selector has fitted; None for a selector that has no ``binner_``, as it makes no bins."""
    binner: Binning | None = vars(selector).get("binner_")
    return binner


@dataclass_transform(eq_default=False, kw_only_default=True, field_specifiers=(field,))
def with_parameters(cls: type[S]) -> type[S]:
    """Make the constructor of a selector from its fields. The parameters that all selectors share come last."""
    constructor = vars(dataclass(eq=False, repr=False, kw_only=True)(cls))["__init__"]
    parameters = inspect.signature(constructor).parameters
    last_names = SHARED[1:]  # without n_features_to_select, which stays where the fields have it
    own_parameters = [parameter for name, parameter in parameters.items() if name not in last_names]
    shared_parameters = [parameters[name] for name in last_names if name in parameters]
    constructor.__signature__ = inspect.Signature([*own_parameters, *shared_parameters])
    cls.__init__ = proposes_right_names(constructor)  # type: ignore[method-assign]
    cls._describe_parameters()
    return cls
