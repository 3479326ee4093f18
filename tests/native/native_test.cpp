// The kernels alone, without Python, for the sanitizers: every kernel of the machine against plain counting, on shapes
// chosen to touch every edge (words of 63, 64, 65 samples, empty classes, constant and wide features).
#include <algorithm>
#include <cstdio>
#include <limits>
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "count/fixed_point.hpp"
#include "count/packed_table.hpp"
#include "count/pair_counts.hpp"
#include "count/pair_matrix.hpp"
#include "count/partition.hpp"
#include "count/pivot_counter.hpp"
#include "count/weighted_tables.hpp"
#include "encode/mdl.hpp"
#include "encode/rank_sums.hpp"
#include "encode/sorting.hpp"
#include "kernel_set.hpp"

using namespace bitsieve;

void test_columns(int& passed, int& failed);
void test_cuts(int& passed, int& failed);
void test_shuffles(int& passed, int& failed);
void test_variational(int& passed, int& failed);
void test_spanning_tree(int& passed, int& failed);
void test_tuples(int& passed, int& failed);

namespace {

int passed = 0, failed = 0;

void check(bool holds, const char* what) {
    holds ? ++passed : ++failed;
    if (!holds) std::printf("FAILED: %s\n", what);
}

struct Problem {
    std::int64_t n_samples;
    std::vector<std::int32_t> arities;
    std::vector<std::int64_t> class_sizes;
    std::vector<std::uint16_t> codes;  // column after column
    std::vector<std::uint32_t> order;
    std::vector<int> classes;
};

Problem make_problem(std::mt19937& random, std::vector<std::int64_t> sizes, std::vector<std::int32_t> arities) {
    Problem p;
    p.arities = arities;
    p.class_sizes = sizes;
    for (std::size_t c = 0; c < sizes.size(); ++c) p.classes.insert(p.classes.end(), std::size_t(sizes[c]), int(c));
    p.n_samples = std::int64_t(p.classes.size());
    std::shuffle(p.classes.begin(), p.classes.end(), random);
    for (std::size_t c = 0; c < sizes.size(); ++c)
        for (std::int64_t t = 0; t < p.n_samples; ++t)
            if (p.classes[t] == int(c)) p.order.push_back(std::uint32_t(t));
    for (const auto m : arities)
        for (std::int64_t t = 0; t < p.n_samples; ++t)
            p.codes.push_back(std::uint16_t((random() % m + (random() % 2 ? p.classes[t] : 0)) % m));
    return p;
}

using Counts = std::vector<std::int64_t>;

// The sorted counts of the pooled and the within-class table of two features, by maps.
std::pair<Counts, Counts> plain_counts(const Problem& p, std::int64_t i, std::int64_t j) {
    std::map<std::pair<int, int>, std::uint64_t> pooled;
    std::map<std::tuple<int, int, int>, std::uint64_t> within;
    for (std::int64_t t = 0; t < p.n_samples; ++t) {
        const int a = i < 0 ? 0 : p.codes[i * p.n_samples + t], b = p.codes[j * p.n_samples + t];
        ++pooled[{a, b}];
        ++within[{a, b, p.classes[t]}];
    }
    Counts pooled_sums, class_sums;
    for (const auto& cell : pooled) pooled_sums.push_back(std::int64_t(cell.second));
    for (const auto& cell : within) class_sums.push_back(std::int64_t(cell.second));
    std::sort(pooled_sums.begin(), pooled_sums.end());
    std::sort(class_sums.begin(), class_sums.end());
    return {pooled_sums, class_sums};
}

// Sums of their terms.
std::pair<std::int64_t, std::int64_t> plain_sums(const Problem& p, std::int64_t i, std::int64_t j, const Terms& terms) {
    const auto [pooled, within] = plain_counts(p, i, j);
    std::int64_t pooled_sums = 0, class_sums = 0;
    for (const auto count : pooled) pooled_sums += terms(std::uint64_t(count));
    for (const auto count : within) class_sums += terms(std::uint64_t(count));
    return {pooled_sums, class_sums};
}

// The counts of all pairs, sorted, without the empty cells, against plain counting; the columns in reverse order.
bool cells_agree(const Problem& p, const PackedTable& packed) {
    const std::int64_t n = std::int64_t(p.arities.size());
    std::vector<std::int64_t> columns;
    for (std::int64_t j = n; j-- > 0;) columns.push_back(j);
    const auto counts_of = [](const std::vector<std::int64_t>& cells, std::int64_t row, std::int64_t width) {
        std::vector<std::int64_t> counts;
        for (std::int64_t k = row * width; k < (row + 1) * width; ++k)
            if (cells[k]) counts.push_back(cells[k]);
        std::sort(counts.begin(), counts.end());
        return counts;
    };
    const std::int64_t width = std::max(p.n_samples, kPlaneCells);
    for (std::int64_t i = -1; i < n; ++i) {
        std::vector<std::int64_t> pooled_sums(n * width), class_sums(n * width), alone(n * width);
        pair_cells(packed, i, columns.data(), n, width, pooled_sums.data(), width, class_sums.data());
        pair_cells(packed, i, columns.data(), n, width, alone.data(), 0, nullptr);
        for (std::int64_t k = 0; k < n; ++k) {
            const auto [pooled, within] = plain_counts(p, i, columns[k]);
            if (counts_of(pooled_sums, k, width) != pooled || counts_of(alone, k, width) != pooled) return false;
            if (counts_of(class_sums, k, width) != within) return false;
        }
    }
    return true;
}

// The codes of a feature in class order.
std::vector<std::uint16_t> codes_in_order(const Problem& p, std::int64_t feature) {
    std::vector<std::uint16_t> codes;
    for (const std::uint32_t row : p.order) codes.push_back(p.codes[feature * p.n_samples + row]);
    return codes;
}

bool codes_agree(const Problem& p, const PackedTable& packed) {
    std::vector<std::uint16_t> scratch;
    for (std::size_t i = 0; i < p.arities.size(); ++i) {
        const std::vector<std::uint16_t> wanted = codes_in_order(p, std::int64_t(i));
        if (!std::equal(wanted.begin(), wanted.end(), packed.codes(std::int64_t(i), scratch))) return false;
    }
    return true;
}

// The tables of weights of all pairs, some of them 0, against sums over the samples; the columns in reverse order.
bool weighted_tables_agree(const Problem& p, const PackedTable& packed) {
    std::mt19937_64 random(5);
    std::vector<std::uint64_t> weights;
    for (std::int64_t t = 0; t < p.n_samples; ++t) weights.push_back(random() % 3 == 0 ? 0 : random() >> 24);
    std::vector<std::int64_t> columns, code_sums;
    for (std::int64_t j = std::int64_t(p.arities.size()); j-- > 0;) columns.push_back(j);
    const auto tables_of = [&](const std::vector<std::uint16_t>& first, std::int64_t n_first) {
        std::vector<std::int64_t> tables;
        for (const std::int64_t j : columns) {
            const std::vector<std::uint16_t> second = codes_in_order(p, j);
            std::vector<std::int64_t> table(std::size_t(n_first * p.arities[j]), 0);
            for (std::size_t t = 0; t < second.size(); ++t)
                table[first[t] * p.arities[j] + second[t]] += std::int64_t(weights[t]);
            tables.insert(tables.end(), table.begin(), table.end());
        }
        return tables;
    };
    const std::vector<std::uint16_t> constant(std::size_t(p.n_samples), 0);
    code_sums = tables_of(constant, 1);
    for (std::int64_t i = -1; i < std::int64_t(p.arities.size()); ++i) {
        const std::vector<std::int64_t> wanted =
            i < 0 ? code_sums : tables_of(codes_in_order(p, i), std::int64_t(p.arities[i]));
        for (const bool knows_sums : {false, true}) {
            const std::int64_t* known = knows_sums ? code_sums.data() : nullptr;
            std::vector<std::int64_t> found(wanted.size(), -1);
            weighted_tables(packed, weights.data(), i, columns.data(), std::int64_t(columns.size()), known,
                            found.data());
            if (found != wanted) return false;
        }
    }
    return true;
}

void test_problem(const Problem& p, const CountingKernel& kernel, Storage storage) {
    const std::int64_t n = std::int64_t(p.arities.size());
    const auto table = term_table(std::uint64_t(p.n_samples), std::min<std::uint64_t>(p.n_samples + 1, 100));
    const Terms terms{table.data(), table.size(), term_shift(std::uint64_t(p.n_samples))};
    PackedTable packed(p.class_sizes, p.order, p.arities, kernel, storage);
    for (std::int64_t u = 0; u < packed.n_simd_groups(); ++u)
        packed.pack(CodeTable<std::uint16_t>{p.codes.data(), 1, p.n_samples}, u, u + 1);

    std::vector<std::int64_t> groups(std::size_t(packed.n_simd_groups())), pooled_sums(n), class_sums(n), pooled(n);
    for (std::size_t u = 0; u < groups.size(); ++u) groups[u] = std::int64_t(u);
    std::vector<std::int64_t> all_xy(n * n), all_xyc(n * n);
    bool rows = true, unconditional = true;
    for (std::int64_t i = -1; i < n; ++i) {
        row_sums(packed, terms, i, groups.data(), packed.n_simd_groups(), pooled_sums.data(), class_sums.data());
        row_sums(packed, terms, i, groups.data(), packed.n_simd_groups(), pooled.data(), nullptr);
        for (std::int64_t j = 0; j < n; ++j) {
            rows = rows && std::make_pair(pooled_sums[j], class_sums[j]) == plain_sums(p, i, j, terms);
            unconditional = unconditional && pooled[j] == pooled_sums[j];
            if (i < 0) continue;
            all_xy[i * n + j] = pooled_sums[j];
            all_xyc[i * n + j] = class_sums[j];
        }
    }
    check(rows, "row_sums");
    check(unconditional, "row_sums without classes");
    check(cells_agree(p, packed), "pair_cells");
    check(codes_agree(p, packed), "codes");
    check(weighted_tables_agree(p, packed), "weighted_tables");

    std::vector<std::int64_t> zero(n), place(n);
    for (std::int64_t i = 0; i < n; ++i) place[i] = n - 1 - i;
    std::vector<double> out(n * n);
    const PairFormula form{1, 1, zero.data(), zero.data(), 1.0, false};
    for (std::int64_t i = 0; i < packed.n_simd_groups(); ++i)
        matrix_block(packed, terms, form, i, i + 1, 0, packed.n_simd_groups(),
                     Matrix<double>{out.data(), n, place.data()});
    bool matrix = true;
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j)
            matrix = matrix && out[place[i] * n + place[j]] == double(all_xy[i * n + j] + all_xyc[i * n + j]);
    check(matrix, "matrix_block");

    const PairFormula mean{1, -1, zero.data(), place.data(), 3.0, true};
    std::vector<double> whole(n * n), lines(n * n, -1.0);
    for (std::int64_t i = 0; i < packed.n_simd_groups(); ++i)
        matrix_block(packed, terms, mean, i, i + 1, 0, packed.n_simd_groups(),
                     Matrix<double>{whole.data(), n, place.data()});
    std::vector<std::int64_t> pivots(n);
    for (std::int64_t i = 0; i < n; ++i) pivots[i] = n - 1 - i;  // the feature of row i of the matrix
    const MatrixRows<double> rows_out{lines.data(), n, place.data()};
    matrix_rows(packed, terms, mean, pivots.data(), n, groups.data(), packed.n_simd_groups(), rows_out);
    check(lines == whole, "matrix_rows");
}

// The parts by one feature are its codes; by none, one of all samples; refined twice by the same one they stay.
void test_partition(const Problem& p, const CountingKernel& kernel) {
    const std::int64_t n = std::int64_t(p.arities.size());
    const auto table = term_table(std::uint64_t(p.n_samples), std::min<std::uint64_t>(p.n_samples + 1, 100));
    const Terms terms{table.data(), table.size(), term_shift(std::uint64_t(p.n_samples))};
    PackedTable packed(p.class_sizes, p.order, p.arities, kernel, Storage::cheapest);
    for (std::int64_t u = 0; u < packed.n_simd_groups(); ++u)
        packed.pack(CodeTable<std::uint16_t>{p.codes.data(), 1, p.n_samples}, u, u + 1);
    std::vector<std::int64_t> groups(std::size_t(packed.n_simd_groups())), pooled_sums(n), class_sums(n);
    for (std::size_t u = 0; u < groups.size(); ++u) groups[u] = std::int64_t(u);
    std::vector<std::uint32_t> order(std::size_t(p.n_samples));
    for (std::size_t t = 0; t < order.size(); ++t) order[t] = std::uint32_t(t);
    const std::vector<std::int64_t> starts = {0, p.n_samples};
    const Partition all{order.data(), starts.data(), 1};
    bool sums = true, marginals = true, stays = true, shuffles = true;
    for (std::int64_t i = -1; i < n; ++i) {
        const PartitionVectors split = i < 0 ? PartitionVectors{order, starts} : refine(packed, all, i);
        const Partition parts{split.order.data(), split.starts.data(), std::int64_t(split.starts.size()) - 1};
        partition_sums(packed, terms, parts, groups.data(), packed.n_simd_groups(), pooled_sums.data(),
                       class_sums.data());
        for (std::int64_t j = 0; j < n; ++j)
            sums = sums && std::make_pair(pooled_sums[j], class_sums[j]) == plain_sums(p, i, j, terms);
        std::int64_t z = 0, zc = 0;
        partition_marginals(packed, terms, parts, &z, &zc);
        if (i >= 0) marginals = marginals && std::make_pair(z, zc) == plain_sums(p, -1, i, terms);
        if (i < 0) continue;
        const PartitionVectors again = refine(packed, parts, i);
        stays = stays && again.order == split.order && again.starts == split.starts;
        const std::uint64_t seed = 5;
        std::int64_t shuffled = 0;
        std::vector<std::uint16_t> codes;
        const ClassRuns runs = arrange(packed, parts, i, codes);
        shuffled_sums(terms, codes.data(), std::int64_t(codes.size()), runs.run_ends.data(), runs.part_ends.data(),
                      parts.n_parts, &seed, 1, &shuffled);  // one code a part: nothing can change
        shuffled += terms(1) * (p.n_samples - parts.n_listed());
        shuffles = shuffles && shuffled == zc && degrees_of_freedom(packed, parts, i) == 0;
    }
    check(sums, "partition_sums");
    check(marginals, "partition_marginals");
    check(stays, "refine");
    check(shuffles, "shuffled_sums");
}

// Whichever form costs less is chosen, whatever the costs.
void test_choice() {
    CountingKernel kernel = portable::kCounting;
    const auto counters = [&](double pair_word, double sample_ns) {
        kernel.cost.pair_word = pair_word;
        kernel.cost.counter_sample = sample_ns;
        return PackedTable({20000}, {}, std::vector<std::int32_t>(8, 10), kernel, Storage::cheapest).uses_counters();
    };
    check(counters(1.0, 1e-3) && !counters(1e-3, 1.0), "the cheaper form is chosen");
}

void test_terms() {
    check(term(1, 20) == 0 && term(8, 20) == (24LL << 20), "terms of powers of two");
    const auto table = term_table(5000, 5001);
    bool same = true;
    for (std::uint64_t c = 0; c <= 5000; ++c) same = same && table[c] == term(c, term_shift(5000));
    check(same, "term table");
    check(term(std::uint64_t(1) << 31, term_shift(std::uint64_t(1) << 31)) > 0, "largest term");
}

void test_mdl() {
    std::vector<double> values;
    std::vector<std::int32_t> classes;
    for (int t = 0; t < 60; ++t) {
        values.push_back(t < 30 ? t : t + 100);
        classes.push_back(t < 30 ? 0 : 1);
    }
    const auto table = term_table(60, 61);
    const Terms terms{table.data(), table.size(), term_shift(60)};
    MdlCutter cutter(2, terms);
    check(cutter.cuts(values.data(), classes.data(), nullptr, 60) == std::vector<double>{(29 + 130) / 2.0}, "mdl cuts");

    const std::vector<double> distinct{0, 1, 1, 2};
    const std::vector<std::int32_t> labels{0, 0, 1, 1};
    const std::vector<std::int64_t> weights{28, 2, 1, 29};  // 60 in all; the value 1 is of both classes
    std::vector<double> repeated;
    std::vector<std::int32_t> repeated_labels;
    for (std::size_t i = 0; i < distinct.size(); ++i) {
        repeated.insert(repeated.end(), std::size_t(weights[i]), distinct[i]);
        repeated_labels.insert(repeated_labels.end(), std::size_t(weights[i]), labels[i]);
    }
    const std::vector<double> weighted = cutter.cuts(distinct.data(), labels.data(), weights.data(), 4);
    check(!weighted.empty() && weighted == cutter.cuts(repeated.data(), repeated_labels.data(), nullptr, 60),
          "weighted mdl cuts");
    const std::vector<std::uint32_t> counts{28, 0, 2, 1, 0, 29};  // of the values 0, 1, 2
    check(weighted == cutter.cuts_of_counts(0, 3, counts.data()), "mdl cuts of counts");
}

void test_mdl_unsorted() {
    constexpr std::size_t n = 6000;
    const auto table = term_table(3 * n, 3 * n + 1);
    const Terms terms{table.data(), table.size(), term_shift(3 * n)};
    MdlCutter cutter(5, terms);
    UnsortedMdlCutter unsorted(5, terms);
    check(unsorted.has_enough_rows(n), "a long column");
    for (const std::uint64_t span : {7ULL, 900ULL, 1000000007ULL, 901ULL, 8ULL}) {
        const std::uint64_t zeros = span == 901 ? 8
                                    : span == 8 ? 640
                                                : 0;  // of 10, and of 641: how many are nothing but zero
        std::vector<double> values(n);
        std::vector<std::int32_t> classes(n);
        std::vector<std::int64_t> weights(n);
        std::vector<KeyedRow> items(n), spare;
        std::uint64_t state = span;
        for (std::size_t i = 0; i < n; ++i) {
            state = state * 6364136223846793005ULL + 1442695040888963407ULL;
            const std::uint64_t number = (state >> 33) % span;
            values[i] = double(number) * double(number) / 3;  // dense near zero
            classes[i] = std::int32_t((number * 11 / span + (state >> 20) % 2) % 5);
            if (zeros && (state >> 40) % (zeros == 8 ? 10 : 641) < zeros) {
                values[i] = i % 2 ? 0.0 : -0.0;
                classes[i] = 0;
            }
            weights[i] = std::int64_t(1 + (state >> 12) % 3);
            items[i] = {key_of(values[i]), std::uint32_t(i)};
        }
        sort_by_key(items, spare);
        std::vector<double> sorted;
        std::vector<std::int32_t> labels;
        std::vector<std::int64_t> times;
        for (const KeyedRow& item : items) {
            sorted.push_back(value_of(item.key));
            labels.push_back(classes[item.row]);
            times.push_back(weights[item.row]);
        }
        const std::vector<double> plain = cutter.cuts(sorted.data(), labels.data(), nullptr, n);
        check(!plain.empty() && plain == unsorted.cuts(values.data(), classes.data(), nullptr, n), "unsorted mdl cuts");
        const std::vector<double> weighted = cutter.cuts(sorted.data(), labels.data(), times.data(), n);
        check(weighted == unsorted.cuts(values.data(), classes.data(), weights.data(), n),
              "unsorted weighted mdl cuts");
    }
}

void test_sorting() {
    for (const std::size_t n : {2u, 24u, 25u, 191u, 192u, 3000u, 8191u, 20000u}) {
        std::vector<KeyedRow> items(n), spare;
        std::uint64_t state = n;
        for (std::size_t i = 0; i < n; ++i) {
            state = state * 6364136223846793005ULL + 1442695040888963407ULL;
            const std::uint64_t number = state >> 33;
            double value = double(number) - 1e9;
            if (number % 3 == 0) value = 1 + double(number % 4096) / 4503599627370496.0;  // they differ in low bits
            if (number % 50 == 0) value = number % 100 ? 1e300 : -1e300;
            items[i] = {key_of(value), std::uint32_t(i)};
        }
        std::vector<KeyedRow> expected = items;
        std::stable_sort(expected.begin(), expected.end(),
                         [](const KeyedRow& a, const KeyedRow& b) { return a.key < b.key; });
        const std::vector<KeyedRow> rows = items;
        sort_by_key(items, spare);
        bool ascends = items.size() == n;
        std::vector<bool> seen(n);
        for (std::size_t i = 0; i < n && ascends; ++i) {
            ascends = items[i].key == expected[i].key && items[i].key == rows[items[i].row].key && !seen[items[i].row];
            seen[items[i].row] = true;
        }
        check(ascends, "sorted rows");
    }
}

void test_rank_sums() {
    const double missing = std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> whole{3, 1, missing, 1, 7};
    const std::vector<double> fractions{0.5, -0.0, missing, 0.0, 1e300};
    const std::vector<std::int32_t> classes{0, 1, 1, 0, 1};
    // Ranks 3, 1.5, 1.5 and 4 of 4: twice these, less 5.
    const RankSums sums = rank_sums({whole.data(), fractions.data()}, 5, classes.data(), 2, nullptr);
    check(sums.n_samples == std::vector<std::int64_t>{2, 2, 2, 2}, "samples of ranks");
    check(sums.deviations == std::vector<std::int64_t>{-1, 1, -1, 1}, "sums of ranks");
    check(sums.ties_low == std::vector<std::int64_t>{6, 6} && sums.ties_high == std::vector<std::int64_t>{0, 0},
          "ties of ranks");
    // The weights repeat rows: 3, 1, 1, 1 and 7 three times.
    const std::vector<std::int64_t> weights{1, 2, 1, 1, 3};
    const RankSums weighted = rank_sums({whole.data(), fractions.data()}, 5, classes.data(), 2, weights.data());
    check(weighted.n_samples == std::vector<std::int64_t>{2, 5, 2, 5}, "samples of weighted ranks");
    check(weighted.deviations == std::vector<std::int64_t>{-4, 4, -4, 4}, "sums of weighted ranks");
    check(weighted.ties_low == std::vector<std::int64_t>{48, 48}, "ties of weighted ranks");
}

}  // namespace

int main() {
    test_choice();
    test_terms();
    test_mdl();
    test_mdl_unsorted();
    test_sorting();
    test_rank_sums();
    test_columns(passed, failed);
    test_cuts(passed, failed);
    test_shuffles(passed, failed);
    test_variational(passed, failed);
    test_spanning_tree(passed, failed);
    test_tuples(passed, failed);
    std::mt19937 random(7);
    const std::vector<std::vector<std::int64_t>> sizes = {
        {1}, {64}, {63, 65}, {0, 5, 0, 2}, {128, 127}, {129, 1, 200}, {3, 3, 3, 3, 3, 3}, {700, 300}, {1536, 1543}};
    for (const auto& classes : sizes) {
        const Problem narrow = make_problem(random, classes, {3, 1, 2, 3, 3, 2, 3, 3, 2, 3, 1});
        const Problem mixed = make_problem(random, classes, {10, 1, 4, 64, 65, 17, 300, 5, 9, 2, 4000, 33});
        for (const KernelSet& set : kernel_sets()) {
            if (!set.is_available()) continue;
            for (const Storage storage : {Storage::cheapest, Storage::planes, Storage::counters, Storage::table}) {
                test_problem(narrow, *set.counting, storage);
                test_problem(mixed, *set.counting, storage);
            }
            test_partition(narrow, *set.counting);
            test_partition(mixed, *set.counting);
        }
    }
    std::vector<std::int64_t> many(100, 60);
    many.insert(many.end(), {3000, 0, 1, 63, 64});
    const Problem for_counters = make_problem(random, many, {10, 1, 4, 300, 9, 10, 10, 10, 10, 10});
    for (const KernelSet& set : kernel_sets()) {
        if (!set.is_available()) continue;
        test_problem(for_counters, *set.counting, Storage::counters);
        test_problem(for_counters, *set.counting, Storage::planes);
    }
    std::printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 ? 0 : 1;
}
