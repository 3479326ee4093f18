"""Parts of messages: one line, quoted names and nearest names."""

from __future__ import annotations

from bitsieve.utils.messages import advice_on_name, nearest, one_line, quoted, quoted_groups


def test_one_line():
    assert one_line("first\n  second\tthird ") == "first second third"


def test_quoted_names_are_limited():
    assert quoted(["a"]) == "'a'"
    assert quoted("abcde") == "'a', 'b', 'c', 'd', 'e'"
    assert quoted([f"x{j}" for j in range(1005)]) == "'x0', 'x1', 'x2', 'x3', 'x4' and 1,000 more"


def test_quoted_groups_are_limited():
    assert quoted_groups([["a", "A"]]) == "'a', 'A'"
    assert quoted_groups([["a", "A"], ["b", "B"]], limit=2) == "'a', 'A'; 'b', 'B'"
    assert quoted_groups([["a", "A"], ["b", "B"], ["c", "C"]], limit=1) == "'a', 'A'; and 2 more"


def test_nearest_names():
    names = ["Income", "outcome", "age", "income "]
    assert nearest("income", names) == ["Income", "income ", "outcome"]
    assert nearest("zzz", names) == []
    assert nearest("score", ["postcode", "Score (1-5)", "x"])[0] == "Score (1-5)"
    assert nearest("sc", ["Score (1-5)"]) == []
    assert advice_on_name("agee", names) == "did you mean 'age'?"
    assert advice_on_name("zzz", names) == "it is one of 'Income', 'outcome', 'age', 'income '"
