"""Recipes: the steps run in order, and a chain of thousands of them can be sent."""

from __future__ import annotations

import pickle

from bitsieve.engines.recipe import PERSISTED_OBJECT, recipe_by_partition


def test_recipes_are_followed_step_by_step():
    doubled = PERSISTED_OBJECT.then(lambda value: 2 * value)
    both = doubled.zipped(doubled.then(lambda value: value + 1))
    assert both(0, 5) == [10, 11]
    assert both.then(lambda a, b: a * b)(0, 5) == [110]


def test_a_recipe_of_the_partition_stands_before_others():
    first_rows = {3: 40, 7: 0}
    assert recipe_by_partition(first_rows.__getitem__).zipped(PERSISTED_OBJECT)(3, "rows") == [40, "rows"]


def test_long_recipes_can_be_pickled():
    recipe = PERSISTED_OBJECT
    for _ in range(5000):  # far beyond what functions in functions could be sent
        recipe = recipe.then(abs)
    assert pickle.loads(pickle.dumps(recipe))(0, -3) == [3]
