"""Reports in a browser: nothing fails there, figures are there, tables sort, hostile names stay text."""

from __future__ import annotations

import shutil
from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from tests.cover import quick_and_slow

import bitsieve

pytest.importorskip("matplotlib")
webdriver = pytest.importorskip("selenium.webdriver", reason="a browser is driven by selenium")
Keys = webdriver.Keys
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chrome")
DRIVER = shutil.which("chromedriver")
if CHROMIUM is None or DRIVER is None:
    pytest.skip("there is no Chromium with its driver", allow_module_level=True)

FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=900,1000")
HOSTILE = [
    "<script>window.hacked = 1</script>",
    "<img src=x onerror='window.hacked = 1'>",
    "\"><svg onload='window.hacked = 1'>",
    "</style></title>'quoted' & $x^2$",
    "größe 漢字",
]


@pytest.fixture(scope="module")
def browser():
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in FLAGS:
        options.add_argument(flag)
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    yield driver
    driver.quit()


def show(browser, path, *, width=900, scheme="light"):
    """Open a page; everything the browser complains of fails the test."""
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    size = {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    browser.get(path.as_uri())
    assert browser.get_log("browser") == []


def column(browser, heading):
    """The cells below a heading, as shown, of the first table that has it."""
    script = """
        for (const table of document.querySelectorAll("table")) {
            const names = Array.from(table.tHead.rows[0].cells, (cell) => cell.textContent.trim());
            const at = names.indexOf(arguments[0]);
            if (at >= 0) return Array.from(table.tBodies[0].rows).filter((row) => !row.hidden)
                .map((row) => row.cells[at].textContent);
        }"""
    return browser.execute_script(script, heading)


def press(browser, button):
    """Click a button, scrolled to the middle of the window as the bar of contents covers its upper edge."""
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
    button.click()


def click(browser, heading, *, table_with=None):
    """Click a heading of the first table that has it and, where it is given, another heading."""
    table = f"//table[.//thead//button[normalize-space()='{table_with or heading}']]"
    press(browser, browser.find_element("xpath", f"({table}//thead//button[normalize-space()='{heading}'])[1]"))


@pytest.fixture(scope="module")
def wine(tmp_path_factory):
    X, y = load_wine(return_X_y=True, as_frame=True)
    path = tmp_path_factory.mktemp("reports") / "wine.html"
    bitsieve.write_report(bitsieve.select(X, y, n_features_to_select=6), path)
    return path


@pytest.mark.parametrize(
    ("width", "scheme"),
    quick_and_slow(
        product([360, 1400], ["light", "dark"]),
        quick={(360, "light"), (1400, "dark")},
        reason="the same figures at the other width",
    ),
)
def test_figures_are_there_at_every_width_and_in_both_schemes(browser, wine, width, scheme):
    show(browser, wine, width=width, scheme=scheme)
    sizes = browser.execute_script(
        "return Array.from(document.querySelectorAll('svg'), (svg) => {"
        " const box = svg.getBoundingClientRect();"
        " return [box.width, box.height, svg.querySelectorAll('path').length]})"
    )
    assert len(sizes) == 4
    for wide, high, n_paths in sizes:
        assert 300 < wide <= max(width, 400)  # on a phone a figure scrolls, so that its text is legible
        assert high > 100
        assert n_paths > 5
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    ink, paper, drawn = browser.execute_script(
        "const style = getComputedStyle(document.body), text = document.querySelector('svg text');"
        "return [style.color, style.backgroundColor, getComputedStyle(text).fill]"
    )
    assert drawn == ink
    assert sum(map(int, paper[4:-1].split(","))) < 150 if scheme == "dark" else paper == "rgb(255, 255, 255)"


def test_nothing_is_cut_off_on_a_screen_of_1200_pixels(browser, wine):
    show(browser, wine, width=1200)
    browser.execute_script("document.querySelectorAll('details').forEach((details) => { details.open = true; })")
    script = "return Array.from(document.querySelectorAll('.wide, pre'), (box) => box.scrollWidth - box.clientWidth)"
    assert set(browser.execute_script(script)) == {0}


@pytest.mark.slow("one more page in the browser")
def test_tables_sort(browser, wine):
    show(browser, wine)
    assert column(browser, "rank") == ["1", "2", "3", "4", "5", "6"]
    click(browser, "relevance (bits)")
    numbers = [float(text) for text in column(browser, "relevance (bits)")]
    assert numbers == sorted(numbers)
    click(browser, "relevance (bits)")
    assert [float(text) for text in column(browser, "relevance (bits)")] == numbers[::-1]
    click(browser, "with")
    names = column(browser, "with")
    assert names[:-1] == sorted(names[:-1])
    assert names[-1] == "-"  # what is not there comes last
    assert browser.execute_script("return document.querySelectorAll('[aria-sort]').length") == 2  # one a table


@pytest.mark.slow("one more page in the browser")
def test_everything_is_reached_by_keyboard(browser, wine):
    show(browser, wine)
    focused = []
    for _ in range(12):
        browser.switch_to.active_element.send_keys(Keys.TAB)
        focused.append(browser.switch_to.active_element.text)
    assert focused[:2] == ["Which columns, and how sure", "What each adds"]
    assert "rank" in focused
    browser.find_element("xpath", "(//thead//button[normalize-space()='rank'])[1]").send_keys(Keys.ENTER, Keys.ENTER)
    assert column(browser, "rank") == ["6", "5", "4", "3", "2", "1"]
    browser.find_element("css selector", "summary").send_keys(Keys.ENTER)
    assert browser.execute_script("return document.querySelector('details').open")
    outlines = browser.execute_script(
        "const link = document.querySelector('nav a'); link.focus({focusVisible: true});"
        "return getComputedStyle(link).outlineStyle"
    )
    assert outlines == "solid"


def test_the_name_of_a_column_stays_in_sight_on_a_phone(browser, wine):
    show(browser, wine, width=360)
    left = browser.execute_script(
        "const box = document.querySelectorAll('.wide')[1]; box.scrollLeft = 300;"
        "return box.querySelector('tbody th').getBoundingClientRect().left - box.getBoundingClientRect().left"
    )
    assert left == 0


def test_bars_of_classes_have_their_lengths(browser, wine):
    show(browser, wine)
    bars = browser.execute_script(
        "return Array.from(document.querySelectorAll('.card:first-child .track'), (track) => {"
        " const bar = track.querySelector('.bar').getBoundingClientRect().width;"
        " const room = track.clientWidth - parseFloat(getComputedStyle(track).paddingRight);"
        " return [bar / room, parseFloat(track.querySelector('.percent').textContent)]})"
    )
    assert len(bars) >= 6  # bins of each of three classes
    for share, percent in bars:
        assert abs(100 * share - percent) < 2  # percent are rounded, and the shortest bar is a pixel


@pytest.mark.slow("one more page in the browser")
def test_it_prints(browser, wine):
    show(browser, wine, width=720)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 720  # nothing is cut off on paper
    assert browser.execute_script("return document.querySelector('.bars').getBoundingClientRect().height") > 20
    assert browser.execute_script("return getComputedStyle(document.querySelector('nav')).display") == "none"
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    printed = browser.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})["data"]
    assert printed.startswith("JVBERi")  # %PDF in base64


def test_hostile_names_stay_text(browser, tmp_path):
    X, y = load_wine(return_X_y=True)
    frame = pd.DataFrame(X[:, :5], columns=HOSTILE)
    frame["<b>kind</b>"] = np.array(["<i>a</i>", "b", HOSTILE[0]])[y]
    path = tmp_path / "hostile.html"
    selection = bitsieve.select(frame, "<b>kind</b>", n_features_to_select=4)
    bitsieve.write_report(selection, path, command=f"bitsieve select '{HOSTILE[1]}'")
    show(browser, path)
    assert browser.execute_script("return window.hacked") is None
    assert browser.execute_script("return document.querySelectorAll('script, img, b, i').length") == 1
    assert column(browser, "feature") == selection.features
    assert column(browser, "column") == HOSTILE
    assert browser.title == "Features informative about <b>kind</b>"
    drawn = browser.execute_script("return Array.from(document.querySelectorAll('svg text'), (t) => t.textContent)")
    assert "größe 漢字" in drawn


@pytest.mark.slow("the browser reports it late; test_page finds the policy of the page")
def test_a_script_that_slipped_in_would_not_run(browser, wine, tmp_path):
    """The policy of the page lets its own script run alone."""
    text = wine.read_text("utf-8")
    path = tmp_path / "injected.html"
    path.write_text(text.replace("<h1>", "<script>window.hacked = 1</script><h1>"), "utf-8")
    browser.get(path.as_uri())
    assert browser.execute_script("return window.hacked") is None
    assert "Content Security Policy" in browser.get_log("browser")[0]["message"]


@pytest.mark.slow("five thousand rows of a page")
def test_five_thousand_features_are_usable(browser, tmp_path):
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 100)
    X = (random.random((100, 5000)) < 0.5).astype(int)
    X[:, 4321] = y
    path = tmp_path / "wide.html"
    bitsieve.write_report(bitsieve.select(X, y, n_features_to_select=60, binning="none"), path)
    assert path.stat().st_size < 8_000_000
    show(browser, path)
    assert len(column(browser, "column")) == 200
    box = browser.find_element("css selector", ".tools input")
    box.send_keys("x4321")
    assert column(browser, "column") == ["x4321"]
    box.clear()
    box.send_keys("x432")
    assert len(column(browser, "column")) == 11  # x432 and x4320 to x4329
    box.clear()
    box.send_keys(" ")
    press(browser, browser.find_element("css selector", ".tools button"))
    assert len(column(browser, "column")) == 5000
    click(browser, "relevance (bits)", table_with="column")
    click(browser, "relevance (bits)", table_with="column")
    assert column(browser, "column")[0] == "x4321"


@pytest.mark.slow("the tables of a comparison by the script of test_tables_sort")
def test_the_report_of_a_comparison_sorts_too(browser, tmp_path):
    X, y = load_wine(return_X_y=True)
    comparison = bitsieve.compare(X, y, methods=["mim", "jmi"], features=[2, 4], classifier="ncm", folds=3)
    path = tmp_path / "comparison.html"
    bitsieve.write_report(comparison, path)
    show(browser, path, scheme="dark")
    click(browser, "method")
    assert column(browser, "method") == ["(SelectKBest)", "(all columns)", "(majority class)", "jmi", "mim"]
    click(browser, "mean error %")
    errors = [float(cell) for cell in column(browser, "mean error %")]
    assert errors == sorted(errors)
    assert column(browser, "method")[-1] == "(majority class)"
