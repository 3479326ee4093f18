"""Wrong arguments at every entry point of the extension are a TypeError or ValueError, no crash and no stray write.

Every entry point is called with good arguments, of which one is then spoiled: another length, type, order in memory,
value out of range, None. All of this runs in a process of its own, as a failure would be a signal. Arrays to be written
lie between guards.
"""

from __future__ import annotations

import faulthandler
import itertools
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.native.good_calls import (
    ARITY,
    GOOD,
    GUARD,
    D,
    N,
    arities,
    class_sizes,
    codes,
    entry_points,
    kernel,
    order,
    owners,
    packed,
    random,
)

from bitsieve import _native

if TYPE_CHECKING:
    from collections.abc import Iterator

REFUSALS = (TypeError, ValueError, MemoryError, OverflowError)  # OverflowError: an int beyond 64 bits
SCALARS = (-5, -1, 0, 7, 2**31, 2**40, 2**62, 2**70, -(2**63), 0.5, float("nan"), "sse9", None, [], [3, -1, 2**40])

TYPES = ("bool", "uint8", "uint16", "int32", "uint32", "int64", "uint64", "float32", "float64")


def unharmed(array: np.ndarray) -> bool:
    held = array
    while held.base is not None:
        held = held.base
    return bool((held[:GUARD] == 77).all() and (held[-GUARD:] == 77).all())


_OF_SIGNATURE = re.compile(r"def \w+\((.*)\) ->")
_ARRAY = re.compile(r"ndarray\[(?:dtype=(\w+), )?")


def arguments_of(signature: str) -> list[str]:
    """The declarations of the arguments of a signature."""
    inside = _OF_SIGNATURE.match(signature)[1]
    return [a for a in re.split(r", (?![^\[]*\])", inside) if a not in ("self", "/")]


def declared(function: Any) -> list[list[set[str]]]:
    """For every declaration of an entry point the types of arrays that each argument may be; "": any, empty: none."""
    found = []
    for signature, *_ in function.__nb_signature__:
        found.append([set(_ARRAY.findall(argument)) for argument in arguments_of(signature)])
    return found


def types_given(arguments: tuple[Any, ...]) -> list[str | None]:
    """The types of arrays, or of lists of arrays, among arguments."""
    firsts = [a[0] if isinstance(a, list) and a else a for a in arguments]
    return [str(a.dtype) if isinstance(a, np.ndarray) else None for a in firsts]


def written(signature: str) -> list[bool]:
    """Whether each argument is an array that is written to."""
    return ["ndarray" in argument and "writable=False" not in argument for argument in arguments_of(signature)]


def fits(given: list[str | None], wanted: list[set[str]]) -> bool:
    return all(a is None or "" in b or a in b for a, b in zip(given, wanted, strict=False))


def test_no_array_of_another_type_is_taken() -> None:
    """Every array of every call in turn as every other type: refused, unless it is declared."""
    refused = 0
    for name, function in entry_points().items():
        owner, _, method = name.partition(".")
        own = bool(method) and method != "__init__"
        call = getattr(_native, owner) if method == "__init__" else function
        declarations = declared(function)
        for make in GOOD[name]:
            assert any(fits(types_given(make()), wanted) for wanted in declarations), name
            for place, kind in itertools.product(range(len(make())), TYPES):
                given = list(make())
                if types_given((given[place],)) in ([None], [kind]):
                    continue
                listed = isinstance(given[place], list)
                given[place] = [a.astype(kind) for a in given[place]] if listed else given[place].astype(kind)
                if any(fits(types_given(tuple(given)), wanted) for wanted in declarations):
                    continue  # the same in another type of codes or numbers
                with pytest.raises(TypeError):
                    call(*([owners(owner)[0]] if own else []), *given)
                refused += 1
    assert refused > 1000


def spoiled(argument: Any) -> list[Any]:
    """What may stand wrongly in the place of an argument."""
    if isinstance(argument, list):
        return [*SCALARS, [], argument * 2, [2**62], [*argument[:-1], -3], [None]]
    if not isinstance(argument, np.ndarray):
        return list(SCALARS)
    wrong: list[Any] = [None, 3, "x", argument[:0], argument[:-1], np.concatenate([argument, argument])]
    wrong += [
        argument.astype(kind) for kind in (np.int32, np.float32, np.uint8, complex, object) if kind != argument.dtype
    ]
    wrong += [argument[::-1], np.repeat(argument, 2, axis=0)[::2], argument[None], argument.reshape(-1)]
    frozen = argument.copy()
    frozen.flags.writeable = False
    wrong.append(frozen)
    for value in (-1, -(2**31), 2**31 - 1, 250, 65_000, np.nan, np.inf):
        with np.errstate(invalid="ignore"):
            changed = argument.astype(float)
            changed.flat[random.integers(max(changed.size, 1)) :: 2] = value
            wrong.append(np.asarray(changed, order="F" if argument.ndim == 2 else "C").astype(argument.dtype))
    return wrong


def in_short(argument: Any) -> str:
    """Type and shape of an array, whose numbers would take longer to write than the call; other arguments as text."""
    if isinstance(argument, np.ndarray):
        return f"{argument.dtype} {argument.shape}"
    if isinstance(argument, list):
        return f"list of {len(argument)}"
    return repr(argument)


def attack() -> None:
    """Spoil one argument after the other, then some at once; print how many calls were refused and went through."""
    faulthandler.enable()
    refused = passed = 0
    for name, function in entry_points().items():
        for make in GOOD[name]:
            owner, _, method = name.partition(".")
            own = bool(method) and method != "__init__"
            tables = owners(owner) if own else [None]
            call = getattr(_native, owner) if method == "__init__" else function
            for of in tables:
                call(*([of] if own else []), *make())
                trials = [(i, wrong) for i, good in enumerate(make()) for wrong in spoiled(good)]
                trials += [trials[k] for k in random.integers(0, len(trials), 30)] if trials else []
                for k, (i, wrong) in enumerate(trials):
                    given = list(make())
                    given[i] = wrong
                    if k >= len(trials) - 30:
                        other, more = trials[random.integers(len(trials))]
                        given[other] = more
                    print(name, i, in_short(wrong), file=sys.stderr, flush=True)
                    fresh = [packed()] if name == "PackedTable.pack" else [of]
                    try:
                        call(*(fresh if own else []), *given)
                        passed += 1
                    except REFUSALS:
                        refused += 1
                    outputs = [
                        a for a in given if isinstance(a, np.ndarray) and a.base is not None and a.base.ndim == 1
                    ]
                    assert all(unharmed(a) for a in outputs if len(a.base) > 2 * GUARD and a.base[0] == 77), name
    print(refused, passed)


def test_wrong_arguments_are_refused() -> None:
    assert set(entry_points()) == set(GOOD)
    command, root = [sys.executable, "-m", "tests.native.test_arguments"], Path(__file__).parents[2]
    # Under a sanitizer: sums of numbers beyond all bounds wrap, harmlessly. Anything else still ends the process.
    environment = {**os.environ, "UBSAN_OPTIONS": "halt_on_error=0"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600, cwd=root, env=environment)
    assert done.returncode == 0, f"exit {done.returncode}: {done.stderr[-3000:]}"
    refused, passed = map(int, done.stdout.split())
    assert refused > 2 * passed > 0


def sharing(arguments: tuple[Any, ...], writable: list[bool]) -> Iterator[list[Any]]:
    """The arguments, once for every output and other array, the two at the same place in memory."""
    arrays = [a[0] if isinstance(a, list) and a else a for a in arguments]
    places = [i for i, a in enumerate(arrays) if isinstance(a, np.ndarray) and a.size]
    for i, j in itertools.permutations(places, 2):
        if not writable[i]:
            continue
        memory = np.zeros(max(arrays[i].nbytes, arrays[j].nbytes), np.uint8)
        given = list(arguments)
        for k in (i, j):
            order = "C" if arrays[k].flags.c_contiguous else "F"
            one = np.ndarray(arrays[k].shape, arrays[k].dtype, memory, order=order)
            given[k] = [one, *arguments[k][1:]] if isinstance(arguments[k], list) else one
        yield given


def test_an_output_that_is_another_argument_too_is_refused() -> None:
    """Every output of every call in turn in the memory of every other array: the kernel would read what it wrote."""
    refused = 0
    for name, function in entry_points().items():
        owner, _, method = name.partition(".")
        own = bool(method) and method != "__init__"
        call = getattr(_native, owner) if method == "__init__" else function
        writable = [written(signature) for signature, *_ in function.__nb_signature__]
        for make in GOOD[name]:
            for given in sharing(make(), [any(one) for one in zip(*writable, strict=True)]):
                with pytest.raises(ValueError, match="shares memory with another"):
                    call(*([owners(owner)[0]] if own else []), *given)
                refused += 1
    assert refused > 200


def test_an_output_in_the_memory_that_a_table_keeps_is_refused() -> None:
    """Later calls read the planes and wide codes of a table, and the arrays that sparse counts were made of."""
    refused = 0
    for form in ("planes", "counters", "table"):
        made = _native.PackedTable(class_sizes, order, arities, kernel, form, True)
        kept = np.zeros(made.plane_words, np.uint64), np.zeros(made.wide_codes, np.uint16)
        made.use(*kept)
        made.use(*kept)  # which are no output of another table
        made.pack(codes, 0, made.n_simd_groups)
        made.codes(0, np.empty(N, np.uint16))
        for array in kept:
            if array.size:
                with pytest.raises(ValueError, match="or of the table"):
                    made.codes(0, array.view(np.uint16)[-N:])
                refused += 1
    for place in (0, 1, 2, 3, 5, 6, 7, 8):
        given = list(GOOD["SparseCounts.__init__"][1]())
        memory = np.zeros(max(3, given[place].nbytes // 8 + 1), np.int64)
        inside = np.ndarray(given[place].shape, given[place].dtype, memory)
        inside[...] = given[place]
        given[place] = inside
        arguments = list(GOOD["SparseCounts.column_sums"][0]())
        _native.SparseCounts(*given).column_sums(*arguments)
        arguments[-2] = memory[:3]
        with pytest.raises(ValueError, match="or of the table"):
            _native.SparseCounts(*given).column_sums(*arguments)
        refused += 1
    assert refused >= 11


def test_points_whose_squared_distances_overflow_are_refused() -> None:
    """Squares of differences from 1e155 on are infinite, and no edge would be the shortest."""
    for far in (1e151, 1e155, 1e308):
        with pytest.raises(ValueError, match="less than 1e150 apart"):
            _native.spanning_tree(kernel, np.array([[-far, 0.0, far]]))
    for near in (1e-300, 1e149):
        assert _native.spanning_tree(kernel, np.array([[-near, 0.0, near]])).tolist() == [[0, 1], [1, 2]]


def test_outputs_are_not_converted() -> None:
    """What is written to a converted copy would be lost."""
    source = packed()
    for wrong in (np.zeros(N, np.int64), np.zeros(2 * N, np.uint16)[::2], np.zeros((N, 1), np.uint16)):
        with pytest.raises(TypeError):
            source.codes(0, wrong)


def test_a_table_that_was_not_packed_is_refused() -> None:
    with pytest.raises(ValueError, match="has not been packed"):
        packed(fill=False).codes(0, np.zeros(N, np.uint16))


@pytest.mark.parametrize("form", ["planes", "counters", "table"])
@pytest.mark.parametrize("kind", [np.uint8, np.uint16])
def test_codes_beyond_the_arity_are_refused(form: str, kind: type) -> None:
    spoilt = codes.astype(kind)
    for wrong in (ARITY, np.iinfo(kind).max):
        spoilt[N - 1, D - 1] = wrong
        with pytest.raises(ValueError, match="not below the arity"):
            packed(form, fill=False).pack(spoilt, 0, 2)


if __name__ == "__main__":
    attack()


@pytest.mark.parametrize("scales", [(0.0, 1.0), (-1.0, 1.0), (float("nan"), 1.0), (1.0, 0.0)])
def test_kernels_of_no_width_are_refused(scales):
    """The padding lies infinitely far: times a scale of 0 that would be no number."""
    points = np.arange(N) * 1.0
    with pytest.raises(ValueError, match="scales"):
        _native.log_kernel_sums(kernel, points, scales[0], points, scales[1], 2, 9, np.empty(N))


def test_tables_of_more_cells_than_the_loops_number_are_refused():
    many = np.full(D, 65_536, np.int32)
    offsets, features, logs = np.zeros(D, np.int64), np.array([0]), np.zeros(1)
    with pytest.raises(ValueError, match=r"2\^31 cells"):
        _native.likelihood_tables(
            kernel, codes, many, class_sizes, logs, 1, features, offsets, True, np.empty(8), np.empty(D)
        )


def misaligned(array: np.ndarray) -> np.ndarray:
    """A copy that begins one byte behind a multiple of its item's size."""
    memory = bytearray(array.nbytes + 1)
    order = "F" if array.flags.f_contiguous and not array.flags.c_contiguous else "C"
    copy = np.ndarray(array.shape, array.dtype, memory, offset=1, order=order)
    copy[...] = array
    return copy


def test_no_array_that_is_not_aligned_is_taken() -> None:
    """Every array of every call in turn: a compiler may build on the alignment of its type."""
    refused = 0
    for name, function in entry_points().items():
        owner, _, method = name.partition(".")
        is_method = bool(method) and method != "__init__"
        call = getattr(_native, owner) if method == "__init__" else function
        for make in GOOD[name]:
            for place, argument in enumerate(make()):
                if not isinstance(argument, np.ndarray) or argument.itemsize == 1 or argument.size == 0:
                    continue
                arguments = list(make())
                arguments[place] = misaligned(argument)
                with pytest.raises(TypeError):
                    call(*([owners(owner)[0]] if is_method else []), *arguments)
                refused += 1
    assert refused > 200
