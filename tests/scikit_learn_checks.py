"""scikit-learn's own checks of an estimator, in one test."""

from __future__ import annotations

from unittest import SkipTest

from sklearn.utils.estimator_checks import estimator_checks_generator


def checks_that_fail(estimator):
    """The names of the checks that an estimator fails.

    A slow test makes all of them: a test for each would be collected in every quick run, where none of them runs.
    """
    failing = set()
    for checked, check in estimator_checks_generator(estimator):
        try:
            check(checked)
        except SkipTest:
            continue
        except Exception:
            failing.add(check.func.__name__)
    return failing
