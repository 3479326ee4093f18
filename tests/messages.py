"""All messages of the package: ``python -m tests.messages`` prints them by code, to be read aloud as one page."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).parent.parent / "src" / "bitsieve"
PARAMETER_ERROR_TEXTS = (2, 3)  # its positional arguments that are text: advice and problem


class Message(NamedTuple):
    """A message, with its variable parts as they stand in the code."""

    code: str
    text: str
    file: str
    line: int


@cache
def messages() -> list[Message]:
    """The messages of all notes and errors in the source, by code, file and line."""
    listed = []
    for path in sorted(SOURCE.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        file = str(path.relative_to(SOURCE))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                listed += [Message(code, text, file, node.lineno) for code, text in _texts(node)]
    return sorted(listed)


def _texts(call: ast.Call) -> Iterator[tuple[str, str]]:
    """The code and the text of a call that makes a note or an error; nothing for other calls."""
    keywords = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg is not None}
    if "message" in keywords and "code" in keywords:
        message = _words(keywords["message"])
        advice = _words(keywords["advice"]) if "advice" in keywords else ""
        yield _words(keywords["code"]), f"{message}: {advice}" if advice else message
    elif isinstance(call.func, ast.Name) and call.func.id == "ParameterError":
        code = _words(keywords["code"]) if "code" in keywords else "parameter-not-allowed"
        texts = [_words(call.args[i]) for i in PARAMETER_ERROR_TEXTS if i < len(call.args)]
        yield code, ": ".join(reversed(texts))


def _words(value: ast.expr) -> str:
    """A text with its variable parts in braces; other expressions as they stand, in angle brackets."""
    if isinstance(value, ast.Constant):
        return str(value.value)
    if isinstance(value, ast.JoinedStr):
        parts = []
        for part in value.values:
            if isinstance(part, ast.FormattedValue):
                parts.append(f"{{{ast.unparse(part.value)}}}")
            else:
                parts.append(_words(part))
        return "".join(parts)
    return f"<{ast.unparse(value)}>"


def main() -> None:
    """Print the messages, a heading for each code."""
    code = ""
    for message in messages():
        if message.code != code:
            code = message.code
            print(f"\n{code}")
        print(f"  {message.text}  [{message.file}:{message.line}]")


if __name__ == "__main__":
    main()
