"""What the values on the command line are read as."""

from __future__ import annotations

import argparse


def names(text: str) -> list[str]:
    """Names between commas."""
    return [name.strip() for name in text.split(",") if name.strip()]


def folds(text: str) -> int | str:
    """A number of folds, or "loo"."""
    return int(text) if text.isdecimal() else text


def counts(text: str) -> list[int] | range:
    """A range or a list of numbers of features."""
    try:
        if ":" not in text:
            numbers: list[int] | range = [int(part) for part in text.split(",")]
        else:
            first, last, *step = (int(part) for part in text.split(":"))
            numbers = range(first, last + 1, *step)
    except (ValueError, TypeError):
        numbers = []
    if not numbers or min(numbers) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no range: give FROM:TO, as 10:100, or a list, as 5,10,20")
    return numbers


def count(text: str) -> int:
    """A whole number, at least 1."""
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no count: give a whole number, at least 1")
    return number


def target_bins(text: str) -> int | str:
    """A number of intervals, or "none"."""
    return text if text == "none" else count(text)


def assignment(text: str) -> tuple[str, object]:
    """A parameter and its value."""
    name, _, value = (part.strip() for part in text.partition("="))
    if not (name and value):
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE: give for example beta=0.5")
    for read in (int, float):
        try:
            return name, read(value)
        except ValueError:
            continue
    return name, {"true": True, "false": False, "none": None}.get(value.lower(), value)


def how_many(text: str) -> int | float | str:
    """A number, a share, or "auto"."""
    if text == "auto":
        return text
    try:
        share = float(text)
        return share if 0 < share < 1 else count(text)
    except (ValueError, argparse.ArgumentTypeError):
        allowed = "a whole number from 1, a share between 0 and 1, or auto"
        raise argparse.ArgumentTypeError(f"{text!r} is not allowed: give {allowed}") from None
