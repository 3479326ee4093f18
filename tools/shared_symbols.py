"""Check that object files for an instruction set share no code that needs it: python tools/shared_symbols.py BUILD.

Files named after an instruction set (``*avx2*.o``, ``*avx512*.o``) are compiled for machines that have it. Of an inline
function or a template's instance the linker keeps one copy, from whichever file it likes; such a copy must run on any
machine, or a machine without the instruction set dies of a function that it should be able to call.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

# Instructions of VEX and EVEX encoding begin with v; the others belong to sets that vector files may switch on.
BEYOND_BASELINE = re.compile(r"^(v[a-z]+|popcnt|pext|pdep|lzcnt|andn|bzhi|mulx|sarx|shlx|shrx|rorx|k[a-z]+[bwdq])$")
BASELINE = {"verr", "verw"}
FUNCTION = re.compile(r"^[0-9a-f]+ <(?P<name>.+)>:$")
INSTRUCTION = re.compile(r"^\s*[0-9a-f]+:\s+(?P<mnemonic>[a-z][a-z0-9]*)")
SHARED_KINDS = "WVu"  # of nm: weak functions, weak objects, unique objects


def shared_functions(object_file: Path) -> set[str]:
    """The symbols that an object file defines and the linker may take from it for others."""
    output = subprocess.run(["nm", "--defined-only", object_file], check=True, capture_output=True, text=True).stdout
    fields = [line.split() for line in output.splitlines()]
    return {name for *_, kind, name in fields if kind in SHARED_KINDS}


def functions_beyond_baseline(disassembly: str) -> dict[str, str]:
    """The functions of objdump's output that need an instruction set, each with one such instruction."""
    found: dict[str, str] = {}
    function = ""
    for line in disassembly.splitlines():
        header = FUNCTION.match(line)
        if header:
            function = header["name"]
            continue
        instruction = INSTRUCTION.match(line)
        if instruction and instruction["mnemonic"] not in BASELINE and BEYOND_BASELINE.match(instruction["mnemonic"]):
            found.setdefault(function, instruction["mnemonic"])
    return found


def violations(object_file: Path) -> list[str]:
    """A line for each shared function of an object file that needs an instruction set."""
    command = ["objdump", "--disassemble", "--no-show-raw-insn", object_file]
    disassembly = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    needing = functions_beyond_baseline(disassembly)
    return [
        f"{object_file}: {name} is shared and uses {needing[name]}"
        for name in sorted(shared_functions(object_file) & set(needing))
    ]


def main() -> int:
    """Print the violations; 1 if there are any, or no object file for an instruction set."""
    build = Path(sys.argv[1])
    object_files = sorted(build.rglob("*avx*.o"))
    if not object_files:
        print(f"{build} holds no object file for an instruction set: build the kernels there first")
        return 1
    lines = [line for object_file in object_files for line in violations(object_file)]
    print("\n".join(lines) or f"{len(object_files)} object files share no code that needs an instruction set")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
