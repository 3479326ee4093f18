"""Classes of two correlated normal features, and the bounds that densities give by integration on a grid."""

import numpy as np


def normal(x, y, mean, correlation=0.0):
    x, y = x - mean[0], y - mean[1]
    left = 1.0 - correlation**2
    return np.exp(-(x * x - 2 * correlation * x * y + y * y) / (2 * left)) / (2 * np.pi * np.sqrt(left))


def draw_classes(n_samples, means, correlation, random):
    classes = random.integers(0, len(means), n_samples)
    z = random.normal(size=(n_samples, 2))
    z[:, 1] = correlation * z[:, 0] + np.sqrt(1 - correlation**2) * z[:, 1]
    return z + np.asarray(means, float)[classes], classes


def grid(step=0.04, widest=9.0):
    side = np.arange(-widest, widest, step)
    return *np.meshgrid(side, side), step**2


def dependency_bound(means, correlation):
    """``1 - 2 int f g / (f + g)`` of the mixture f of the joint densities and g of the products of their margins."""
    x, y, area = grid()
    f = np.mean([normal(x, y, mean, correlation) for mean in means], axis=0)
    g = np.mean([normal(x, y, mean) for mean in means], axis=0)
    return 1.0 - 2.0 * area * (f * g / (f + g)).sum()


def conditional_dependency(means, correlation):
    """The mean over the classes of ``1 - 2 int f g / (f + g)``: the quantity that the bound is below."""
    return float(np.mean([dependency_bound([mean], correlation) for mean in means]))


def bayes_error(means):
    x, y, area = grid()
    return 1.0 - area * np.max([normal(x, y, mean) for mean in means], axis=0).sum() / len(means)
