"""The papers of which something can be computed anew, and the tables and figures of each by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bitsieve.experiments import gao2016, vinh2014, yasaei

if TYPE_CHECKING:
    from bitsieve.experiments.item import Item

PAPERS: dict[str, dict[str, Item]] = {"gao2016": gao2016.ITEMS, "vinh2014": vinh2014.ITEMS, "yasaei": yasaei.ITEMS}
