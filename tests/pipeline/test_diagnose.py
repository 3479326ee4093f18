"""What the notes on a selection say."""

import numpy as np

import bitsieve


def test_a_method_that_ends_early_is_named_as_it_was_asked_for():
    random = np.random.default_rng(0)
    signal = random.normal(size=80)
    X = np.column_stack([signal, signal, signal, random.normal(size=80)])
    for method in ("fgm", "gdm", "fcbf"):
        selection = bitsieve.select(X, signal > 0, method=method, n_features_to_select=4)
        messages = [note.message for note in selection.diagnostics if note.code == "fewer-selected"]
        assert all(message.startswith(f"{method} selected") for message in messages)
        assert "GDM" not in " ".join(selection.notes)
    assert messages  # fcbf drops the copies
