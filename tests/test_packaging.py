"""What pyproject.toml promises: lower bounds that a target installs, and what a wheel needs to say."""

from __future__ import annotations

import re
import tomllib
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest
from tools import release, versions, wheel

ROOT = Path(__file__).parents[1]
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_every_dependency_has_a_lower_bound_and_nothing_else():
    project = SETTINGS["project"]
    asked = [*SETTINGS["build-system"]["requires"], *project["dependencies"]]
    for extra in project["optional-dependencies"].values():
        asked += [line for line in extra if not line.startswith(("bitsieve[", "clang-format=="))]
    assert all(re.fullmatch(r"[A-Za-z0-9_.-]+(\[[a-z,]+\])?>=[0-9.]+", line) for line in asked), asked


def test_what_is_installed_with_its_lowest_and_its_highest_version():
    requirements = versions.requirements()
    assert len(requirements) == len({versions.name_of(line) for line in requirements})
    for needed in ("numpy", "pyarrow", "narwhals", "nanobind", "matplotlib", "pandas", "polars", "pytest"):
        assert any(re.fullmatch(rf"{needed}>=[0-9.]+", line) for line in requirements)
    for test in versions.TESTS:
        assert (ROOT / test).exists()
    assert (ROOT / versions.IGNORED_FILE).exists()


def test_what_is_installed_holds_the_notices_of_what_it_links():
    notices = [file for file in distribution("bitsieve").files if "licenses" in file.parts]
    assert {file.name for file in notices} >= {"LICENSE", "nanobind.txt", "robin-map.txt"}
    texts = {file.name: file.read_text() for file in notices}
    assert "Wenzel Jakob" in texts["nanobind.txt"]
    assert "Thibaut Goetghebuer-Planchon" in texts["robin-map.txt"]


def test_the_words_of_a_release_agree():
    project, changelog = SETTINGS["project"], (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    release.check_words(project, changelog)
    wrong = [
        ({}, "# Changelog\n\n## 0.0.1\n", "CHANGELOG.md begins with version 0.0.1"),
        ({}, "# Changelog\n", "begins with version none"),
        ({"requires-python": ">=3.12"}, changelog, "requires-python begins at 3.12"),
        ({"classifiers": []}, changelog, "the classifiers name Python"),
        (
            {"classifiers": [*project["classifiers"], "License :: OSI Approved"]},
            changelog,
            "no classifier may name one",
        ),
    ]
    for changed, text, message in wrong:
        with pytest.raises(SystemExit, match=message):
            release.check_words(project | changed, text)


def test_files_of_two_builds_are_compared_by_name_and_bytes(tmp_path):
    for name, content in (("a/f", "same"), ("b/f", "same"), ("c/f", "other"), ("d/g", "same")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    release.compare([tmp_path / "a/f"], [tmp_path / "b/f"])
    for other in ("c/f", "d/g"):
        with pytest.raises(SystemExit, match="two builds of one commit differ"):
            release.compare([tmp_path / "a/f"], [tmp_path / other])


def test_the_interface_of_a_wheel_follows_from_its_name():
    for name in ("bitsieve-1-cp311-cp311-linux_x86_64.whl", "bitsieve-1-cp314-cp314t-linux_x86_64.whl"):
        wheel.check_interface(Path(name))
    with pytest.raises(SystemExit, match="should be of the stable interface"):
        wheel.check_interface(Path("bitsieve-1-cp312-cp312-linux_x86_64.whl"))


def test_the_conda_recipe_asks_for_what_the_project_asks_for():
    jinja2, yaml = pytest.importorskip("jinja2"), pytest.importorskip("yaml")
    template = jinja2.Template((ROOT / "conda" / "meta.yaml").read_text(encoding="utf-8"))
    words = {"compiler": "compiler-{}".format, "stdlib": "stdlib-{}".format, "PYTHON": "python"}
    text = template.render(load_file_data=lambda path, from_recipe_dir: SETTINGS, **words)
    recipe, project = yaml.safe_load(text), SETTINGS["project"]
    assert recipe["package"] == {"name": project["name"], "version": project["version"]}
    assert [line.replace(" ", "") for line in recipe["requirements"]["run"]] == ["python", *project["dependencies"]]
    build = {versions.name_of(line): line for line in SETTINGS["build-system"]["requires"]}
    host = {versions.name_of(line): line.replace(" ", "") for line in recipe["requirements"]["host"]}
    assert build.items() <= host.items()
    (command,) = recipe["build"]["entry_points"]
    assert command == "bitsieve = " + project["scripts"]["bitsieve"]
    assert all((ROOT / file).exists() for file in recipe["about"]["license_file"])


def test_a_wheel_names_no_folder_of_the_machine_that_built_it(tmp_path):
    path = tmp_path / "bitsieve-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as file:
        for source in (wheel.ROOT / "src" / "bitsieve").rglob("*"):
            if source.is_file() and "__pycache__" not in source.parts:
                file.write(source, source.relative_to(wheel.ROOT / "src"))
    wheel.check_paths(path)
    with zipfile.ZipFile(path, "a") as file:
        file.writestr("bitsieve/built.txt", f"in {tmp_path.home()}/build")
    with pytest.raises(SystemExit, match=r"^bitsieve/built.txt of bitsieve-1.* names "):
        wheel.check_paths(path)
