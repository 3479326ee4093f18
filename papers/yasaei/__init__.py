"""S. Yasaei Sekeh, A. O. Hero III, "Feature selection for multi-labeled variables via dependency maximization", ICASSP
2019. doi:10.1109/ICASSP.2019.8682486
"""

from __future__ import annotations

from papers.item import Item
from papers.yasaei.digits import figure_3, table_1
from papers.yasaei.estimator import figure_1, figure_2

ITEMS: dict[str, Item] = {
    "figure 1": Item("the error of the estimator against the number of samples, 2 to 10 classes", figure_1, True),
    "figure 2": Item("seconds of a tree for every two classes by those of one tree of all", figure_2, True),
    "table 1": Item("accuracies on digits with 10 to 20 principal components of GMI, Dp and two others", table_1),
    "figure 3": Item("accuracies on digits against the number of features", figure_3, True),
}
