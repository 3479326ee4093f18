"""Write scikit-learn's breast cancer data (569 tumours, 30 measurements, diagnosis) as a CSV file.

Usage: python examples/make_demo_data.py demo_output/breast_cancer.csv
"""

import sys
from pathlib import Path

import pyarrow as pa
from pyarrow import csv
from sklearn.datasets import load_breast_cancer


def main(path: Path) -> None:
    """Write the table to ``path``; the target is the column ``diagnosis``."""
    data = load_breast_cancer()
    columns = {str(name).replace(" ", "_"): data.data[:, j] for j, name in enumerate(data.feature_names)}
    table = pa.table({**columns, "diagnosis": [str(data.target_names[code]) for code in data.target]})
    path.parent.mkdir(parents=True, exist_ok=True)
    csv.write_csv(table, path)
    print(f"wrote {table.num_rows} rows x {table.num_columns} columns to {path}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo_output/breast_cancer.csv"))
