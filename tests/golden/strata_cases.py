"""Tables with strata, and what an independent program found in them: relevance, chance, common effects, selections."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import numpy as np

FOLDER = Path(__file__).parent / "strata"
NAMES = [path.stem for path in sorted(FOLDER.glob("*.npz"))]
CRITERIA = ("mim", "mrmr", "jmi", "cmim")
ESTIMATORS = ("plug-in", "corrected")
SMALL_SETS = ("t05_triples", "t12_pairs")  # no stratum has two samples of each of two classes


class StrataCase(NamedTuple):
    X: np.ndarray
    y: np.ndarray
    strata: np.ndarray
    expected: dict

    @classmethod
    def load(cls, name):
        arrays = np.load(FOLDER / f"{name}.npz")
        codes_of = [np.unique(arrays[key], return_inverse=True)[1] for key in ("y", "strata")]
        return cls(arrays["X"], *codes_of, json.loads((FOLDER / f"{name}.json").read_text()))
