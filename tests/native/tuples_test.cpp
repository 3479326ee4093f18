// The search through pairs and triples against plain counting: every kernel, planes of mixed numbers, constant
// features, one to three classes, an empty class, and counts beyond what is looked up for both classes at once.
#include <algorithm>
#include <cstdio>
#include <map>
#include <random>
#include <type_traits>
#include <vector>

#include "count/expected_terms.hpp"
#include "count/lazy_minima.hpp"
#include "count/tuples.hpp"
#include "kernel_set.hpp"

using namespace bitsieve;

// Their terms point into their own tables.
static_assert(!std::is_copy_constructible_v<TupleSearch> && !std::is_move_constructible_v<TupleSearch>);
static_assert(!std::is_copy_constructible_v<LazyMinima> && !std::is_move_constructible_v<LazyMinima>);
static_assert(!std::is_copy_constructible_v<ExpectedSums> && !std::is_move_constructible_v<ExpectedSums>);

namespace {

constexpr std::int64_t kTop = 50;

struct RandomTable {
    std::vector<std::int64_t> class_sizes;
    std::vector<std::int32_t> arities;
    std::vector<std::uint8_t> codes;  // column after column, in class order
    std::int64_t n_samples = 0;

    RandomTable(const std::vector<std::int64_t>& sizes, const std::vector<std::int32_t>& feature_arities,
                std::mt19937& random)
        : class_sizes(sizes), arities(feature_arities) {
        for (const std::int64_t size : class_sizes) n_samples += size;
        for (const std::int32_t arity : arities)
            for (std::int64_t t = 0; t < n_samples; ++t) codes.push_back(std::uint8_t(random() % unsigned(arity)));
    }

    std::int64_t n_features() const { return std::int64_t(arities.size()); }
    bool is_constant(std::int64_t feature) const { return arities[std::size_t(feature)] == 1; }

    // N I of some features and the class, in fixed point.
    std::int64_t information(const std::vector<std::int64_t>& features, const Terms& terms) const {
        std::map<std::vector<int>, std::uint64_t> pooled_cells;
        std::map<std::vector<int>, std::uint64_t> class_cells;
        std::int64_t sum = terms(std::uint64_t(n_samples));
        std::int64_t t = 0;
        for (std::size_t c = 0; c < class_sizes.size(); ++c) {
            sum -= terms(std::uint64_t(class_sizes[c]));
            for (const std::int64_t end = t + class_sizes[c]; t < end; ++t) {
                std::vector<int> cell;
                for (const std::int64_t f : features) cell.push_back(codes[std::size_t(f * n_samples + t)]);
                ++pooled_cells[cell];
                cell.push_back(int(c));
                ++class_cells[cell];
            }
        }
        for (const auto& [cell, count] : pooled_cells) sum -= terms(count);
        for (const auto& [cell, count] : class_cells) sum += terms(count);
        return sum;
    }
};

// The pairs or triples of features that are not constant.
std::vector<std::vector<std::int64_t>> tuples_of(const RandomTable& table, int order) {
    std::vector<std::vector<std::int64_t>> tuples;
    for (std::int64_t i = 0; i < table.n_features(); ++i)
        for (std::int64_t j = i + 1; j < table.n_features(); ++j) {
            if (table.is_constant(i) || table.is_constant(j)) continue;
            if (order == 2) {
                tuples.push_back({i, j});
                continue;
            }
            for (std::int64_t k = j + 1; k < table.n_features(); ++k)
                if (!table.is_constant(k)) tuples.push_back({i, j, k});
        }
    return tuples;
}

// The gains by plain counting: of every tuple the largest, descending, and of every feature the largest (-1: none).
struct PlainGains {
    std::vector<std::int64_t> of_tuples;
    std::vector<std::int64_t> of_features;

    PlainGains(const RandomTable& table, int order, const Terms& terms)
        : of_features(std::size_t(table.n_features()), -1) {
        for (const std::vector<std::int64_t>& features : tuples_of(table, order)) {
            std::int64_t largest = -1;
            for (std::size_t m = 0; m < features.size(); ++m) {
                std::vector<std::int64_t> others = features;
                others.erase(others.begin() + std::ptrdiff_t(m));
                const std::int64_t gain = table.information(features, terms) - table.information(others, terms);
                std::int64_t& largest_of_feature = of_features[std::size_t(features[m])];
                largest_of_feature = std::max(largest_of_feature, gain);
                largest = std::max(largest, gain);
            }
            of_tuples.push_back(largest);
        }
        std::sort(of_tuples.rbegin(), of_tuples.rend());
    }
};

bool search_is_right(const RandomTable& table, const CountingKernel& kernel, int order, int bits) {
    PackedTable packed(table.class_sizes, {}, table.arities, kernel, Storage::planes);
    packed.pack(CodeTable<std::uint8_t>{table.codes.data(), 1, table.n_samples}, 0, packed.n_simd_groups());
    const std::uint64_t n_samples = std::uint64_t(table.n_samples);
    const std::vector<std::int64_t> term_values = term_table(n_samples, n_samples + 1);
    const Terms terms{term_values.data(), term_values.size(), term_shift(n_samples)};
    const std::vector<std::int64_t> two_class_values = two_class_terms(terms, bits);
    const bool has_two_classes = table.class_sizes.size() == 2;
    const TwoClassTerms two_classes{has_two_classes ? two_class_values.data() : nullptr, bits};
    TupleSearch search(packed, term_values, terms.shift, two_classes, Statistic::gain, kTop);
    const std::int64_t n_groups = packed.n_simd_groups();
    if (order == 2) {
        search.pairs(0, n_groups, 0, n_groups);
    } else {
        for (std::int64_t i = 0; i < n_groups; ++i)
            for (std::int64_t j = i; j < n_groups; ++j) search.triples(i, i + 1, j, j + 1);
    }

    const PlainGains expected(table, order, terms);
    std::vector<std::int64_t> top;
    for (const Tuple& tuple : search.largest().top()) top.push_back(tuple.value);
    std::sort(top.rbegin(), top.rend());
    const std::size_t n_top = std::min<std::size_t>(expected.of_tuples.size(), kTop);
    if (top.size() != n_top || !std::equal(top.begin(), top.end(), expected.of_tuples.begin())) return false;
    for (std::int64_t f = 0; f < table.n_features(); ++f) {
        if (table.is_constant(f)) continue;
        if (search.largest().by_feature()[std::size_t(f)].value != expected.of_features[std::size_t(f)]) return false;
    }
    return true;
}

}  // namespace

void test_tuples(int& passed, int& failed) {
    std::mt19937 random(5);
    const std::vector<std::vector<std::int64_t>> all_class_sizes = {{65}, {63, 64}, {30, 0, 41}, {40, 90}};
    const std::vector<std::vector<std::int32_t>> all_arities = {
        {3, 3, 3, 3, 3, 3, 3, 3, 3}, {2, 3, 1, 2, 3, 2, 3, 2, 1, 3}, {4, 2, 5, 3}};
    for (const std::vector<std::int64_t>& class_sizes : all_class_sizes)
        for (const std::vector<std::int32_t>& arities : all_arities) {
            const RandomTable table(class_sizes, arities, random);
            for (const KernelSet& set : kernel_sets()) {
                if (!set.is_available()) continue;
                for (const int order : {2, 3})
                    for (const int bits : {4, 8}) {
                        if (search_is_right(table, *set.counting, order, bits)) {
                            ++passed;
                            continue;
                        }
                        ++failed;
                        std::printf("FAILED: tuples of %d by %s, %d bits\n", order, set.name, bits);
                    }
            }
        }
}
