"""N. X. Vinh, J. Chan, S. Romano, J. Bailey, "Effective global approaches for mutual information based feature
selection", KDD 2014. doi:10.1145/2623330.2623611
"""

from __future__ import annotations

from papers.item import Item
from papers.vinh2014.curves import SETS, figure_2, figure_2e, table_bins
from papers.vinh2014.data import TABLE_2, TABLE_4, TABLE_5
from papers.vinh2014.errors import table_4, table_5
from papers.vinh2014.rankings import table_2, table_3

ITEMS: dict[str, Item] = {
    "table 2": Item("SDPCMI and SPECCMI: seconds, and what they reach", table_2, sets=tuple(TABLE_2)),
    "table 3": Item("seconds to rank 1,000 to 30,000 features by QPFS, MRMR and SPECCMI", table_3),
    "table 4": Item("the data sets, and the errors with all features", table_4, sets=tuple(TABLE_4)),
    "table 5": Item("errors of seven methods, 10 to 100 features", table_5, sets=tuple(TABLE_5), cross_validates=True),
    "table bins": Item("errors with 2, 5 and 10 bins, by the nearest class mean", table_bins, sets=SETS),
    "figure 2": Item("errors against the number of features, by the nearest class mean", figure_2, True, sets=SETS),
    "figure 2e": Item("errors by the share of the rows that Nystrom's approximation counts", figure_2e, sets=SETS),
}
