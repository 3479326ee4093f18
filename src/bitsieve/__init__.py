"""Which columns of a table are informative about a target, and which only repeat others: exact, and in bits.

From a table or a file to a result that prints itself:

==============================  ==============================================================================
``select(data, target)``        rank the columns; the result has ``features``, ``explain(column)``, ``save(path)``
``load(path)``                  a selection that was saved
``how_many(data, target)``      how many columns to take, by five rules
``compare(data, target)``       methods side by side, by the error of a model on what they select
``interactions(data, target)``  pairs and triples of columns that are informative together
``write_report(result, path)``  a selection or a comparison as a page of HTML
``mutual_information(X, y)``    bits that each column has about y; also ``entropy``, ``mutual_information_matrix``
``list_methods()``              the methods of selection, by name
==============================  ==============================================================================

Transformers for pipelines of scikit-learn:

==============================  ==============================================================================
``ForwardSelector(8)``          one column at a time, by a criterion such as ``criterion="jmi"``
``make_selector("fcbf", 8)``    the selector of any method of ``list_methods()``
``SelectorCV()``                the method and the number of columns by cross-validation
``StabilitySelector(...)``      what a selector chooses from most halves of the rows
``MDLBinner()``                 numbers to codes; also ``EqualFrequencyBinner``, ``EqualWidthBinner``
==============================  ==============================================================================

>>> import bitsieve
>>> from sklearn.datasets import load_breast_cancer
>>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
>>> bitsieve.select(X, y, n_features_to_select=3).features
['worst perimeter', 'worst concave points', 'worst area']

``help(bitsieve.select)`` describes one of them, ``dir(bitsieve)`` lists all. On the command line: ``bitsieve --help``.
"""

# Every public name is a line of ``__init__.pyi`` and is imported when first used, so that ``import bitsieve`` is light.

import os
import re
from importlib import import_module

with open(os.path.join(os.path.dirname(__file__), "__init__.pyi"), encoding="utf-8") as _stub:
    _HOMES = {name: home for home, name in re.findall(r"from (\S+) import \(?\s*(\w+) as", _stub.read())}

__all__ = sorted([*_HOMES, "__version__"])


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        value: object = version("bitsieve")
    elif name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
