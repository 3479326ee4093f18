"""Rounded counts: their tables agree, no small count can be computed from them, and they add up."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp
from tests.cover import quick_and_slow

from bitsieve.cli import main
from bitsieve.dataset.target import Target
from bitsieve.diagnostics import UserError
from bitsieve.discretization.coding import rule_from_facts
from bitsieve.engines.pair_cells import each_table, n_cells
from bitsieve.engines.rounded_counts import MIN_BASE, check_base, drawn_counts, rounded_counts
from bitsieve.engines.saved_counts import SavedCounts, load_sum

BASE = 5


def counts_of_codes(codes, classes):
    """The exact counts of columns of codes."""
    arities = (codes.max(axis=0) + 1).astype(np.int32)
    n_classes = int(classes.max()) + 1
    names = [f"column {j}" for j in range(len(arities))]
    facts = {
        "binning": "uniform",
        "missing": "error",
        "bins": arities.tolist(),
        "bin_edges": [list(range(1, arity)) for arity in arities],
        "categories": [None] * len(arities),
    }
    cells = np.zeros(n_cells(arities, n_classes), np.int64)
    for i, j, table in each_table(cells, arities, n_classes):
        np.add.at(table, (codes[:, i], codes[:, j], classes), 1)
    return SavedCounts(
        names=names,
        target=Target(np.empty(0, np.int32), np.arange(n_classes), name="class"),
        binner=rule_from_facts(facts, names),
        arities=arities,
        class_sizes=np.bincount(classes),
        cells=cells,
    )


def linked_codes(seed, n=60):
    """Columns of which each can be computed from the first: it, its copy, and whether it is 0 and 1; and a fifth."""
    random = np.random.default_rng(seed)
    ward = random.choice(3, n, p=[0.1, 0.3, 0.6])
    stage = random.integers(0, 3, n)
    codes = np.column_stack([ward, ward, ward == 0, ward == 1, stage]).astype(np.int64)
    return codes, random.choice(2, n, p=[0.7, 0.3])


def tables_of(counts):
    return {(i, j): table for i, j, table in each_table(counts.cells, counts.arities, len(counts.class_sizes))}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("base", [3, 5, 10])
def test_all_tables_are_multiples_and_agree(seed, base):
    rounded = rounded_counts(counts_of_codes(*linked_codes(seed)), base)
    tables = tables_of(rounded)
    assert (rounded.cells % base == 0).all()
    assert rounded.rounding_bases == (base,)
    for (i, j), table in tables.items():
        assert table.sum(axis=(0, 1)).tolist() == rounded.class_sizes.tolist()
        assert table.sum(axis=1).tolist() == tables[i, i].sum(axis=1).tolist()
        assert table.sum(axis=0).tolist() == tables[j, j].sum(axis=0).tolist()


def test_the_tables_of_a_copy_are_rounded_alike():
    tables = tables_of(rounded_counts(counts_of_codes(*linked_codes(1)), BASE))
    assert tables[0, 0].tolist() == tables[1, 1].tolist()
    assert tables[0, 4].tolist() == tables[1, 4].tolist()


def test_rounding_is_repeated_with_the_same_secret_alone():
    counts = counts_of_codes(*linked_codes(2))
    results = [rounded_counts(counts, BASE, secret).cells.tolist() for secret in (b"", b"", b"one", b"two")]
    assert results[0] == results[1]
    assert results[1] != results[2] != results[3]


def test_drawn_counts_have_the_published_sizes_and_agree():
    published = rounded_counts(counts_of_codes(*linked_codes(3)), BASE)
    drawn = drawn_counts(published, np.random.default_rng(1))
    tables = tables_of(drawn)
    assert drawn.class_sizes.tolist() == published.class_sizes.tolist()
    assert drawn.rounding_bases == ()
    assert (drawn.cells >= 0).all()
    assert (drawn.cells != published.cells).any()
    for (i, j), table in tables.items():
        assert table.sum(axis=(0, 1)).tolist() == drawn.class_sizes.tolist()
        assert table.sum(axis=1).tolist() == tables[i, i].sum(axis=1).tolist()
        assert table.sum(axis=0).tolist() == tables[j, j].sum(axis=0).tolist()
    for j in range(len(drawn.names)):
        assert tables[j, j].sum(axis=(1, 2)).tolist() == tables_of(published)[j, j].sum(axis=(1, 2)).tolist()


def joint_values(arities, are_linked):
    """All joint codes of the columns; with ``are_linked`` those in which the columns are computed from the first."""
    for codes in product(*map(range, arities)):
        ward, copy, is_first, is_second, _ = codes
        if not are_linked or (copy, is_first, is_second) == (ward, ward == 0, ward == 1):
            yield codes


def possible_values(counts, cells_of_sum, bounds):
    """The least and the largest count of a cell, over all tables of rows that agree with the bounds of all counts."""
    values = []
    for sign in (1, -1):
        solution = milp(sign * cells_of_sum, integrality=1, constraints=bounds, bounds=Bounds(0, np.inf))
        assert solution.status == 0, counts.names
        values.append(sign * round(solution.fun))
    return values


@pytest.mark.parametrize("are_linked", [False, True])
@pytest.mark.parametrize("seed", quick_and_slow(range(6), quick={0}, reason="integer programs of other rows"))
def test_who_solves_for_the_rows_cannot_tell_a_small_count(seed, are_linked):
    """The attack by integer programs: the least and the largest value of each small count differ.

    The attacker knows how far the counts moved at most, uses the tables of all pairs at once, and may know that columns
    are computed from others.
    """
    exact = counts_of_codes(*linked_codes(seed))
    rounded = rounded_counts(exact, BASE)
    largest_move = np.abs(rounded.cells - exact.cells).max()
    exact_tables = tables_of(exact)
    rounded_tables = tables_of(rounded)
    codes = np.array(list(joint_values(exact.arities, are_linked)))
    n_small = 0
    for c in range(len(exact.class_sizes)):
        sums = []
        published = []
        small = []
        for (i, j), table in rounded_tables.items():
            for a, b in np.ndindex(table.shape[:2]):
                if i != j or a == b:
                    sums.append((codes[:, i] == a) & (codes[:, j] == b))
                    published.append(table[a, b, c])
                    small.append(0 < exact_tables[i, j][a, b, c] < BASE)
        matrix = np.array(sums, np.float64)
        bounds = LinearConstraint(matrix, np.array(published) - largest_move, np.array(published) + largest_move)
        for cells_of_sum in matrix[np.array(small)]:
            least, largest = possible_values(exact, cells_of_sum, bounds)
            assert least < largest
            n_small += 1
    assert n_small > 10


def test_rounded_counts_of_sites_add_up(tmp_path):
    parts = []
    for seed in (1, 2):
        rounded = rounded_counts(counts_of_codes(*linked_codes(seed)), BASE)
        rounded.save(tmp_path / str(seed))
        parts.append(rounded)
    total = load_sum([str(tmp_path / "1"), str(tmp_path / "2")])
    assert total.cells.tolist() == (parts[0].cells + parts[1].cells).tolist()
    assert total.rounding_bases == (BASE, BASE)
    with pytest.raises(UserError) as raised:
        load_sum([str(tmp_path / "1")] * 2)
    assert raised.value.code == "counts-repeated"


@pytest.mark.parametrize("base", range(1, 5))
def test_a_base_hides_a_single_row(base):
    if base >= MIN_BASE:
        check_base(base)
        return
    with pytest.raises(UserError) as raised:
        check_base(base)
    assert raised.value.code == "parameter-not-allowed"


def test_a_site_of_too_few_rows_is_refused():
    with pytest.raises(UserError) as raised:
        rounded_counts(counts_of_codes(*linked_codes(1, n=4)), 1000)
    assert raised.value.code == "too-few-rows"


@pytest.fixture
def rows(tmp_path, monkeypatch):
    """A file of rows and its vocabulary, in the working directory."""
    monkeypatch.chdir(tmp_path)
    codes, outcome = linked_codes(1)
    table = pd.DataFrame(codes, columns=[f"column {j}" for j in range(codes.shape[1])])
    table["ward"] = np.array(["eye", "ear", "heart"])[codes[:, 0]]
    table["outcome"] = outcome
    table.to_csv("rows.csv", index=False)
    assert main(["count", "rows.csv", "-t", "outcome", "--vocabulary", "words.json"]) == 0
    return tmp_path


COUNT = ["count", "rows.csv", "-t", "outcome"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--save", "counts", "--min-cell", "5"], "--vocabulary"),
        (["--save", "counts", "--like", "words.json", "--min-cell", "2"], "3 or more"),
        (["--save", "counts", "--like", "words.json", "--min-cell", "5000"], "multiples of 5000"),
        (["--vocabulary", "other.json", "--min-cell", "5"], "--min-cell is for counts"),
    ],
)
def test_refusals(rows, capsys, words, expected):
    capsys.readouterr()
    assert main([*COUNT, *words]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert expected in line
    assert not (rows / "counts").exists()


def test_the_command_saves_multiples_alone(rows):
    salt_of_words = {(): "words.json", ("--salt-file", "salt"): "hashed.json"}
    (rows / "salt").write_text("0123456789abcdef")
    assert main([*COUNT, "--vocabulary", "hashed.json", "--salt-file", "salt"]) == 0
    for salt, words in salt_of_words.items():
        for name in ("first", "again"):
            assert main([*COUNT, "--like", words, "--save", name, "--min-cell", "5", "--force", *salt]) == 0
        first, again = (SavedCounts.load(rows / name) for name in ("first", "again"))
        assert (first.cells % 5 == 0).all()
        assert first.rounding_bases == (5,)
        assert first.digest == again.digest
    # Counts by the bins of rounded counts are exact.
    assert main([*COUNT, "--like", "first", "--save", "exact", "--salt-file", "salt"]) == 0
    assert SavedCounts.load(rows / "exact").rounding_bases == ()
