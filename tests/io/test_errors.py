"""Errors of reader libraries become one line."""

from __future__ import annotations

import pytest

from bitsieve.io.errors import DataError, are_numbers, in_one_line, is_number


class Panic(BaseException):
    """A panic of a library in Rust, which is no Exception."""


@pytest.mark.parametrize("error", [Panic("a\nb"), MemoryError(), ValueError("a\nb"), RecursionError(), OSError(5, "a")])
def test_any_error_of_a_library_is_one_line(error):
    with pytest.raises(DataError) as caught, in_one_line("cannot read 't'"):
        raise error
    assert caught.value.code == "cannot-read"
    assert "\n" not in str(caught.value)
    assert not str(caught.value).endswith(": ")


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(1), DataError(code="empty-data", message="empty")])
def test_what_is_no_error_of_a_library_passes(error):
    with pytest.raises(type(error)) as caught, in_one_line("cannot read 't'"):
        raise error
    assert caught.value is error


def test_the_name_of_a_copy_is_not_shown(tmp_path):
    with pytest.raises(DataError) as caught, in_one_line("cannot read 't'"):
        (tmp_path / "copy").read_bytes()
    assert str(tmp_path) not in str(caught.value)


@pytest.mark.parametrize(
    ("texts", "expected"), [([], True), (["1", "-2.5e3", " 4 "], True), (["1", ""], False), (["1,5"], False)]
)
def test_texts_are_numbers_if_each_is(texts, expected):
    assert are_numbers(texts) is expected
    assert all(map(is_number, texts)) is expected
