"""Order of rounds, ratios, significant digits."""

import pytest
from benchmarks.rounds import interleave, ratio, significant


def test_rounds_rotate_the_order():
    order = []

    def contestant(name, seconds):
        return lambda: order.append(name) or seconds

    seconds = interleave({"a": contestant("a", 1.0), "b": contestant("b", 2.0), "c": contestant("c", 3.0)}, 3)
    assert "".join(order) == "abc" + "bca" + "cab"
    assert seconds == {"a": [1.0] * 3, "b": [2.0] * 3, "c": [3.0] * 3}


def test_the_slow_run_once():
    seconds = interleave({"fast": lambda: 1.0, "slow": lambda: 10.0, "just": lambda: 5.0}, 4, patience_s=5.0)
    assert {name: len(times) for name, times in seconds.items()} == {"fast": 4, "slow": 1, "just": 4}


def test_no_rounds_are_refused():
    with pytest.raises(ValueError, match="rounds is 0; at least 1"):
        interleave({"a": lambda: 1.0}, 0)


def test_ratio_is_the_median_of_the_rounds():
    # The rounds' ratios are 2, 8, 2; the medians' ratio would be 8 / 2 = 4.
    assert ratio([2.0, 8.0, 8.0], [1.0, 1.0, 4.0]) == 2.0
    assert ratio([10.0], [2.0, 1.0, 1.0]) == 5.0  # the rounds that both ran
    with pytest.raises(ValueError, match="at least one round"):
        ratio([], [1.0])


@pytest.mark.parametrize(("value", "expected"), [(1234567.0, 1235000.0), (0.000123456, 0.0001235), (0.0, 0.0)])
def test_significant(value, expected):
    assert significant(value) == expected
