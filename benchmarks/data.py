"""Seeded code tables with real dependence between features and class, and between features.

A sample has a class; a few latent factors depend on the class; every feature listens to one factor, loudly,
faintly or not at all; some features are noisy copies of an earlier one. A selector therefore has relevance to
find and redundancy to avoid, as in real data.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyarrow import csv, parquet

from benchmarks.machine import ROOT

if TYPE_CHECKING:
    from pathlib import Path

N_FACTORS = 12
SHARE_OF_COPIES = 0.15
LOUDNESS = np.array([0.9, 0.45, 0.15, 0.0])  # weight of the factor in a feature
SHARE_OF_LOUDNESS = np.array([0.10, 0.25, 0.30, 0.35])
CORRUPTION_OF_COPIES = 0.10
ROWS_AT_ONCE = 1 << 14
COLUMNS_OF_TESTS = ROOT / "tests" / "scorecards" / "golden"
PUBLIC_COLUMNS = {  # by name the file of a column among those of the tests; None for one that scikit-learn has
    "adult_age": "adult_age_peak",
    "adult_hours": "adult_hours_auto_mindiff",
    "pima_glucose": "pima_glucose_ascending",
    "pima_pressure": "pima_pressure_none_trend",
    "spam_capitals": "spam_capitals_all_distinct",
    "spam_exclamation_marks": "spam_exclaim_auto",
    "german_duration": "german_duration_ascending",
    "german_age": "german_age_descending_chi2",
    "flights_departure": "flights_deptime_auto",
    "heart_age": "heart_age_auto",
    "heart_rate": "heart_maxrate_descending",
    "mean_texture": None,
    "mean_smoothness": None,
    "mean_symmetry": None,
}
CELLS_AT_ONCE = 1000  # that are drawn
CELL_VALUES = 1 << 16  # in a chunk of a file of cells


@dataclass(frozen=True)
class Shape:
    """The size of a table of codes."""

    samples: int
    features: int
    bins: int
    classes: int

    @cached_property
    def name(self) -> str:
        return f"{self.samples:,} x {self.features:,}, {self.bins} bins, {self.classes:,} classes"


@dataclass(frozen=True)
class CodeTable:
    """Codes (samples, features), uint8, Fortran order, and classes (samples,), int32."""

    codes: np.ndarray
    classes: np.ndarray


@dataclass(frozen=True)
class Data:
    """The files of a job: arrays of a shape by the name of one of `MAKERS`."""

    kind: str
    shape: Shape
    seed: int = 0

    def write(self, folder: Path) -> None:
        """Make the files."""
        MAKERS[self.kind](self.shape, self.seed, folder)


def codes(shape: Shape, seed: int = 0) -> Data:
    """`codes` and `classes` as arrays, the most frequent case."""
    return Data("codes", shape, seed)


def make_codes(shape: Shape, seed: int = 0) -> CodeTable:
    """The table of codes of this shape; the same for the same seed."""
    classes, factors = _classes_and_factors(shape, seed)
    codes = np.empty((shape.samples, shape.features), dtype=np.uint8, order="F")
    for j in range(shape.features):
        random = np.random.default_rng([seed, 1, j])
        if j >= N_FACTORS and random.random() < SHARE_OF_COPIES:
            codes[:, j] = _noisy_copy(codes[:, random.integers(j)], shape.bins, random)
        else:
            values = _listen(factors, random)
            codes[:, j] = np.searchsorted(_cuts(values, shape.bins, random), values)
    return CodeTable(codes, classes)


def make_values(shape: Shape, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Continuous features (samples, features), float64, Fortran order, and classes, int32."""
    classes, factors = _classes_and_factors(shape, seed)
    values = np.empty((shape.samples, shape.features), dtype=np.float64, order="F")
    for j in range(shape.features):
        values[:, j] = _listen(factors, np.random.default_rng([seed, 2, j]))
    return values, classes


def _classes_and_factors(shape: Shape, seed: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng([seed, 0])
    shares = np.linspace(1.5, 0.5, shape.classes)
    classes = random.choice(shape.classes, size=shape.samples, p=shares / shares.sum()).astype(np.int32)
    classes[: shape.classes] = np.arange(shape.classes)  # none is missing, however few the samples
    centres = random.normal(size=(shape.classes, N_FACTORS)).astype(np.float32)
    factors = np.empty((N_FACTORS, shape.samples), dtype=np.float32)
    for f in range(N_FACTORS):
        factors[f] = centres[classes, f] + random.standard_normal(shape.samples, dtype=np.float32)
    return classes, factors


def _listen(factors: np.ndarray, random: np.random.Generator) -> np.ndarray:
    loud = random.choice(LOUDNESS, p=SHARE_OF_LOUDNESS)
    factor = factors[random.integers(len(factors))]
    noise = random.standard_normal(factors.shape[1], dtype=np.float32)
    return np.float32(loud) * factor + np.float32(np.sqrt(1.0 - loud * loud)) * noise


def _cuts(values: np.ndarray, bins: int, random: np.random.Generator) -> np.ndarray:
    """Cuts near the quantiles of a normal law, shifted from feature to feature, so that margins differ."""
    shares = np.clip(np.arange(1, bins) / bins + random.uniform(-0.25, 0.25) / bins, 0.02, 0.98)
    normal = NormalDist(float(values.mean()), max(float(values.std()), 1e-6))
    return np.array([normal.inv_cdf(share) for share in shares], dtype=np.float32)


def _noisy_copy(codes: np.ndarray, bins: int, random: np.random.Generator) -> np.ndarray:
    changed = random.random(len(codes), dtype=np.float32) < CORRUPTION_OF_COPIES
    return np.where(changed, random.integers(bins, size=len(codes), dtype=np.uint8), codes)


def _write_codes(shape: Shape, seed: int, folder: Path) -> None:
    table = make_codes(shape, seed)
    _save(folder, codes=table.codes, classes=table.classes)


def _write_network(shape: Shape, seed: int, folder: Path) -> None:
    """Columns of two to four codes that depend on each other, and no class of their own."""
    from benchmarks.markov_blankets import Network

    codes = Network.random(seed, shape.features).sample(shape.samples, seed + 1)
    _save(folder, codes=np.asfortranarray(codes))


def _write_values(shape: Shape, seed: int, folder: Path) -> None:
    values, classes = make_values(shape, seed)
    _save(folder, values=values, classes=classes)


def _write_risks(shape: Shape, seed: int, folder: Path) -> None:
    values, is_event = _risks(shape, seed)
    _save(folder, values=values, classes=is_event.astype(np.int32))


def _risks(shape: Shape, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Normal columns of which every third one carries information about an event, less the further right it stands."""
    random = np.random.default_rng([seed, 3])
    values = np.empty((shape.samples, shape.features), order="F")
    log_odds = np.zeros(shape.samples)
    for j in range(shape.features):
        values[:, j] = random.standard_normal(shape.samples)
        if j % 3 == 0:
            log_odds += 2 * 0.8**j * values[:, j]
    is_event = random.random(shape.samples) < 1 / (1 + np.exp(-log_odds))
    return values, is_event


def _write_risks_as_text(shape: Shape, seed: int, folder: Path) -> None:
    """The same with all digits, as programs write them; most columns of many are unrelated to the event."""
    values, is_event = _risks(shape, seed)
    columns = {f"x{j}": values[:, j] for j in range(shape.features)}
    csv.write_csv(pa.table({**columns, "class": is_event.astype(np.int32)}), folder / "table.csv")


def _write_text(shape: Shape, seed: int, folder: Path) -> None:
    csv.write_csv(_as_table(shape, seed), folder / "table.csv")


def _write_parquet(shape: Shape, seed: int, folder: Path) -> None:
    parquet.write_table(_as_table(shape, seed), folder / "table.parquet")


def _as_table(shape: Shape, seed: int) -> pa.Table:
    """Floats, and a last column `class` of words, as people keep them."""
    values, classes = make_values(shape, seed)
    columns = {f"gene{j}": np.round(values[:, j], 6) for j in range(shape.features)}
    return pa.table({**columns, "class": [f"class {c}" for c in classes]})


def _write_huge_parquet(shape: Shape, seed: int, folder: Path) -> None:
    """Codes, and their classes as the last column: the same five million rows over and over, for so many rows."""
    made = make_codes(replace(shape, samples=min(shape.samples, 5_000_000)), seed)
    _write_again(shape, made.codes, made.classes, folder)


def _write_huge_doubles(shape: Shape, seed: int, folder: Path) -> None:
    """Numbers, and classes as the last column: the same million rows over and over, for so many rows."""
    _write_again(shape, *make_values(replace(shape, samples=min(shape.samples, 1_000_000)), seed), folder)


def _write_again(shape: Shape, values: np.ndarray, classes: np.ndarray, folder: Path) -> None:
    """The same rows over and over, for so many rows."""
    piece = len(classes)
    table = pa.table({**{f"x{j}": values[:, j] for j in range(shape.features)}, "class": classes})
    with parquet.ParquetWriter(folder / "table.parquet", table.schema) as file:
        for first in range(0, shape.samples, piece):
            file.write_table(table.slice(0, shape.samples - first), row_group_size=1 << 20)


def _write_npz(shape: Shape, seed: int, folder: Path) -> None:
    """Bytes, as of pixels, and classes."""
    values, classes = make_values(shape, seed)
    np.savez(folder / "table.npz", X=np.clip(128 + 40 * values, 0, 255).astype(np.uint8), y=classes)


def _write_pixels(shape: Shape, seed: int, folder: Path) -> None:
    """The same bytes as arrays."""
    values, classes = make_values(shape, seed)
    _save(folder, values=np.clip(128 + 40 * values, 0, 255).astype(np.uint8), classes=classes)


def _write_words(shape: Shape, seed: int, folder: Path) -> None:
    """Weights of words in texts, in single precision and dense: all but a few in a hundred are zero."""
    values, classes = make_values(shape, seed)
    thresholds = np.random.default_rng([seed, 4]).uniform(1.0, 2.5, shape.features)
    with (folder / "table.words").open("wb") as file:
        np.savez(file, X=np.maximum(values - thresholds, 0).astype(np.float32), y=classes)


def _write_redundancy(shape: Shape, seed: int, folder: Path) -> None:
    """Codes, their `redundancy` and `relevance`, and the `shift` that the redundancy lacks to be convex."""
    from benchmarks import engine

    table = make_codes(shape, seed)
    information = engine.pack(table.codes, table.classes)
    redundancy = information.matrix("redundancy")
    _save(folder, codes=table.codes, classes=table.classes)
    shift = np.array(engine.convex_shift(redundancy))
    _save(folder, redundancy=redundancy, relevance=information.relevance, shift=shift)


def _write_characters(shape: Shape, seed: int, folder: Path) -> None:
    """Bytes with many classes, as of handwriting: `train`, and a quarter as many samples of the same classes, `test`.

    Every class is a point in 24 dimensions, seen by features of unequal noise, two of which share most of their view
    and their noise. Sizes of classes are unequal.
    """
    world = np.random.default_rng(seed)
    points = world.normal(size=(shape.classes, 24))
    view = world.normal(size=(24, shape.features // 2)) / np.sqrt(24)
    noise = world.uniform(2, 8, shape.features // 2)
    shares = world.dirichlet(np.full(shape.classes, 20.0))
    for part, (name, share) in enumerate({"train": 1, "test": 0.248345}.items(), 1):
        n_samples = round(share * shape.samples)
        random = np.random.default_rng([3, part])
        y = random.choice(shape.classes, n_samples, p=shares).astype(np.int32)
        X = np.empty((n_samples, shape.features), np.uint8)
        for start in range(0, n_samples, ROWS_AT_ONCE):
            rows = slice(start, start + ROWS_AT_ONCE)
            seen = points[y[rows]] @ view
            seen = np.repeat(seen + random.normal(size=seen.shape) * noise, 2, axis=1)
            X[rows] = np.clip(128 + 12 * (seen + random.normal(size=seen.shape)), 0, 255)
        _save(folder, **{name: X, f"{name}_classes": y})


def _write_sparse_groups(shape: Shape, seed: int, folder: Path) -> None:
    """The pieces of a CSR matrix: `value`, `column`, `start`; `classes`, and the `groups` planted in the columns.

    `bins` of the shape are the non-zeros of a sample.
    """
    from papers.data.sparse_groups import make_sparse_groups

    made = make_sparse_groups(shape.samples, shape.features, n_nonzeros=shape.bins, random_state=seed)
    pieces = {"value": made.X.data, "column": made.X.indices, "start": made.X.indptr}
    _save(folder, **pieces, classes=made.y, groups=made.groups)


def _write_sparse_texts(shape: Shape, seed: int, folder: Path) -> None:
    """The same pieces of a matrix of which words are in a text: `bins` words a text, some of them more than once.

    The frequencies of the words fall with their rank to the power of 3/4. In texts of the second class one draw of 40
    is of the words that `groups` numbers, at most 200 and none of the most frequent.
    """
    world = np.random.default_rng(seed)
    classes = world.integers(0, shape.classes, shape.samples).astype(np.int32)
    classes[: shape.classes] = np.arange(shape.classes)
    marked = world.choice(np.arange(50, max(52, shape.features // 50)), min(200, shape.features // 100), replace=False)
    groups = np.full(shape.features, -1, np.int32)
    groups[marked] = np.arange(len(marked))
    texts = []
    for row, c in enumerate(classes.tolist()):
        random = np.random.default_rng([seed, 5, row])
        ranks = (1 + random.random(shape.bins) * (shape.features**0.25 - 1)) ** 4  # the inverse of their distribution
        words = np.minimum(ranks.astype(np.int32), shape.features) - 1
        if c == 1:
            words[: shape.bins // 40] = random.choice(marked, shape.bins // 40)
        texts.append(np.unique(words))
    start = np.concatenate([[0], np.cumsum([len(text) for text in texts])])
    value = np.ones(start[-1], np.uint8)
    _save(folder, value=value, column=np.concatenate(texts), start=start, classes=classes, groups=groups)


def _write_cells(shape: Shape, seed: int, folder: Path) -> None:
    """A file of AnnData of cells from ``bins`` batches: each has 6 of 100 genes, two of them by its type and batch."""
    import h5py

    random = np.random.default_rng(seed)
    types = random.integers(0, shape.classes, shape.samples)
    batches = random.integers(0, shape.bins, shape.samples)
    with h5py.File(folder / "cells.h5ad", "w") as file:
        matrix = file.create_group("X")
        matrix.attrs.update({"encoding-type": "csr_matrix", "shape": (shape.samples, shape.features)})
        values = matrix.create_dataset("data", (0,), np.float32, maxshape=(None,), chunks=(CELL_VALUES,))
        genes = matrix.create_dataset("indices", (0,), np.int32, maxshape=(None,), chunks=(CELL_VALUES,))
        lengths = []
        for first in range(0, shape.samples, CELLS_AT_ONCE):
            cells = np.arange(first, min(first + CELLS_AT_ONCE, shape.samples))
            drawn = random.integers(0, shape.features, (len(cells), max(1, 6 * shape.features // 100)))
            drawn[:, 0] = types[cells]  # a gene of the type, and one of the batch
            drawn[:, -1] = shape.classes + batches[cells]
            cell_and_gene = np.unique(np.arange(len(cells))[:, None] * shape.features + drawn)
            lengths.append(np.bincount(cell_and_gene // shape.features, minlength=len(cells)))
            start = len(values)
            for stored in (values, genes):
                stored.resize((start + len(cell_and_gene),))
            values[start:] = random.integers(1, 6, len(cell_and_gene))
            genes[start:] = cell_and_gene % shape.features
        matrix["indptr"] = np.concatenate([[0], np.cumsum(np.concatenate(lengths))])
        for name, prefix, size in (("obs", "cell", shape.samples), ("var", "gene", shape.features)):
            table = file.create_group(name)
            table.attrs["_index"] = "_index"
            labels = [f"{prefix}{number}" for number in range(size)]
            table.create_dataset("_index", data=labels, dtype=h5py.string_dtype())
        file["obs/cell_type"] = types
        file["obs/batch"] = batches


def _write_public_columns(shape: Shape, seed: int, folder: Path) -> None:
    """Columns of public tables without their missing values, and the classes of each."""
    from sklearn.datasets import load_breast_cancer

    cancer = load_breast_cancer(as_frame=True)
    for name, file in PUBLIC_COLUMNS.items():
        if file is None:
            values, classes = cancer.data[name.replace("_", " ")].to_numpy(), cancer.target.to_numpy()
        else:
            column = np.load(COLUMNS_OF_TESTS / f"{file}.npz")
            values, classes = column["x"], column["y"]
        is_present = ~np.isnan(values)
        _save(folder, **{name: values[is_present], f"{name}_classes": classes[is_present].astype(np.int64)})


def _write_logit_column(shape: Shape, seed: int, folder: Path) -> None:
    """Normal numbers, twice of which are the log-odds of the second class."""
    random = np.random.default_rng(seed)
    numbers = random.normal(size=shape.samples)
    classes = (random.random(shape.samples) < 1 / (1 + np.exp(-2 * numbers))).astype(np.int64)
    _save(folder, numbers=numbers, numbers_classes=classes)


def _save(folder: Path, **arrays: np.ndarray) -> None:
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)


MAKERS = {
    "codes": _write_codes,
    "network": _write_network,
    "values": _write_values,
    "risks": _write_risks,
    "risks_csv": _write_risks_as_text,
    "csv": _write_text,
    "parquet": _write_parquet,
    "huge_parquet": _write_huge_parquet,
    "huge_doubles": _write_huge_doubles,
    "npz": _write_npz,
    "pixels": _write_pixels,
    "words": _write_words,
    "redundancy": _write_redundancy,
    "characters": _write_characters,
    "sparse_groups": _write_sparse_groups,
    "sparse_texts": _write_sparse_texts,
    "cells": _write_cells,
    "public_columns": _write_public_columns,
    "logit_column": _write_logit_column,
}
