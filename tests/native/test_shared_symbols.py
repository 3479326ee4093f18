"""The check that object files for an instruction set share no code that needs it."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from tools.shared_symbols import functions_beyond_baseline, shared_functions, violations

DISASSEMBLY = """
0000000000000000 <baseline>:
   0:\tmov    %rdi,%rax
   3:\tverr   %ax
   5:\tmovdqu (%rsi),%xmm0

0000000000000010 <vector>:
  10:\tvpaddq %ymm0,%ymm1,%ymm2
  14:\tret

0000000000000020 <mask>:
  20:\tkmovq  %k0,%rax

0000000000000030 <count>:
  30:\tpopcnt %rdi,%rax
"""

# `inline` makes a function shared; `twice` is outlined, so that a copy is in the object file.
SOURCE = """
#pragma GCC push_options
#pragma GCC target("avx2")
inline __attribute__((noinline)) void twice(double* x) { for (int i = 0; i < 64; ++i) x[i] *= 2; }
static __attribute__((noinline)) void thrice(double* x) { for (int i = 0; i < 64; ++i) x[i] *= 3; }
#pragma GCC pop_options
void both(double* x) { twice(x); thrice(x); }
"""


def test_instructions_beyond_the_baseline():
    assert functions_beyond_baseline(DISASSEMBLY) == {"vector": "vpaddq", "mask": "kmovq", "count": "popcnt"}


@pytest.mark.skipif(not all(map(shutil.which, ("g++", "nm", "objdump"))), reason="needs GCC and binutils")
def test_a_shared_function_is_found(tmp_path):
    source = tmp_path / "some_avx2.cpp"
    source.write_text(SOURCE)
    target = subprocess.run(["g++", "-dumpmachine"], check=True, capture_output=True, text=True).stdout
    if not target.startswith("x86_64"):
        pytest.skip("the instruction sets are those of x86-64")
    object_file = source.with_suffix(".o")
    subprocess.run(["g++", "-O3", "-c", source, "-o", object_file], check=True)
    assert shared_functions(object_file) == {"_Z5twicePd"}
    (line,) = violations(object_file)
    assert "_Z5twicePd is shared and uses v" in line
