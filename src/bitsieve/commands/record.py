"""What an item of a paper has found so far: printed part by part, kept as a JSON document."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from bitsieve.files.output import write_text

if TYPE_CHECKING:
    from pathlib import Path


class Record:
    """The parts of an item in the order they are finished.

    Parameters
    ----------
    paper, item : str
    seed : int
    quiet : bool
        Whether parts are kept only, not printed.
    """

    def __init__(self, paper: str, item: str, seed: int, *, quiet: bool) -> None:
        self.head = {"paper": paper, "item": item, "seed": seed}
        self.parts: list[dict[str, Any]] = []
        self.text: str | None = None
        self._quiet = quiet

    def add(self, text: str, part: dict[str, Any]) -> None:
        """Take a finished part, and print its text at once."""
        self.parts.append(part)
        if self._quiet:
            return
        if sys.stderr.isatty():
            sys.stderr.write("\r\x1b[K")  # the line that shows progress
            sys.stderr.flush()
        print(text, flush=True)

    def end(self, text: str) -> None:
        """All parts are there."""
        self.text = text

    def document(self) -> str:
        """As JSON; ``finished`` is false of a run that was interrupted."""
        whole = {**self.head, "finished": self.text is not None, "parts": self.parts, "text": self.text}
        return json.dumps(whole, indent=1, ensure_ascii=False)

    def save(self, path: Path) -> None:
        """Write the document."""
        write_text(path, self.document() + "\n")
