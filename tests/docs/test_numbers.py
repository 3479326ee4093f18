"""Numbers, lists and names in the documents are those of the results, the registry, the command and the package."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from benchmarks.results import read as measured
from tools import methods_page

import bitsieve
from benchmarks import speed_page, study_tables
from bitsieve.cli import main
from bitsieve.cli.options import OPTIONS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
README = ROOT / "README.md"
COMPARISON = DOCS / "start" / "comparison.md"
USERS_PAGES = [
    README,
    *sorted(
        path
        for name in ("start", "tutorials", "howto", "explanation", "reference")
        for path in (DOCS / name).rglob("*.md")
    ),
]
WIDE_TABLE = "500 x 20,000, 3 bins, 5 classes"
SECONDS_OF_THE_COMPARISON = [
    ("relevance", WIDE_TABLE, "mutual_info_classif"),
    ("relevance", WIDE_TABLE, "mutual_information"),
    ("programs", "MRMR, 500 x 20,000, 5 classes, k = 50", "bitsieve, default"),
    ("programs", "MRMR, 500 x 20,000, 5 classes, k = 50", "mrmrs"),
    ("programs", "MRMR, 500 x 20,000, 5 classes, k = 50", "fastcan"),
    ("greedy", f"jmi, {WIDE_TABLE}, k = 50", "fit"),
    ("greedy", f"jmi, {WIDE_TABLE}, k = 50", "ITMO_FS"),
]
OTHER_PROGRAMS_OPTIONS = {"--large", "--vanilla"}  # of the benchmarks, and of R


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).with_suffix("").as_posix()


@pytest.mark.parametrize("page", study_tables.PAGES, ids=name_of)
def test_tables_of_studies_are_those_of_the_results(page):
    text = page.read_text(encoding="utf-8")
    assert text == study_tables.filled(text), "python -m benchmarks table writes them"


def test_every_table_of_a_study_is_in_a_page():
    pages = "\n".join(page.read_text(encoding="utf-8") for page in study_tables.PAGES)
    assert set(re.findall(r"<!-- results: (\w+) -->", pages)) == set(study_tables.TABLES)


def test_the_page_of_figures_is_that_of_the_results():
    assert speed_page.FIGURES.read_text(encoding="utf-8") == speed_page.figures(), (
        "python -m benchmarks table writes it"
    )


def test_no_other_program_has_bins_of_a_larger_information_value():
    """Among bins that keep all bounds; those of any trend are beside bins that were chosen without one."""
    (document, *_) = measured("monotone_bins")
    columns = [row for row in document["rows"] if "details" in row]  # the other rows are whole frames
    assert len(columns) >= 15
    for row in columns:
        details = row["details"]
        assert details["bitsieve"]["keeps_bounds"], row["job"]
        for program, other in details.items():
            ours = details["bitsieve"] if other["keeps_bounds"] else details["bitsieve, any trend"]
            assert other["information_value"] <= ours["information_value"], (row["job"], program)


def of_false_discoveries(design: str, rule: str) -> dict[str, str]:
    """The details of a design and a rule in the newest results."""
    rows = {row["job"]: row["details"] for row in measured("false_discoveries")[0]["rows"]}
    return rows[design][rule]


@pytest.mark.parametrize("page", [README, COMPARISON], ids=name_of)
def test_false_discoveries_compared_with_other_programs_are_measured(page):
    text = page.read_text(encoding="utf-8")
    copies = "5 real + 5 noisy copies + 90 noise, 500 rows"
    independent = "10 real + 90 noise, 500 rows"
    chi_squared, fdr = "chi-squared, Benjamini-Hochberg", "fdr, 4 quantile bins, jmi"
    for rule in (chi_squared, fdr):
        rate = float(of_false_discoveries(copies, rule)["false discovery rate"].split()[0])
        assert f"{100 * rate:.0f} %" in text
    assert of_false_discoveries(independent, fdr)["real columns found"].split()[0] in text


def test_relevant_columns_that_chi_squared_finds_are_measured():
    found = of_false_discoveries("10 real + 90 noise, 500 rows", "chi-squared, Benjamini-Hochberg")[
        "real columns found"
    ]
    assert found in COMPARISON.read_text(encoding="utf-8")


@pytest.mark.parametrize(("benchmark", "job", "contestant"), SECONDS_OF_THE_COMPARISON)
def test_seconds_of_the_comparison_are_measured(benchmark, job, contestant):
    """Some result of the job, on any kind of machine, has the number in the text."""
    rows = [row for document in measured(benchmark) for row in document["rows"] if row["job"] == job]
    seconds = [row["seconds"][contestant] for row in rows if contestant in row["seconds"]]
    shown = [f"{float(f'{value:.3g}'):,.0f}" if value >= 100 else f"{value:.3g}" for value in seconds]
    text = COMPARISON.read_text(encoding="utf-8")
    assert any(f"{number} s" in text or f" {number} " in text for number in shown)


def test_the_table_of_extras_is_that_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = set(project["optional-dependencies"]) - {"dev", "docs", "fuzzing"}
    page = (DOCS / "start" / "install.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == extras


def test_exit_codes_are_those_of_the_help(capsys):
    with pytest.raises(SystemExit):
        main(["select", "--help"])
    text = " ".join(capsys.readouterr().out.split()).split("Exit codes: ")[1]
    codes = re.findall(r"(?:^|, )(\d+) ", text)
    page = (DOCS / "reference" / "formats.md").read_text(encoding="utf-8")
    table = page.split("| exit code |")[1].split("\n\n")[0]
    assert re.findall(r"^\| (\d+) \|", table, re.MULTILINE) == codes
    assert len(codes) == 6


def test_options_and_names_exist():
    options = {option.name for group in OPTIONS.values() for option in group} | {"--help", "--version", "--method"}
    options |= {f"--no-{option.removeprefix('--')}" for option in options}
    for page in USERS_PAGES:
        text = page.read_text(encoding="utf-8")
        unknown = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", text)) - options - OTHER_PROGRAMS_OPTIONS
        assert not unknown, name_of(page)
        names = set(re.findall(r"\bbitsieve\.(\w+)\(", text))
        assert not {name for name in names if not hasattr(bitsieve, name)}, name_of(page)


def test_every_page_is_in_one_of_six_folders():
    folders = {page.relative_to(DOCS).parts[0] for page in DOCS.rglob("*.md") if page.parent != DOCS}
    assert folders == {"start", "tutorials", "howto", "explanation", "reference", "project"}


def test_the_citation_names_the_authors_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f'name: "{project["authors"][0]["name"]}"' in citation
    assert "\nversion:" not in citation  # it stands in pyproject.toml alone


def test_the_table_of_methods_is_that_of_the_registry():
    assert methods_page.PAGE.read_text(encoding="utf-8") == methods_page.page(), (
        "python -m tools.methods_page writes it"
    )
    listed = re.findall(r"^\| `([\w-]+)` \|", methods_page.page(), re.MULTILINE)
    assert sorted(listed) == sorted(info.name for info in bitsieve.list_methods() if not info.same_as)
