"""scikit-learn's own checks of the estimators of scorecards."""

from sklearn.utils.estimator_checks import parametrize_with_checks

from bitsieve import MonotoneBinner, WOEEncoder


@parametrize_with_checks([MonotoneBinner(), MonotoneBinner(missing="error", max_n_bins=3, n_jobs=2), WOEEncoder()])
def test_scikit_learn(estimator, check):
    check(estimator)
