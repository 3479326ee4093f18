"""Parameters of single methods that the cases try beside the defaults."""

from __future__ import annotations

from bitsieve import Nystrom

OPTIONS = {
    "mifs": {"beta half": {"beta": 0.5}},
    "mifsu": {"beta half": {"beta": 0.5}},
    "betagamma": {"beta half": {"beta": 0.5}, "gamma zero": {"gamma": 0.0}},
    "miq": {"eps": {"eps": 0.01}},
    "speccmi": {
        "float32": {"dtype": "float32"},
        "swap": {"refine": "swap"},
        "tiles": {"memory": 4000},
        "nystrom": {"approximation": "nystrom"},
        "nystrom swap": {"approximation": Nystrom(0.3, random_state=2), "refine": "swap"},
        "nystrom paper": {"approximation": Nystrom(0.4, random_state=1, variant="paper")},
        "landmarks": {"approximation": Nystrom(landmarks=[0, 2, 4, 6, 8])},
    },
    "sdpcmi": {
        "align": {"rounding": "align", "refine": None},
        "factor": {"rounding": "factor", "n_roundings": 20, "random_state": 3, "refine": None},
        "sphere": {"refine": None},
    },
    "qpfs": {
        "alpha": {"alpha": 0.5},
        "relevance alone": {"alpha": 1.0},
        "shifted": {"convexify": "shift"},
        "nystrom": {"alpha": 0.5, "approximation": "nystrom"},
        "nystrom paper": {"alpha": 0.7, "approximation": Nystrom(0.6, variant="paper")},
    },
    "eqpfs": {
        "alpha": {"alpha": 0.5},
        "beta half": {"beta": 0.5},
        "shift": {"shift": 8.0},
    },
    "fcbf": {"delta": {"delta": 0.1}, "strict": {"strict": True}, "all kept": {"k": "auto"}},
    "koller-sahami": {
        "redundancy": {"blanket": "redundancy"},
        "two": {"blanket_size": 2},
        "none": {"blanket_size": 0},
    },
    "relieff": {"three": {"n_neighbors": 3}, "drawn": {"n_samples": 40, "random_state": 1}},
    "gmi": {
        "backward": {"removal": "backward", "n_repeats": 3},
        "relevant": {"relevance": 0.8, "priors": "pooled", "random_state": 1},
    },
    "dp": {"weighted": {"weighted": True}},
    "rcfs": {"clusters": {"n_clusters": 9}, "as they are": {"standardize": False}},
    "vmi": {
        "densities": {"binning": None},
        "wide": {"binning": None, "bandwidth": 0.8},
        "auto": {"k": "auto"},
        "restart": {"on_plateau": "restart"},
    },
    "vmi-pairwise": {"densities": {"binning": None}, "auto": {"k": "auto"}, "restart": {"on_plateau": "restart"}},
}
