"""Every item of the paper runs on small data; what the paper prints is there, and agrees with what it says."""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from bitsieve.methods.registry import list_methods
from papers import vinh2014
from papers.command import PAPERS
from papers.data.waveform import make_waveform
from papers.item import Options
from papers.vinh2014 import ITEMS
from papers.vinh2014 import errors as vinh2014_errors
from papers.vinh2014 import rankings as vinh2014_ranking
from papers.vinh2014.data import (
    INDEPENDENT,
    METHODS,
    TABLE_2,
    TABLE_3,
    TABLE_4,
    TABLE_5,
    Missing,
    PaperData,
    Seconds,
    prepare,
    read,
)
from papers.vinh2014.rankings import best_objectives, objectives


@pytest.fixture
def parts():
    return []


@pytest.fixture
def options(tmp_path, parts):
    """A directory with a small waveform.npz and a small Lung of 24 samples, each of which is a fold."""
    random = np.random.default_rng(0)
    X, y = make_waveform(120, random_state=1)
    np.savez(tmp_path / "waveform.npz", X=X, y=y)
    classes = np.arange(24) % 2
    np.savez(tmp_path / "lung_d3.npz", X=classes[:, None] + random.integers(-1, 2, (24, 12)), y=classes)
    return Options(data_dir=tmp_path, n_jobs=1, part=lambda text, record: parts.append((text, record)))


def test_items():
    assert {"gao2016", "vinh2014"} <= set(PAPERS)
    assert PAPERS["vinh2014"] is vinh2014.ITEMS
    assert list(ITEMS) == ["table 2", "table 3", "table 4", "table 5", "table bins", "figure 2", "figure 2e"]


def test_methods_are_those_of_the_paper():
    """By its names; each is in the registry, and its class is the paper's method."""
    wanted = {"maxRel": "mim", "MIQ": "miq", "CIFE": "cife", "MRMR": "mrmr", "EMRMR": "emrmr"}
    wanted |= {"QPFS": "qpfs", "SPECCMI": "speccmi"}
    assert wanted == METHODS
    assert {method.name for method in list_methods()} >= set(wanted.values())
    of_class = {label: type(selector).__name__ for label, selector in vinh2014_errors.selectors().items()}
    assert of_class.pop("QPFS") == "QPFS"
    assert of_class.pop("SPECCMI") == "SpecCMI"
    assert set(of_class.values()) == {"ForwardSelector"}
    assert vinh2014_errors.selectors()["QPFS"].convexify == "shift"


@pytest.mark.parametrize(("n_features", "first", "last"), [(300, 10, 100), (57, 10, 57), (10, 10, 10), (4, 4, 4)])
def test_table_5_takes_ten_to_a_hundred_features(n_features, first, last, monkeypatch):
    asked = []
    monkeypatch.setattr(vinh2014_errors, "compared", lambda *given: asked.append(given[-1]))
    vinh2014_errors.curves(None, SimpleNamespace(n_features=n_features), "paper")
    assert asked == [range(first, last + 1)]


@pytest.mark.parametrize(("beyond", "within"), [(0, True), (0.1, False)])
@pytest.mark.parametrize("side", [1, -1])
def test_a_difference_as_large_as_the_paper_s_deviation_is_within_it(beyond, within, side, monkeypatch):
    cells = TABLE_5["Waveform"].values()
    errors = [[cell.error + side * (cell.deviation + beyond)] for cell in cells]
    ours = SimpleNamespace(methods=list(METHODS), rates=np.array(errors) / 100, counts=np.array([10]))
    monkeypatch.setattr(vinh2014_errors, "curves", lambda *given: ours)
    _, record = vinh2014_errors._row(Options(), SimpleNamespace(row="Waveform", origin="drawn"))
    assert record["within"] == dict.fromkeys(METHODS, within)


@pytest.mark.slow("ranks and classifies folds of small tables")
def test_table_5(options, parts):
    text = ITEMS["table 5"].run(options).text
    records = {record["set"]: record for _, record in parts}
    assert set(records) == set(TABLE_5)
    assert "UCI" in records["Musk2"]["missing"]
    done = {name: record for name, record in records.items() if "errors" in record}
    assert set(done) == {"Lung", "Waveform"}
    for name, record in done.items():
        for label, curve in record["curves"].items():
            assert record["errors"][label] == pytest.approx(np.mean(curve))
            assert record["deviations"][label] == pytest.approx(np.std(curve, ddof=1))
            apart = abs(record["errors"][label] - TABLE_5[name][label].error)
            assert record["within"][label] == (apart <= TABLE_5[name][label].deviation)
    assert done["Lung"]["counts"] == [10, 11, 12]
    cells = sum(len(record["within"]) for record in done.values())
    assert f"of {cells} cells" in text


WITHOUT_PANDAS = """
import sys
from pathlib import Path

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "pandas":
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Absent())
from papers.item import Options
from papers.vinh2014 import ITEMS

def part(text, record):
    print(record["set"], record["errors"]["maxRel"])

ITEMS["table 5"].run(Options(data_dir=Path(sys.argv[1]), sets=("promoter", "lung"), n_jobs=1, part=part))
"""


@pytest.mark.slow("a process that ranks and classifies folds")
def test_letters_are_categories_without_pandas(options):
    """Promoter's numbers name letters: two of them make a class, which no line through their numbers does."""
    random = np.random.default_rng(0)
    classes = np.arange(24) % 2
    letters = random.integers(0, 4, (24, 3))
    letters[:, 1] = np.where(classes, random.integers(1, 3, 24), 3 * random.integers(0, 2, 24))  # {1, 2} or {0, 3}
    np.savez(options.data_dir / "promoter.npz", X=letters, y=classes)
    command = [sys.executable, "-c", WITHOUT_PANDAS, str(options.data_dir)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert dict(line.split() for line in printed.splitlines()).keys() == {"Promoter", "Lung"}  # every row runs
    assert "Promoter 0.0\n" in printed


@pytest.mark.slow("ranks and classifies folds of small tables")
def test_nested_beside_the_paper_s_protocol(options, parts, monkeypatch):
    """On labels that tell nothing, ranking on all samples shows errors below chance, ranking in folds does not."""
    random = np.random.default_rng(1)
    classes = np.arange(30) % 2
    X = random.integers(0, 2, (30, 60)) + 0.01 * random.standard_normal((30, 60))
    np.savez(options.data_dir / "colon.npz", X=X, y=classes)
    monkeypatch.setattr(vinh2014_errors, "MAX_FEATURES", 11)
    nested = Options(**{**vars(options), "sets": ("colon",), "protocol": "nested"})
    ITEMS["table 5"].run(nested)
    ((text, record),) = parts
    assert "ranked in folds" in text
    assert record["errors"]["maxRel"] < 40 < 50 < record["nested_errors"]["maxRel"]
    differences = [record["nested_errors"][label] - record["errors"][label] for label in record["errors"]]
    assert record["bias"] == pytest.approx(np.mean(differences))


def test_table_4(options, parts):
    text = ITEMS["table 4"].run(options).text
    errors = {record["set"]: record["error"] for _, record in parts if "error" in record}
    assert set(errors) == {"Lung", "Waveform"}
    assert all(0 <= error <= 100 for error in errors.values())
    apart = np.mean([abs(error - TABLE_4[name].error) for name, error in errors.items()])
    assert text == f"Mean absolute difference over 2 sets: {apart:.2f} points."


def test_no_data_at_all():
    text = ITEMS["table 4"].run(Options(sets=("musk2",))).text
    assert text.startswith("None of the data sets is there: give the directory")


@pytest.mark.slow("a semidefinite program for every number of features")
def test_table_2(options, parts):
    ITEMS["table 2"].run(Options(**{**vars(options), "sets": ("lung", "waveform")}))
    lung, waveform = sorted((record for _, record in parts), key=lambda record: record["set"])
    assert (lung["cases"], waveform["cases"]) == (12, 21)
    for record in (lung, waveform):
        assert record["same"] + record["semidefinite is better"] + record["spectral is better"] == record["cases"]
        assert min(record["short_of_the_optimum"]) > -1e-9  # rounding of a sum
    assert abs(waveform["short_of_the_optimum"][-1]) < 1e-9  # all features: the only subset


def test_objectives_against_all_subsets():
    random = np.random.default_rng(5)
    matrix = random.random((7, 7))
    matrix += matrix.T
    order = random.permutation(7)
    every = {
        k: [matrix[np.ix_(s, s)].sum() for s in map(list, itertools.combinations(range(7), k))] for k in range(1, 8)
    }
    np.testing.assert_allclose(best_objectives(matrix), [max(every[k]) for k in range(1, 8)])
    reached = [matrix[np.ix_(order[:k], order[:k])].sum() for k in range(1, 8)]
    np.testing.assert_allclose(objectives(matrix, order, 7), reached)


def test_table_3(monkeypatch, parts):
    monkeypatch.setattr(vinh2014_ranking, "TABLE_3", {40: Seconds(1.0, 2.0, 3.0), 10**7: Seconds(None, 1.0, 1.0)})
    ITEMS["table 3"].run(Options(part=lambda text, record: parts.append((text, record))))
    (_, small), (text, large) = parts
    assert list(small["seconds"]) == ["QPFS", "MRMR", "SPECCMI"]
    assert small["published_seconds"] == {"QPFS": 1.0, "MRMR": 2.0, "SPECCMI": 3.0}
    assert large == {"n_features": 10**7, "left_out": True}
    assert "GiB" in text


def test_rankings_of_given_matrices():
    matrix, relevance = vinh2014_ranking.drawn(30, np.random.default_rng(0))
    assert np.linalg.eigvalsh(matrix).min() > 0
    chosen: list[int] = []
    for _ in range(30):  # the definition, term by term
        left = [j for j in range(30) if j not in chosen]
        scores = [relevance[j] - (np.mean([matrix[j, s] for s in chosen]) if chosen else 0) for j in left]
        chosen.append(left[int(np.argmax(scores))])
    assert vinh2014_ranking.rank_mrmr(matrix, relevance).tolist() == chosen
    vector = np.abs(np.linalg.eigh(matrix)[1][:, -1])
    assert vinh2014_ranking.rank_speccmi(matrix, relevance).tolist() == np.argsort(-vector).tolist()


def test_qpfs_of_given_matrices_meets_its_conditions():
    matrix, relevance = vinh2014_ranking.drawn(30, np.random.default_rng(0))
    order = vinh2014_ranking.rank_qpfs(matrix, relevance)
    assert sorted(order.tolist()) == list(range(30))
    diagonal = np.diag([1.0, 2.0, 4.0])  # equal relevances: weights are inverse to the diagonal
    assert vinh2014_ranking.rank_qpfs(diagonal, np.ones(3)).tolist() == [0, 1, 2]


def test_figure_2(options, parts):
    figure = ITEMS["figure 2"].run(Options(**{**vars(options), "sets": ("digits",), "draw": True})).figure
    ((text, record),) = parts
    assert text.startswith("digits: 1,198 training samples, 599 test samples, 64 features")
    assert record["counts"] == list(range(1, 65))
    for curve in record["errors"].values():
        assert curve[-1] == record["errors"]["MRMR"][-1]  # all features are the same, however ranked
        assert curve[0] > curve[-1]
    assert [axes.get_title() for axes in figure.axes] == ["digits"]


def test_figure_2_names_what_is_missing(options, parts):
    ITEMS["figure 2"].run(options)
    missing = {record["set"] for _, record in parts if "missing" in record}
    assert missing == {"hwdb1.0", "hwdb1.1", "olhwdb1.0", "olhwdb1.1", "optdigits"}


def test_waveform_is_drawn_where_it_is_not_there():
    table = read(Options(seed=4), "Waveform")
    assert isinstance(table, PaperData)
    assert (make_waveform(5000, random_state=4)[0] == table.X).all()
    assert isinstance(read(Options(), "Lung"), Missing)


def test_preparation():
    filled = prepare("Lymphoma", np.array([[1.0, 2.0], [np.nan, 4.0]]))
    assert filled.tolist() == [[1, 2], [1, 4]]
    assert prepare("Promoter", np.array([[0, 3]])).tolist() == [["letter 0", "letter 3"]]


def test_no_such_set(options):
    with pytest.raises(ValueError, match="no data set 'lungs' here; did you mean 'lung'"):
        ITEMS["table 5"].run(Options(**{**vars(options), "sets": ("lungs",)}))


def test_the_paper_s_rows_are_all_there():
    assert set(TABLE_4) == set(TABLE_5)
    assert len(TABLE_5) == 15
    assert all(list(row) == list(METHODS) for row in TABLE_5.values())
    assert len(TABLE_2) == 6
    assert set(TABLE_2) < set(TABLE_5)
    assert set(TABLE_5) - set(INDEPENDENT) == {"Gisette"}
    assert len(TABLE_3) == 7


# Wins, ties and losses of SPECCMI, the last line of table 5.
LAST_LINE = {"maxRel": (10, 4, 1), "MIQ": (11, 2, 2), "CIFE": (14, 1, 0), "MRMR": (4, 9, 2), "EMRMR": (4, 8, 3)} | {
    "QPFS": (9, 4, 2)
}


# Of every row of table 5, and of every column, the sums of its errors and of its deviations in tenths of a per cent;
# and the signs. What changes a number changes a row and a column.
OF_ROWS = {
    "Lung": (815, 227, "++++++="),
    "NCI60": (2602, 635, "+++=--="),
    "Colon": (907, 108, "==+=-+="),
    "Leukemia": (199, 70, "+-+--=="),
    "Lymphoma": (448, 225, "=++==+="),
    "SRBCT": (172, 123, "-++-=-="),
    "Promoter": (649, 217, "==++==="),
    "Spambase": (877, 151, "+++=++="),
    "Musk2": (519, 99, "+-====="),
    "Arrhythmia": (1598, 113, "++++++="),
    "Multifeat": (159, 73, "+++==+="),
    "Optdigits": (232, 180, "+++==+="),
    "Waveform": (992, 90, "=++===="),
    "Gisette": (502, 181, "+++=++="),
    "Madelon": (1570, 223, "++++=+="),
}
OF_COLUMNS = {
    "maxRel": (1662, 383),
    "MIQ": (1936, 548),
    "CIFE": (2379, 360),
    "MRMR": (1633, 357),
    "EMRMR": (1495, 332),
    "QPFS": (1627, 398),
    "SPECCMI": (1509, 337),
}


def in_tenths(cells):
    """The sums of errors and deviations, which have one digit behind the point."""
    cells = list(cells)
    tenths = [tuple(round(10 * value, 9) for value in (cell.error, cell.deviation)) for cell in cells]
    assert all(value == int(value) > 0 for pair in tenths for value in pair)
    return tuple(int(sum(values)) for values in zip(*tenths, strict=True))


def test_every_cell_of_table_5_counts():
    rows = {name: (*in_tenths(row.values()), "".join(c.sign for c in row.values())) for name, row in TABLE_5.items()}
    assert rows == OF_ROWS
    assert {method: in_tenths(row[method] for row in TABLE_5.values()) for method in METHODS} == OF_COLUMNS


@pytest.mark.parametrize("method", LAST_LINE)
def test_signs_add_up_to_the_paper_s_last_line(method):
    signs = [row[method].sign for row in TABLE_5.values()]
    assert tuple(signs.count(sign) for sign in "+=-") == LAST_LINE[method]


def test_seconds_are_those_of_the_methods():
    """The paper: "MRMR outpaces SPECCMI"; QPFS is slower than that by two or more orders "on average"."""
    for seconds in TABLE_3.values():
        assert seconds.mrmr < seconds.speccmi
    ratios = [seconds.qpfs / seconds.speccmi for seconds in TABLE_3.values() if seconds.qpfs is not None]
    assert np.mean(ratios) > 100


def test_the_documentation_has_the_same_seconds():
    text = (Path(__file__).parents[2] / "docs" / "project" / "papers.md").read_text(encoding="utf-8")
    part = text.partition("## Table 3")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in part.splitlines() if line[:1] == "|"]
    assert rows[0][1::2] == ["QPFS, s", "MRMR, s", "SPECCMI, s"]
    for size, *cells in rows[2:]:
        assert tuple(map(float, cells[1::2])) == TABLE_3[int(size.replace(",", ""))]
