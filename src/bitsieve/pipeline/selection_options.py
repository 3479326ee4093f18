"""What is to be selected, and by which method."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from bitsieve.dataset.target import Target
from bitsieve.diagnostics import ParameterError, UserError
from bitsieve.information import ANY_EFFECT
from bitsieve.methods.by_counts.stopping import StoppingRule
from bitsieve.methods.constraints import Constraints, check_constraints, has_items, with_penalties
from bitsieve.methods.method import Method
from bitsieve.methods.registry import arguments_of, find_method, refuse_method_as_rule
from bitsieve.options import PAPER, ColumnOptions, DiscretizationOptions
from bitsieve.utils.types import NameOrIndex


@dataclass(frozen=True, kw_only=True, eq=False)
class SelectionOptions:
    """What is to be selected, and by which method."""

    method: Method
    parameters: Mapping[str, Any]  # all parameters of the method but ``constraints``, completed by the defaults
    requested: Mapping[str, Any] = field(default_factory=dict)  # those that the user gave, ``constraints`` among them
    n_features_to_select: int | float | str | None = None
    columns: ColumnOptions = field(default_factory=ColumnOptions)
    constraints: Constraints | None = None
    screen: int | None = None  # the method runs on so many columns only: the most relevant ones
    protocol: str | None = None  # "paper" where what the user left open is as in the paper of the method

    def __post_init__(self) -> None:
        check_constraints(self.constraints)
        refuse_method_as_rule(self.stopping)
        if self.protocol not in (None, PAPER):
            raise ParameterError("protocol", self.protocol, "give 'paper', or leave it out", code="unknown-name")

    @classmethod
    def by_name(
        cls,
        method: str,
        requested: Mapping[str, Any],
        *,
        n_features_to_select: int | float | str | None = None,
        columns: ColumnOptions | None = None,
        screen: int | None = None,
        memory: int | str | None = None,
        protocol: str | None = None,
        function_parameters: Iterable[str] = (),
    ) -> Self:
        """Look up a method and complete its parameters.

        Parameters
        ----------
        method : str
            A name of the registry.
        requested : mapping of str to value
            The parameters of the method that the user gave, ``constraints`` among them.
        n_features_to_select, columns, screen
            The fields of these names.
        memory : int or str, optional
            The memory that the user allows, for a method that has a parameter of that name.
        protocol : {"paper"}, optional
            The parameters that the user did not give are those of the paper, and not the defaults.
        function_parameters : iterable of str
            Names of other parameters, to propose one of them in place of an unknown name.

        Raises
        ------
        ValueError
            If there is no such method, or it takes no such parameter.
        """
        registered_method = find_method(method)
        if columns is None:
            columns = ColumnOptions()
        if protocol == PAPER:
            requested = {**registered_method.published, **requested}
        parameters = dict(requested)
        constraints = parameters.pop("constraints", None)
        if constraints is not None and has_items(columns.include):
            raise UserError(
                code="contradicting-parameters",
                message="constraints are given, so put include into them",
                advice="Constraints(must_include=...)",
            )
        if memory is not None and "memory" in registered_method.parameters:
            parameters["memory"] = memory
        arguments = arguments_of(registered_method, parameters, function_parameters)
        arguments.pop("constraints", None)  # a field of its own
        return cls(
            method=registered_method,
            parameters=arguments,
            requested=requested,
            n_features_to_select=n_features_to_select,
            columns=columns,
            constraints=constraints,
            screen=screen,
            protocol=protocol,
        )

    def with_penalties(self, penalties: Mapping[NameOrIndex, float]) -> Self:
        """The same with penalties of columns in the constraints; those that the user gave add up with them."""
        if not penalties:
            return self
        constraints = self.constraints
        if constraints is None:
            constraints = Constraints(self.columns.include)
        constraints = with_penalties(constraints, penalties)
        return replace(
            self,
            constraints=constraints,
            columns=replace(self.columns, include=()),
            requested={**self.requested, "constraints": constraints},
        )

    @property
    def takes_constraints(self) -> bool:
        """Whether the method can select some columns first, or take columns together."""
        return "constraints" in self.method.parameters

    @property
    def arguments(self) -> dict[str, Any]:
        """All arguments of the method's function but the number of features."""
        arguments = dict(self.parameters)
        if self.takes_constraints:
            arguments["constraints"] = self.constraints
        return arguments

    def discretization_by_protocol(
        self, discretization: DiscretizationOptions, target: Target
    ) -> DiscretizationOptions:
        """How columns become codes: as in the papers, if the protocol is theirs and the method takes codes.

        MDL needs classes, so that the default stays where the target is a quantity.
        """
        if self.protocol == PAPER and self.method.bins and not target.n_classes_of_quantity:
            return discretization.as_published()
        return discretization

    @property
    def stopping(self) -> str | StoppingRule | None:
        """The stopping rule, if there is one."""
        rule: str | StoppingRule | None = self.parameters.get("stopping")
        return rule

    @property
    def estimator(self) -> str:
        """The estimator by which the method takes its information from the counts."""
        return str(self.parameters.get("estimator", "plug-in"))

    @property
    def effect(self) -> str:
        """Whether a column may have any effect within the strata, or one that they have in common."""
        return str(self.parameters.get("effect", ANY_EFFECT))

    @property
    def is_tested(self) -> bool:
        """Whether a rule tests each choice."""
        return self.stopping is not None or self.n_features_to_select == "auto"

    @property
    def ends_by_itself(self) -> bool:
        """Whether the number of features is left to the method."""
        number = self.n_features_to_select
        return isinstance(number, str | None) and number in self.method.ends_with

    @property
    def required_capabilities(self) -> frozenset[str]:
        """What the method requires of the data with these parameters."""
        return self.method.capabilities_required_with(self._arguments_with_number())

    def check(self) -> None:
        """Raise ValueError for parameters that are wrong whatever the data."""
        self.method.check_parameters(self._arguments_with_number())

    def _arguments_with_number(self) -> dict[str, Any]:
        return {"n_features_to_select": self.n_features_to_select, **self.arguments}
