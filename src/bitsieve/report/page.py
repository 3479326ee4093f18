"""HTML pages from templates: a page is one file that fetches nothing and runs no script but its own."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from importlib.util import find_spec
from typing import TYPE_CHECKING, ClassVar

from bitsieve.diagnostics import UserError
from bitsieve.utils.messages import quoted
from bitsieve.utils.terminal_text import number

if TYPE_CHECKING:
    from jinja2 import Environment

REQUIRED_PACKAGES = ("matplotlib", "jinja2")


@dataclass(frozen=True, kw_only=True)
class Section:
    """A section of a report. The template reads the fields of the section as ``section.field``.

    A new section is one template in ``templates/`` and one function that returns a subclass of this.
    """

    template: ClassVar[str]  # its path below ``templates/``
    heading: ClassVar[str] = ""  # above it and in the list of contents; empty for what goes on with the section before


def require_report_packages() -> None:
    """Refuse, before any work, to write a report without the packages that it needs."""
    missing = [name for name in REQUIRED_PACKAGES if find_spec(name) is None]
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        raise UserError(
            code="package-missing",
            message=f"a report needs {' and '.join(missing)}, which {verb} not installed",
            advice="pip install 'bitsieve[report]'",
        )


def render_page(title: str, sections: Sequence[Section]) -> str:
    """Render a page of HTML from its sections."""
    css = _read("page.css")
    script = _read("page.js")
    script_hash = b64encode(sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{script_hash}'; img-src data:"
    template = _environment().get_template("page.html")
    return template.render(title=title, sections=sections, css=css, script=script, policy=policy)


def _read(name: str) -> str:
    return files("bitsieve.report").joinpath("templates", name).read_text("utf-8")


def _environment() -> Environment:
    """The templates, which escape every value and fail on a name that does not exist."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("bitsieve.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["bits"] = number
    environment.filters["count"] = "{:,}".format
    environment.filters["quoted"] = quoted
    environment.filters["longest"] = _longest
    environment.filters["anchor"] = _anchor
    return environment


def _longest(texts: Sequence[str]) -> int:
    """The number of letters of the longest text."""
    return max((len(text) for text in texts), default=0)


def _anchor(heading: str) -> str:
    """The identifier of a heading, to which the list of contents points."""
    return re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-")
