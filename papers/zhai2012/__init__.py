"""Y. Zhai, M. Tan, I. Tsang, Y. S. Ong, "Discovering support and affiliated features from very high dimensions", ICML
2012. doi:10.48550/arXiv.1206.6477
"""

from __future__ import annotations

from papers.item import Item
from papers.zhai2012.curves import SETS, figure_2, figure_3, figure_4, figure_5
from papers.zhai2012.matching import table_matching
from papers.zhai2012.pixels import figure_1, figure_6

ITEMS: dict[str, Item] = {
    "figure 1": Item("faces: where support features lie and where affiliated ones", figure_1, True),
    "figure 2": Item("synthetic groups: accuracy, seconds, redundancy for 10 to 200 features", figure_2, True),
    "figure 3": Item("accuracy on public data for 10 to 200 features", figure_3, True, sets=SETS),
    "figure 4": Item("seconds of selecting on public data for 10 to 200 features", figure_4, True, sets=SETS),
    "figure 5": Item("redundancy on public data for 10 to 200 features", figure_5, True, sets=SETS),
    "figure 6": Item("digits: the pixels that each method selects", figure_6, True),
    "table matching": Item("how often greedy matching is not the best, and what it costs", table_matching),
}
