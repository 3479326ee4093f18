"""``bitsieve interactions``: what it prints and writes, and its mistakes."""

from __future__ import annotations

import json

import numpy as np
import pytest

from bitsieve.cli import main


@pytest.fixture
def data(tmp_path):
    random = np.random.default_rng(0)
    values = random.normal(size=(200, 6)).round(2)
    ill = (values[:, 1] > 0) ^ (values[:, 4] > 0)
    path = tmp_path / "table.csv"
    rows = [",".join([*map(str, row), "yes" if flag else "no"]) for row, flag in zip(values, ill, strict=True)]
    path.write_text("\n".join(["a,b,c,d,e,f,ill", *rows]))
    return str(path)


def test_the_strongest_are_printed_and_written(data, tmp_path, capsys):
    tuples, columns, figure = (str(tmp_path / name) for name in ("tuples.json", "columns.csv", "network.svg"))
    written = ["-o", tuples, "--output-columns", columns, "--figure", figure]
    assert main(["interactions", data, "-t", "ill", "--top", "2", "--shuffles", "19", "-q", *written]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["rank", "columns", "synergy", "(bits)", "p"]
    assert lines[1].split()[:3] == ["1", "b,", "e"]
    with open(tuples, encoding="utf-8") as file:
        first, second = json.load(file)
    assert (first["column_1"], first["column_2"], first["p"], second["rank"]) == ("b", "e", 0.05, 2)
    with open(columns, encoding="utf-8") as file:
        assert len(file.readlines()) == 7
    with open(figure, encoding="utf-8") as file:
        assert "<svg" in file.read()


def test_a_column_of_many_values_that_hides_the_others_is_named(tmp_path, capsys):
    """In few rows its pairs are strong by chance, and no other has a small p; what the note advises helps."""
    random = np.random.default_rng(0)
    a, b, c = random.integers(0, 2, (3, 300))
    ill, city = np.where(random.random(300) < 0.7, a ^ b, 1 - (a ^ b)), random.integers(0, 40, 300)
    path, rows = tmp_path / "cities.csv", np.column_stack([a, b, c, ill, city]).tolist()
    path.write_text("a,b,c,ill,city\n" + "".join("{},{},{},{},c{}\n".format(*row) for row in rows))
    note = "weaker pairs have no small p: group its many values, or add --exclude city"

    def p_of_the_pair(*words):
        assert main(["interactions", str(path), "-t", "ill", "--json", *words]) == 0
        out, err = capsys.readouterr()
        found = {tuple(of["columns"]): of["p"] for of in json.loads(out)["tuples"]}
        return found["a", "b"], err.count(note)

    p, said = p_of_the_pair()
    assert said == 1
    assert p > 0.05
    assert p_of_the_pair("--exclude", "city") == (0.01, 0)


def test_triples_and_a_screen_in_a_document(data, capsys):
    asked = ["--order", "3", "--statistic", "gain", "--screen", "4", "--bins", "2", "--json", "--shuffles", "0"]
    assert main(["interactions", data, "-t", "ill", *asked]) == 0
    printed = capsys.readouterr()
    document = json.loads(printed.out)
    assert {"b", "e"} <= set(document["tuples"][0]["columns"])
    assert len(document["columns"]) == 4
    assert "for p-values, add --shuffles 99" in printed.err


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (["--order", "4"], "--order 4"),
        (["--strata", "clinic"], "--strata names column 'clinic', which is not there"),
        (["--rate-by", "contrasts"], "--rate-by contrasts is not allowed: contrasts need the statistic gain"),
        (["--statistic", "gains"], "--statistic gains"),
        (["--bins", "3", "--binning", "mdl"], "--bins is no parameter of binning 'mdl': it has --uncut, --missing"),
        (["--exclude", "nothing"], "nothing"),
    ],
    ids=str,
)
def test_mistakes_are_in_the_words_that_were_typed(data, wrong, message, capsys):
    assert main(["interactions", data, "-t", "ill", *wrong]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line
