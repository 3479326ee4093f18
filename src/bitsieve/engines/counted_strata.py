"""The strata of saved counts: their classes are the combinations of stratum and class that occur."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bitsieve.counts.strata import StrataAndClasses
from bitsieve.dataset.column_summary import union_of_values
from bitsieve.dataset.encoding import lookup
from bitsieve.dataset.target_summary import TargetCoding
from bitsieve.diagnostics import UserError
from bitsieve.discretization.coding import array_from_json, array_to_json
from bitsieve.engines import checked_facts
from bitsieve.utils.arrays import Integers, Values
from bitsieve.utils.types import JsonObject


@dataclass(frozen=True, eq=False)
class CountedStrata:
    """The strata by which rows were counted beside the classes of the target."""

    name: str  # of the column
    values: Values  # the value of each stratum, ascending
    combinations: StrataAndClasses  # the stratum and the class of each class of the counts

    @classmethod
    def of_coding(cls, name: str, coding: TargetCoding) -> CountedStrata | None:
        """The strata by which a table was counted; None without strata."""
        if coding.strata_and_classes is None:
            return None
        if len(coding.strata) > 1:
            raise UserError(
                code="strata-not-supported",
                message="the counts within several columns of strata together are not saved",
                advice="name one column as the strata, such as one of their joint values that is made before",
            )
        assert coding.combinations is not None  # they were found before the rows were counted
        (column,) = coding.strata
        occurring_strata = np.unique(coding.combinations // coding.target.n_classes)
        return cls(name, column.values[occurring_strata], coding.strata_and_classes)

    @classmethod
    def one_stratum(cls, name: str, value: str, n_classes: int) -> CountedStrata:
        """All rows in one stratum."""
        combinations = StrataAndClasses(np.zeros(n_classes, np.int64), np.arange(n_classes), n_classes)
        return cls(name, np.array([value], object), combinations)

    @property
    def n_combinations(self) -> int:
        return len(self.combinations.stratum)

    def with_classes(self, new_class: Integers, n_classes: int) -> CountedStrata:
        """The same strata with other classes: class c becomes ``new_class[c]`` of ``n_classes``, which rises with c."""
        label = new_class[self.combinations.label].astype(np.int64)
        return replace(self, combinations=StrataAndClasses(self.combinations.stratum, label, n_classes))

    def union(self, other: CountedStrata) -> CountedStrata:
        """The strata, and the combinations, that one of them has or both. Their classes are the same."""
        values = union_of_values(self.values, other.values, f"column {self.name!r} of the strata")
        n_classes = self.combinations.n_classes
        numbers = np.union1d(self._numbers(values), other._numbers(values))
        return CountedStrata(self.name, values, StrataAndClasses.of_numbers(numbers, n_classes))

    def positions_in(self, other: CountedStrata) -> Integers:
        """The index of each combination in ``other``, which has all of them and the same classes."""
        return np.searchsorted(other._numbers(other.values), self._numbers(other.values))

    def _numbers(self, values: Values) -> Integers:
        """The numbers ``stratum * n_classes + class`` of the combinations, where the strata are those of ``values``."""
        stratum_of_value = lookup(self.values, values).astype(np.int64)
        numbers: Integers = stratum_of_value[self.combinations.stratum] * self.combinations.n_classes
        return numbers + self.combinations.label

    def facts(self) -> JsonObject:
        """The strata as a dictionary for JSON."""
        return {
            "name": self.name,
            "values": array_to_json(self.values),
            "stratum": self.combinations.stratum.tolist(),
            "class": self.combinations.label.tolist(),
        }

    @classmethod
    def from_facts(cls, facts: JsonObject, n_classes: int) -> CountedStrata:
        """The strata of a dictionary made by :meth:`facts`, and ``n_classes`` classes."""
        combinations = StrataAndClasses(
            stratum=np.array(facts["stratum"], np.int64),
            label=np.array(facts["class"], np.int64),
            n_classes=n_classes,
        )
        return cls(facts["name"], array_from_json(facts["values"]), combinations)


def check_strata_facts(facts: JsonObject, n_classes: int) -> int:
    """Refuse facts that are no strata of ``n_classes`` classes, and return the number of combinations."""
    checked_facts.text(facts, "name")
    n_strata = len(checked_facts.sorted_array(facts["values"], "values"))
    stratum = checked_facts.whole_numbers(facts, "stratum", None, 0, n_strata - 1)
    label = checked_facts.whole_numbers(facts, "class", len(stratum), 0, n_classes - 1)
    combinations = list(zip(stratum, label, strict=True))
    if combinations != sorted(set(combinations)) or set(stratum) != set(range(n_strata)):
        raise ValueError("'stratum' and 'class' are no combinations of all strata in their order")
    return len(combinations)
