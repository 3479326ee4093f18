"""A table of patients with text, gaps and weights, from which a selection is saved, applied and verified."""

from __future__ import annotations

import numpy as np
import pandas as pd


def patients(n, seed=0):
    """A table of n rows: dose (with gaps), share (percent as text) and city depend on ill; noise and weight do not."""
    random = np.random.default_rng(seed)
    ill = random.random(n) < 0.4
    dose = random.normal(size=n) + 2 * ill
    dose[::17] = np.nan
    return pd.DataFrame(
        {
            "dose": dose,
            "share": [f"{value} %" for value in random.integers(1, 30, n) + 20 * ill],
            "city": np.where(ill & (random.random(n) < 0.7), "Rome", random.choice(["Oslo", "Bern"], n)),
            "noise": random.normal(size=n),
            "weight": random.integers(1, 4, n),
            "ill": np.where(ill, "yes", "no"),
        }
    )
