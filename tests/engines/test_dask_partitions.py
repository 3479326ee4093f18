"""Samples in portions on a cluster count as samples in memory do, whatever the portions and the workers."""

from __future__ import annotations

import os
import pickle
import signal
import sys

import numpy as np
import pytest
from dask.delayed import delayed
from distributed import Client, LocalCluster

from bitsieve.counts.packed import PackedSource
from bitsieve.counts.reference import NaiveSource
from bitsieve.counts.tables import DENSE_CELLS, make_entropy_terms
from bitsieve.engines.dask_partitions import FAN_IN, DaskPartitions
from bitsieve.engines.pair_tables import shapes_of_pairs
from bitsieve.engines.partitioned_source import PartitionedSource
from bitsieve.information import make_information
from bitsieve.methods.by_counts.criteria import make_criterion
from bitsieve.methods.by_counts.forward import forward_select
from bitsieve.methods.by_counts.stopping import make_stopping

N = 400


def pack(codes, classes=None, weights=None):
    """A portion, packed for counting; None where it has no samples."""
    return PackedSource(codes, classes, weights=weights) if len(codes) else None


@pytest.fixture(scope="module")
def table():
    """Columns of few and of many codes, so that two make a table that does not travel with all its cells."""
    random = np.random.default_rng(0)
    classes = random.integers(0, 4, N)
    few = np.where(random.random((N, 7)) < 0.5, (classes[:, None] + np.arange(7)) % 5, random.integers(0, 5, (N, 7)))
    many = np.column_stack([random.permutation(N), random.permutation(N), np.arange(N) * 0])
    return np.column_stack([few, many]).astype(np.uint16), classes


def portions_of(table, cuts, client=None):
    codes, classes = (np.split(array, cuts) for array in table)
    raw = DaskPartitions([(delayed(c), delayed(y)) for c, y in zip(codes, classes, strict=True)], client)
    return raw.map("pack", pack)


def cut_into(n):
    return np.sort(np.random.default_rng(n).integers(0, N, n - 1))  # some portions may hold no sample


def answers(source):
    information = make_information("plug-in", source)
    for name, stopping in (("jmi", "significance"), ("cmi", None)):
        rule = None if stopping is None else make_stopping(stopping)
        found = forward_select(information, make_criterion(name), 3, stopping=rule)
        yield from (found.order, found.scores)
    yield from (information.relevance, information.pair(8).conditional_relevance)


def assert_equal_answers(source, table):
    for mine, theirs in zip(answers(source), answers(PackedSource(*table)), strict=True):
        assert mine.tobytes() == theirs.tobytes()


@pytest.mark.each_value
@pytest.mark.parametrize("cuts", [[], [0, 1, N], [N // 2] * 3, cut_into(2 * FAN_IN + 1)], ids=len)
@pytest.mark.parametrize("by_class", [True, False])
@pytest.mark.parametrize("pivot", [None, 1, 7])
@pytest.mark.parametrize("max_pair_cells", [0, 1 << 22], ids=["by request", "all pairs at once"])
def test_tables_of_portions_add_up_to_those_of_all_samples(table, cuts, pivot, by_class, max_pair_cells, monkeypatch):
    monkeypatch.setattr(DaskPartitions, "max_pair_cells", max_pair_cells)
    columns = np.array([3, 8, 0, 9, 7])
    expected = NaiveSource(*table).tables(pivot, columns, by_class)
    found = PartitionedSource(portions_of(table, cuts)).tables(pivot, columns, by_class)
    for mine, theirs in zip(found, expected, strict=True):
        assert mine.shape == theirs.shape
        np.testing.assert_array_equal(mine.occupied(), theirs.occupied())
    assert pivot != 7 or np.prod(found[1].shape) > DENSE_CELLS


def test_partitions_of_portions_are_those_of_all_samples(table):
    found = PartitionedSource(portions_of(table, cut_into(3))).partition()
    expected = NaiveSource(*table).partition()
    for feature in (0, 8, 5):
        found, expected = found.refine(feature), expected.refine(feature)
        assert found.keys.tolist() == expected.keys.tolist()
        for columns in (None, np.array([3, 8])):
            pairs = zip(found.tables(columns, True), expected.tables(columns, True), strict=True)
            for mine, theirs in pairs:
                assert mine.shape == theirs.shape
                np.testing.assert_array_equal(mine.occupied(), theirs.occupied())


def test_facts_are_those_of_all_samples(table):
    source = PartitionedSource(portions_of(table, [5]), n_classes=9)
    whole = PackedSource(*table, n_classes=9)
    for name in ("arities", "class_sizes"):
        np.testing.assert_array_equal(getattr(source, name), getattr(whole, name))
    assert (source.n_samples, source.n_features, source.n_classes) == (N, table[0].shape[1], 9)
    without_target = PartitionedSource(DaskPartitions([(delayed(table[0]),)]).map("pack", pack))
    assert without_target.class_sizes.tolist() == [N]


@pytest.mark.parametrize("groups", [[[0, 1], [2], [7, 3]], [[9], [4, 9], [5]]])
def test_joint_codes_are_agreed_on_by_the_portions(table, groups):
    groups = [np.array(group) for group in groups]
    joined = PartitionedSource(portions_of(table, cut_into(3))).joined(groups)
    expected = PackedSource(*table).joined(groups)
    np.testing.assert_array_equal(joined.arities, expected.arities)
    for pivot in (None, 0):
        pairs = (source.tables(pivot, np.arange(3), True) for source in (joined, expected))
        for mine, theirs in zip(*pairs, strict=True):
            np.testing.assert_array_equal(mine.occupied(), theirs.occupied())


def test_a_group_of_too_many_joint_values_is_refused():
    codes = np.column_stack(np.divmod(np.arange(70_000), 300))
    source = PartitionedSource(DaskPartitions([(delayed(codes),)]).map("pack", pack))
    with pytest.raises(ValueError, match=r"^a group of 2 columns has 70,000 combinations: at most 65,536$"):
        source.joined([np.array([0, 1])])


def test_no_samples_are_refused():
    with pytest.raises(ValueError, match=r"^the data has no samples: at least one is required$"):
        PartitionedSource(DaskPartitions([(delayed(np.empty((0, 3), np.uint8)),)]).map("pack", pack))


def test_a_packed_portion_can_be_sent_and_says_what_it_weighs(table):
    codes, classes = table
    weights = np.arange(N) % 3 + 1
    source = PackedSource(codes, classes, n_classes=6, weights=weights)
    again = pickle.loads(pickle.dumps(source))
    for mine, theirs in zip(source.tables(1, np.arange(10), True), again.tables(1, np.arange(10), True), strict=True):
        np.testing.assert_array_equal(mine.counts, theirs.counts)
    assert (again.n_samples, again.n_classes) == (weights.sum(), 6)
    assert sys.getsizeof(source) > source.nbytes


def recorded_tasks(monkeypatch):
    """The names of the passes over the samples from now on."""
    total = DaskPartitions.total
    tasks = []

    def recorded_total(partitions, task, work, merge):
        tasks.append(task)
        return total(partitions, task, work, merge)

    monkeypatch.setattr(DaskPartitions, "total", recorded_total)
    return tasks


def test_a_test_of_one_column_counts_its_table_once(table, monkeypatch):
    partition = PartitionedSource(portions_of(table, [100, 200])).partition().refine(2)
    tasks = recorded_tasks(monkeypatch)
    terms = make_entropy_terms(N)
    seeds = np.arange(5, dtype=np.uint64)
    first = partition.shuffled_sums(terms, 1, seeds)
    assert partition.shuffled_sums(terms, 1, seeds).tolist() == first.tolist()
    partition.degrees_of_freedom(1)
    partition.sums(terms, np.array([1]))
    assert tasks == ["count"]
    partition.degrees_of_freedom(0)
    partition.tables(np.array([0]), False)
    assert tasks == ["count"] * 3


@pytest.mark.parametrize(("n_more_cells", "n_passes"), [(0, 1), (-1, 3)], ids=["all pairs at once", "by request"])
def test_pairs_beyond_the_limit_are_counted_as_they_are_asked_for(table, n_more_cells, n_passes, monkeypatch):
    n_cells = sum(np.prod(shape) for shape in shapes_of_pairs(np.array([5, 4, 3], np.int32), 4))
    monkeypatch.setattr(DaskPartitions, "max_pair_cells", int(n_cells) + n_more_cells)
    codes = np.minimum(table[0][:, :3], [4, 3, 2])
    source = PartitionedSource(portions_of((codes, table[1]), [100, 200]))
    tasks = recorded_tasks(monkeypatch)
    for pivot in range(3):
        source.tables(pivot, np.arange(3), pivot > 0)
    assert tasks == ["count"] * n_passes


@pytest.mark.slow("tasks on a cluster, whose sums the tests above have without it")
@pytest.mark.parametrize("n_portions", [1, 5, 2 * FAN_IN + 1])
def test_a_cluster_gives_the_same_bits(table, client, n_portions):
    assert_equal_answers(PartitionedSource(portions_of(table, cut_into(n_portions), client)), table)


def test_tasks_have_names(table, client):
    source = PartitionedSource(portions_of(table, [100, 200], client))
    forward_select(make_information("plug-in", source), make_criterion("cmi"), 2)
    source.joined([np.array([0, 1])])
    names = set(client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.task_prefixes)))
    ours = {name for name in names if name.startswith("bitsieve")}
    assert ours >= {f"bitsieve-{task}" for task in ("pack", "facts", "count", "refine", "join", "add")}


@pytest.mark.parametrize("all_pairs", [False, True], ids=["by request", "all pairs at once"])
def test_only_tables_move(client, all_pairs, monkeypatch):
    monkeypatch.setattr(DaskPartitions, "max_pair_cells", (1 << 17) * all_pairs)
    random = np.random.default_rng(0)
    codes, classes = random.integers(0, 8, (60_000, 20)).astype(np.uint8), random.integers(0, 2, 60_000)
    source = PartitionedSource(portions_of((codes, classes), np.arange(10_000, 60_000, 10_000), client))

    def moved():
        return sum(client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total).values())

    before = moved()
    source.tables(3, np.arange(20), True)
    n_pairs = 20 * 21 // 2 if all_pairs else 20
    table_bytes = n_pairs * 8 * 8 * 2 * 4
    sent = moved() - before
    assert table_bytes <= sent <= 6 * (table_bytes + 4096)  # at most one block for every portion, and no portion
    source.tables(4, np.arange(20), False)
    assert (moved() == before + sent) == all_pairs  # the pairs were all counted


@pytest.mark.slow("starts a cluster of processes of its own and waits for one to be missed")
def test_a_killed_worker_costs_its_recount_only(table):
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        source = PartitionedSource(portions_of(table, cut_into(6), client))
        information = make_information("plug-in", source)
        first = information.pair(0).redundancy
        kept = [key for key, places in client.who_has().items() if "bitsieve-pack" in key and places]
        lost = {worker: sum(worker in client.who_has()[key] for key in kept) for worker in client.nthreads()}
        victim = max(lost, key=lost.get)
        os.kill(client.run(os.getpid, workers=[victim])[victim], signal.SIGKILL)
        assert_equal_answers(source, table)
        np.testing.assert_array_equal(make_information("plug-in", source).pair(0).redundancy, first)
        packed = client.run_on_scheduler(
            lambda dask_scheduler: dask_scheduler.task_prefixes["bitsieve-pack"].state_counts["memory"]
        )
        assert packed == 6 + lost[victim]


def test_partitions_with_rows_are_numbered_by_their_first_row():
    partitions = DaskPartitions([("a",), ("b",), ("c",)]).numbered([2, 0, 3])
    assert partitions.objects_by_partition == [(0, "a"), (2, "c")]
