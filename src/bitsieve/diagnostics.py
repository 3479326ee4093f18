"""Notes and errors as data: a code, a message, an advice, and the parameters that follow the advice.

``message`` is plain text; names and values from data are in it as they are. ``advice`` is a template with placeholders
for parameters, which Python writes as ``include=['a']`` and the command line as ``--include a``:

===================  ==============================================================================
In ``advice``        In the text
===================  ==============================================================================
``{include}``        the parameter with its value in ``fix``; the bare name if ``fix`` has no value
``{header=True}``    the parameter with this value
``{{`` and ``}}``    braces; :func:`literal` doubles those of text from data
===================  ==============================================================================
"""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal

Severity = Literal["note", "warning", "error"]
SettingWriter = Callable[[str, object], str]  # writes a parameter with its value, or without one for NAME_ONLY

NAME_ONLY = ...  # in place of a value: the parameter is written without one
_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{(\w+)(?:=([^{}]*))?\}")  # {{, }}, {name}, {name=value}
# "user:password@" in an address, and "password=..." behind it
_PASSWORD = re.compile(
    r"""
    (\b [a-zA-Z][\w+.-]* :/+ [^\s/:@'"]* )  # the scheme and the user
    :
    (?: [^\s/'"]* @                         # the password
      | (?! [0-9]+ / ) [^\s'"]* @           # one with a slash, which should be %2F; digits before a slash are a port
    )
    """,
    re.VERBOSE,
)
_SECRET_OPTION = re.compile(r"([?&](?:password|secret_key)=)[^\s&'\"]*")


@dataclass(frozen=True, kw_only=True)
class Diagnostic:
    """One thing that was noticed in the data, in a result, or in a call.

    ``str(diagnostic)`` is the whole text in the words of Python.

    Parameters
    ----------
    code : str
        What kind of thing it is. Texts may change between versions, codes do not; all of them are listed under
        "Notes and errors" in the documents.
    message : str
        What is the matter, without what to do about it.
    advice : str, default=""
        What to do. ``{name}`` in it stands for a parameter, written with its value in ``fix`` if there is one.
    fix : dict of str to object, default={}
        Parameters of the same call, by name, with values that settle the matter.
    columns : sequence of str, default=()
        The columns that it is about.
    severity : {"note", "warning", "error"}, default="note"
        "warning": the result may be wrong or misleading; "note": good to know; "error": there is no result.
    parameters : dict of str to object, default={}
        Parameters of the call that the message is about, with the values that they have. The text begins with them.

    Examples
    --------
    >>> from bitsieve import Diagnostic
    >>> leak = Diagnostic(
    ...     code="leak",
    ...     message="'churned' determines 99 % of 'churn'",
    ...     advice="if it is not known at prediction time, add {exclude}",
    ...     fix={"exclude": ["churned"]},
    ...     columns=("churned",),
    ... )
    >>> print(leak)
    'churned' determines 99 % of 'churn': if it is not known at prediction time, add exclude=['churned']
    """

    code: str
    message: str
    advice: str = ""
    fix: Mapping[str, object] = field(default_factory=dict, hash=False)
    columns: Sequence[str] = ()
    severity: Severity = "note"
    parameters: Mapping[str, object] = field(default_factory=dict, hash=False)

    def __str__(self) -> str:
        return text_of(self, python_setting)

    def to_dict(self) -> dict[str, Any]:
        """The diagnostic as plain values, for JSON.

        Returns
        -------
        dict
            ``code``, ``severity``, ``message`` (the whole text), ``columns`` and ``fix``.
        """
        return {
            "code": self.code,
            "severity": self.severity,
            "message": str(self),
            "columns": list(self.columns),
            "fix": _plain(self.fix),
        }


class UserError(ValueError):
    """A parameter or the data cannot be used. The text says what is wrong and what to do.

    It has the fields of :class:`Diagnostic`.

    Parameters
    ----------
    code, message, advice, fix, columns, parameters
        As those of :class:`Diagnostic`.

    Examples
    --------
    >>> import bitsieve
    >>> try:
    ...     bitsieve.select([[0], [1]], [0, 1], n_jobs=0)
    ... except bitsieve.UserError as error:
    ...     print(error.code, error.parameters)
    parameter-not-allowed {'n_jobs': 0}
    """

    def __init__(
        self,
        *,
        code: str,
        message: str,
        advice: str = "",
        fix: Mapping[str, object] | None = None,
        columns: Sequence[str] = (),
        parameters: Mapping[str, object] | None = None,
    ) -> None:
        self.diagnostic = Diagnostic(
            code=code,
            message=message,
            advice=advice,
            fix=fix or {},
            columns=tuple(columns),
            severity="error",
            parameters=parameters or {},
        )
        super().__init__(str(self.diagnostic))

    @property
    def code(self) -> str:
        """What kind of mistake it is."""
        return self.diagnostic.code

    @property
    def message(self) -> str:
        """What is wrong."""
        return self.diagnostic.message

    @property
    def advice(self) -> str:
        """What to do, with placeholders for parameters."""
        return self.diagnostic.advice

    @property
    def fix(self) -> Mapping[str, object]:
        """Parameters with values that settle the matter."""
        return self.diagnostic.fix

    @property
    def columns(self) -> Sequence[str]:
        """The columns that it is about."""
        return self.diagnostic.columns

    @property
    def severity(self) -> Severity:
        """Always "error"."""
        return self.diagnostic.severity

    @property
    def parameters(self) -> Mapping[str, object]:
        """The parameters that are wrong, with their values."""
        return self.diagnostic.parameters

    def __reduce__(self) -> tuple[Any, ...]:
        return _error_of, (type(self), self.diagnostic)


class UserTypeError(UserError, TypeError):
    """A UserError for a value of the wrong type."""


class ParameterError(UserError):
    """A parameter has a value that is not allowed: the text is ``parameter=value problem: advice``."""

    def __init__(
        self,
        parameter: str,
        value: object,
        advice: str,
        problem: str = "is not allowed",
        *,
        code: str = "parameter-not-allowed",
        fix: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(code=code, message=problem, advice=advice, fix=fix, parameters={parameter: value})


def text_of(diagnostic: Diagnostic, write_setting: SettingWriter) -> str:
    """The whole text of a diagnostic, every parameter as ``write_setting`` writes it."""
    message = _message_of(diagnostic, write_setting)
    if not diagnostic.advice:
        return without_passwords(message)
    separator = "; " if ": " in diagnostic.message else ": "
    return without_passwords(message + separator + _filled(diagnostic.advice, diagnostic.fix, write_setting))


def with_settings(diagnostic: Diagnostic, write_setting: SettingWriter) -> Diagnostic:
    """The diagnostic whose message and advice have every parameter as ``write_setting`` writes it."""
    advice = literal(_filled(diagnostic.advice, diagnostic.fix, write_setting))
    return replace(diagnostic, message=_message_of(diagnostic, write_setting), advice=advice, parameters={})


def python_setting(parameter: str, value: object) -> str:
    """A parameter as a Python call has it, on one line."""
    if value is NAME_ONLY:
        return parameter
    text = repr(value)
    if not text.isprintable():  # an array has several lines
        text = " ".join(text.split())
    return f"{parameter}={text}"


def without_passwords(text: str) -> str:
    """A text with stars in place of the passwords and secret keys in its addresses.

    Examples
    --------
    >>> without_passwords("postgresql://ann:pass@host/shop")
    'postgresql://ann:***@host/shop'
    """
    text = _PASSWORD.sub(r"\1:***@", text)
    return _SECRET_OPTION.sub(r"\1***", text)


def literal(text: object) -> str:
    """Text from data, for an advice: its braces are no placeholders."""
    return str(text).replace("{", "{{").replace("}", "}}")


@contextmanager
def parameter_reported_as(parameter: str, name: str) -> Iterator[None]:
    """Inside the block, an error that names the parameter ``parameter`` is raised with ``name`` in its place."""
    try:
        yield
    except UserError as error:
        diagnostic = _renamed(error.diagnostic, parameter, name)
        if diagnostic == error.diagnostic:
            raise
        raise _error_of(type(error), diagnostic) from error


def _plain(value: object) -> Any:
    """A value as JSON can hold it."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return str(value)


def _message_of(diagnostic: Diagnostic, write_setting: SettingWriter) -> str:
    settings = " and ".join(write_setting(name, value) for name, value in diagnostic.parameters.items())
    return f"{settings} {diagnostic.message}" if settings else diagnostic.message


def _filled(advice: str, fix: Mapping[str, object], write_setting: SettingWriter) -> str:
    def replacement(match: re.Match[str]) -> str:
        parameter = match[1]
        if parameter is None:
            return match[0][0]  # one brace for two
        if match[2] is not None:
            return write_setting(parameter, literal_eval(match[2]))
        return write_setting(parameter, fix.get(parameter, NAME_ONLY))

    return _PLACEHOLDER.sub(replacement, advice)


def _renamed(diagnostic: Diagnostic, parameter: str, name: str) -> Diagnostic:
    def with_new_name(settings: Mapping[str, object]) -> dict[str, object]:
        return {name if key == parameter else key: value for key, value in settings.items()}

    def new_placeholder(match: re.Match[str]) -> str:
        return match[0].replace(parameter, name, 1) if match[1] == parameter else match[0]

    return replace(
        diagnostic,
        advice=_PLACEHOLDER.sub(new_placeholder, diagnostic.advice),
        fix=with_new_name(diagnostic.fix),
        parameters=with_new_name(diagnostic.parameters),
    )


def _error_of(kind: type[UserError], diagnostic: Diagnostic) -> UserError:
    """Make an error of a class with this diagnostic, whatever parameters the constructor of the class has."""
    error = kind.__new__(kind)
    UserError.__init__(
        error,
        code=diagnostic.code,
        message=diagnostic.message,
        advice=diagnostic.advice,
        fix=diagnostic.fix,
        columns=diagnostic.columns,
        parameters=diagnostic.parameters,
    )
    return error
