// The search through pairs and triples against plain counting: every kernel, planes of mixed numbers, constant
// features, one to three classes, an empty class, and counts beyond what is looked up for both classes at once.
#include <algorithm>
#include <cstdio>
#include <map>
#include <random>
#include <type_traits>
#include <vector>

#include "count/lazy_minima.hpp"
#include "count/tuples.hpp"
#include "kernel_set.hpp"

using namespace bitsieve;

// Their terms point into their own tables.
static_assert(!std::is_copy_constructible_v<TupleSearch> && !std::is_move_constructible_v<TupleSearch>);
static_assert(!std::is_copy_constructible_v<LazyMinima> && !std::is_move_constructible_v<LazyMinima>);

namespace {

struct Made {
    std::vector<std::int64_t> sizes;
    std::vector<std::int32_t> arities;
    std::vector<std::uint8_t> codes;  // column after column, in class order
    std::int64_t n = 0;

    Made(std::vector<std::int64_t> of, std::vector<std::int32_t> codes_of, std::mt19937& random)
        : sizes(std::move(of)), arities(std::move(codes_of)) {
        for (const auto size : sizes) n += size;
        for (const auto m : arities)
            for (std::int64_t t = 0; t < n; ++t) codes.push_back(std::uint8_t(random() % unsigned(m)));
    }

    // I of some features and the class, in fixed point.
    std::int64_t information(const std::vector<std::int64_t>& features, const Terms& terms) const {
        std::map<std::vector<int>, std::uint64_t> pooled, within;
        std::int64_t t = 0, sum = terms(std::uint64_t(n));
        for (std::size_t c = 0; c < sizes.size(); ++c) {
            sum -= terms(std::uint64_t(sizes[c]));
            for (const std::int64_t last = t + sizes[c]; t < last; ++t) {
                std::vector<int> key;
                for (const auto f : features) key.push_back(codes[std::size_t(f * n + t)]);
                ++pooled[key];
                key.push_back(int(c));
                ++within[key];
            }
        }
        for (const auto& cell : pooled) sum -= terms(cell.second);
        for (const auto& cell : within) sum += terms(cell.second);
        return sum;
    }
};

bool right(const Made& made, const CountingKernel& kernel, int order, int bits) {
    PackedTable packed(made.sizes, {}, made.arities, kernel, Storage::planes);
    packed.pack(CodeTable<std::uint8_t>{made.codes.data(), 1, made.n}, 0, packed.n_simd_groups());
    const int shift = term_shift(std::uint64_t(made.n));
    const std::vector<std::int64_t> table = term_table(std::uint64_t(made.n), std::uint64_t(made.n) + 1);
    const Terms terms{table.data(), table.size(), shift};
    const std::vector<std::int64_t> both = two_class_terms(terms, bits);
    const TwoClassTerms of_both{made.sizes.size() == 2 ? both.data() : nullptr, bits};
    TupleSearch search(packed, table, shift, of_both, Statistic::gain, 50);
    const std::int64_t groups = packed.n_simd_groups();
    if (order == 2) search.pairs(0, groups, 0, groups);
    for (std::int64_t i = 0; order == 3 && i < groups; ++i)
        for (std::int64_t j = i; j < groups; ++j) search.triples(i, i + 1, j, j + 1);
    const std::int64_t n = packed.n_features();
    std::vector<std::int64_t> best(std::size_t(n), -1);
    std::vector<std::int64_t> values;
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = i + 1; j < n; ++j)
            for (std::int64_t k = order == 3 ? j + 1 : n - 1; k < n; ++k) {
                std::vector<std::int64_t> features{i, j};
                if (order == 3) features.push_back(k);
                const auto constant = [&](std::int64_t f) { return made.arities[std::size_t(f)] == 1; };
                if (std::any_of(features.begin(), features.end(), constant)) continue;
                std::int64_t most = -1;
                for (std::size_t m = 0; m < features.size(); ++m) {
                    std::vector<std::int64_t> others = features;
                    others.erase(others.begin() + std::ptrdiff_t(m));
                    const std::int64_t gain = made.information(features, terms) - made.information(others, terms);
                    most = std::max(most, gain);
                    best[std::size_t(features[m])] = std::max(best[std::size_t(features[m])], gain);
                }
                values.push_back(most);
            }
    std::sort(values.rbegin(), values.rend());
    values.resize(std::min<std::size_t>(values.size(), 50));
    std::vector<std::int64_t> found;
    for (const Tuple& tuple : search.largest().top()) found.push_back(tuple.value);
    std::sort(found.rbegin(), found.rend());
    bool same = found == values;
    for (std::int64_t f = 0; f < n; ++f)
        if (made.arities[std::size_t(f)] > 1)
            same = same && search.largest().by_feature()[std::size_t(f)].value == best[std::size_t(f)];
    return same;
}

}  // namespace

void test_tuples(int& passed, int& failed) {
    std::mt19937 random(5);
    const std::vector<std::vector<std::int64_t>> classes = {{65}, {63, 64}, {30, 0, 41}, {40, 90}};
    const std::vector<std::vector<std::int32_t>> shapes = {
        {3, 3, 3, 3, 3, 3, 3, 3, 3}, {2, 3, 1, 2, 3, 2, 3, 2, 1, 3}, {4, 2, 5, 3}};
    for (const auto& sizes : classes)
        for (const auto& arities : shapes) {
            const Made made(sizes, arities, random);
            for (const KernelSet& set : kernel_sets()) {
                if (!set.is_available()) continue;
                for (const int order : {2, 3})
                    for (const int bits : {4, 8}) {
                        const bool holds = right(made, *set.counting, order, bits);
                        holds ? ++passed : ++failed;
                        if (!holds) std::printf("FAILED: tuples of %d by %s, %d bits\n", order, set.name, bits);
                    }
            }
        }
}
