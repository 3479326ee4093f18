"""Every behaviour of select is the same through every door: selection, scores, notes, columns left out, errors."""

from __future__ import annotations

from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from tests.doors import by_names, said

import bitsieve

N = 260


@cache
def people():
    """Numbers, text, a date in text, numbers in text with gaps, whole numbers of few values; and what can not serve."""
    random = np.random.default_rng(5)
    y = random.integers(0, 2, N)
    days = np.datetime64("2024-01-01") + (100 * y + random.integers(0, 120, N))
    amount = np.round(random.normal(size=N) + y, 3)
    return pa.table(
        {
            "number": pa.array(random.permutation(N) + 1000),
            "amount": pa.array(amount),
            "name": pa.array([f"person {j}" for j in random.permutation(N)]),
            "size": pa.array(np.array(["small", "large", "huge"])[(y + random.integers(0, 2, N)) % 3]),
            "since": pa.array([str(day) for day in days]),
            "price": pa.array([None if j % 9 == 0 else f"{value:.2f}" for j, value in enumerate(amount * 3 + 50)]),
            "grade": pa.array(["?" if j % 50 == 0 else f"{j % 4}" for j in range(N)]),
            "few": pa.array(y + random.integers(0, 2, N)),
            "nothing": pa.array([None] * N, pa.float64()),
            "same": pa.array(np.full(N, 3)),
            "row": pa.array(np.arange(N)),
            "y": pa.array(np.array(["no", "yes"])[y]),
        }
    )


HOW = [
    {},
    {"binning": "quantile"},
    {"method": "mrmr", "binning": "uniform", "n_bins": 4},
    {"method": "jmi", "estimator": "corrected"},
    {"screen": 5, "n_features_to_select": 4},
    {"method": "speccmi", "screen": 4, "n_features_to_select": 3},
]


@cache
def selected(place):
    """What every door is held to: one of the ways above, of the rows in memory."""
    return bitsieve.select(people(), "y", missing="bin", **HOW[place])


@cache
def selected_by(keyword, *names):
    """The same where a keyword names some columns."""
    return bitsieve.select(people(), "y", missing="bin", **{keyword: names})


@pytest.mark.parametrize("place", range(len(HOW)), ids=lambda place: str(HOW[place]))
def test_selection_scores_and_notes(door, place):
    table, how = people(), HOW[place]
    expected = selected(place)
    found = door(table, **how)
    assert by_names(table, found.features) == expected.features
    assert found.scores.tobytes() == expected.scores.tobytes()
    assert found.relevance.tobytes() == expected.relevance.tobytes()
    assert said(table, found) == said(table, expected)
    assert not {"number", "name", "nothing", "row"} & set(by_names(table, found.features))


@cache
def quantities():
    """Targets that are a quantity."""
    random = np.random.default_rng(8)
    y = np.array(people()["y"].to_pylist()) == "yes"
    days = (np.datetime64("2021-03-01") + 200 * y + random.integers(0, 300, N)).astype("M8[s]")
    return {
        "doubles": pa.array(np.exp(random.normal(size=N) + y)),
        "ages": pa.array(random.integers(20, 60, N) + 15 * y),
        "few": pa.array(np.where(random.random(N) < 0.2, 2.5, np.where(y, 9.75, 1.25))),
        "dates": pa.array(days.astype("M8[D]")),
        "times": pa.array(days + random.integers(0, 86_400, N)),
    }


HOW_OF_QUANTITIES = {
    "doubles": {},
    "ages": {"method": "jmi", "target_bins": 6},
    "few": {"method": "disr", "estimator": "corrected"},
    "dates": {"method": "speccmi"},
    "times": {"method": "mrmr", "binning": "mdl"},
}


@cache
def selected_for(kind):
    """A table with a quantity as its target, and the selection from it in memory."""
    table = people().drop_columns(["number", "name", "nothing", "row", "since"])  # which no target keeps or leaves out
    table = table.set_column(table.column_names.index("y"), "y", quantities()[kind])
    return table, bitsieve.select(table, "y", missing="bin", **HOW_OF_QUANTITIES[kind])


@pytest.mark.parametrize("kind", HOW_OF_QUANTITIES)
def test_a_quantity(door, kind):
    table, expected = selected_for(kind)
    assert expected.target.kind == "binned"
    assert any("target 'y' is a quantity" in note for note in expected.notes)
    found = door(table, **HOW_OF_QUANTITIES[kind])
    assert by_names(table, found.features) == expected.features
    assert found.scores.tobytes() == expected.scores.tobytes()
    assert said(table, found) == said(table, expected)
    assert found.target.labels.tolist() == expected.target.labels.tolist()
    assert found.target.edges.tolist() == expected.target.edges.tolist()


def test_what_a_target_is_said_to_be(door):
    table = people().select(["amount", "few", "y"])
    place = table.column_names.index("y")
    few = table.set_column(place, "y", pa.array(1 + np.arange(N) % 7))
    assert door(few).target.kind == "classes"
    found = door(few, target_kind="quantity")
    assert (found.target.kind, found.target.n_classes) == ("binned", 3)
    ages = table.set_column(place, "y", quantities()["ages"])
    found = door(ages, target_kind="classes", binning="quantile")
    assert (found.target.kind, found.target.n_classes) == ("classes", 54)
    with pytest.raises(ValueError, match="target_kind='quantity' does not go with the target, which holds text"):
        door(table, target_kind="quantity")
    with pytest.raises(ValueError, match="target_bins=4 does not go with the target, which holds text"):
        door(table, target_bins=4)


def test_columns_that_are_excluded(door):
    table = people()
    names = ["amount", "since"]
    places = [table.column_names.index(name) for name in names]
    expected = selected_by("exclude", *names)
    found = door(table, exclude=places)
    assert by_names(table, found.features) == expected.features
    assert found.scores.tobytes() == expected.scores.tobytes()


def test_names_with_white_space_around_them(door, request):
    """A name that is typed finds its column, whether the door keeps white space around names or not."""
    if "numpy" in request.node.name:
        pytest.skip("arrays have no names")
    table = people().rename_columns({"amount": "amount ", "since": " since", "few": "few "})
    plain = door(people(), exclude=["amount", "since "], column_types={"few": "category"})
    found = door(table, exclude=["amount", "since "], column_types={"few": "category"})
    assert [name.strip() for name in found.features] == list(plain.features)
    assert found.scores.tobytes() == plain.scores.tobytes()


def test_an_identifier_that_is_asked_for(door):
    table = people()
    expected = selected_by("include", "number")
    found = door(table, include=[0])
    assert expected.features[0] == "number"
    assert by_names(table, found.features) == expected.features
    assert found.scores.tobytes() == expected.scores.tobytes()


@cache
def with_a_leak():
    """A table with a column that determines the target, and the selection from it in memory."""
    table = people().drop_columns(["since", "size", "few"])  # each of them determines half of y or more
    state = pa.array([f"s{value}" for value in table["y"].to_pylist()])
    table = table.add_column(0, "state", state)
    return table, bitsieve.select(table, "y", missing="bin")


def test_a_leak_is_noted_alike(door):
    table, expected = with_a_leak()
    assert any("'state' alone decides 'y' in 100 % of the rows: is it" in note for note in expected.notes)
    assert said(table, door(table)) == said(table, expected)


def test_missing_values_are_refused_alike(door):
    table = people().drop_columns(["nothing"])
    with pytest.raises(ValueError, match="missing values") as expected:
        bitsieve.select(table, "y", missing="error")
    with pytest.raises(ValueError, match="missing values") as found:
        door(table, missing="error")
    names = str(found.value)
    for j, name in reversed(list(enumerate(table.column_names))):
        names = names.replace(f"'x{j}'", f"'{name}'")
    assert names == str(expected.value)


def test_a_target_of_one_class(door):
    table = people()
    same = table.set_column(table.column_names.index("y"), "y", pa.array(["no"] * N))
    with pytest.raises(ValueError, match="has one class only"):
        door(same)


def test_more_features_than_are_left(door):
    selection = door(people(), n_features_to_select=9)
    assert len(selection.features) == 7
    assert any("7 features left, fewer than the 9 requested" in note for note in selection.notes)


def test_one_row(door):
    with pytest.raises(ValueError, match=r"^the data has 1 sample: at least 2 are needed$"):
        door(people().slice(0, 1))


def without_some_targets(table, gone):
    """The table without a target in some rows, where it is null, empty or a word for that."""
    place = table.column_names.index("y")
    nothing = pa.array(np.resize(np.array([None, "", "NA", " None"], object), table.num_rows))
    return table.set_column(place, "y", pc.if_else(pa.array(gone), nothing, table["y"]))


def test_rows_without_a_target_may_lack_a_weight(door):
    gone = np.arange(N) % 60 < 5
    table = without_some_targets(people(), gone)
    weights = np.where(gone, np.nan, 1 + np.arange(N) % 2)
    expected = bitsieve.select(
        table.filter(pa.array(~gone)), "y", sample_weight=weights[~gone], missing="bin", exclude=["number", "row"]
    )
    found = door(table, sample_weight=weights, exclude=[0, 10])
    assert by_names(table, found.features) == expected.features
    assert found.scores.tobytes() == expected.scores.tobytes()
    assert said(table, found) == [f"{gone.sum()} of {N} rows have no 'y' and are left out", *said(table, expected)]


def test_no_row_counts(door):
    table, zeros = people(), np.zeros(N)
    none = without_some_targets(table, np.ones(N, bool))
    for of, how, message in (
        (none, {}, "^the target has no value in any row$"),
        (
            table,
            {"sample_weight": zeros, "drop_missing_target": False},
            "^sample_weight is zero for every sample: no row is left to count$",
        ),
        (
            none,
            {"sample_weight": zeros},
            "^no row has a target and a weight above 0: no row is left to count$",
        ),
    ):
        with pytest.raises(ValueError, match=message):
            door(of, **how)


@cache
def explained_without_size():
    """The explanation of every column of the rows in memory, of which one is excluded."""
    found = selected_by("exclude", "size")
    return [found.explain(column) for column in range(people().num_columns - 1)]


def test_columns_left_out_are_explained_without_bits(door):
    table = people()
    found = door(table, exclude=[3])
    for column, expected in enumerate(explained_without_size()):
        explained = found.explain(column)
        if column in (0, 2, 3, 8, 10):
            assert expected.reason.startswith("is not selected")
            name = found.evidence.table.names[column]
            assert str(explained).startswith(f"'{name}' {expected.reason}")
            assert " bits" not in str(explained)
            assert explained.to_dict()["relevance"] is None
        else:
            assert explained.relevance == expected.relevance != 0 or column == 9


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"include": ["nowhere"]}, "^include names column 'nowhere', which is not there: "),
        ({"include": 3}, "^include is 3: give a list of column names or indices$"),
        ({"include": [3], "exclude": [3]}, "^include and exclude both name '.*': take them out of one$"),
        ({"include": [3, 4, 5], "n_features_to_select": 2}, "^include has 3 features, more than the 2 to select: "),
        (
            {"constraints": bitsieve.Constraints(must_include=["nowhere"])},
            "^must_include names column 'nowhere', which is not there: ",
        ),
        (
            {"constraints": bitsieve.Constraints(groups=3)},
            "^groups=3 is not allowed: give a list of groups of",
        ),
    ],
)
def test_mistakes_about_columns_are_in_the_words_of_the_call(door, asked, message):
    with pytest.raises(ValueError, match=message):
        door(people(), **asked)
