"""The documents say what happens: their Python runs, their commands run, and what they show is what comes out."""

from __future__ import annotations

import doctest
import re
import runpy
import shlex
import sys
import types
from pathlib import Path
from typing import NamedTuple

import pytest
from benchmarks.results import read as measured

import bitsieve
from bitsieve.cli import main
from bitsieve.discretization.registry import RULES
from bitsieve.evaluate.models import MODELS
from papers.command import main as papers_main

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
DOCUMENTS = [README, *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = ROOT / "docs" / "reference"
METHODS = [PAGES / "methods.md", *sorted((PAGES / "methods").glob("*.md"))]
TABLE_OF_METHODS = PAGES / "methods" / "table.md"
REFERENCE = [PAGES / "python.md", *sorted((PAGES / "python").glob("*.md"))]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MESSAGE = "bitsieve: "  # what a line of standard error begins with
#: Pages that count many rows, or have rules that fit a regression for each column.
SLOW_PAGES = {"batches", "false_discoveries", "huge_files", "messy_csv"}
SLOW = re.compile(
    "pyspark|distributed|duckdb|GridSearchCV|bitsieve compare|compare\\(|how_many\\(|write_report|--report"
)


class Block(NamedTuple):
    """A fenced block of a document."""

    language: str
    text: str
    line: int


def name_of(document: Path) -> str:
    """The path of a document without its ending, such as howto/explain."""
    return document.relative_to(ROOT).with_suffix("").as_posix().removeprefix("docs/")


def blocks_of(document: Path) -> list[Block]:
    text = document.read_text()
    return [Block(m[1], m[2], text.count("\n", 0, m.start(2)) + 1) for m in FENCE.finditer(text)]


def document_case(path: Path):
    """The README is quick, and every page without a cluster, an engine, fits over folds and reports."""
    is_slow = path.stem in SLOW_PAGES or (path != README and SLOW.search(path.read_text()))
    marks = (
        [pytest.mark.slow("starts a cluster or an engine, fits over folds, counts many rows or draws a report")]
        if is_slow
        else []
    )
    return pytest.param(path, id=path.stem, marks=marks)


def run_python(block: Block, namespace: dict, name: str) -> None:
    """Run a block: as a doctest where it has prompts, else whole."""
    if ">>>" not in block.text:
        exec(compile("\n" * (block.line - 1) + block.text, name, "exec"), namespace)
        return
    test = doctest.DocTestParser().get_doctest(block.text, {}, name, name, block.line - 1)
    test.globs = namespace
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    runner.run(test, out=report.append, clear_globs=False)
    assert not runner.failures, "".join(report)


def commands_in(text: str) -> list[list[str]]:
    lines = text.replace("\\\n", " ").splitlines()
    return [words for words in (shlex.split(line, comments=True) for line in lines) if words]


def run_command(words: list[str], monkeypatch: pytest.MonkeyPatch) -> bool:
    """Run a command of bitsieve or an example script; say whether it was one."""
    with monkeypatch.context() as patch:
        while "=" in words[0]:
            patch.setenv(*words[0].split("=", 1))
            words = words[1:]
        if words[0] == "bitsieve":
            main(words[1:])
            return True
        if words[:3] == ["python", "-m", "papers"]:
            papers_main(words[3:])
            return True
        if words[0] == "python" and words[1].startswith("examples/"):
            patch.setattr(sys, "argv", words[1:])
            runpy.run_path(str(ROOT / words[1]), run_name="__main__")
            return True
    return False


@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")  # which Spark leaves behind
@pytest.mark.parametrize("document", [document_case(path) for path in DOCUMENTS if blocks_of(path)])
def test_blocks_run_and_show_what_comes_out(document, tmp_path, monkeypatch, capsys, request):
    if "import bitsieve, duckdb" in document.read_text():
        pytest.importorskip("duckdb")
    if "pyspark" in document.read_text():
        request.getfixturevalue("spark")  # whose session the document finds, or whose absence skips it
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("BITSIEVE_FORCE_KERNEL", raising=False)
    module = types.ModuleType("document")
    monkeypatch.setitem(sys.modules, "document", module)  # classes of a document need a home, as in a program
    namespace = vars(module)
    blocks = blocks_of(document)
    for block, after in zip(blocks, [*blocks[1:], Block("", "", 0)], strict=True):
        place = f"{document.name}:{block.line}"
        if block.language == "python":
            run_python(block, namespace, place)
        if block.language != "sh":
            continue
        capsys.readouterr()
        ran = [run_command(words, monkeypatch) for words in commands_in(block.text)]
        got = capsys.readouterr()
        if after.language == "text" and all(ran):
            shown = after.text.splitlines()
            assert [line for line in shown if line.startswith(MESSAGE)] == got.err.splitlines(), place
            assert [line for line in shown if not line.startswith(MESSAGE)] == got.out.splitlines(), place
        elif any(ran):
            assert "error:" not in got.err, place


def test_commands_are_found_whatever_stands_before_them():
    text = "# a comment\nKEY=1 bitsieve select a.csv \\\n    --target 'the class'\nmake demo\n"
    assert commands_in(text) == [
        ["KEY=1", "bitsieve", "select", "a.csv", "--target", "the class"],
        ["make", "demo"],
    ]


def test_every_public_name_has_a_row_and_an_entry():
    rows, entries = REFERENCE[0].read_text(), "\n".join(path.read_text() for path in REFERENCE[1:])
    for name in bitsieve.__all__:
        assert re.search(rf"^\| (`\w+`, )?`{name}`(, `\w+`)? \|", rows, re.MULTILINE), name
        entry = rf"`bitsieve\.{name}`" if name == "__version__" else rf"^\.\. auto(?:class|function):: {name}$"
        assert len(re.findall(entry, entries, re.MULTILINE)) == 1, name


def test_every_method_has_its_row_and_its_section():
    methods, table = "\n".join(path.read_text() for path in METHODS), TABLE_OF_METHODS.read_text()
    for info in bitsieve.list_methods():
        paper = re.escape(info.paper)
        if info.same_as:
            assert re.search(rf"^\| `{info.name}` \| `{info.same_as}` \|.*{paper}", methods, re.MULTILINE), info.name
        else:
            assert re.search(rf"^\| `{info.name}` \|.*{paper}", table, re.MULTILINE), info.name
            assert re.search(rf"^##+ {info.name}\b", methods, re.MULTILINE), info.name


@pytest.mark.parametrize("name", RULES)
def test_every_binning_has_its_row(name):
    assert re.search(rf"^\| `{name}` \|", (ROOT / "docs" / "howto" / "choose_bins.md").read_text(), re.MULTILINE)


@pytest.mark.parametrize("name", MODELS)
def test_every_classifier_has_its_row(name):
    assert re.search(rf"^\|[^|]*`{name}`", (PAGES / "evaluation.md").read_text(), re.MULTILINE)


def test_readme_is_one_page_and_counts_the_methods():
    text = README.read_text()
    assert len(text.splitlines()) <= 150
    assert f"{sum(not info.same_as for info in bitsieve.list_methods())} methods of feature selection" in text


def test_the_speeds_of_readme_are_measured():
    section = README.read_text().split("## Speed")[1].split("##")[0]
    cells = [cell for row in re.findall(r"^\| .*\d.*\|$", section, re.MULTILINE) for cell in row.split("|")[2:-1]]
    shown = [number.replace(",", "") for cell in cells for number in re.findall(r"[\d,.]*\d", cell)]
    results = (document for name in ("greedy", "relevance", "binning", "programs") for document in measured(name))
    known = {f"{s:.3g}" for document in results for row in document["rows"] for s in row["seconds"].values()}
    assert len(shown) >= 10
    assert not [number for number in shown if f"{float(number):.3g}" not in known]


def test_the_tree_of_the_source_is_the_real_one():
    tree = re.search(r"^ {4}src/bitsieve/\n((?: {6}.*\n)+)", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE)[1]
    folders = {path.parent.name for path in (ROOT / "src" / "bitsieve").glob("*/__init__.py")}
    assert sorted(re.findall(r"^ {6}(\w+)/", tree, re.MULTILINE)) == sorted(folders)


def test_links_between_documents_lead_somewhere():
    for document in (*DOCUMENTS, ROOT / "CONTRIBUTING.md"):
        targets = re.findall(r"\]\((?!https?:)([^)#]+)", document.read_text())
        assert not [target for target in targets if not (document.parent / target).exists()], name_of(document)
