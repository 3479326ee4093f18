"""Messages that carry the parameters they name as data, so that the command line can name its own options instead."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self


class Setting(NamedTuple):
    """A parameter in a message: ``Setting("folds", "loo")`` reads ``folds='loo'``, ``Setting("folds")`` ``folds``."""

    parameter: str
    value: object = ...  # the name stands alone

    @property
    def has_value(self) -> bool:
        """Whether there is a value and not the name alone."""
        return self.value is not ...

    def in_python(self) -> str:
        """The setting as a Python call has it."""
        return f"{self.parameter}={self.value!r}" if self.has_value else self.parameter


class Sentence(str):
    """A message in the words of Python that remembers where it names parameters.

    Examples
    --------
    >>> message = Sentence("one sample cannot be learned from and tested on: give ", Setting("folds", "loo"))
    >>> print(message)
    one sample cannot be learned from and tested on: give folds='loo'
    >>> message.worded(lambda setting: f"--{setting.parameter} {setting.value}")
    'one sample cannot be learned from and tested on: give --folds loo'
    """

    __slots__ = ("parts",)
    parts: tuple[str | Setting, ...]

    def __new__(cls, *parts: str | Setting) -> Self:
        flat: list[str | Setting] = []
        for part in parts:
            flat += part.parts if isinstance(part, Sentence) else (part,)
        sentence = super().__new__(cls, _joined(flat, Setting.in_python))
        sentence.parts = tuple(flat)
        return sentence

    def __getnewargs__(self) -> tuple[str | Setting, ...]:  # type: ignore[override]  # copies are made of the parts
        return self.parts

    def worded(self, word: Callable[[Setting], str]) -> str:
        """The message with every setting in the words of ``word``."""
        return _joined(self.parts, word)


class ParameterError(ValueError):
    """A parameter has a value that is not allowed; ``str(error)`` is the message in the words of Python.

    Parameters
    ----------
    parameter : str
        Its name.
    given : object
        Its value.
    advice : str or Sentence
        What is allowed, or what to do.
    problem : str, default="is not allowed"
        What is wrong with the value.

    Examples
    --------
    >>> raise ParameterError("k", 0, "give a whole number from 1 to 9")
    Traceback (most recent call last):
    bitsieve.common.errors.ParameterError: k=0 is not allowed: give a whole number from 1 to 9
    """

    def __init__(self, parameter: str, given: object, advice: str, problem: str = "is not allowed") -> None:
        super().__init__(parameter, given, advice, problem)  # all of them, so that pickle can make it anew
        self.parameter, self.given, self.advice, self.problem = parameter, given, advice, problem

    @property
    def sentence(self) -> Sentence:
        """The whole message."""
        return Sentence(Setting(self.parameter, self.given), f" {self.problem}: ", self.advice)

    def __str__(self) -> str:
        return str(self.sentence)


def message_of(error: Exception) -> str:
    """The message of an error, as the sentence that it is where it names parameters."""
    if isinstance(error, ParameterError):
        return error.sentence
    return error.args[0] if len(error.args) == 1 and isinstance(error.args[0], Sentence) else str(error)


def _joined(parts: list[str | Setting] | tuple[str | Setting, ...], word: Callable[[Setting], str]) -> str:
    return "".join(word(part) if isinstance(part, Setting) else part for part in parts)
