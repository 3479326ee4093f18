"""``python -m papers``: what there is, its text, its figure, one line for each mistake; also as a process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from papers import gao2016
from papers.command import PAPERS, main
from papers.item import Item, Options, Result


@pytest.fixture
def quick(monkeypatch):
    """A figure that needs no work in the place of the paper's."""

    def run(options: Options) -> Result:
        figure = None
        if options.draw:
            from matplotlib.figure import Figure

            figure = Figure(figsize=(2, 2))
            figure.add_subplot().plot([0, options.seed])
        return Result(f"seed {options.seed}, {options.n_jobs} threads", figure)

    monkeypatch.setitem(gao2016.ITEMS, "figure 3", Item("a line", run, has_figure=True))


def refused(capsys, *arguments):
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err.removeprefix("bitsieve: error: ").rstrip()


def test_listing(capsys):
    assert main(["gao2016"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines[1:]] == [["--figure", "3"], ["--table", "errors"], ["--table", "parity"]]


def test_listing_of_all_papers(capsys):
    assert main([]) == 0
    header, *lines = capsys.readouterr().out.splitlines()
    assert header.split() == ["paper", "item", "what", "it", "is"]
    named = [tuple(line.split()[:3]) for line in lines]
    assert named == [(paper, *f"--{item}".split()) for paper, items in PAPERS.items() for item in items]


def test_help_names_every_paper(capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert ", ".join(PAPERS) in text


def test_text(capsys, quick):
    assert main(["gao2016", "--figure", "3", "--seed", "7", "--threads", "2"]) == 0
    out, err = capsys.readouterr()
    assert out == "seed 7, 2 threads\n"
    assert err == "bitsieve: note: --output FILE.png draws it (.svg and .pdf too)\n"


@pytest.mark.parametrize(("ending", "start"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_figure(capsys, quick, tmp_path, ending, start):
    path = tmp_path / f"figure.{ending}"
    files = []
    for _ in range(2):
        assert main(["gao2016", "--figure", "3", "--seed", "1", "--output", str(path)]) == 0
        assert capsys.readouterr().err == f"bitsieve: saved the figure to {str(path)!r}\n"
        files.append(path.read_bytes())
    assert files[0].startswith(start)
    assert files[0] == files[1]
    assert list(tmp_path.iterdir()) == [path]


def test_the_paper_s_figure(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(gao2016, "N_SAMPLES", 300)
    assert main(["gao2016", "--figure", "3", "--output", str(tmp_path / "figure.svg")]) == 0
    drawn = (tmp_path / "figure.svg").read_text()
    assert "<svg" in drawn
    assert "step  VMI naive" in capsys.readouterr().out


def test_mistakes(capsys, quick, tmp_path):
    figure = ("gao2016", "--figure", "3")
    assert refused(capsys, "gao2016", "--figures", "3").endswith("--figures 3 (see python -m papers --help)")
    assert "give a whole number of 1 or more" in refused(capsys, *figure, "--threads", "0")
    assert "nothing of a paper 'gao'; did you mean gao2016" in refused(capsys, "gao")
    assert "did you mean figure 3?" in refused(capsys, "gao2016", "--figure", "33")
    assert refused(capsys, *figure, "--table", "parity") == "--figure and --table are two things: give one of them"
    assert "end it in one of .png, .svg, .pdf" in refused(capsys, *figure, "--output", str(tmp_path / "figure.gif"))
    (tmp_path / "folder.png").mkdir()
    assert "is a directory" in refused(capsys, *figure, "--output", str(tmp_path / "folder.png"))
    assert "make it first" in refused(capsys, *figure, "--output", str(tmp_path / "no" / "figure.png"))
    assert "is no figure" in refused(capsys, "gao2016", "--table", "parity", "--output", "a.png")
    assert "by --data-dir" in refused(capsys, "gao2016", "--table", "parity")


def test_without_matplotlib(capsys, quick, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    output = tmp_path / "figure.png"
    message = refused(capsys, "gao2016", "--figure", "3", "--output", str(output))
    assert message == "figures need matplotlib, which is not installed: pip install 'bitsieve[report]'"
    assert not output.exists()


@pytest.fixture
def parted(monkeypatch):
    """A table of two parts in the place of a paper's."""

    def run(options: Options) -> Result:
        for name in options.sets or ("one", "two"):
            options.part(f"{name} by {options.protocol}", {"set": name})
            if name == "stop":
                raise KeyboardInterrupt
        return Result("the end")

    item = Item("two parts", run, sets=("one", "two", "stop"), cross_validates=True)
    monkeypatch.setitem(gao2016.ITEMS, "table parts", item)


def test_parts_are_printed_as_they_come(capsys, parted):
    assert main(["gao2016", "--table", "parts", "--protocol", "nested"]) == 0
    assert capsys.readouterr().out == "one by nested\ntwo by nested\nthe end\n"


def test_parts_as_json(capsys, parted, tmp_path):
    path = tmp_path / "parts.json"
    arguments = ["gao2016", "--table", "parts", "--json", "--sets", "Two", "--output", str(path)]
    assert main(arguments) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["parts"] == [{"set": "Two"}]
    assert document["finished"] is True
    assert json.loads(path.read_text()) == document


def test_an_interrupted_run_keeps_what_is_finished(capsys, parted, tmp_path):
    path = tmp_path / "parts.json"
    arguments = ["gao2016", "--table", "parts", "--sets", "one,stop,two", "--output", str(path)]
    assert main(arguments) == 130
    assert capsys.readouterr().out == "one by paper\nstop by paper\n"
    document = json.loads(path.read_text())
    assert document["parts"] == [{"set": "one"}, {"set": "stop"}]
    assert document["finished"] is False


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--sets", "tow"], "no data set 'tow'; did you mean two"),
        (["--protocol", "nest"], "--protocol nest is not known: did you mean nested"),
        (["--data-dir", "nowhere"], "there is no directory 'nowhere'"),
        (["--output", "a.png"], "end it in .json, as 'table parts' is no figure"),
    ],
)
def test_choices_that_are_refused(capsys, parted, arguments, message):
    assert message in refused(capsys, "gao2016", "--table", "parts", *arguments)


def test_choices_that_an_item_does_not_offer(capsys, quick):
    assert "has no choice of data sets" in refused(capsys, "gao2016", "--figure", "3", "--sets", "lung")
    assert "has one protocol only" in refused(capsys, "gao2016", "--figure", "3", "--protocol", "nested")


ROOT = Path(__file__).parents[2]


@pytest.mark.slow("classifies folds in a process of its own")
def test_table_4_of_a_small_directory(tmp_path):
    random = np.random.default_rng(0)
    classes = np.arange(30) % 2
    np.savez(tmp_path / "colon.npz", X=classes[:, None] + random.standard_normal((30, 5)), y=classes)
    command = [sys.executable, "-m", "papers", "vinh2014", "--table", "4", "--sets", "colon,nci60", "--json"]
    command += ["--data-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True, timeout=600)
    missing, colon = json.loads(done.stdout)["parts"]
    assert "NCI60 cell lines" in missing["missing"]
    assert colon["published"] == {"n_features": 2000, "n_samples": 62, "n_classes": 2, "error": 17.7}
    assert colon["error"] < 50
    assert done.stderr == ""
