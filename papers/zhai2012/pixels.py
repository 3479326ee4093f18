"""Figures 1 and 6: the pixels that are selected, and those that they represent.

The paper distinguishes faces by sex, of which no public list is known: here by person, all forty together. Its
digits are 0 and 1 of USPS, which is not public: here those of MNIST, or without a directory of data those of
scikit-learn's small digits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bitsieve.selectors.models import GDM
from bitsieve.utils.progress import phase
from bitsieve.utils.terminal_text import aligned
from papers.data.files import load_bundled, load_npz
from papers.item import Options, Result
from papers.zhai2012.curves import load_split
from papers.zhai2012.methods import Split, rank_by

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    Images = NDArray[np.floating]
    Integers = NDArray[np.intp]

N_PIXELS = 70  # support features, as in the paper's figure 6
TAU_OF_FACES = 0.25
SHOWN = 6  # faces, and digits of each class
ROWS = ("mRMR", "FCBF", "SVM-RFE", "L1-SVM", "FGM", "GDM")
WITH_GROUPS = "GDM-A"


def figure_1(options: Options) -> Result:
    """Faces, their support pixels, and the pixels that these represent."""
    if options.data_dir is None:
        raise ValueError("figure 1 needs orl.npz: give its directory by --data-dir")
    faces = load_npz(options.data_dir, "orl")
    phase("selecting")
    k = min(N_PIXELS, faces.X.shape[1] // 4)
    machine = GDM(k, tau=TAU_OF_FACES, C=float(len(faces.y)), n_jobs=options.n_jobs).fit(faces.X, faces.y)
    support, affiliated = machine.selected_, _affiliated(machine)
    options.part(
        f"{len(support)} support pixels, {len(affiliated)} affiliated ones of {faces.X.shape[1]:,}; "
        f"groups of {min(map(len, machine.groups_))} to {max(map(len, machine.groups_))} pixels\n",
        {"support": support.tolist(), "groups": [group.tolist() for group in machine.groups_]},
    )
    text = f"ORL faces, {len(machine.classes_)} persons, recognised together; white: the pixels in question."
    if not options.draw:
        return Result(text)
    first = np.unique(faces.y, return_index=True)[1]
    shown = first[np.linspace(0, len(first) - 1, min(SHOWN, len(first))).astype(np.intp)]
    some = faces.X[shown].astype(np.float64)
    brightest = float(some.max())
    rows = [("faces", some)]
    for label, pixels in (("support", support), ("affiliated", affiliated)):
        marked = some.copy()
        marked[:, pixels] = brightest
        rows.append((label, marked))
    side = round(faces.X.shape[1] ** 0.5)
    return Result(text, _grid([(label, [image.reshape(side, side).T for image in images]) for label, images in rows]))


def figure_6(options: Options) -> Result:
    """The pixels of every method, and what is left of digits that show these alone."""
    split = _small_digits() if options.data_dir is None else load_split(options.data_dir, "mnist01")
    k = min(N_PIXELS, split.X.shape[1] // 4)
    chosen: dict[str, Integers] = {}
    step = phase("selecting")
    for done, label in enumerate(ROWS):
        chosen[label], _ = rank_by(split, label, k, options.n_jobs)
        step(done + 1, len(ROWS))
    machine = GDM(k, matching="greedy", n_jobs=options.n_jobs).fit(split.X, split.y)
    chosen[WITH_GROUPS] = np.union1d(machine.selected_, _affiliated(machine))
    ink = split.X.astype(np.float64).mean(axis=0)
    rows = [(label, str(len(pixels)), f"{100 * ink[pixels].sum() / ink.sum():.1f}") for label, pixels in chosen.items()]
    options.part(
        aligned(("method", "pixels", "ink that they hold, %"), rows, (False, True, True)) + "\n",
        {"pixels": {label: pixels.tolist() for label, pixels in chosen.items()}},
    )
    text = f"{split.name}: {split.X.shape[1]} pixels, {k} of them selected; GDM-A: with the affiliated ones."
    return Result(text, _draw_digits(split, chosen) if options.draw else None)


def _affiliated(machine: GDM) -> Integers:
    """The affiliated features of all groups that are no support features."""
    return np.setdiff1d(np.concatenate(machine.groups_), machine.selected_).astype(np.intp)


def _small_digits() -> Split:
    digits = load_bundled("digits")
    is_either = np.isin(digits.y, (0, 1))
    X = digits.X[is_either]
    y = np.where(digits.y[is_either] == 1, 1, -1)
    return Split("small digits 0 and 1", X, y, X, y)


def _draw_digits(split: Split, chosen: dict[str, Integers]) -> Figure:
    some = np.concatenate([split.X[split.y == sign][:SHOWN] for sign in (-1, 1)]).astype(np.float64)
    side = round(split.X.shape[1] ** 0.5)
    rows = [("digits", [np.zeros((side, side)), *(image.reshape(side, side) for image in some)])]
    for label, pixels in chosen.items():
        mask = np.zeros(split.X.shape[1])
        mask[pixels] = 1.0
        images = [(mask * some.max()).reshape(side, side), *((mask * image).reshape(side, side) for image in some)]
        rows.append((f"{label} {len(pixels)}", images))
    return _grid(rows)


def _grid(rows: list[tuple[str, list[Images]]]) -> Figure:
    """Images in rows, each with its label."""
    from matplotlib.figure import Figure

    n_columns = max(len(images) for _, images in rows)
    figure = Figure(figsize=(1.3 + 0.9 * n_columns, 0.95 * len(rows)), layout="constrained")
    axes = figure.subplots(len(rows), n_columns, squeeze=False)
    brightest = max(float(image.max()) for _, images in rows for image in images)
    for (label, images), line in zip(rows, axes, strict=True):
        line[0].set_ylabel(label, rotation=0, ha="right", va="center")
        for one, image in zip(line, images, strict=False):
            one.imshow(image, cmap="gray", vmin=0, vmax=brightest, interpolation="nearest")
        for one in line:
            one.set(xticks=[], yticks=[])
            one.spines[:].set_visible(False)
    return figure
