"""The section of all columns."""

import numpy as np
import pandas as pd

import bitsieve
from bitsieve.report.columns import columns_section


def test_a_column_has_the_notes_that_name_it():
    random = np.random.default_rng(0)
    table = pd.DataFrame({"city": random.choice(["Bern", "bern", "Graz"], 60), "x": random.integers(0, 3, 60)})
    selection = bitsieve.select(table, np.arange(60) % 2, verbose=False)
    section = columns_section(selection.required_evidence(), selection.diagnostics)
    remarks = {column.name: column.remarks for column in section.columns}
    (note,) = [note for note in selection.diagnostics if note.code == "values-alike"]
    assert str(note) in remarks["city"]
    assert str(note) not in remarks["x"]
