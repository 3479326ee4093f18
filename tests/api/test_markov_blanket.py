"""Blankets and networks as users call them: roles in a network whose answer is known."""

import json
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from tests.diagnosed import warns_code

import bitsieve
from bitsieve import MarkovBlanketSelector
from bitsieve.cli import main

GRAPHML = "{http://graphml.graphdrawing.org/xmlns}"


@pytest.fixture(scope="module")
def known():
    """``cause`` acts on ``target``, ``target`` and ``spouse`` on ``effect``, ``effect`` on ``child``."""
    random = np.random.default_rng(0)

    def noisy(values):
        return np.where(random.random(len(values)) < 0.1, 1 - values, values)

    cause, spouse, noise = random.integers(0, 2, (3, 2000))
    target = noisy(cause)
    effect = noisy(target | spouse)
    columns = {"cause": cause, "spouse": spouse, "noise": noise, "effect": effect, "child": noisy(effect)}
    return pd.DataFrame({**columns, "target": target})


@pytest.mark.parametrize("algorithm", ["iamb-fdr", "gs", "iamb", "inter-iamb", "fast-iamb", "fbed", "mmmb", "hiton-mb"])
def test_members_and_roles(known, algorithm):
    blanket = bitsieve.markov_blanket(known, "target", algorithm=algorithm, level=0.001)
    assert set(blanket.features) == {"cause", "effect", "spouse"}
    assert set(blanket.neighbours) == {"cause", "effect"}
    assert blanket.spouses == {"spouse": ["effect"]}
    assert blanket.target == "target"
    assert blanket.log_p.tolist() == sorted(blanket.log_p.tolist())
    assert (blanket.log_p <= np.log(0.001)).all()
    assert (blanket.bits > 0.01).all()


@pytest.mark.parametrize("algorithm", ["mmpc", "hiton-pc", "ses"])
def test_neighbours_alone(known, algorithm):
    blanket = bitsieve.markov_blanket(known, "target", algorithm=algorithm, level=0.001)
    assert set(blanket.features) == set(blanket.neighbours) == {"cause", "effect"}
    assert blanket.separating_sets["child"] == ["effect"]
    assert blanket.separating_sets["spouse"] == []


def test_a_correction_goes_through_every_door(known):
    random = np.random.default_rng(3)  # by chance one of its columns passes the plain level
    noise = pd.DataFrame(random.integers(0, 2, (2000, 40)), columns=[f"noise{i}" for i in range(40)])
    data = pd.concat([known, noise], axis=1)
    plain = bitsieve.markov_blanket(data, "target", algorithm="fbed")
    blanket = bitsieve.markov_blanket(data, "target", algorithm="fbed", correction="fdr")
    assert set(blanket.features) == {"cause", "effect", "spouse"} < set(plain.features)
    selection = bitsieve.select(data, "target", method="fbed", correction="fdr")
    assert selection.features == blanket.features
    network = bitsieve.markov_network(data, algorithm="fbed", correction="fdr", binning="none")
    target = network.names.index("target")
    assert {network.names[member] for member in network.blankets[target]} == {"cause", "effect", "spouse"}
    with pytest.raises(ValueError, match="correction"):
        bitsieve.markov_network(data, correction="bonferroni")


def test_values_that_columns_could_have_go_through_every_door(known, tmp_path, capsys):
    """Nominal freedom is so large with them that no column is shown to matter."""
    levels = {"target": 9, "cause": 300, "effect": 300, "spouse": 300, "child": 300}
    arguments = {"test": "g", "freedom": "nominal", "levels": levels, "algorithm": "gs"}
    assert bitsieve.markov_blanket(known, "target", test="g", freedom="nominal").features != []
    with warns_code("empty-blanket"):
        assert bitsieve.markov_blanket(known, "target", **arguments).features == []
    network = bitsieve.markov_network(known, binning="none", **arguments)
    assert network.blankets[network.names.index("target")] == []
    selector = MarkovBlanketSelector(algorithm="gs", test="g", freedom="nominal", levels={0: 300, "spouse": 4})
    selector.fit(known.drop(columns="target"), known["target"])
    assert selector.degrees_of_freedom_[0] % 299 == 0
    path = tmp_path / "rows.csv"
    known.to_csv(path, index=False)
    command = ["select", str(path), "--target", "target", "--method", "gs", "--set", "test=g", "--json", "--quiet"]
    text = ",".join(f"{column}:{n}" for column, n in levels.items())
    assert main([*command, "--set", "freedom=nominal", "--set", f"levels={text}"]) == 0
    assert json.loads(capsys.readouterr().out)["features"] == []
    assert main([*command, "--set", "levels=cause"]) == 2
    assert "--set levels=cause is not allowed" in capsys.readouterr().err
    assert main([*command, "--set", "levels=cause:1"]) == 2
    assert "levels has 1 for column 'cause', in which 2 values occur" in capsys.readouterr().err


def test_the_target_has_the_classes_that_its_type_declares(known):
    typed = known.assign(target=pd.Categorical(known["target"], categories=[0, 1, 2, 3]))
    X, y = typed.drop(columns="target"), typed["target"]
    freedom = {"algorithm": "gs", "test": "g", "freedom": "nominal"}
    plain = MarkovBlanketSelector(**freedom).fit(X, known["target"])
    declared = MarkovBlanketSelector(**freedom).fit(X, y)
    assert declared.blanket_.tolist() == plain.blanket_.tolist()
    assert declared.degrees_of_freedom_.tolist() == (3 * plain.degrees_of_freedom_).tolist()


@pytest.fixture(scope="module")
def exclusive():
    """The target is the exclusive or of ``first`` and ``second``, but for noise."""
    random = np.random.default_rng(1)
    first, second, noise = random.integers(0, 2, (3, 1000))
    target = first ^ second ^ (random.random(1000) < 0.1)
    return pd.DataFrame({"first": first, "second": second, "noise": noise, "constant": 1, "target": target})


def test_a_start_goes_through_every_door(exclusive, tmp_path, capsys):
    with warns_code("empty-blanket"):
        assert bitsieve.markov_blanket(exclusive, "target").features == []
    for start in (["first"], [0], ["first", "noise", "constant"]):
        blanket = bitsieve.markov_blanket(exclusive, "target", start=start)
        assert sorted(blanket.features) == ["first", "second"]
    X, y = exclusive.drop(columns="target"), exclusive["target"]
    assert sorted(MarkovBlanketSelector(start=["first"]).fit(X, y).selected_) == [0, 1]
    selection = bitsieve.select(exclusive, "target", method="iamb-fdr", start=["first"])
    assert sorted(selection.features) == ["first", "second"]
    selection.save(tmp_path / "saved.json")
    assert bitsieve.load(tmp_path / "saved.json") == selection
    path = tmp_path / "rows.csv"
    exclusive.to_csv(path, index=False)
    command = ["select", str(path), "--target", "target", "--method", "iamb-fdr", "--json", "--quiet"]
    assert main([*command, "--set", "start=first,noise"]) == 0
    features = json.loads(capsys.readouterr().out)["features"]
    assert {feature["name"] for feature in features} == {"first", "second"}
    assert main([*command, "--set", "start=frist"]) == 2
    assert "names column 'frist', which is not there" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("parameters", "code"),
    [
        ({"start": ["first"], "algorithm": "mmpc"}, "parameter-without-effect"),
        ({"start": ["first"], "algorithm": "ses"}, "parameter-without-effect"),
        ({"start": ["target"]}, "column-is-target"),
        ({"start": ["frist"]}, "unknown-column"),
        ({"start": "first"}, "parameter-not-allowed"),
    ],
)
def test_mistakes_in_a_start(exclusive, parameters, code):
    with pytest.raises(bitsieve.UserError) as error:
        bitsieve.markov_blanket(exclusive, "target", **parameters)
    assert error.value.code == code


@pytest.mark.parametrize(
    "parameters",
    [
        {"n_shuffles": 99},
        {"freedom": "nominal"},
        {"n_extra_runs": 0},
        {"symmetry": None},
        {"algorithm": "mmmb", "n_extra_runs": None},
        {"algorithm": "fbed", "symmetry": "or"},
    ],
    ids=str,
)
def test_parameters_of_another_algorithm_or_test_are_refused(known, parameters):
    with pytest.raises(bitsieve.UserError) as error:
        bitsieve.markov_blanket(known, "target", **parameters)
    assert error.value.code == "parameter-without-effect"


def test_p_by_shuffles_goes_through_every_door(known, tmp_path, capsys):
    by_shuffles = {"algorithm": "fbed", "p_by": "shuffles", "n_shuffles": 199, "level": 0.01, "random_state": 3}
    blanket = bitsieve.markov_blanket(known, "target", **by_shuffles)
    assert set(blanket.features) == {"cause", "effect", "spouse"}
    assert blanket.log_p.tolist() == [-np.log(200)] * 3
    network = bitsieve.markov_network(known, binning="none", **by_shuffles)
    assert {network.names[member] for member in network.blankets[5]} == {"cause", "effect", "spouse"}
    path = tmp_path / "rows.csv"
    known.to_csv(path, index=False)
    command = ["select", str(path), "--target", "target", "--method", "fbed", "--json", "--quiet"]
    settings = [f"{name}={value}" for name, value in by_shuffles.items() if name != "algorithm"]
    assert main([*command, *(word for setting in settings for word in ("--set", setting))]) == 0
    features = json.loads(capsys.readouterr().out)["features"]
    assert [feature["name"] for feature in features] == blanket.features


def test_so_few_shuffles_that_nothing_could_enter_are_refused(known):
    """The smallest corrected p among 5 columns is 5 (1 + 1/2 + ... + 1/5) / 100 = 0.114."""
    few = {"p_by": "shuffles", "n_shuffles": 99}
    for correction in ({"algorithm": "iamb-fdr"}, {"algorithm": "mmpc", "correction": "fdr"}):
        with pytest.raises(bitsieve.UserError, match="give 229 or more") as error:
            bitsieve.markov_blanket(known, "target", **few, **correction)
        assert error.value.code == "too-few-shuffles"
        with pytest.raises(bitsieve.UserError, match="give 229 or more"):
            network_of(known, few | correction)
    assert bitsieve.markov_blanket(known, "target", p_by="shuffles", n_shuffles=229).features != []
    with pytest.raises(bitsieve.UserError, match="use a larger level"):
        bitsieve.markov_blanket(known, "target", p_by="shuffles", level=1e-9)


def test_tests_that_are_not_executed_are_said_everywhere(known):
    few = known[:60]
    with warns_code("tests-not-executed"):
        blanket = bitsieve.markov_blanket(few, "target", power=8, algorithm="gs")
    assert 0 < blanket.n_not_executed <= blanket.n_tests
    assert f"{blanket.n_not_executed} of {blanket.n_tests} tests were not executed" in str(blanket)
    network = bitsieve.markov_network(few, binning="none", power=8, algorithm="gs")
    assert f"{network.n_not_executed} of {network.n_tests} tests were not executed" in str(network)
    selector = MarkovBlanketSelector(power=8, algorithm="gs").fit(few.drop(columns="target"), few["target"])
    assert "tests-not-executed" in [diagnostic.code for diagnostic in selector.diagnostics_]
    assert selector.n_not_executed_ == blanket.n_not_executed
    selection = bitsieve.select(few, "target", method="gs", power=8)
    not_executed = np.flatnonzero(~selection.selector.executed_).tolist()
    names = [selection.evidence.table.names[column] for column in not_executed]
    reasons = [selection.explain(name).reason for name in names if name not in selection.features]
    assert reasons
    assert all("the test was not executed, as it has too few rows" in reason for reason in reasons)
    assert "tests-not-executed" in [diagnostic.code for diagnostic in selection.diagnostics]


def test_interchangeable_columns_are_named(known):
    data = known.assign(copy=1 - known["cause"])
    blanket = bitsieve.markov_blanket(data, "target", algorithm="ses", level=0.001)
    assert blanket.interchangeable == {"cause": ["copy"], "effect": []}


def test_a_blanket_is_a_table(known):
    blanket = bitsieve.markov_blanket(known, "target", algorithm="mmmb", level=0.001)
    frame = blanket.to_frame()
    assert frame["feature"].tolist() == blanket.features
    assert frame.set_index("feature").loc["spouse", ["role", "via"]].tolist() == ["spouse", "effect"]
    assert "spouse" in str(blanket)
    assert str(blanket).count("\n") == 3


def test_noise_has_an_empty_blanket(known):
    blanket = bitsieve.markov_blanket(known[["noise", "child", "target"]].assign(child=known["spouse"]), "target")
    assert blanket.features == []
    assert str(blanket) == "no column is related to 'target' in these rows"


def test_a_printed_result_counts_unreliable_tests(known):
    few_rows = known.head(15)
    for result in (bitsieve.markov_blanket(few_rows, "target"), bitsieve.markov_network(few_rows, binning="none")):
        assert 0 < result.n_unreliable <= result.n_tests
        last_line = str(result).splitlines()[-1]
        assert last_line.startswith(f"{result.n_unreliable} of {result.n_tests} tests are unreliable")
    enough_rows = bitsieve.markov_blanket(known, "target", level=0.001)
    assert enough_rows.n_unreliable == 0
    assert "unreliable" not in str(enough_rows)


def test_explanations_name_what_separates_a_column_from_the_target(known):
    data = known.assign(copy=1 - known["cause"])
    reasons = reasons_of(bitsieve.select(data, "target", method="ses", level=0.001))
    assert reasons["child"].startswith("is not selected: given 'effect' it is not shown to depend on 'target' (p = ")
    assert reasons["noise"].startswith("is not selected: it is not shown to depend on 'target' (p = ")
    assert reasons["copy"].endswith(" (p = 1), and is interchangeable with 'cause' in the tests made")
    assert reasons["cause"].endswith(", interchangeable with 'copy' in the tests made")


def test_explanations_name_the_role_of_a_member(known):
    reasons = reasons_of(bitsieve.select(known, "target", method="mmmb", level=0.001))
    assert reasons["cause"].endswith(", directly related to 'target'")
    assert reasons["spouse"].endswith(", related to 'target' only given 'effect'")


def test_explanations_of_columns_without_a_separating_set(known):
    selection = bitsieve.select(known, "target", method="iamb", level=0.001, n_features_to_select=2)
    log_p = selection.selector.log_p_
    reasons = reasons_of(selection)
    assert reasons["child"] == (
        f"is not selected: iamb does not add it to the Markov blanket (p = {np.exp(log_p[4]):.3g} "
        "given 'cause', 'effect', 'spouse')"
    )
    assert reasons["spouse"] == (
        f"is not selected: rank 3 of 3 in the Markov blanket (p = {np.exp(log_p[1]):.3g}), and the selection ends at "
        "rank 2"
    )
    assert selection.selector.blanket_.tolist() == [0, 3, 1]


def reasons_of(selection):
    columns = ["cause", "spouse", "noise", "effect", "child", "copy"]
    return {name: selection.explain(name).reason for name in columns if name in selection.evidence.table.names}


def test_an_empty_selection_says_so(known):
    X, y = known[["noise", "spouse"]], known["target"]
    with warns_code("empty-blanket"):
        selector = MarkovBlanketSelector(binning="none").fit(X, y)
    assert selector.selected_.tolist() == []
    with warns_code("empty-blanket"):
        assert bitsieve.select(X, y, method="mmpc").features == []


def test_the_selector_has_what_the_function_says(known):
    X, y = known.drop(columns="target"), known["target"]
    selector = MarkovBlanketSelector(algorithm="mmmb", level=0.001).fit(X, y)
    blanket = bitsieve.markov_blanket(known, "target", algorithm="mmmb", level=0.001)
    assert X.columns[selector.selected_].tolist() == blanket.features
    assert selector.log_p_[selector.selected_].tolist() == blanket.log_p.tolist()
    assert selector.roles_[1].via == (3,)
    assert selector.n_tests_ == blanket.n_tests
    moves = {(move.variable, move.enters) for move in selector.trace_}
    assert moves >= {(0, True), (3, True), (1, True)}


def test_a_number_shortens_the_list(known):
    whole = bitsieve.select(known, "target", method="iamb-fdr")
    shorter = bitsieve.select(known, "target", method="iamb-fdr", n_features_to_select=2)
    assert shorter.features == whole.features[:2]


def test_the_command_selects_a_blanket(known, tmp_path, capsys):
    path = tmp_path / "rows.csv"
    known.to_csv(path, index=False)
    assert main(["select", str(path), "--target", "target", "--method", "mmmb", "--set", "level=0.001"]) == 0
    printed = capsys.readouterr().out
    assert "effect" in printed
    assert "child" not in printed


def test_the_command_shows_roles(known, tmp_path, capsys):
    path = tmp_path / "rows.csv"
    known.to_csv(path, index=False)
    command = ["select", str(path), "--target", "target", "--method", "iamb-fdr", "--set", "level=0.001"]
    assert main([*command, "--roles"]) == 0
    header, *rows = capsys.readouterr().out.splitlines()
    assert header.split()[-3:] == ["role", "via", "informative"]
    row_of_spouse = next(row for row in rows if " spouse " in row)
    assert row_of_spouse.split()[-4:] == ["spouse", "effect", "with", "others"]
    assert main([*command, "--roles", "--json"]) == 0
    features = json.loads(capsys.readouterr().out)["features"]
    roles = {feature["name"]: (feature["role"], feature["via"]) for feature in features}
    assert roles == {"cause": ("neighbour", []), "effect": ("neighbour", []), "spouse": ("spouse", ["effect"])}
    assert main([*command, "--json"]) == 0
    assert "role" not in json.loads(capsys.readouterr().out)["features"][0]
    assert main([*command, "--set", "roles=true"]) == 2
    assert "give --roles instead" in capsys.readouterr().err
    assert main(["explain", "spouse", *command[1:], "--roles"]) == 0
    assert "related to 'target' only given 'effect'" in capsys.readouterr().out


def test_a_selection_keeps_its_roles(known, tmp_path):
    selection = bitsieve.select(known, "target", method="mmmb", level=0.001)
    selection.save(tmp_path / "saved.json")
    loaded = bitsieve.load(tmp_path / "saved.json")
    assert loaded == selection
    assert str(loaded) == str(selection)
    frame = loaded.to_frame().set_index("feature")
    assert frame.loc["spouse", ["role", "via"]].tolist() == ["spouse", "effect"]
    assert "role" not in bitsieve.select(known, "target", method="iamb-fdr").to_frame()


def test_a_selection_has_the_p_of_each_member(known, tmp_path):
    selection = bitsieve.select(known, "target", method="iamb-fdr")
    selection.save(tmp_path / "saved.json")
    loaded = bitsieve.load(tmp_path / "saved.json")
    assert loaded == selection
    expected = np.exp(selection.selector.log_p_[selection.indices])
    assert loaded.to_frame()["p"].tolist() == expected.tolist()
    assert [feature["p"] for feature in loaded.to_dict()["features"]] == expected.tolist()
    assert "p" in str(loaded).splitlines()[0].split()
    assert "p" not in bitsieve.select(known, "target", n_features_to_select=2).to_frame()


def test_a_selection_keeps_the_columns_that_could_replace_its_own(known, tmp_path, capsys):
    data = known.assign(copy=1 - known["cause"])
    selection = bitsieve.select(data, "target", method="ses", level=0.001)
    selection.save(tmp_path / "saved.json")
    loaded = bitsieve.load(tmp_path / "saved.json")
    assert loaded == selection
    interchangeable = loaded.to_frame().set_index("feature")["interchangeable"]
    assert interchangeable.to_dict() == {"cause": "copy", "effect": ""}
    assert "interchangeable" not in bitsieve.select(known, "target", method="ses", level=0.001).to_frame()
    path = tmp_path / "rows.csv"
    data.to_csv(path, index=False)
    command = ["select", str(path), "--target", "target", "--method", "ses", "--set", "level=0.001"]
    assert main(command) == 0
    header, *rows = capsys.readouterr().out.splitlines()
    assert "interchangeable" in header
    assert next(row for row in rows if " cause " in row).split()[-1] == "copy"
    assert main([*command, "--json"]) == 0
    features = json.loads(capsys.readouterr().out)["features"]
    assert {feature["name"]: feature.get("interchangeable") for feature in features} == {
        "cause": ["copy"],
        "effect": None,
    }


def test_cuts_by_the_target_are_paid_for():
    """p of columns that were cut by a look at the classes is multiplied by the number of possible cuts."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(300, 40)), random.integers(0, 2, 300)
    assert bitsieve.MarkovBlanketSelector(binning="mdl", algorithm="iamb").fit(X, y).selected_.tolist() == []


@pytest.mark.parametrize(
    ("parameters", "code"),
    [
        ({"algorithm": "si-hiton-pc"}, "unknown-name"),
        ({"algorithm": 3}, "parameter-not-allowed"),
        ({"level": 0}, "parameter-not-allowed"),
        ({"level": 1.0}, "parameter-not-allowed"),
        ({"max_conditioning": -1}, "parameter-not-allowed"),
        ({"max_conditioning": "all"}, "parameter-not-allowed"),
        ({"symmetry": "xor"}, "parameter-not-allowed"),
        ({"n_extra_runs": "inf"}, "parameter-not-allowed"),
        ({"test": "fisher"}, "parameter-not-allowed"),
        ({"levels": {"cause": 1}}, "too-few-levels"),
        ({"levels": {"effects": 3}}, "unknown-column"),
        ({"levels": {"effect": 0}}, "parameter-not-allowed"),
    ],
)
def test_mistakes(known, parameters, code):
    for find in (lambda: bitsieve.markov_blanket(known, "target", **parameters), lambda: network_of(known, parameters)):
        with pytest.raises(bitsieve.UserError) as error:
            find()
        assert error.value.code == code


def network_of(data, parameters):
    return bitsieve.markov_network(data, binning="none", **parameters)


def test_the_name_of_other_programs_is_answered_by_ours(known):
    with pytest.raises(bitsieve.UserError, match="did you mean hiton-pc"):
        bitsieve.markov_blanket(known, "target", algorithm="si-hiton-pc")


def test_groups_are_refused(known):
    with pytest.raises(bitsieve.UserError) as error:
        bitsieve.select(known, "target", method="iamb", groups=np.arange(len(known)) // 4)
    assert error.value.code == "independent-rows-needed"


def test_the_network_has_the_blanket_of_every_column(known):
    network = bitsieve.markov_network(known, binning="none", level=0.001)
    target = network.names.index("target")
    assert sorted(network.names[j] for j in network.blankets[target]) == ["cause", "effect", "spouse"]
    names = {frozenset(network.names[j] for j in edge) for edge in network.edges.tolist()}
    assert frozenset(("spouse", "target")) in names
    assert frozenset(("noise", "target")) not in names
    assert (network.log_p < np.log(0.001)).all()
    assert len(network.to_frame()) == len(network.edges)


def test_the_network_is_written_as_graphml(known, tmp_path):
    network = bitsieve.markov_network(known.rename(columns={"noise": "<no\x01 & ise>"}), binning="none", level=0.001)
    network.to_graphml(tmp_path / "network.graphml")
    graph = ElementTree.parse(tmp_path / "network.graphml").getroot().find(f"{GRAPHML}graph")
    names = [node.find(f"{GRAPHML}data").text for node in graph.iter(f"{GRAPHML}node")]
    assert names == ["cause", "spouse", "<no\\x01 & ise>", "effect", "child", "target"]
    edges = [(int(edge.get("source")[1:]), int(edge.get("target")[1:])) for edge in graph.iter(f"{GRAPHML}edge")]
    assert edges == list(map(tuple, network.edges.tolist()))
    log_p = [float(edge.find(f"{GRAPHML}data").text) for edge in graph.iter(f"{GRAPHML}edge")]
    assert log_p == network.log_p.tolist()


def test_a_blanket_is_drawn_with_its_roles(known):
    pytest.importorskip("matplotlib")
    axes = bitsieve.markov_blanket(known, "target", level=0.001).plot()
    assert {text.get_text() for text in axes.texts} == {"target", "cause", "effect", "spouse"}
    styles = [line.get_linestyle() for line in axes.lines]
    assert styles.count("-") == 2
    assert styles.count("--") == 1


def test_a_network_is_drawn_without_the_columns_that_have_no_edge(known):
    pytest.importorskip("matplotlib")
    network = bitsieve.markov_network(known, binning="none", level=0.001)
    axes = network.plot()
    assert {text.get_text() for text in axes.texts} == set(network.names) - {"noise"}
    assert sum(line.get_linestyle() == "-" for line in axes.lines) == len(network.edges)


def test_the_skeleton_has_direct_relations_alone(known):
    network = bitsieve.markov_network(known, binning="none", level=0.001, algorithm="mmpc")
    names = {frozenset(network.names[j] for j in edge) for edge in network.edges.tolist()}
    direct = [("cause", "target"), ("target", "effect"), ("spouse", "effect"), ("effect", "child")]
    assert names == {frozenset(edge) for edge in direct}


def test_a_constant_column_is_in_no_blanket(known):
    data = known.assign(constant=1)
    network = bitsieve.markov_network(data, binning="none")
    assert network.blankets[network.names.index("constant")] == []
    selector = MarkovBlanketSelector(binning="none").fit(data.drop(columns="target"), known["target"])
    assert selector.log_p_[-1] == 0
