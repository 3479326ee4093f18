"""The public estimators: the quantities they estimate, what they take, and one line for every mistake."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from bitsieve import bayes_error_bounds, geometric_mutual_information, henze_penrose_divergence


def test_samples_of_one_distribution_have_no_divergence_and_distant_ones_all():
    random = np.random.default_rng(0)
    x, y, z = random.normal(size=(3, 1000, 2))
    assert abs(henze_penrose_divergence(x, y)) < 0.06  # its standard deviation is about 0.02
    assert henze_penrose_divergence(x, z + 100) == pytest.approx(1 - 2000 / 2e6)
    assert henze_penrose_divergence(x[:600], y + 1) == henze_penrose_divergence(y + 1, x[:600])


def test_the_divergence_of_two_normal_samples_comes_near_its_integral():
    random = np.random.default_rng(1)
    m, n = 6000, 2000
    grid = np.linspace(-9, 10, 20001)
    f, g = (np.exp(-((grid - mean) ** 2) / 2) / np.sqrt(2 * np.pi) for mean in (0, 1))
    truth = 1 - np.sum(f * g / (0.75 * f + 0.25 * g)) * (grid[1] - grid[0])
    estimate = henze_penrose_divergence(random.normal(size=m), random.normal(size=n) + 1)
    assert estimate == pytest.approx(truth, abs=0.05)


def test_equal_points_have_no_divergence():
    assert henze_penrose_divergence(np.zeros(30), np.zeros((20, 1))) == pytest.approx(0, abs=1e-12)


def test_mutual_information_sees_what_correlation_does_not():
    random = np.random.default_rng(2)
    angle = random.uniform(0, 2 * np.pi, 2000)
    x, y = np.cos(angle), np.sin(angle)
    assert abs(np.corrcoef(x, y)[0, 1]) < 0.05
    assert geometric_mutual_information(x, y) > 0.5
    assert abs(geometric_mutual_information(x, random.permutation(y))) < 0.05


def test_what_depends_through_the_class_alone_is_independent_given_it():
    random = np.random.default_rng(3)
    given = random.integers(0, 2, 2000)
    x, y = random.normal(size=(2, 2000)) + 4 * given
    assert geometric_mutual_information(x, y) > 0.2
    for priors in ("halves", "pooled"):
        assert abs(geometric_mutual_information(x, y, given, priors=priors)) < 0.03
    words = np.array(["no", "yes"])[given]
    assert geometric_mutual_information(x, y, words) == geometric_mutual_information(x, y, given)


def test_features_of_several_dimensions_are_taken_together():
    random = np.random.default_rng(4)
    x = random.normal(size=(1500, 2))
    y = np.sign(x[:, 0] * x[:, 1]) + 0.1 * random.normal(size=1500)
    assert geometric_mutual_information(x, y) > geometric_mutual_information(x[:, 0], y) + 0.2


def test_the_seed_decides():
    x, y = np.random.default_rng(5).normal(size=(2, 100))
    assert geometric_mutual_information(x, y, random_state=3) == geometric_mutual_information(x, y, random_state=3)
    assert geometric_mutual_information(x, y, random_state=3) != geometric_mutual_information(x, y, random_state=4)


def test_bounds_take_frames_and_weights():
    X, y = load_iris(return_X_y=True, as_frame=True)
    weights = np.random.default_rng(6).integers(0, 3, len(y))
    rows = np.repeat(np.arange(len(y)), weights)
    weighted = bayes_error_bounds(X, y, weights)
    assert weighted == bayes_error_bounds(X.iloc[rows], y.iloc[rows])
    assert 0 <= weighted.lower <= weighted.upper <= 2 / 3
    assert bayes_error_bounds(X, y, tree="pairwise").upper >= bayes_error_bounds(X, y).upper


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: henze_penrose_divergence([1.0], [1.0, 2.0]), "x has 1 sample: give at least 2"),
        (lambda: henze_penrose_divergence([1.0, 2.0], [[1.0, 2.0]] * 3), "x has 1 features and y has 2"),
        (lambda: henze_penrose_divergence([1.0, np.nan], [1.0, 2.0]), "x holds missing or infinite values"),
        (lambda: henze_penrose_divergence(["a", "b"], [1.0, 2.0]), "x holds values that are no numbers"),
        (lambda: henze_penrose_divergence(np.zeros((2, 2, 2)), [1.0, 2.0]), "shape"),
        (lambda: henze_penrose_divergence([0.0, 1e300], [1.0, -1e300]), "rescale"),
        (lambda: geometric_mutual_information([1, 2, 3], [1, 2, 3]), "at least 4 are needed: there are 3"),
        (lambda: geometric_mutual_information(range(5), range(6)), "x has 5 samples and y 6: give the same number"),
        (lambda: geometric_mutual_information(range(5), range(5), [0, 1]), "given 2: give the same number"),
        (lambda: geometric_mutual_information(range(5), range(5), n_repeats=0), "n_repeats=0 is not allowed"),
        (lambda: geometric_mutual_information(range(5), range(5), priors="none"), "priors='none' is not allowed"),
        (lambda: bayes_error_bounds([[1], [2]], [1, 1]), "the target 'y' has one class only"),
        (lambda: bayes_error_bounds([[1], [2]], [1, 2], tree="all"), "tree='all' is not allowed"),
        (lambda: bayes_error_bounds([[1], [np.nan]], [1, 2]), "missing"),
        (lambda: bayes_error_bounds(pd.DataFrame({"a": list("xyz")}), [1, 2, 1]), "more than two categories"),
    ],
)
def test_mistakes_are_refused_in_one_line(call, words):
    with pytest.raises(ValueError, match=words) as refused:
        call()
    assert "\n" not in str(refused.value)


def test_a_tree_for_each_class_is_the_mean_over_the_classes():
    random = np.random.default_rng(7)
    classes = np.repeat([0, 1], [400, 1200])
    x = random.normal(size=1600)
    y = np.where(classes == 0, x, 0) + 0.3 * random.normal(size=1600)
    given_classes = geometric_mutual_information(x, y, classes, tree="by_class")
    dependent = geometric_mutual_information(x[:400], y[:400])
    independent = geometric_mutual_information(x[400:], y[400:])
    assert given_classes == pytest.approx(0.25 * dependent + 0.75 * independent, abs=0.03)  # of other draws
    assert geometric_mutual_information(x, y, classes) < given_classes  # the lower bound


def test_the_information_given_the_class_comes_near_its_integral():
    random = np.random.default_rng(8)
    classes = random.integers(0, 2, 6000)
    noise = random.normal(size=(2, 6000))
    x = noise[0]
    y = 0.8 * np.where(classes == 0, x, -x) + 0.6 * noise[1]
    axis = np.linspace(-6, 6, 601)
    first, second = np.meshgrid(axis, axis)
    independent = np.exp(-(first**2 + second**2) / 2) / (2 * np.pi)
    joint = np.exp(-(first**2 - 1.6 * first * second + second**2) / (2 * 0.36)) / (2 * np.pi * 0.6)
    integral = 1 - 2 * np.sum(joint * independent / (joint + independent)) * (axis[1] - axis[0]) ** 2
    assert geometric_mutual_information(x, y, classes, tree="by_class") == pytest.approx(integral, abs=0.03)
    # Over both classes the density of x and y is symmetric, so that the lower bound is smaller.
    assert geometric_mutual_information(x, y, classes) < integral - 0.05


def test_every_class_needs_four_samples():
    x = np.arange(20.0)
    with pytest.raises(ValueError, match="a class of given has 3"):
        geometric_mutual_information(x, x, np.repeat([0, 1], [17, 3]), tree="by_class")
