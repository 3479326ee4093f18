"""The lasso by cross-validation: that of scikit-learn, with the penalties that fit noise left out."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LassoCV
from sklearn.model_selection import PredefinedSplit

from bitsieve.methods.by_counts.dependent import linear_models
from bitsieve.methods.by_counts.dependent.linear_models import lasso_by_cross_validation


def table(n_rows, n_columns, n_of_class=7):
    """Columns with common factors, and a class of which some are a part; the rows lie class by class."""
    random = np.random.default_rng(n_rows + n_columns)
    factors = random.normal(size=(n_rows, 5))
    scores = factors @ random.normal(size=(5, n_columns)) + random.normal(size=(n_rows, n_columns))
    is_class = scores[:, :n_of_class].sum(axis=1) + 3 * random.normal(size=n_rows) > 0
    order = np.argsort(is_class, kind="stable")
    return scores[order], is_class[order] - is_class.mean()


@pytest.mark.filterwarnings("ignore:Objective did not converge")  # of scikit-learn, with the smallest penalties
@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize(("n_rows", "n_columns"), [(100, 10), (200, 60), (60, 90)])
def test_it_is_that_of_scikit_learn_bit_for_bit(n_rows, n_columns, n_jobs):
    scores, class_values = table(n_rows, n_columns)
    folds = PredefinedSplit(np.arange(n_rows) % linear_models.N_FOLDS)
    expected = LassoCV(cv=folds, fit_intercept=False).fit(scores, class_values)
    found = lasso_by_cross_validation(scores, class_values, n_jobs)
    assert found.penalty == expected.alpha_
    assert found.weights.tolist() == expected.coef_.tolist()
    assert found.weights.any()


@pytest.mark.filterwarnings("ignore:Objective did not converge")
def test_penalties_end_where_the_error_has_risen(monkeypatch):
    """None of the penalties that are left out has a smaller error; the error of the last one tried has risen."""
    pieces = []
    errors_of_fold = linear_models._Fold.errors

    def noted_errors(fold, penalties):
        pieces.append(errors_of_fold(fold, penalties))
        return pieces[-1]

    monkeypatch.setattr(linear_models._Fold, "errors", noted_errors)

    def mean_errors(max_rise):
        pieces.clear()
        monkeypatch.setattr(linear_models, "MAX_RISE", max_rise)
        found = lasso_by_cross_validation(*table(100, 60), None)
        by_fold = np.array(pieces).reshape(-1, linear_models.N_FOLDS, linear_models.PENALTIES_AT_ONCE)
        return found, by_fold.mean(axis=1).ravel()

    found, tried = mean_errors(1.1)
    of_all, all_errors = mean_errors(np.inf)
    assert len(tried) < len(all_errors) == linear_models.N_PENALTIES
    assert tried.tolist() == all_errors[: len(tried)].tolist()
    assert tried.argmin() == all_errors.argmin()
    assert found.penalty == of_all.penalty
    has_risen = tried > 1.1 * tried.min()
    assert has_risen[-linear_models.PENALTIES_AT_ONCE :].any()
    assert not has_risen[tried.argmin() : -linear_models.PENALTIES_AT_ONCE].any()


def test_a_class_that_no_column_explains_has_no_weights():
    found = lasso_by_cross_validation(np.eye(20)[:, :3], np.zeros(20), None)
    assert found.weights.tolist() == [0.0, 0.0, 0.0]
