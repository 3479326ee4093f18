"""What the paper prints."""

from __future__ import annotations

COUNTS = (10, 15, 20)  # features selected
SAMPLES = (100, 300, 500)  # from which they are selected; the text of the paper has 400 for the last

# Table 1: mean accuracy in percent, by the number of features and the method, for each number of samples.
TABLE_1 = {
    (10, "GMI"): (61.48, 61.47, 60.43),
    (10, "Dp"): (57.31, 51.57, 55.53),
    (10, "LSVC"): (20.00, 5.99, 8.40),
    (10, "ETC"): (10.69, 6.00, 7.09),
    (15, "GMI"): (70.01, 69.94, 66.48),
    (15, "Dp"): (64.86, 69.90, 71.71),
    (15, "LSVC"): (22.26, 9.86, 10.51),
    (15, "ETC"): (22.26, 9.84, 10.51),
    (20, "GMI"): (73.99, 73.94, 72.27),
    (20, "Dp"): (78.95, 77.83, 76.77),
    (20, "LSVC"): (22.40, 9.92, 13.42),
    (20, "ETC"): (24.67, 9.93, 12.77),
}
