"""Error curves: the errors of every method and fold for every number of features, and what follows from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from bitsieve.common.messages import choices
from bitsieve.evaluation.choice import Choice, choose, standard_errors
from bitsieve.evaluation.significance import PairedTest, paired_test
from bitsieve.evaluation.stability import kuncheva, nogueira

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.intp]


@dataclass(frozen=True)
class ErrorCurves:
    """Cross-validated errors of several methods for every number of features.

    What :class:`bitsieve.Comparison` adds are its forms as a table, a document and a text; its attributes are these.
    """

    methods: list[str]
    counts: Integers
    n_test: Integers
    errors: Integers = field(repr=False)
    redundancy: Floats = field(repr=False)
    separability: Floats = field(repr=False)
    seconds_selecting: Floats = field(repr=False)
    seconds_classifying: Floats = field(repr=False)
    selected: list[list[Integers]] = field(repr=False)
    names: list[str] = field(repr=False)
    parameters: dict[str, Any]
    notes: list[str]
    bayes_error_bounds: Floats | None = field(default=None, repr=False)
    baselines: dict[str, Floats] = field(default_factory=dict, repr=False)

    @cached_property
    def rates(self) -> Floats:
        """Error rates pooled over the folds, shape (n_methods, n_counts)."""
        return np.asarray(self.errors.sum(axis=1) / self.n_test.sum())

    @cached_property
    def standard_errors(self) -> Floats:
        """Of :attr:`rates`, from the folds, shape (n_methods, n_counts); nan for one fold."""
        return standard_errors(self.errors, self.n_test)

    def test(self, first: str, second: str) -> PairedTest:
        """One-sided paired t-tests of two methods over the numbers of features, both ways.

        Parameters
        ----------
        first, second : str

        Returns
        -------
        PairedTest
            Its ``outcome`` is ``+`` where the first has the lower error at 5 %, ``-`` where the second has, else ``=``.
        """
        return paired_test(self.rates[self._row(first)], self.rates[self._row(second)])

    def choice(self, method: str | None = None) -> Choice:
        """The fewest features within one standard error of the least error, of one method or of all.

        Parameters
        ----------
        method : str, optional

        Returns
        -------
        Choice
            ``print`` shows it as a sentence.
        """
        rows = slice(None) if method is None else [self._row(method)]
        methods = self.methods if method is None else [method]
        return choose(methods, self.counts, self.rates[rows], self.standard_errors[rows])

    def chosen(self, method: str) -> Choice:
        """The choice that is shown for a method: of the recommended method the recommended number.

        Parameters
        ----------
        method : str

        Returns
        -------
        Choice
        """
        recommended = self.choice()
        return recommended if recommended.method == method else self.choice(method)

    def stability(self, method: str) -> dict[str, Floats]:
        """Nogueira's and Kuncheva's stability of a method's selections over the folds, for every number of features.

        Parameters
        ----------
        method : str

        Returns
        -------
        dict
            "nogueira" and "kuncheva", each of shape (n_counts,); nan where not defined: with all features, and where
            one selection served all folds.
        """
        chosen = self.selected[self._row(method)]
        once = self.parameters["protocol"] == "paper"
        sets = [[] if once else [selected[:k] for selected in chosen] for k in self.counts]
        return {
            measure.__name__: np.array([measure(folds, len(self.names)) for folds in sets])
            for measure in (nogueira, kuncheva)
        }

    def _row(self, method: str) -> int:
        if method not in self.methods:
            raise ValueError(f"method {method!r} was not compared; {choices(method, self.methods)}")
        return self.methods.index(method)
