"""The levels of the rules for dependent columns, in small, and the designs they are measured on."""

import numpy as np
import pytest
from benchmarks.dependent import DESIGNS, N_COLUMNS, N_RELEVANT, N_ROWS, OURS, Outcome, main, run_rule, shares


@pytest.mark.parametrize("name", DESIGNS)
def test_designs_are_seeded_and_of_their_shape(name):
    data, again, other = (DESIGNS[name].data(seed) for seed in (0, 0, 1))
    assert data.X.shape == data.other.shape == (N_ROWS, N_COLUMNS)
    assert len(data.relevant) == N_RELEVANT
    assert (data.X == again.X).all()
    assert (data.y == again.y).all()
    assert (data.X != other.X).any()
    assert 20 <= data.y.sum() <= N_ROWS - 20


@pytest.mark.slow("a dozen tables of a study; the rules themselves are held to their levels by the tests of methods")
@pytest.mark.parametrize(("design", "rule"), [("chain, 0.3", "conditional"), ("chain, 0.3", "knockoffs, 1 draw")])
def test_rates_are_kept_in_a_few_tables(design, rule):
    made = [run_rule(DESIGNS[design].data(seed), DESIGNS[design], OURS[rule], seed) for seed in range(12)]
    assert shares(made).mean() < 0.1 + 3 * 0.1 / 12**0.5  # three standard errors; a share varies by 0.1 at most
    assert np.mean([outcome.n_relevant for outcome in made]) > 12  # of 20; 200 tables had 15 and 18


def test_a_line_is_printed_for_every_rule(capsys, monkeypatch):
    monkeypatch.setattr("benchmarks.dependent.OURS", {name: OURS[name] for name in ("fdr", "knockoffs, 1 draw")})
    main(["1", "--peers", "0", "independent", "normal chain, mdl"])
    lines = capsys.readouterr().out.splitlines()[2:]
    assert [line.split(" | ")[:2] for line in lines] == [
        ["| independent", "fdr"],
        ["| independent", "knockoffs, 1 draw"],
        ["| normal chain, mdl", "fdr"],  # knockoffs are refused there
    ]
    assert np.isfinite([float(line.split(" | ")[3].split(" ")[0]) for line in lines]).all()


def test_a_file_keeps_the_lists_and_a_second_run_goes_on(capsys, monkeypatch, tmp_path):
    path, made = tmp_path / "lists.csv", []
    monkeypatch.setattr("benchmarks.dependent.run_rule", lambda *given: made.append(given[-1]) or Outcome(4, 3, 0.5))
    for n_sets in (2, 3, 0):
        main([str(n_sets), "independent", "fdr", "--into", str(path)])
    assert made == [0, 1, 2]
    assert len(path.read_text().splitlines()) == 3
    assert capsys.readouterr().out.splitlines()[-1] == "| independent | fdr | 3 | 0.250 ± 0.000 | 3.00 of 20 | 0.50 |"
