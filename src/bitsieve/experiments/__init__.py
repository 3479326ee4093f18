"""The papers' tables and figures as runnable programs: one module a paper, named here, with its ``ITEMS``."""

from __future__ import annotations

PAPERS = {
    "gao2016": "bitsieve.experiments.gao2016",
    "vinh2014": "bitsieve.experiments.vinh2014",
}
