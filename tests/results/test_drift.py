"""The forms of what ``drift`` finds."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import bitsieve


@pytest.fixture(scope="module")
def data():
    random = np.random.default_rng(1)
    month = random.integers(0, 2, 400)
    ill = random.integers(0, 2, 400)
    return pd.DataFrame({"dose": random.normal(size=400) + month, "month": month, "ill": ill})


def test_the_picture_of_one_column_has_room_for_its_names(data):
    axes = bitsieve.drift(data[["dose", "month"]], "month").plot()
    assert axes.figure.get_figheight() > 1


def test_no_bar_of_the_picture_goes_below_zero(data):
    random = np.random.default_rng(2)
    noise = pd.DataFrame(random.integers(0, 3, (len(data), 6)), columns=[*"abcdef"]).assign(month=data["month"])
    result = bitsieve.drift(noise, "month")
    assert result.shift.bits.min() < 0
    assert min(bar.get_width() for bar in result.plot().patches) == 0


def test_a_frame_without_a_target_has_the_shift_alone(data):
    result = bitsieve.drift(data[["dose", "month"]], "month")
    assert result.to_frame().columns.tolist() == ["column", "shift", "p", "psi", "drifts"]


def test_a_frame_with_a_target_has_the_shift_within_classes_and_the_relation(data):
    result = bitsieve.drift(data, "month", "ill")
    frame = result.to_frame()
    assert frame["shift_within_classes"].tolist() == result.shift_within_classes.bits.tolist()
    assert frame["p_within_classes"].tolist() == result.shift_within_classes.p.tolist()
    assert frame["lowest_relevance"].tolist() == result.relevance.min(axis=1).tolist()
    assert frame["highest_relevance"].tolist() == result.relevance.max(axis=1).tolist()
    assert frame["relation"].tolist() == result.relation.bits.tolist()
    assert frame["p_relation"].tolist() == result.relation.p.tolist()


def test_a_p_at_the_level_drifts_and_bits_at_the_limit_do_not(data):
    dose = bitsieve.drift(data, "month", "ill").shift_within_classes
    p = float(dose.p[0])
    bits = float(dose.bits[0])
    assert 0 < p < 1
    assert bitsieve.drift(data, "month", "ill", level=p, max_drift=0).drifting == ["dose"]
    assert bitsieve.drift(data, "month", "ill", level=float(np.nextafter(p, 0)), max_drift=0).drifting == []
    assert bitsieve.drift(data, "month", "ill", max_drift=bits).drifting == []
    assert bitsieve.drift(data, "month", "ill", max_drift=float(np.nextafter(bits, 0))).drifting == ["dose"]


def test_the_dictionary_has_the_shift_of_the_target(data):
    result = bitsieve.drift(data, "month", "ill")
    assert result.to_dict()["shift_of_target"] == result.shift_of_target
    assert bitsieve.drift(data[["dose", "month"]], "month").to_dict()["shift_of_target"] is None


@pytest.mark.parametrize("with_target", [False, True])
def test_a_printed_line_has_a_cell_for_each_name_in_the_header(data, with_target):
    result = bitsieve.drift(data, "month", "ill") if with_target else bitsieve.drift(data[["dose", "month"]], "month")
    header, rows = result._table()
    assert {len(row) for row in rows} == {len(header)}
    assert ("relevance" in header) == with_target
    assert (" to " in str(result).splitlines()[1]) == with_target
