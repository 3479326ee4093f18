"""Ctrl-C and SIGTERM at any moment: the exit code that a shell expects, one line, and nothing left behind."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from bitsieve import cli
from bitsieve.cli import Ending, Terminated, signals_raise

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}

# A package that is asked to end while it is imported, and goes on as if nothing were.
STUBBORN = """
import os, signal, time
try:
    os.kill(os.getpid(), signal.{name})
    time.sleep(600)
except BaseException:
    time.sleep(600)
"""
PROGRAM = """
import sys
from bitsieve.cli import EndingOfTheProcess, take_signals
take_signals(EndingOfTheProcess())
from bitsieve.io.output import writing
with writing("result.csv") as file:
    file.write(b"half of it")
    import stubborn
"""


@pytest.mark.parametrize("number", CODES)
def test_in_an_import_the_process_ends_at_once(tmp_path, number):
    (tmp_path / "stubborn.py").write_text(STUBBORN.format(name=number.name))
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=tmp_path, capture_output=True, text=True, timeout=300, check=False
    )
    assert result.returncode == CODES[number]
    assert result.stderr == {130: "bitsieve: interrupted\n", 143: "bitsieve: terminated\n"}[result.returncode]
    assert not [name for name in os.listdir(tmp_path) if name.endswith((".tmp", ".csv"))]


NATIVE = """
import hashlib
from bitsieve.cli import EndingOfTheProcess, take_signals
from bitsieve.io.output import writing
from bitsieve.io.spool import Spool
ending = EndingOfTheProcess()
take_signals(ending)
ending.watch()
folder = (spool := Spool()).folder
with writing("result.csv") as file:
    file.write(b"half of it")
    (folder / "copy").touch()
    while True:
        try:
            print(folder, flush=True)
            hashlib.pbkdf2_hmac("sha256", b"", b"", 1 << 30)  # minutes, in which no handler of Python runs
        except BaseException:
            pass
"""


@pytest.mark.parametrize("number", CODES)
def test_in_a_long_native_call_the_process_ends_soon(tmp_path, number):
    command = [sys.executable, "-c", NATIVE]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        folder = process.stdout.readline().rstrip()
        process.send_signal(number)
        try:
            _, stderr = process.communicate(timeout=25)
        finally:
            process.kill()
    assert process.returncode == CODES[number]
    assert stderr == {130: "bitsieve: interrupted\n", 143: "bitsieve: terminated\n"}[process.returncode]
    assert not os.path.exists(folder)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("number", CODES)
def test_an_interrupt_that_a_package_turned_into_an_error_is_still_one(number, monkeypatch, capsys):
    def fail(_):
        try:
            os.kill(os.getpid(), number)
            time.sleep(5)
        except BaseException:
            raise ImportError("numpy._core.multiarray failed to import") from None

    monkeypatch.setattr(cli, "_run", fail)
    assert cli.main([]) == CODES[number]
    assert capsys.readouterr().err in ("bitsieve: interrupted\n", "bitsieve: terminated\n")


AT_THE_END = """
import atexit, sys
from bitsieve.__main__ import command
from bitsieve.io.spool import Spool
folder = (spool := Spool()).folder
(folder / "copy").touch()
atexit.register(lambda: print("the end of", folder, end=""))  # without a line's end: flushed all the same
sys.argv[1:] = {arguments!r}
command()
print("not reached")
"""


@pytest.mark.parametrize(("arguments", "code"), [([], 0), (["nothing"], 2), (["--version"], 0)])
def test_what_is_registered_for_the_end_is_done_before_it(tmp_path, arguments, code):
    result = subprocess.run(
        [sys.executable, "-c", AT_THE_END.format(arguments=arguments)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert result.returncode == code
    assert "Traceback" not in result.stderr
    assert "not reached" not in result.stdout
    folder = re.search("the end of (.*)", result.stdout)[1]
    assert "bitsieve" in folder
    assert not os.path.exists(folder)


def test_handlers_of_the_program_around_are_left_and_the_default_ones_come_back():
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with signals_raise(Ending()):
            assert signal.getsignal(signal.SIGTERM) == signal.SIG_IGN
            assert signal.getsignal(signal.SIGINT) != signal.default_int_handler
        assert signal.getsignal(signal.SIGINT) == signal.default_int_handler
    finally:
        signal.signal(signal.SIGTERM, before)

    def terminated():
        with signals_raise(Ending()):
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(5)

    with pytest.raises(Terminated):
        terminated()


def test_a_thread_takes_no_signals():
    found = []

    def work():
        with signals_raise(Ending()):
            found.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [signal.getsignal(signal.SIGTERM)]


def catches(process: subprocess.Popen, number: int) -> bool:
    """Whether a running process has a handler for a signal."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    caught = int(re.search(r"SigCgt:\s*(\w+)", status)[1], 16)
    return bool(caught >> (number - 1) & 1)


@pytest.mark.nightly
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the handlers of a process are looked up in /proc")
def test_random_moments(tmp_path):
    rng = np.random.default_rng(0)
    X, data = rng.normal(size=(2000, 200)).round(3), tmp_path / "data.csv"
    header = ",".join([*(f"x{j}" for j in range(200)), "y"])
    np.savetxt(data, np.column_stack([X, X[:, 0] > 0]), delimiter=",", fmt="%g", header=header, comments="")
    asked = ["--target", "y", "--output", str(tmp_path / "out.csv")]
    commands = [
        ["select", str(data), *asked, "--method", "jmi", "--features", "20"],
        ["compare", str(data), *asked, "--methods", "mim,jmi", "--features", "1:20", "--classifier", "ncm"],
    ]
    moments = random.Random(0)
    for trial in range(60):
        command = [sys.executable, "-m", "bitsieve", *commands[trial % 2]]
        number = moments.choice(list(CODES))
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            while not catches(process, signal.SIGTERM):  # the first moments belong to the interpreter
                time.sleep(0.001)
            time.sleep(moments.random() * 3)
            process.send_signal(number)
            _, stderr = process.communicate(timeout=600)
        assert process.returncode in (CODES[number], 0), stderr
        assert "Traceback" not in stderr
        assert not [name for name in os.listdir(tmp_path) if name.endswith(".tmp")]
        for left in tmp_path.iterdir():
            if left.is_dir():  # the folds that are finished, for --resume
                shutil.rmtree(left)
            elif left != data:
                left.unlink()


@pytest.mark.slow("several processes")
def test_a_python_without_the_private_name_ends_as_usual():
    """Functions of ``atexit`` are called once, and the code is that of the command, with the name and without it."""
    for prepared in ("", "del atexit._run_exitfuncs; "):
        for words, code in ((["methods", "gmi"], 0), (["methods", "gm"], 2)):
            run = (
                f"import atexit, sys; {prepared}sys.argv = ['bitsieve', *{words!r}]; atexit.register(print, 'ended'); "
            )
            script = [sys.executable, "-c", f"{run}from bitsieve.__main__ import command; command()"]
            found = subprocess.run(script, capture_output=True, text=True, timeout=120, check=False)
            assert found.returncode == code, found.stderr
            assert found.stdout.count("ended\n") == 1
