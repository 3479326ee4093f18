"""Whatever is done to a selector before, a fit gives what a new one with the same parameters gives."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test
from sklearn.base import clone
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.exceptions import NotFittedError

from bitsieve import list_methods, make_selector
from bitsieve.diagnostics import ParameterError

METHODS = [method.name for method in list_methods() if not method.same_as]
# A hundred trees take half a second for a fit and its clone's; five are of the same class.
SMALLER = {"extra-trees": {"model": ExtraTreesClassifier(n_estimators=5, random_state=0)}}


def make_data(seed, n_features):
    random = np.random.default_rng(seed)
    classes = random.integers(0, 2, 40)
    noise = random.integers(0, 3, (40, n_features))
    return np.where(random.random((40, n_features)) < 0.4, classes[:, None], noise).astype(float), classes


DATA = [make_data(0, 5), make_data(1, 5), make_data(2, 7)]


def fitted_attributes(selector):
    """Everything a fit has set, as bytes where it is an array."""
    found = {}
    for name in dir(selector):
        value = getattr(selector, name) if name.endswith("_") and not name.startswith("_") else ...
        if isinstance(value, (np.ndarray, np.generic, int, float, str, bool, type(None))):
            found[name] = value.tobytes() if isinstance(value, np.ndarray) and value.dtype != object else repr(value)
    return found


class SelectorStates(RuleBasedStateMachine):
    methods = METHODS

    @initialize(data=st.data())
    def start(self, data):
        self.method = data.draw(st.sampled_from(self.methods))
        self.selector = make_selector(self.method, 2, **SMALLER.get(self.method, {}))
        self.fitted_on = None

    @rule(k=st.integers(1, 5))
    def set_number(self, k):
        assert self.selector.set_params(n_features_to_select=k) is self.selector

    @rule(n_jobs=st.sampled_from([None, 1, 2]))
    def set_threads(self, n_jobs):
        if "n_jobs" in self.selector.get_params():
            self.selector.set_params(n_jobs=n_jobs)

    @rule(binning=st.sampled_from(["mdl", "none", "quantile"]))
    def set_binning(self, binning):
        if isinstance(self.selector.get_params().get("binning"), str):
            self.selector.set_params(binning=binning)

    @rule()
    def set_what_is_not_allowed(self):
        with pytest.raises(ValueError, match="Invalid parameter 'colour'"):
            self.selector.set_params(colour=3)

    @rule(which=st.sampled_from(range(len(DATA))))
    def fit(self, which):
        before = repr(self.selector.get_params())
        X, y = (array.copy() for array in DATA[which])
        assert self.selector.fit(X, y) is self.selector
        assert repr(self.selector.get_params()) == before
        assert X.tobytes() == DATA[which][0].tobytes()
        assert y.tobytes() == DATA[which][1].tobytes()
        fresh = clone(self.selector).fit(X, y)
        assert fitted_attributes(self.selector) == fitted_attributes(fresh)
        self.fitted_on = which

    @rule()
    def fit_that_fails(self):
        """It raises what a new selector raises, and a later fit is not harmed."""
        number = self.selector.n_features_to_select
        self.selector.set_params(n_features_to_select=-1)
        with pytest.raises(ParameterError, match="n_features_to_select=-1 is not allowed"):
            self.selector.fit(*DATA[0])
        self.selector.set_params(n_features_to_select=number)
        self.fitted_on = None

    @rule()
    def fit_on_broken_data(self):
        """One class too few is refused by every method; parameters stay, and a later fit is not harmed."""
        before = repr(self.selector.get_params())
        X, y = DATA[0]
        with pytest.raises(ValueError, match=r"rows but y has .* values: both must have the same number of rows"):
            self.selector.fit(X, y[1:])
        assert repr(self.selector.get_params()) == before
        self.fitted_on = None

    @rule()
    def replace_by_a_clone(self):
        self.selector = clone(self.selector)
        self.fitted_on = None
        with pytest.raises(NotFittedError):
            self.selector.transform(DATA[0][0])

    @rule()
    def replace_by_its_pickle(self):
        before = fitted_attributes(self.selector)
        self.selector = pickle.loads(pickle.dumps(self.selector))
        assert fitted_attributes(self.selector) == before

    @precondition(lambda self: self.fitted_on is not None)
    @rule()
    def transform(self):
        X, _ = DATA[self.fitted_on]
        chosen = np.flatnonzero(self.selector.get_support())
        assert np.array_equal(np.sort(self.selector.selected_), chosen)
        assert np.array_equal(self.selector.transform(X), X[:, chosen])
        assert len(self.selector.scores_) == len(self.selector.selected_)


def run(machine, **limits):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # notes of the methods
        run_state_machine_as_test(
            machine, settings=settings(deadline=None, suppress_health_check=list(HealthCheck), **limits)
        )


@pytest.mark.slow("every method in every state")
def test_any_method_in_any_state():
    run(SelectorStates, max_examples=10, stateful_step_count=8)


@pytest.mark.nightly
@pytest.mark.parametrize("method", METHODS)
def test_every_method_in_any_state(method):
    run(type("Alone", (SelectorStates,), {"methods": [method]}), max_examples=40, stateful_step_count=25)
