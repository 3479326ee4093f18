"""The studies behind the documents' tables, in small form: levels, false discoveries, the default method."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from sklearn.datasets import load_wine
from tests.cover import quick_and_slow

from benchmarks import default_method, false_discoveries, levels, scorecard_words


@pytest.mark.parametrize(
    "name",
    quick_and_slow(
        ["2 to 50 codes, noise, 200 x 50", "2 to 15 codes, noise, 30 x 56"],
        quick={"2 to 15 codes, noise, 30 x 56"},
        reason="more rows",
    ),
)
def test_levels_of_noise(name):
    outcome = levels.measure(levels.DESIGNS[name], "significance", 12)
    assert outcome.n_wrong <= 4  # at the level of 5 %, 5 or more of 12 come once in 5,000 times
    assert outcome.n_real_found == 0
    assert outcome.noise_share <= outcome.n_wrong / 12


def test_levels_find_what_is_real():
    outcome = levels.measure(levels.DESIGNS["2 to 50 codes, 1 real + 50 noise, 200 rows"], "significance", 5)
    assert outcome.n_real_found >= 4  # 0.94 of all sets, measured over 200; three or fewer come once in 30


def test_false_discoveries_by_fdr_and_by_a_test_of_each_column():
    design = false_discoveries.DESIGNS["1 real + 50 noise of 2 to 50 codes, 200 rows"]
    rules = (false_discoveries.ours("benjamini-hochberg", "jmi"), false_discoveries.chi_squared())
    for outcome in (false_discoveries.measure(design, rule, range(5)) for rule in rules):
        assert outcome.n_real_found.sum() >= 4
        assert (outcome.shares < 1).sum() >= 4
        assert outcome.shares.mean() <= 0.4


def test_words_of_noise_are_counted():
    small = scorecard_words.measure(scorecard_words.NoiseOfClasses(50, 150, None, has_fixed_bins=True), 20)
    large = scorecard_words.measure(scorecard_words.NoiseOfClasses(5_000, 15_000, None, has_fixed_bins=True), 20)
    assert 0 < large.mean < small.mean
    assert sum(small.share_of_word.values()) == pytest.approx(1)
    assert large.share_of_word == {"useless": 1}  # .02 is 8 times its mean
    samples = scorecard_words.measure(scorecard_words.TwoSamples(2_000), 20)
    assert samples.share_of_word == {"stable": 1}  # an index of .1 is 11 times its mean
    assert samples.share_significant <= 0.25  # 6 or more of 20 at 5 % come once in 3,000 times


def test_the_default_method_is_ranked_by_errors(tmp_path):
    X, y = load_wine(return_X_y=True)
    np.savez(tmp_path / "wine.npz", X=X, y=y)
    rankers = [default_method.Ranker("mim", "plug-in"), default_method.Ranker("cmim", "corrected")]
    errors = default_method.errors(str(tmp_path), "wine", 2, "mdl", rankers)
    settings = list(product(rankers, (5, 10), ("3-NN", "logistic regression")))
    assert list(errors) == settings
    assert max(errors.values()) < 15  # percent; the largest class has 40 % of the rows
    means = default_method.means_of_rankers([errors], rankers)
    assert sum(mean.rank for mean in means) == 3  # of two
    mean_errors = {mean.ranker: mean.error for mean in means}
    errors_of_mim = [errors[setting] for setting in settings if setting[0] == rankers[0]]
    assert mean_errors[rankers[0]] == pytest.approx(np.mean(errors_of_mim), abs=1e-12)  # sums in another order
