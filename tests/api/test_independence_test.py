"""The test of two columns as users call it."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest

import bitsieve


@pytest.fixture
def fork():
    """Two columns that follow a third one."""
    random = np.random.default_rng(0)
    cause = random.integers(0, 3, 600)
    first, second = np.where(random.random((2, 600)) < 0.6, cause, random.integers(0, 3, (2, 600)))
    return pd.DataFrame({"first": first, "second": second, "cause": cause})


def test_columns_are_named_or_numbered(fork):
    by_name = bitsieve.independence_test(fork, "first", "second", given=["cause"], binning="none")
    by_number = bitsieve.independence_test(fork, 0, 1, given=[2], binning="none")
    assert by_name == by_number
    assert by_name == bitsieve.independence_test(fork, "first", "second", given="cause", binning="none")
    assert by_name == bitsieve.independence_test(fork, 0, 1, given=2, binning="none")
    assert (by_name.x, by_name.y, by_name.given) == ("first", "second", ("cause",))
    assert by_name.n_strata == 3


def test_a_fork_is_closed_by_its_cause(fork):
    assert bitsieve.independence_test(fork, "first", "second", binning="none").p < 1e-9
    assert bitsieve.independence_test(fork, "first", "second", given=["cause"], binning="none").p > 0.05


def test_no_condition_is_one_stratum(fork):
    without = bitsieve.independence_test(fork, "first", "second", binning="none")
    assert without.n_strata == 1
    assert bitsieve.independence_test(fork, "first", "second", given=None, binning="none") == without
    assert bitsieve.independence_test(fork, "first", "second", given=[], binning="none") == without


def test_weights_are_rows_that_are_repeated(fork):
    weights = np.arange(len(fork)) % 3
    weighted = bitsieve.independence_test(fork, 0, 1, given=[2], binning="none", sample_weight=weights)
    repeated = bitsieve.independence_test(fork.loc[fork.index.repeat(weights)], 0, 1, given=[2], binning="none")
    assert weighted == repeated


def test_the_bits_are_those_of_the_matrix(fork):
    result = bitsieve.independence_test(fork, 0, 1, binning="none", test="g")
    assert result.bits == bitsieve.mutual_information_matrix(fork, binning="none")[0, 1]
    assert result.statistic == pytest.approx(2 * len(fork) * np.log(2) * result.bits, rel=1e-14)
    assert np.isnan(result.bits_by_chance)


def nominal_freedom(data, **arguments):
    result = bitsieve.independence_test(data, 0, 1, given=2, binning="none", test="g", freedom="nominal", **arguments)
    return result.degrees_of_freedom


def test_a_categorical_type_declares_values_that_do_not_occur(fork):
    assert nominal_freedom(fork) == 2 * 2 * 3
    typed = fork.assign(first=pd.Categorical(fork["first"], categories=[0, 1, 2, 3, 4]))
    assert nominal_freedom(typed) == 4 * 2 * 3
    typed.loc[0, "first"] = None  # a missing value is one more
    assert nominal_freedom(typed) == 5 * 2 * 3


def test_values_that_could_occur_are_given(fork):
    assert nominal_freedom(fork, levels={"first": 5, "cause": 4}) == 4 * 2 * 4
    assert nominal_freedom(fork, levels={1: 3}) == 2 * 2 * 3
    coded_from_2 = fork.assign(first=fork["first"] + 2)
    assert nominal_freedom(coded_from_2, levels={"first": 3}) == 2 * 2 * 3  # by default 5: codes 0 to 4


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"y": "frist"}, "unknown-column"),
        ({"y": 7}, "unknown-column"),
        ({"y": "first"}, "column-in-two-roles"),
        ({"given": ["second"]}, "column-in-two-roles"),
        ({"given": 2.5}, "parameter-not-allowed"),
        ({"binning": "mdl"}, "target-needed"),
        ({"levels": {"frist": 3}}, "unknown-column"),
        ({"levels": {"first": 2}}, "too-few-levels"),
        ({"levels": {"first": 2.5}}, "parameter-not-allowed"),
        ({"levels": 3}, "parameter-not-allowed"),
        ({"test": "chi2"}, "parameter-not-allowed"),
        ({"p_by": "permutations"}, "parameter-not-allowed"),
        ({"n_shuffles": 0}, "parameter-not-allowed"),
        ({"random_state": -1}, "parameter-not-allowed"),
        ({"n_shuffles": 99}, "parameter-without-effect"),
        ({"freedom": "nominal"}, "parameter-without-effect"),
    ],
)
def test_mistakes(fork, arguments, code):
    arguments = {"x": "first", "y": "second", "binning": "none", **arguments}
    with pytest.raises(bitsieve.UserError) as error:
        bitsieve.independence_test(fork, **arguments)
    assert error.value.code == code


def test_p_by_shuffles_is_near_that_of_chi_squared_where_many_rows_are_in_a_cell(fork):
    by_shuffles = bitsieve.independence_test(fork, 0, 1, given=[2], binning="none", p_by="shuffles", n_shuffles=3999)
    by_tail = bitsieve.independence_test(fork, 0, 1, given=[2], binning="none")
    assert by_shuffles.statistic == by_tail.statistic
    assert abs(by_shuffles.p - by_tail.p) < 0.03  # four standard deviations of a share of 3,999
    assert by_shuffles.log_p == np.log(by_shuffles.p)
    assert bitsieve.independence_test(fork, 1, 0, given=[2], binning="none", p_by="shuffles", n_shuffles=3999).p == (
        by_shuffles.p
    )


def test_p_by_shuffles_has_a_smallest_value(fork):
    assert bitsieve.independence_test(fork, 0, 1, binning="none", p_by="shuffles", n_shuffles=99).p == 0.01
    one_code = fork.assign(first=0)
    assert bitsieve.independence_test(one_code, 0, 1, binning="none", p_by="shuffles").p == 1


def test_p_by_shuffles_is_that_of_all_permutations():
    rows = [[0, 0], [0, 0], [0, 1], [1, 1], [1, 1]]
    first, second = zip(*rows, strict=True)
    tables = [tuple(sorted(zip(order, second, strict=True))) for order in permutations(first)]
    bits = {table: bitsieve.mutual_information_matrix(table, binning="none")[0, 1] for table in set(tables)}
    observed = bits[tuple(sorted(zip(first, second, strict=True)))]
    share = np.mean([bits[table] >= observed - 1e-12 for table in tables])  # rounding of a sum of four terms
    found = bitsieve.independence_test(rows, 0, 1, binning="none", p_by="shuffles", n_shuffles=9999)
    assert abs(found.p - share) < 0.02  # four standard deviations of a share of 9,999


def test_a_test_that_is_not_executed_says_so(fork):
    result = bitsieve.independence_test(fork, 0, 1, given=[2], binning="none", power=23)  # 27 cells and 600 rows
    assert (result.is_executed, result.p) == (False, 1.0)
    assert "p = 1, not executed: too few rows for every possible cell (statistic" in str(result)
    assert bitsieve.independence_test(fork, 0, 1, given=[2], binning="none", power=22).is_executed


def test_it_prints_a_line(fork):
    text = str(bitsieve.independence_test(fork, 0, 1, given=[2], binning="none"))
    assert text.startswith("'first' and 'second' given 'cause': p = ")
    assert "degrees of freedom" in text
