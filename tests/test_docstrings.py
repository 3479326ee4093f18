"""Every public object explains itself: its examples run, and its sections are those its code calls for."""

from __future__ import annotations

import ast
import doctest
import inspect
import textwrap
from dataclasses import is_dataclass

import pytest
from numpydoc.docscrape import ClassDoc, FunctionDoc
from tests.cover import quick_and_slow

import bitsieve
from bitsieve.discretization.base import Binning, CutBinning
from bitsieve.engines.cluster import ClusterSource
from bitsieve.methods.by_counts.criteria import CRITERIA
from bitsieve.methods.by_counts.stopping import STOPPING_RULES
from bitsieve.utils.docstrings import PAPERS

# What the one loop is made of: their methods are told of by their protocols.
PARTS = (*CRITERIA.values(), *STOPPING_RULES.values())
PUBLIC = {name: getattr(bitsieve, name) for name in bitsieve.__all__ if name != "__version__"}
PUBLIC |= {criterion.__name__: criterion for criterion in CRITERIA.values()}
CLASSES = {name: value for name, value in PUBLIC.items() if inspect.isclass(value)}


def own_methods(cls: type) -> dict[str, object]:
    """The public methods that this package gives a class, inherited ones included."""
    methods = {}
    for name, value in inspect.getmembers(cls, inspect.isfunction):
        if not name.startswith("_") and value.__module__.startswith("bitsieve."):
            methods[f"{cls.__name__}.{name}"] = value
    return methods


FUNCTIONS = {name: value for name, value in PUBLIC.items() if inspect.isfunction(value)}
METHODS = {name: value for cls in CLASSES.values() for name, value in own_methods(cls).items()}
# What binners and selectors have for this package alone, which reads tables and counts them for both.
INNER = {
    *("fit_table", "fit_counted", "sparse_codes", "delayed_partitions", "warn", "printed", "html"),
    *(name.partition(".")[2] for part in (Binning, CutBinning, ClusterSource) for name in own_methods(part)),
}
STEPS = (
    *(name for part in PARTS for name in own_methods(part)),
    *(name for name in METHODS if name.partition(".")[2] in INNER),
)


SLOW_EXAMPLES = {
    "DistilledStopping",
    "FalseDiscoveryStopping",
    "GaussianKnockoffStopping",
    "HowMany",
    "KnockoffStopping",
    "ModelSelector",
    "SVMRFE",
    "SelectorCV",
    "StabilitySelector",
    "compare",
    "how_many",
    "plot_how_many",
    "write_report",
}


def parameters_of(function: object) -> list[str]:
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    parameters = inspect.signature(function).parameters.values()
    return [stars.get(p.kind, "") + p.name for p in parameters if p.name != "self"]


def names_in(section: list) -> list[str]:
    return [name.strip() for entry in section for name in entry.name.split(",")]


def raises(function: object) -> bool:
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    return any(isinstance(node, ast.Raise) for node in ast.walk(tree))


def first_sentence(doc: ClassDoc | FunctionDoc) -> str:
    return " ".join(doc["Summary"])


# The tests of Spark run its example, where a session is open.
@pytest.mark.parametrize(
    "name",
    quick_and_slow(
        [name for name in PUBLIC if name != "SparkSource"],
        quick=PUBLIC.keys() - SLOW_EXAMPLES,
        reason="fits over folds, halves or many shuffles, which tests of its own do on less data",
    ),
)
def test_examples_run(name):
    finder = doctest.DocTestFinder(exclude_empty=True)
    report: list[str] = []
    for test in finder.find(PUBLIC[name], name):
        runner = doctest.DocTestRunner()
        runner.run(test, out=report.append)
        assert not runner.failures, "".join(report)


def test_all_but_criteria_have_an_example():
    for name in PUBLIC.keys() - {criterion.__name__ for criterion in CRITERIA.values()}:
        doc = ClassDoc(PUBLIC[name]) if name in CLASSES else FunctionDoc(PUBLIC[name])
        assert any(">>>" in line for line in doc["Examples"]), name


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_has_its_sections(name):
    function = FUNCTIONS[name]
    doc = FunctionDoc(function)
    assert first_sentence(doc).endswith(".")
    assert names_in(doc["Parameters"]) == parameters_of(function)
    assert doc["Returns"]
    assert doc["Raises"] or not raises(function)


def test_every_method_has_its_sections():
    for name in METHODS.keys() - STEPS:
        method = METHODS[name]
        doc = FunctionDoc(method)
        assert first_sentence(doc).endswith("."), name
        assert names_in(doc["Parameters"]) == parameters_of(method), name
        assert doc["Returns"], name
        assert doc["Raises"] or not raises(method), name


def test_inner_steps_say_what_they_are():
    assert [name for name in STEPS if not inspect.getdoc(METHODS[name])] == []


@pytest.mark.parametrize("name", CLASSES)
def test_class_has_its_sections(name):
    cls = CLASSES[name]
    doc = ClassDoc(cls, config={"show_class_members": False})
    assert first_sentence(doc).endswith(".")
    if cls in PARTS:
        assert names_in(doc["Parameters"]) == parameters_of(cls)
        assert doc["References"]
        return
    described = names_in(doc["Parameters"]) or names_in(doc["Attributes"])
    assert described == parameters_of(cls)
    assert (
        doc["Attributes"]
        or is_dataclass(cls)
        or issubclass(cls, (Warning, ValueError, list))
        or hasattr(cls, "read_in_parts")
    )


@pytest.mark.parametrize("name", [name for name in CLASSES if hasattr(CLASSES[name], "fit")])
def test_fitted_attributes_are_those_described(name):
    X, y = [[0.0, "a"], [1.0, "b"], [2.0, "a"], [3.0, "b"]], [0, 0, 1, 1]
    required = {"StabilitySelector": [bitsieve.ForwardSelector(1)], "SelectedColumns": [[True, False]]}
    estimator = CLASSES[name](*required.get(name, []))
    if "n_features_to_select" in estimator.get_params():
        estimator.set_params(n_features_to_select=1)
    if name == "MDLBinner":
        estimator.set_params(uncut="median")
    import pandas as pd

    table = pd.DataFrame(X, columns=["number", "letter"])
    fitted = estimator.fit(table[["number"]] if name == "ZeroApartBinner" else table, y)
    described = names_in(ClassDoc(CLASSES[name], config={"show_class_members": False})["Attributes"])
    assert sorted(described) == sorted(name for name in dir(fitted) if name.endswith("_") and not name.startswith("_"))


def test_every_paper_is_cited():
    text = " ".join(" ".join(inspect.getdoc(documented) or "" for documented in PUBLIC.values()).split())
    not_cited = [name for name, citation in PAPERS.items() if " ".join(citation.split()) not in text]
    assert not_cited == []
