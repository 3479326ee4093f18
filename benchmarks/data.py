"""Seeded code tables with real dependence between features and class, and between features.

A sample has a class; a few latent factors depend on the class; every feature listens to one factor, loudly,
faintly or not at all; some features are noisy copies of an earlier one. A selector therefore has relevance to
find and redundancy to avoid, as in real data.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist

import numpy as np

N_FACTORS = 12
SHARE_OF_COPIES = 0.15
LOUDNESS = np.array([0.9, 0.45, 0.15, 0.0])  # weight of the factor in a feature
SHARE_OF_LOUDNESS = np.array([0.10, 0.25, 0.30, 0.35])
CORRUPTION_OF_COPIES = 0.10


@dataclass(frozen=True)
class Shape:
    """The size of a table of codes."""

    samples: int
    features: int
    bins: int
    classes: int

    @cached_property
    def name(self) -> str:
        return f"{self.samples}x{self.features}-{self.bins}bins-{self.classes}classes"


@dataclass(frozen=True)
class CodeTable:
    """Codes (samples, features), uint8, Fortran order, and classes (samples,), int32."""

    codes: np.ndarray
    classes: np.ndarray


def make_codes(shape: Shape, seed: int = 0) -> CodeTable:
    """The table of codes of this shape; the same for the same seed."""
    classes, factors = _classes_and_factors(shape, seed)
    codes = np.empty((shape.samples, shape.features), dtype=np.uint8, order="F")
    for j in range(shape.features):
        random = np.random.default_rng([seed, 1, j])
        if j >= N_FACTORS and random.random() < SHARE_OF_COPIES:
            codes[:, j] = _noisy_copy(codes[:, random.integers(j)], shape.bins, random)
        else:
            values = _listen(factors, random)
            codes[:, j] = np.searchsorted(_cuts(values, shape.bins, random), values)
    return CodeTable(codes, classes)


def make_values(shape: Shape, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Continuous features (samples, features), float64, Fortran order, and classes, int32."""
    classes, factors = _classes_and_factors(shape, seed)
    values = np.empty((shape.samples, shape.features), dtype=np.float64, order="F")
    for j in range(shape.features):
        values[:, j] = _listen(factors, np.random.default_rng([seed, 2, j]))
    return values, classes


def _classes_and_factors(shape: Shape, seed: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng([seed, 0])
    shares = np.linspace(1.5, 0.5, shape.classes)
    classes = random.choice(shape.classes, size=shape.samples, p=shares / shares.sum()).astype(np.int32)
    classes[: shape.classes] = np.arange(shape.classes)  # none is missing, however few the samples
    centres = random.normal(size=(shape.classes, N_FACTORS)).astype(np.float32)
    factors = np.empty((N_FACTORS, shape.samples), dtype=np.float32)
    for f in range(N_FACTORS):
        factors[f] = centres[classes, f] + random.standard_normal(shape.samples, dtype=np.float32)
    return classes, factors


def _listen(factors: np.ndarray, random: np.random.Generator) -> np.ndarray:
    loud = random.choice(LOUDNESS, p=SHARE_OF_LOUDNESS)
    factor = factors[random.integers(len(factors))]
    noise = random.standard_normal(factors.shape[1], dtype=np.float32)
    return np.float32(loud) * factor + np.float32(np.sqrt(1.0 - loud * loud)) * noise


def _cuts(values: np.ndarray, bins: int, random: np.random.Generator) -> np.ndarray:
    """Cuts near the quantiles of a normal law, shifted from feature to feature, so that margins differ."""
    shares = np.clip(np.arange(1, bins) / bins + random.uniform(-0.25, 0.25) / bins, 0.02, 0.98)
    normal = NormalDist(float(values.mean()), max(float(values.std()), 1e-6))
    return np.array([normal.inv_cdf(share) for share in shares], dtype=np.float32)


def _noisy_copy(codes: np.ndarray, bins: int, random: np.random.Generator) -> np.ndarray:
    changed = random.random(len(codes), dtype=np.float32) < CORRUPTION_OF_COPIES
    return np.where(changed, random.integers(bins, size=len(codes), dtype=np.uint8), codes)
