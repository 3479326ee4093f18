"""The command ``bitsieve demo``: write a table of scikit-learn, and run the commands of the README on it."""

from __future__ import annotations

import argparse
import shlex
from io import BytesIO
from pathlib import Path

from bitsieve.cli import DONE, main
from bitsieve.diagnostics import UserError
from bitsieve.io.output import writing

TABLE = "breast_cancer.csv"


def run(arguments: argparse.Namespace) -> int:
    """Write the table, and run each command after it is shown."""
    path = Path(arguments.output) / TABLE
    _write_table(path)
    for command in commands_of_demo(str(path)):
        print(f"$ {shlex.join(['bitsieve', *command])}", flush=True)
        code = main(command)
        if code != DONE:
            return code
        print(flush=True)
    return DONE


def commands_of_demo(table: str) -> list[list[str]]:
    """The arguments of the commands that the demo runs on the table at a path."""
    data = [table, "--target", "diagnosis", "--features", "4"]
    return [["select", *data], ["explain", "worst_radius", *data]]


def _write_table(path: Path) -> None:
    """Write scikit-learn's breast cancer data (569 tumours, 30 measurements) as CSV; other content is kept."""
    import pyarrow as pa
    from pyarrow import csv
    from sklearn.datasets import load_breast_cancer

    data = load_breast_cancer()
    columns = {str(name).replace(" ", "_"): data.data[:, j] for j, name in enumerate(data.feature_names)}
    diagnosis = [str(data.target_names[code]) for code in data.target]
    content = BytesIO()
    csv.write_csv(pa.table({**columns, "diagnosis": diagnosis}), content)
    if path.exists() and path.read_bytes() != content.getvalue():
        raise UserError(
            code="output-exists",
            message=f"{str(path)!r} is there already, with other rows than those of the demo",
            advice="give another folder with --output",
        )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(
            code="cannot-write",
            message=f"cannot make the folder {str(path.parent)!r}: {error.strerror}",
            advice="give another one with --output",
        ) from None
    with writing(path) as file:
        file.write(content.getvalue())
