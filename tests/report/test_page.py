"""Pages are rendered from templates: every section has one, all text is escaped, and a missing field is an error."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from pathlib import PurePosixPath
from typing import ClassVar

import pytest

jinja2 = pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")

from bitsieve.report import (  # noqa: E402
    blanket,
    columns,
    comparison,
    groups,
    how_many,
    page,
    scorecard,
    selection,
    selection_size,
    survival,
)
from bitsieve.report.page import Section, render_page  # noqa: E402

SHARED = {"page.html", "page.css", "page.js", "parts.html", "reproduction.html"}


def templates() -> set[str]:
    root = files("bitsieve.report").joinpath("templates")
    shared = {file.name for file in root.iterdir() if file.is_file()}
    assert shared == SHARED
    folders = [folder for folder in root.iterdir() if folder.is_dir()]
    return {str(PurePosixPath(folder.name, file.name)) for folder in folders for file in folder.iterdir()}


def test_every_template_has_its_section_and_every_section_its_template():
    modules = (blanket, columns, comparison, groups, how_many, scorecard, selection, selection_size, survival)
    sections = {value for module in modules for value in vars(module).values() if isinstance(value, type)}
    assert {kind.template for kind in sections if issubclass(kind, Section) and kind is not Section} == templates()


@dataclass(frozen=True, kw_only=True)
class Greeting(Section):
    template: ClassVar[str] = "greeting.html"
    name: str


@pytest.fixture
def greet(monkeypatch):
    """``greet(template, name)``: a page of one section whose template is the text ``template``."""
    make_environment = page._environment

    def render(template: str, name: str) -> str:
        environment = make_environment()
        section_templates = jinja2.DictLoader({"greeting.html": template})
        environment.loader = jinja2.ChoiceLoader([section_templates, environment.loader])
        monkeypatch.setattr(page, "_environment", lambda: environment)
        return render_page("A <title>", [Greeting(name=name)])

    return render


def test_a_new_section_is_a_template_and_a_dataclass(greet, read_page):
    text = greet("<p>Hello {{ section.name }}</p>", "<script>alert(1)</script> & 'you'")
    rendered = read_page(text)
    assert "Hello <script>alert(1)</script> & 'you'" in rendered.text
    assert rendered.text.count("A <title>") == 2  # of the window, and the heading
    assert rendered.seen.count("script") == 1


def test_a_field_that_a_section_lacks_is_an_error(greet):
    with pytest.raises(jinja2.UndefinedError, match="surname"):
        greet("{{ section.surname }}", "Ada")


def test_the_policy_lets_the_own_script_run_alone(greet, read_page):
    attributes = read_page(greet("", "")).attributes
    (policy,) = (value for name, value in attributes if name == "content" and value.startswith("default-src"))
    directives = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert directives["default-src"] == "'none'"
    assert directives["script-src"].startswith("'sha256-")
    assert " " not in directives["script-src"]
