"""KnockoffSelector: the rule of knockoffs as a transformer."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits

from bitsieve import ForwardSelector, KnockoffSelector, KnockoffStopping, StreamSource


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:600, :40] // 4, (y[:600] > 4).astype(int)


def test_it_is_forward_selection_by_its_rule(digits):
    made = KnockoffSelector(n_draws=3, random_state=5, binning="none").fit(*digits)
    rule = KnockoffStopping(n_draws=3, random_state=5)
    same = ForwardSelector("auto", criterion="mim", stopping=rule, binning="none").fit(*digits)
    assert made.selected_.tolist() == same.selected_.tolist()
    assert made.scores_.tolist() == same.scores_.tolist()
    assert made.stopping_values_.tolist() == same.stopping_values_.tolist()


def test_threads_do_not_matter_and_a_number_takes_the_first(digits):
    one, three = (KnockoffSelector(n_draws=2, level=0.2, binning="none", n_jobs=n).fit(*digits) for n in (1, 3))
    assert one.selected_.tolist() == three.selected_.tolist()
    assert len(one.selected_) >= 10
    few = KnockoffSelector(4, n_draws=2, level=0.2, binning="none").fit(*digits)
    assert few.selected_.tolist() == one.selected_[:4].tolist()
    assert few.transform(digits[0]).shape == (600, 4)


@pytest.mark.slow("many draws")
def test_lists_of_several_draws_depend_less_on_the_seed(digits):
    def disagreement(n_draws):
        found = [KnockoffSelector(n_draws=n_draws, random_state=seed, binning="none").fit(*digits) for seed in range(4)]
        return np.array([of.support_ for of in found]).var(axis=0).sum()

    assert disagreement(8) < disagreement(1)


@pytest.mark.parametrize(("given", "message"), [({"n_draws": 0}, "n_draws"), ({"level": 1.5}, "level")])
def test_mistakes(given, message, digits):
    with pytest.raises(ValueError, match=message):
        clone(KnockoffSelector(**given)).fit(*digits)


def test_rows_in_parts_are_refused_with_the_cause(digits, tmp_path):
    X, y = digits
    np.savetxt(tmp_path / "codes.csv", np.column_stack([X, y]), "%d", ",")
    stream = StreamSource(tmp_path / "codes.csv", header=False)
    with pytest.raises(ValueError, match="ForwardSelector with knockoffs needs all rows in memory"):
        ForwardSelector("auto", stopping="knockoffs", binning="none").fit(stream, "x40")
