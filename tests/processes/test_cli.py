"""The command line as a process: what it prints where, how it ends, and one line for every mistake."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

import bitsieve
from bitsieve.results.selection import ranking_of

MODULE = [sys.executable, "-m", "bitsieve"]


def run(*arguments, command=MODULE, **keywords):
    quiet = {name: value for name, value in os.environ.items() if name != "BITSIEVE_DEBUG"}
    environment = {**quiet, "PYTHONIOENCODING": "utf-8", **keywords.pop("env", {})}
    return subprocess.run(
        [*command, *map(str, arguments)], capture_output=True, text=True, env=environment, timeout=600, **keywords
    )


def done(*arguments, **keywords):
    result = run(*arguments, **keywords)
    assert result.returncode == 0, result.stderr
    assert "Traceback" not in result.stderr
    return result


def refused(*arguments, **keywords):
    """The one line on standard error of a command that is a user's mistake."""
    result = run(*arguments, **keywords)
    assert result.returncode == 2, (result.stdout, result.stderr)
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("bitsieve: error: ")
    return lines[0].removeprefix("bitsieve: error: ")


def test_table_on_standard_output(data, table):
    result = done("select", data, "--target", "diagnosis", "--features", 4, "--method", "jmi")
    wanted = bitsieve.select(table, "diagnosis", method="jmi", n_features_to_select=4)
    assert result.stdout == f"{ranking_of(wanted).text()}\n"
    assert result.stderr == "".join(f"bitsieve: note: {note}\n" for note in wanted.diagnostics.lines())


def test_installed_script(data):
    script = shutil.which("bitsieve", path=os.path.dirname(sys.executable))
    if script is None:
        pytest.skip("the package runs from its source tree")
    arguments = ("select", data, "--target", "diagnosis", "--features", 2)
    assert done(*arguments, command=[script]).stdout == done(*arguments).stdout


def test_version_and_help():
    assert done("--version").stdout == f"bitsieve {bitsieve.__version__}\n"
    assert "usage: bitsieve" in done("--help").stdout


def test_closed_pipe_is_no_error(data):
    command = [*MODULE, "select", str(data), "--target", "diagnosis", "--features", "9"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.close()
    stderr = process.stderr.read()
    process.stderr.close()
    assert process.wait(timeout=600) == 141
    assert "Traceback" not in stderr
    assert "Broken" not in stderr


@pytest.mark.parametrize(
    "encoding", ["ascii", *(pytest.param(name, marks=pytest.mark.slow("as ascii")) for name in ("latin-1", "utf-8"))]
)
def test_json_is_json_in_every_encoding(tmp_path, encoding):
    path = tmp_path / "names.csv"
    path.write_text("\u0151,y\n" + "1,no\n2,yes\n" * 20, encoding="utf-8")
    command = [*MODULE, "select", str(path), "--target", "y", "--json"]
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    done = subprocess.run(command, capture_output=True, env=environment, timeout=600, check=True)
    assert json.loads(done.stdout.decode(encoding))["features"][0]["name"] == "\u0151"


def test_full_disk_behind_the_output(data):
    if not os.path.exists("/dev/full"):
        pytest.skip("the system has no device that is always full")
    with open("/dev/full", "w") as full:
        result = subprocess.run(
            [*MODULE, "methods"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=600, check=False
        )
    assert result.returncode == 2
    assert result.stderr.splitlines() == ["bitsieve: error: No space left on device"]


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize(
    ("number", "code", "said"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")]
)
def test_a_signal_while_a_file_is_written_leaves_nothing(tmp_path, number, code, said):
    script = (
        "import sys, time\n"
        "import bitsieve.cli.select as command\n"
        "from bitsieve.io.output import writing\n"
        "def slow(options):\n"
        "    with writing(options.output) as file:\n"
        "        file.write(b'half')\n"
        "        print('ready', flush=True)\n"
        "        time.sleep(60)\n"
        "command.run = slow\n"
        "from bitsieve.cli import main\n"
        "sys.exit(main(['select', 'data.csv', '--output', sys.argv[1]]))\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path / "out.csv")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "ready\n"
    assert len(list(tmp_path.iterdir())) == 1
    process.send_signal(number)
    _, stderr = process.communicate(timeout=600)
    assert process.returncode == code
    assert stderr == f"bitsieve: {said}\n"
    assert list(tmp_path.iterdir()) == []


def failing(exception, **environment):
    script = (
        "import sys\n"
        "import bitsieve.cli.select as command\n"
        "def fail(options):\n"
        f"    raise {exception}\n"
        "command.run = fail\n"
        "from bitsieve.cli import main\n"
        "sys.exit(main(['select', 'data.csv']))\n"
    )
    return run(command=[sys.executable, "-c", script], env=environment)


def test_an_unexpected_failure_is_one_line():
    result = failing("KeyError('first\\nsecond')")
    assert result.returncode == 1
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith("bitsieve: internal error: KeyError: ")
    assert "BITSIEVE_DEBUG=1" in result.stderr
    assert failing("MemoryError()").stderr == "bitsieve: error: out of memory: give fewer rows or columns\n"
    shown = failing("KeyError('first')", BITSIEVE_DEBUG="1")
    assert shown.returncode == 1
    assert "Traceback" in shown.stderr


@pytest.mark.slow("it waits for the clock of the line")
@pytest.mark.skipif(os.name == "nt", reason="pseudo-terminals of POSIX")
def test_progress_is_one_line_on_a_terminal_that_is_wiped():
    import pty

    script = (
        "import time\n"
        "from bitsieve.utils.progress import PhaseProgress, Ticker\n"
        "with Ticker() as ticker:\n"
        "    ticker.show(PhaseProgress('counting'))\n"
        "    time.sleep({})\n"
    )
    seen = {}
    for seconds in (0.1, 1.6):
        master, slave = pty.openpty()
        process = subprocess.Popen([sys.executable, "-c", script.format(seconds)], stderr=slave)
        os.close(slave)
        assert process.wait(timeout=600) == 0
        time.sleep(0.05)
        os.set_blocking(master, False)
        try:
            seen[seconds] = os.read(master, 65536).decode()
        except OSError:  # nothing was written before the terminal closed
            seen[seconds] = ""
        os.close(master)
    assert seen[0.1] == ""
    assert "\r\x1b[Kcounting ... 1 s" in seen[1.6]
    assert seen[1.6].endswith("\r\x1b[K")
    assert "\n" not in seen[1.6]


@pytest.mark.slow("a process for each encoding")
def test_names_that_the_terminal_cannot_show(tmp_path):
    rows = "".join(f"{j % 2},{j % 3},{j % 2}\n" for j in range(30))
    path = tmp_path / "data.csv"
    path.write_text("größe,b,y\n" + rows, encoding="utf-8")
    result = done(
        "select", path, "--target", "y", "--features", 1, "--binning", "none", env={"PYTHONIOENCODING": "ascii"}
    )
    assert "gr\\xf6\\xdfe" in result.stdout


@pytest.mark.slow("a process of a command that tests/cli calls with many mistakes")
def test_a_mistake_is_one_line(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("a,y\n1,0\n2,1\n3")
    assert "row 4, the last one," in refused("select", path, "--target", "target")
