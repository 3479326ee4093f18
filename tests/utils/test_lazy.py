"""Attributes computed once, and no lock that a forked process could wait for."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest

from bitsieve.utils.lazy import ClassesByName, Lazy, cached_property


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


def test_classes_are_imported_when_they_are_asked_for():
    asked = (
        "import sys\n"
        "from bitsieve.utils.lazy import ClassesByName\n"
        "classes = ClassesByName({'time': 'datetime:timedelta', 'shelf': 'shelve:Shelf'})\n"
        "before = list(classes), len(classes), 'shelf' in classes, 'other' in classes, 'shelve' in sys.modules\n"
        "found = classes['shelf']\n"
        "print(before, found.__name__, 'shelve' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert run.stdout == "(['time', 'shelf'], 2, True, False, False) Shelf True\n"


def test_a_class_without_a_home_is_a_missing_key():
    with pytest.raises(KeyError, match=r"^'other'$"):
        ClassesByName({"shelf": "shelve:Shelf"})["other"]
