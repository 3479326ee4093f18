"""Draw the figure of the README from scikit-learn's breast cancer data.

Usage: python examples/make_figures.py docs/figures
"""

import sys
from pathlib import Path

import matplotlib
from sklearn.datasets import load_breast_cancer

import bitsieve


def main(folder: Path) -> None:
    """Write ``ranking.svg`` to ``folder``."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    selection = bitsieve.select(X, y, n_features_to_select=8)
    display = bitsieve.RankingDisplay.from_selection(selection)
    folder.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "bitsieve"}):  # the same file every time
        display.figure_.savefig(folder / "ranking.svg", facecolor="white", metadata={"Date": None})
    print(f"drew {folder / 'ranking.svg'}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "docs/figures"))
