// The kernels alone, without Python, for the sanitizers: every kernel of the machine against plain counting, on shapes
// chosen to touch every edge (words of 63, 64, 65 samples, empty classes, constant and wide features).
#include <algorithm>
#include <cstdio>
#include <map>
#include <random>
#include <tuple>
#include <vector>

#include "fixed_point.hpp"
#include "jobs.hpp"
#include "mdl.hpp"
#include "storage.hpp"
#include "strata.hpp"
#include "table_sums.hpp"

using namespace bitsieve;

void test_variational(int& passed, int& failed);

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

// Sums of terms over the pooled and the within-class table of two features, by maps.
std::pair<std::int64_t, std::int64_t> plain_sums(const Problem& p, std::int64_t i, std::int64_t j, const Terms& terms) {
    std::map<std::pair<int, int>, std::uint64_t> pooled;
    std::map<std::tuple<int, int, int>, std::uint64_t> within;
    for (std::int64_t t = 0; t < p.n_samples; ++t) {
        const int a = i < 0 ? 0 : p.codes[i * p.n_samples + t], b = p.codes[j * p.n_samples + t];
        ++pooled[{a, b}];
        ++within[{a, b, p.classes[t]}];
    }
    std::int64_t xy = 0, xyc = 0;
    for (const auto& cell : pooled) xy += terms(cell.second);
    for (const auto& cell : within) xyc += terms(cell.second);
    return {xy, xyc};
}

void test_problem(const Problem& p, const Kernel& kernel, bool table_only) {
    const std::int64_t n = std::int64_t(p.arities.size());
    const auto table = term_table(std::uint64_t(p.n_samples), std::min<std::uint64_t>(p.n_samples + 1, 100));
    const Terms terms{table.data(), table.size(), term_shift(std::uint64_t(p.n_samples))};
    Packed packed(p.class_sizes, p.order, p.arities, kernel, table_only);
    for (std::int64_t u = 0; u < packed.n_units(); ++u)
        packed.pack(CodeTable<std::uint16_t>{p.codes.data(), 1, p.n_samples}, u, u + 1);

    std::vector<std::int64_t> units(std::size_t(packed.n_units())), xy(n), xyc(n), pooled(n);
    for (std::size_t u = 0; u < units.size(); ++u) units[u] = std::int64_t(u);
    std::vector<std::int64_t> all_xy(n * n), all_xyc(n * n);
    bool rows = true, unconditional = true, tables = true;
    for (std::int64_t i = -1; i < n; ++i) {
        row_sums(packed, terms, i, units.data(), packed.n_units(), xy.data(), xyc.data());
        row_sums(packed, terms, i, units.data(), packed.n_units(), pooled.data(), nullptr);
        for (std::int64_t j = 0; j < n; ++j) {
            rows = rows && std::make_pair(xy[j], xyc[j]) == plain_sums(p, i, j, terms);
            unconditional = unconditional && pooled[j] == xy[j];
            if (i < 0) continue;
            all_xy[i * n + j] = xy[j];
            all_xyc[i * n + j] = xyc[j];
            if (std::int64_t(p.arities[i]) * p.arities[j] > 5000) continue;
            std::vector<std::int64_t> counts(std::size_t(p.arities[i]) * p.arities[j] * p.class_sizes.size());
            TablePivot(packed, i).table(j, counts.data());
            std::int64_t sum = 0;
            for (const auto c : counts) sum += terms(std::uint64_t(c));
            tables = tables && sum == xyc[j];
        }
    }
    check(rows, "row_sums");
    check(unconditional, "row_sums without classes");
    check(tables, "pair tables");

    std::vector<std::int64_t> zero(n), place(n);
    for (std::int64_t i = 0; i < n; ++i) place[i] = n - 1 - i;
    std::vector<double> out(n * n);
    const PairForm form{1, 1, zero.data(), zero.data(), 1.0, false};
    for (std::int64_t i = 0; i < packed.n_units(); ++i)
        matrix_block(packed, terms, form, i, i + 1, 0, packed.n_units(), Matrix<double>{out.data(), n, place.data()});
    bool matrix = true;
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j)
            matrix = matrix && out[place[i] * n + place[j]] == double(all_xy[i * n + j] + all_xyc[i * n + j]);
    check(matrix, "matrix_block");
}

// Strata by one feature are its codes; by none, one of all samples; refined twice by the same one they stay.
void test_strata(const Problem& p, const Kernel& kernel) {
    const std::int64_t n = std::int64_t(p.arities.size());
    const auto table = term_table(std::uint64_t(p.n_samples), std::min<std::uint64_t>(p.n_samples + 1, 100));
    const Terms terms{table.data(), table.size(), term_shift(std::uint64_t(p.n_samples))};
    Packed packed(p.class_sizes, p.order, p.arities, kernel, false);
    for (std::int64_t u = 0; u < packed.n_units(); ++u)
        packed.pack(CodeTable<std::uint16_t>{p.codes.data(), 1, p.n_samples}, u, u + 1);
    std::vector<std::int64_t> units(std::size_t(packed.n_units())), xz(n), xzc(n);
    for (std::size_t u = 0; u < units.size(); ++u) units[u] = std::int64_t(u);
    std::vector<std::uint32_t> order(std::size_t(p.n_samples));
    for (std::size_t t = 0; t < order.size(); ++t) order[t] = std::uint32_t(t);
    const std::vector<std::int64_t> starts = {0, p.n_samples};
    const Strata all{order.data(), starts.data(), 1};
    bool sums = true, alone = true, stays = true, shuffles = true;
    for (std::int64_t i = -1; i < n; ++i) {
        const StrataVectors split = i < 0 ? StrataVectors{order, starts} : refine(packed, all, i);
        const Strata strata{split.order.data(), split.starts.data(), std::int64_t(split.starts.size()) - 1};
        stratum_sums(packed, terms, strata, units.data(), packed.n_units(), xz.data(), xzc.data());
        for (std::int64_t j = 0; j < n; ++j) sums = sums && std::make_pair(xz[j], xzc[j]) == plain_sums(p, i, j, terms);
        std::int64_t z = 0, zc = 0;
        strata_alone(packed, terms, strata, &z, &zc);
        if (i >= 0) alone = alone && std::make_pair(z, zc) == plain_sums(p, -1, i, terms);
        if (i < 0) continue;
        const StrataVectors again = refine(packed, strata, i);
        stays = stays && again.order == split.order && again.starts == split.starts;
        const std::uint64_t seed = 5;
        std::int64_t shuffled = 0;
        shuffled_sums(packed, terms, strata, i, &seed, 1, &shuffled);  // one code a stratum: nothing can change
        shuffles = shuffles && shuffled == zc && degrees_of_freedom(packed, strata, i) == 0;
    }
    check(sums, "stratum_sums");
    check(alone, "strata_alone");
    check(stays, "refine");
    check(shuffles, "shuffled_sums");
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
    const auto cuts = mdl_cuts(values.data(), classes.data(), 60, 2, Terms{table.data(), table.size(), term_shift(60)});
    check(cuts == std::vector<double>{(29 + 130) / 2.0}, "mdl cuts");
}

}  // namespace

int main() {
    test_terms();
    test_mdl();
    test_variational(passed, failed);
    std::mt19937 random(7);
    const std::vector<std::vector<std::int64_t>> sizes = {{1},        {64},          {63, 65},           {0, 5, 0, 2},
                                                          {128, 127}, {129, 1, 200}, {3, 3, 3, 3, 3, 3}, {700, 300}};
    for (const auto& classes : sizes) {
        const Problem narrow = make_problem(random, classes, {3, 1, 2, 3, 3, 2, 3, 3, 2, 3, 1});
        const Problem mixed = make_problem(random, classes, {10, 1, 4, 64, 65, 17, 300, 5, 9, 2, 4000, 33});
        for (const Kernel& kernel : kernels()) {
            if (!kernel.available()) continue;
            for (const bool table_only : {false, true}) {
                test_problem(narrow, kernel, table_only);
                test_problem(mixed, kernel, table_only);
            }
            test_strata(narrow, kernel);
            test_strata(mixed, kernel);
        }
    }
    std::printf("%d passed, %d failed\n", passed, failed);
    return failed == 0 ? 0 : 1;
}
