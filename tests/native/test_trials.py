"""Every entry point of the extension against its definition in numpy: random problems, every instruction set."""

from __future__ import annotations

import time
from zlib import crc32

import numpy as np
import pytest
from tests.cover import quick_and_slow
from tests.native import coding_trials, counting_trials, long_mdl_trials, sample_trials  # noqa: F401
from tests.native.good_calls import entry_points
from tests.native.trials import KERNELS, TRIALS, TRIED

NOT_TRIED = {"kernel_names"}  # a list of names


def run(name, seed):
    random = np.random.default_rng([crc32(name.encode()), seed])
    try:
        return TRIALS[name](random, KERNELS[seed % len(KERNELS)])
    except Exception as error:
        error.add_note(f"trial {name!r}, seed {seed}")
        raise


def run_all(seconds, first):
    """Problems of every kind for so long; how many they were, and how many numbers were compared."""
    end, seed, compared = time.monotonic() + seconds, first, 0
    while time.monotonic() < end:
        compared += sum(run(name, seed) for name in TRIALS)
        seed += 1
    return (seed - first) * len(TRIALS), compared


def test_every_entry_point_is_tried():
    assert set(entry_points()) == TRIED | NOT_TRIED


@pytest.mark.parametrize(
    ("first", "last"),
    quick_and_slow(
        [(0, len(KERNELS)), (len(KERNELS), 40)], quick={(0, len(KERNELS))}, reason="more seeds for every kernel"
    ),
)
@pytest.mark.parametrize("name", TRIALS)
def test_random_problems_for_a_moment(name, first, last):
    assert sum(run(name, seed) for seed in range(first, last)) > 0


@pytest.mark.nightly
def test_random_problems_for_minutes():
    assert run_all(seconds=300, first=1000)[1] > 10_000
