"""Attributes computed once, and no lock that a forked process could wait for."""

from __future__ import annotations

import copy
import pickle
import threading
import weakref

import numpy as np
import pytest

from bitsieve.utils.lazy import Lazy, cached_property


class Counted:
    def __init__(self):
        self.calls = 0

    @cached_property
    def value(self):
        """How often it was computed."""
        self.calls += 1
        return self.calls


def test_computed_once_for_each_object():
    one, other = Counted(), Counted()
    assert (one.value, one.value, other.value) == (1, 1, 1)
    assert (one.calls, other.calls) == (1, 1)
    assert Counted.value.__doc__ == "How often it was computed."


def test_a_lazy_value_is_computed_once_and_what_it_is_made_of_let_go():
    made, parts = [], np.arange(3)
    held = weakref.ref(parts)
    lazy = Lazy(lambda parts=parts: made.append(1) or parts.sum())
    del parts
    assert not made
    assert held() is not None
    assert (lazy.value, lazy.value, made) == (3, 3, [1])
    assert held() is None


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda lazy: pickle.loads(pickle.dumps(lazy))])
def test_a_lazy_value_is_copied_and_pickled_as_the_value(copied):
    made = []
    lazy = Lazy(lambda: made.append(1) or 3)
    assert (copied(lazy).value, lazy.value, made) == (3, 3, [1])


def test_one_thread_does_not_wait_for_another():
    """While one computes for its object, others compute for theirs: the class holds no lock."""
    inside, leave = threading.Event(), threading.Event()

    class Slow:
        def __init__(self, wait):
            self.wait = wait

        @cached_property
        def value(self):
            if self.wait:
                inside.set()
                assert leave.wait(30)
            return 1

    slow = threading.Thread(target=lambda: Slow(True).value)
    slow.start()
    assert inside.wait(30)
    assert Slow(False).value == 1
    leave.set()
    slow.join()
