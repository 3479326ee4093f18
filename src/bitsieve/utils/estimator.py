"""The base of all estimators: scikit-learn's, with an error that names the right parameter."""

from __future__ import annotations

from typing import Any, Self

from sklearn.base import BaseEstimator

from bitsieve.utils.parameter_names import refuse_wrong_names


class Estimator(BaseEstimator):
    """An estimator whose ``set_params`` proposes the right name of a parameter."""

    def set_params(self, **params: Any) -> Self:
        """Set parameters, and those of an estimator inside this one as ``selector__parameter``.

        Parameters
        ----------
        **params
            Values by name.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If there is no such parameter.
        """
        params_of_this = {name: value for name, value in params.items() if "__" not in name}
        refuse_wrong_names(params_of_this, self.get_params(deep=False))
        super().set_params(**params)
        return self
