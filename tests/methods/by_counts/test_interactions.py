"""What shuffles say of the strongest tuples: p that are as rare as they say, and columns that are found."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2, false_discovery_control, weibull_min

from bitsieve.counts.packed import PackedSource
from bitsieve.counts.reference import NaiveSource
from bitsieve.counts.source import JoinedSource
from bitsieve.methods.by_counts import interactions
from bitsieve.methods.by_counts.interactions import Chance, Samples, Search, p_of_strongest, rarities

N_TABLES, N_SHUFFLES = 200, 19


def noise(seed, n=120, n_columns=10, codes=3):
    random = np.random.default_rng(seed)
    return random.integers(0, codes, (n, n_columns)), random.permutation(n) % 2


@pytest.mark.slow("200 tables of pairs, and of triples")
@pytest.mark.parametrize("order", [2, 3])
def test_p_of_the_strongest_tuple_of_noise_is_uniform(order):
    search, p = Search(order, "gain", 1), []
    for seed in range(N_TABLES):
        source = PackedSource(*noise(seed))
        p.append(search.after_shuffles(source, N_SHUFFLES, seed).of_tuples(search.strongest(source).values)[0])
    shares = np.bincount(np.rint(np.array(p) * (N_SHUFFLES + 1)).astype(int), minlength=N_SHUFFLES + 2)[1:]
    assert shares.sum() == N_TABLES
    # Each of 20 values is as likely: 10 expected. By chi-squared with 19 degrees of freedom 49 has a chance of 2e-4.
    assert ((shares - 10.0) ** 2 / 10.0).sum() < 49


def test_columns_of_a_parity_are_found_and_no_others():
    codes, _ = noise(0, 300, 12, 2)
    classes = codes[:, [2, 5, 9]].sum(axis=1) % 2
    source, search = PackedSource(codes, classes), Search(3, "gain", 5)
    found, chance = search.strongest(source), search.after_shuffles(source, 39, 1)
    assert np.flatnonzero(chance.of_columns(found.best) <= 0.05).tolist() == [2, 5, 9]
    assert np.flatnonzero(chance.false_discovery(found.best) <= 0.1).tolist() == [2, 5, 9]
    assert chance.of_tuples(found.values)[0] == 1 / 40


def test_a_screen_keeps_the_columns_of_the_largest_gain_in_pairs_and_their_names():
    codes, _ = noise(1, 300, 15, 2)
    classes = codes[:, 4] ^ codes[:, 11]
    source = PackedSource(codes, classes)
    screened, whole = Search(3, "joint", 4, screen=6).strongest(source), Search(3, "joint", 455).strongest(source)
    kept = np.flatnonzero(np.isfinite(screened.best))
    assert len(kept) == 6
    assert {4, 11} <= set(kept.tolist())
    inside = np.isin(whole.columns, kept).all(axis=1)
    assert screened.columns.tolist() == whole.columns[inside][:4].tolist()
    assert screened.values.tolist() == whole.values[inside][:4].tolist()


def test_shuffles_are_the_same_for_any_threads_and_number_of_others():
    codes, classes = noise(2)
    one, many = (PackedSource(codes, classes, n_jobs=n_jobs) for n_jobs in (1, 3))
    for order in (2, 3):
        few = Search(order, "synergy").after_shuffles(one, 3, 7).best
        assert few.tolist() == Search(order, "synergy").after_shuffles(many, 5, 7).best[:3].tolist()


def test_shuffles_that_take_long_are_not_made_unasked():
    random = np.random.default_rng(0)
    classes = np.arange(1000) % 2
    few = PackedSource(random.integers(0, 2, (1000, 150)), classes)
    wide = PackedSource(random.integers(0, 17, (1000, 150)), classes)
    # 11,175 pairs of 1,000 rows, 99 times: 1.1e9. 551,300 triples: 5.5e10.
    assert [Search(order, "gain").affordable_shuffles(few) for order in (2, 3)] == [99, 99]
    assert [Search(order, "gain").affordable_shuffles(wide) for order in (2, 3)] == [0, 0]
    # Triples of 3,000 columns are 4.5e9, 4.5e14 steps; all pairs, then the triples of 50, are 4.5e11.
    many = PackedSource(random.integers(0, 2, (1000, 3000)), classes)
    assert [Search(3, "gain", 1, screen).affordable_shuffles(many) for screen in (None, 50, 3000)] == [0, 99, 0]


def test_p_by_hand():
    chance = Chance(np.array([[0.1, 0.5, 0.2], [0.3, 0.1, -np.inf], [0.2, 0.2, 0.1]]), np.array([3, 3, 2]))
    best = np.array([0.4, 0.25, -np.inf])
    assert chance.of_tuples(np.array([0.5, 0.3, 0.05])).tolist() == [2 / 4, 3 / 4, 1.0]
    # The strongest is compared with the largest of all three columns, the next with the largest of the other two.
    assert chance.of_columns(best).tolist() == [2 / 4, 2 / 4, 1.0]
    # Of 6 values of columns with three codes 1 and 2 are as large, and there is the value itself; ranks 1, 2 of 3.
    assert chance.false_discovery(best) == pytest.approx([9 / 14, 9 / 14, 1.0], rel=1e-15)  # two roundings


@pytest.mark.parametrize("seed", range(20))
def test_p_are_counted_among_the_shuffles(seed):
    """By definition, of any number of shuffles and columns, of two numbers of codes, some of one code."""
    random = np.random.default_rng(seed)
    n_shuffles, n_columns = random.integers(1, 8, 2)
    null = random.integers(0, 5, (n_shuffles, n_columns)) / 4
    best, arities = random.integers(0, 6, n_columns) / 4, random.integers(1, 4, n_columns)
    chance = Chance(null, arities)
    assert chance.of_tuples(best).tolist() == [(1 + (null.max(axis=1) >= b).sum()) / (1 + n_shuffles) for b in best]
    order, p = np.argsort(-best, kind="stable"), 0.0
    for place, column in enumerate(order):
        p = max(p, (1 + (null[:, order[place:]].max(axis=1) >= best[column]).sum()) / (1 + n_shuffles))
        assert chance.of_columns(best)[column] == p
    alone = np.ones(n_columns)
    for column in range(n_columns):
        alike = null[:, arities == arities[column]]
        alone[column] = (1 + (alike >= best[column]).sum()) / (1 + alike.size)
    rates, varies = np.ones(n_columns), arities > 1
    if varies.any():
        rates[varies] = false_discovery_control(alone[varies])
    np.testing.assert_allclose(chance.false_discovery(best), rates, rtol=1e-15)  # products of two and one division


@pytest.mark.parametrize("seed", range(6))
def test_rarities_are_those_of_chi_squared(seed):
    """Of a gain, given the joint values of the others of its tuple; of no gain, and in no tuple, that of 2^-53."""
    codes, classes = noise(seed, 60, 7)
    codes[:, 3] = 0
    codes[:, 5] = np.random.default_rng(seed).integers(0, 2, 60)
    source = PackedSource(codes, classes)
    found = Search(3, "gain").strongest(source)
    for column, rarity in enumerate(rarities(source, found)):
        others = [other for other in found.best_columns[column] if other != column]
        if column == 3:
            assert rarity == pytest.approx(53 * np.log(2), rel=1e-15)
            continue
        arities = codes.max(axis=0) + 1
        freedom = (arities[column] - 1) * arities[others].prod() * (2 - 1)
        below = chi2.cdf(2 * 60 * np.log(2) * max(found.best[column], 0.0), freedom)
        assert rarity == pytest.approx(-np.log(below), rel=1e-9)  # two programs of the incomplete gamma function


def test_columns_of_one_code_are_in_no_tuple():
    codes, classes = noise(5, n_columns=6)
    codes[:, [0, 4]] = 0
    for order, screen in ((2, None), (3, None), (2, 4), (3, 5)):
        found = Search(order, "gain", 3, screen).strongest(PackedSource(codes, classes))
        assert found.best[[0, 4]].tolist() == [-np.inf] * 2
        assert (found.best_columns[[0, 4]] == -1).all()
        assert np.isfinite(found.best[[1, 2, 3, 5]]).sum() >= order


@pytest.mark.parametrize(("order", "screen", "tuples"), [(2, None, 36), (3, None, 84), (3, 4, 36 + 4), (3, 9, 84)])
@pytest.mark.parametrize("codes_", [2, 17])
def test_shuffles_are_made_as_long_as_their_steps_are_affordable(monkeypatch, order, screen, tuples, codes_):
    """99 times all tuples and samples, of planes or of tables, exactly."""
    codes, classes = noise(0, 120, 9, codes_)
    steps = 99.0 * 120 * tuples
    for most, expected in ((steps, 99), (steps - 1, 0)):
        monkeypatch.setattr(interactions, "MAX_STEPS_OF_BITS", most if codes_ == 2 else 0)
        monkeypatch.setattr(interactions, "MAX_STEPS_OF_TABLES", most if codes_ == 17 else 0)
        assert Search(order, "gain", 1, screen).affordable_shuffles(PackedSource(codes, classes)) == expected


def test_too_few_columns_that_vary_are_refused():
    codes, classes = noise(3)
    codes[:, 2:] = 0
    with pytest.raises(
        ValueError, match=r"^2 of the columns have more than one value, and 3 are needed: give more columns"
    ):
        Search(3, "gain", 1).strongest(PackedSource(codes, classes))


def test_fewer_columns_than_a_tuple_takes_are_refused():
    codes, classes = noise(3, n_columns=2)
    with pytest.raises(ValueError, match=r"^the table has 2 feature\(s\), and a tuple has 3: give more columns$"):
        Search(3, "gain", 1).strongest(PackedSource(codes, classes))
    assert Search(2, "gain", 1).strongest(PackedSource(codes, classes)).columns.tolist() == [[0, 1]]


def test_shuffles_need_the_rows():
    codes, classes = noise(3, n_columns=4)
    tables = JoinedSource(NaiveSource(codes, classes), [np.array([column]) for column in range(4)])
    search = Search(2, "gain", 3)
    assert search.affordable_shuffles(tables) == 0
    assert search.strongest(tables).values.tolist() == search.strongest(PackedSource(codes, classes)).values.tolist()
    with pytest.raises(ValueError, match=r"^shuffles need all rows in one place"):
        search.after_shuffles(tables, 3)


def test_shuffles_within_strata_are_uniform():
    """Of 2 and 3 samples there are 12: each is expected 100 times, and 40 of chi-squared has a chance of 4e-5."""
    strata, random = np.array([1, 0, 1, 1, 0]), np.random.default_rng(0)
    samples = Samples(np.zeros((5, 1), np.uint8), np.zeros(5, np.int64), strata)
    drawn = np.array([samples.shuffle(random) for _ in range(1200)])
    assert (np.sort(drawn, axis=1) == np.arange(5)).all()
    assert (strata[drawn] == strata).all()
    found, counts = np.unique(drawn, axis=0, return_counts=True)
    assert len(found) == 12
    assert ((counts - 100.0) ** 2 / 100).sum() < 40


def test_contrasts_of_tables_that_are_too_small_are_refused():
    codes, classes = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]]), np.array([0, 1, 0, 1])
    search, source = Search(2, "gain"), PackedSource(codes[:, :2], classes)
    found = search.strongest(source)
    with pytest.raises(ValueError, match="the table is too small for contrasts"):
        p_of_strongest(np.ones(2), np.ones(100))
    rates = p_of_strongest(
        rarities(source, found), np.r_[rarities(source, found), 1.0]
    )  # gains of 0 are as rare as can be
    assert ((rates >= 0) & (rates <= 1)).all()


@pytest.mark.parametrize("shape", [0.4, 1.0, 3.0])
def test_p_of_the_strongest_is_that_of_the_likeliest_weibull_distribution(shape):
    copies = 1e-3 * np.random.default_rng(int(10 * shape)).weibull(shape, 300)
    rarity = np.geomspace(1e-9, 1.0, 40)
    fitted, _, scale = weibull_min.fit(copies, floc=0)
    expected = weibull_min.cdf(rarity, fitted, scale=scale)
    np.testing.assert_allclose(p_of_strongest(rarity, copies), expected, rtol=2e-3)  # scipy's search ends at 1e-4


@pytest.mark.parametrize(("least", "n_copies"), [(3, 4), (4, 4), (5, 5), (100, 100)])
def test_a_tenth_of_the_columns_that_vary_are_copied_or_the_least_number(monkeypatch, least, n_copies):
    codes, classes = noise(5, n_columns=45)
    codes[:, 3:7] = 1
    source, wide = PackedSource(codes, classes), []
    monkeypatch.setattr(interactions, "MIN_CONTRASTS", least)
    monkeypatch.setattr(
        interactions,
        "PackedSource",
        lambda codes, *given, **named: wide.append(codes) or PackedSource(codes, *given, **named),
    )
    by_contrasts(source)
    assert wide[0].shape == (120, 45 + n_copies)
    kinds = {tuple(np.bincount(column, minlength=3)) for column in source.samples_in_class_order()[0].T if column.max()}
    for copy in wide[0][:, 45:].T:
        assert tuple(np.bincount(copy, minlength=3)) in kinds


def test_columns_that_do_not_vary_are_no_part_of_a_rate():
    codes, classes = noise(3)
    classes = codes[:, 0] % 2 ^ codes[:, 1] % 2
    wide = np.c_[codes, np.zeros((len(codes), 50), codes.dtype)]
    for rates in (by_shuffles, by_contrasts):
        few, many = (rates(PackedSource(of, classes)) for of in (codes, wide))
        assert many[: codes.shape[1]].tolist() == few.tolist()
        assert (many[codes.shape[1] :] == 1).all()


def by_shuffles(source):
    search = Search(2, "gain")
    return search.after_shuffles(source, 19).false_discovery(search.strongest(source).best)


def by_contrasts(source):
    search = Search(2, "gain")
    return search.contrast_rates(source, search.strongest(source))
