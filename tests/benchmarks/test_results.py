"""Results by kind of machine, their tables, the block of docs/project/speed.md, and docs/project/figures.md."""

import json

import pytest
from benchmarks.__main__ import main
from benchmarks.show import document_text, format_table
from benchmarks.suite import ALL

from benchmarks import results, speed_page

MACHINE = {
    "cpu": "Example(R) Processor 7 CPU @ 2.00GHz",
    "cpu_family_model": ["6", "1"],
    "instruction_sets": ["popcnt", "avx2"],
    "architecture": "x86_64",
    "build": {"compiler": "GCC 12"},
    "date": "2026-01-02 03:04 UTC",
}
ROW = {
    "job": "jmi, 10 x 20",
    "seconds": {"engine": 0.5, "fit": 2.0, "numpy bincount": 8.0, "ITMO_FS": 1000.0},
    "times_ours": {"fit": 4.0, "numpy bincount": 16.0, "ITMO_FS": 2000.0},
    "best_other": "numpy bincount",
    "scaled_by": {"ITMO_FS": 10.0},
    "limit_s": 0.25,
    "work": 4e9,
    "details": {"engine": {"packing_s": 0.125}},
    "agreement": {"fit": "5 of 5"},
}
DOCUMENT = {"benchmark": "greedy", "claim": "Fast.", "machine": MACHINE, "rows": [ROW]}


def test_results_lie_by_kind_of_machine(tmp_path):
    path = results.write(DOCUMENT, keep=True, folder=tmp_path)
    assert path == tmp_path / "example-7-6-1-avx2" / "greedy.json"
    assert json.loads(path.read_text(encoding="utf-8")) == DOCUMENT
    assert results.read("greedy", folder=tmp_path) == [DOCUMENT]
    assert results.read("greedy", "another-kind", folder=tmp_path) == []


def test_results_that_are_not_kept_are_not_read(tmp_path):
    path = results.write(DOCUMENT, keep=False, folder=tmp_path)
    assert path == tmp_path / "quick" / "greedy.json"
    assert results.read("greedy", folder=tmp_path) == []
    assert results.read("greedy", "quick", folder=tmp_path) == [DOCUMENT]
    kept = {**DOCUMENT, "machine": {**MACHINE, "date": "2025-12-31 00:00 UTC"}}  # older, of the same machine
    results.write(kept, keep=True, folder=tmp_path)
    assert results.read("greedy", folder=tmp_path) == [kept]


def test_the_newest_comes_first(tmp_path):
    newer = {**DOCUMENT, "machine": {**MACHINE, "cpu": "Other", "date": "2026-02-01 00:00 UTC"}}
    for document in (DOCUMENT, newer):
        results.write(document, keep=True, folder=tmp_path)
    assert results.read("greedy", folder=tmp_path) == [newer, DOCUMENT]


def test_results_refuse_what_is_not_json(tmp_path):
    with pytest.raises(ValueError, match="JSON"):
        results.write({**DOCUMENT, "rows": [{"job": "x", "goal": float("nan")}]}, keep=True, folder=tmp_path)


def test_text_has_ours_limit_best_other_and_ratios():
    lines = document_text(DOCUMENT).splitlines()
    (job,) = [line.split() for line in lines if "0.5 engine" in line]
    assert job == ["jmi,", "10", "x", "20", "0.5", "engine", "0.25", "2", "8", "numpy", "bincount", "16"]
    assert any(line.split() == ["jmi,", "10", "x", "20", "ITMO_FS", "~1,000", "2,000", "-", "-"] for line in lines)


def test_rates_are_work_over_seconds():
    text = document_text({**DOCUMENT, "rate": "pair-samples"})
    assert "8 engine" in text  # 4 10^9 in 0.5 s
    assert "10^9 pair-samples a second" in text


def test_table_aligns_columns():
    lines = format_table(["job", "seconds"], [["matrix", 1.5], ["a", None]]).splitlines()
    assert lines == ["job     seconds", "------  -------", "matrix      1.5", "a             -"]


def test_the_page_block_is_rewritten_and_the_rest_kept(tmp_path):
    results.write(DOCUMENT, keep=True, folder=tmp_path)
    path = tmp_path / "speed.md"
    path.write_text(f"before\n{speed_page.BEGIN}\nold\n{speed_page.END}\nafter\n", encoding="utf-8")
    for _ in range(2):  # the second time changes nothing
        speed_page.rewrite(path=path, folder=tmp_path)
        text = path.read_text(encoding="utf-8")
    assert text.startswith(f"before\n{speed_page.BEGIN}\n")
    assert text.endswith(f"{speed_page.END}\nafter\n")
    assert "old" not in text
    assert "Example(R) Processor 7 CPU @ 2.00GHz AVX2, 2026-01-02" in text
    assert "| jmi, 10 x 20 | 2 | 0.5 | - | 0.25 | 8 numpy bincount | 16 |" in text


def test_the_page_has_the_rows_from_table_to_ranking_of_that_machine(tmp_path):
    row = {"job": "csv, mrmr", "seconds": {"bitsieve select": 1.5, "reading alone": 1.0}, "limit_s": 1.0}
    files = {**DOCUMENT, "benchmark": "files", "rows": [row]}
    elsewhere = {**files, "machine": {**MACHINE, "cpu": "Other"}, "rows": [{**row, "job": "none of these"}]}
    for document in (DOCUMENT, files, elsewhere):
        results.write(document, keep=True, folder=tmp_path)
    path = tmp_path / "speed.md"
    path.write_text(f"{speed_page.BEGIN}\n{speed_page.END}\n", encoding="utf-8")
    speed_page.rewrite("example-7-6-1-avx2", path=path, folder=tmp_path)
    text = path.read_text(encoding="utf-8")
    assert "| files: csv, mrmr | 1.5 | 1 | - | - |" in text
    assert "none of these" not in text


def test_the_page_without_results_or_marks_is_refused(tmp_path):
    path = tmp_path / "speed.md"
    path.write_text("no marks", encoding="utf-8")
    with pytest.raises(speed_page.NoResults, match="python -m benchmarks greedy"):
        speed_page.rewrite(path=path, folder=tmp_path)
    results.write(DOCUMENT, keep=True, folder=tmp_path)
    with pytest.raises(speed_page.NoResults, match="has no lines"):
        speed_page.rewrite(path=path, folder=tmp_path)
    assert path.read_text(encoding="utf-8") == "no marks"


def test_the_table_of_the_page_is_that_of_the_results():
    text = (speed_page.ROOT / "docs" / "project" / "speed.md").read_text(encoding="utf-8")
    assert any(speed_page.table(document) in text for document in results.read("greedy"))


def test_results_remember_those_of_the_last_version(tmp_path):
    def of(version: str, seconds: float) -> dict:
        machine = {**MACHINE, "packages": {"bitsieve": version}, "commit": f"of {version}"}
        return {**DOCUMENT, "machine": machine, "rows": [{**ROW, "seconds": {**ROW["seconds"], "engine": seconds}}]}

    for document in (of("1", 0.8), of("2", 0.5), of("2", 0.4)):
        path = results.write(document, keep=True, folder=tmp_path)
    last = json.loads(path.read_text(encoding="utf-8"))["last"]
    assert last == {"version": "1", "commit": "of 1", "date": MACHINE["date"], "seconds": {ROW["job"]: 0.8}}
    text = speed_page.figures(tmp_path)
    assert "Jobs measured in two versions: 1; changed by more than 10%: 1." in text
    assert "| greedy: jmi, 10 x 20 | 1 | times 0.50 |" in text
    assert "| jmi, 10 x 20 | 0.4 engine | 0.8 | 0.25 | 8 numpy bincount | 16 |" in text
    assert "Example(R) Processor 7 CPU @ 2.00GHz, 2026-01-02, commit of 2." in text


@pytest.mark.parametrize(
    ("load", "said"), [([14.4, 3.0, 1.0], ", load 14 on 2 cores"), ([2.4, 9.0, 9.0], ""), (None, "")], ids=str
)
def test_other_work_on_the_machine_is_said(load, said, tmp_path):
    machine = {**MACHINE, "cores": 2, "load_average": load}
    results.write({**DOCUMENT, "machine": machine}, keep=True, folder=tmp_path)
    assert f"2026-01-02, commit unknown{said}." in speed_page.figures(tmp_path)


def test_a_study_is_printed_and_kept(tmp_path, capsys):
    table = results.StudyTable("levels", "Few.", ("design", "rule", "runs", "took noise"))
    table.add("noise", "fdr", "200", "9.0 %")
    assert capsys.readouterr().out.splitlines()[::2] == [
        "| design | rule | runs | took noise |",
        "| noise | fdr | 200 | 9.0 % |",
    ]
    path = results.write(table.document(), keep=True, folder=tmp_path)
    assert json.loads(path.read_text(encoding="utf-8"))["claim"] == "Few."
    text = speed_page.figures(tmp_path)
    assert "## Levels and false discoveries\n\n### levels\n\nFew.\n" in text
    assert "| job | contestant | runs | took noise |\n|---|---|---|---|\n| noise | fdr | 200 | 9.0 % |" in text


def test_the_page_of_figures_is_that_of_the_results():
    assert speed_page.FIGURES.read_text(encoding="utf-8") == speed_page.figures()


def test_results_that_are_kept_can_be_shown(capsys):
    assert main(["show"]) == 0
    said = capsys.readouterr().out
    assert all(f"== {name}:" in said for name in ALL)


def test_unknown_names_are_refused_in_one_line(capsys):
    with pytest.raises(SystemExit):
        main(["show", "no_such"])
    assert "no benchmark is called no_such; there are greedy, fit, default_fit" in capsys.readouterr().err


def test_jobs_that_there_are_not_are_refused_in_one_line(capsys):
    with pytest.raises(SystemExit):
        main(["greedy", "fit", "--only", "no such job"])
    assert "error: no job of greedy, fit has 'no such job' in its name" in capsys.readouterr().err
