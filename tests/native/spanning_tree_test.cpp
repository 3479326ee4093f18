// Spanning trees of every instruction set against Prim's algorithm by plain loops: the same edges, ties and all.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "kernel_set.hpp"
#include "samples/spanning_tree.hpp"

using namespace bitsieve;

namespace {

using Key = std::tuple<double, std::int64_t, std::int64_t>;

Key key(const Points& points, std::int64_t i, std::int64_t j) {
    double sum = 0.0;
    for (int k = 0; k < points.dims; ++k) {
        const double* x = points.coordinates.data() + k * points.count;
        sum += (x[i] - x[j]) * (x[i] - x[j]);
    }
    return {sum, std::min(i, j), std::max(i, j)};
}

std::vector<Edge> plain_tree(const Points& points) {
    std::vector<Key> best(std::size_t(points.count), Key{std::numeric_limits<double>::infinity(), 0, 0});
    std::vector<bool> joined(best.size());
    std::vector<Edge> edges;
    for (std::int64_t newest = 0;;) {
        joined[std::size_t(newest)] = true;
        std::int64_t next = -1;
        for (std::int64_t i = 0; i < points.count; ++i) {
            if (joined[std::size_t(i)]) continue;
            best[std::size_t(i)] = std::min(best[std::size_t(i)], key(points, newest, i));
            if (next < 0 || best[std::size_t(i)] < best[std::size_t(next)]) next = i;
        }
        if (next < 0) return edges;
        edges.push_back({std::get<1>(best[std::size_t(next)]), std::get<2>(best[std::size_t(next)])});
        newest = next;
    }
}

bool equal(const std::vector<Edge>& edges, const std::vector<Edge>& others) {
    return std::equal(edges.begin(), edges.end(), others.begin(), others.end(),
                      [](const Edge& a, const Edge& b) { return a.low == b.low && a.high == b.high; });
}

enum class Kind { cloud, grid, far_out };  // a normal cloud, a grid full of ties, points very far from one another

double random_coordinate(Kind kind, std::mt19937& random) {
    std::normal_distribution<double> normal;
    switch (kind) {
        case Kind::cloud: return normal(random);
        case Kind::grid: return double(random() % 9);
        case Kind::far_out: return std::exp(9.0 * normal(random));
    }
    return 0.0;
}

// Distinct points in lexicographic order, `count` or fewer.
Points random_points(std::int64_t count, int dims, Kind kind, std::mt19937& random) {
    std::vector<std::vector<double>> rows;
    for (std::int64_t i = 0; i < count; ++i) {
        std::vector<double> row;
        for (int k = 0; k < dims; ++k) row.push_back(random_coordinate(kind, random));
        rows.push_back(row);
    }
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    Points points{{}, std::int64_t(rows.size()), dims};
    for (int k = 0; k < dims; ++k)
        for (const auto& row : rows) points.coordinates.push_back(row[std::size_t(k)]);
    return points;
}

// Three points at 0, of which one is in the second sample, and three of the second at 2.
bool equal_points_are_expected() {
    const std::vector<std::uint32_t> ranks(6, 0);
    const std::vector<std::uint32_t> last{0, 0, 0, 1, 1, 1};
    const std::vector<double> zero{0.0};
    const std::vector<double> values{0.0, 2.0};
    const std::vector<std::int64_t> samples{0, 1, 2, 3, 4, 5};
    CrossEdges weigh(portable::kTrees, {ranks.data(), zero.data(), 1, 1}, samples, samples, {1, 1, 0, 0, 0, 0},
                     {0, 0, 1, 1, 1, 1});
    // At 0: 2 * 2 * 1 / 3 edges, at 2 none; the edge between them starts at one of the first sample twice in three
    // times.
    return weigh({last.data(), values.data(), 2, 1}) == 4.0 / 3.0 + 6.0 / 9.0;
}

bool unknown_set_is_refused() {
    try {
        kernel_set("sse9");
    } catch (const std::invalid_argument&) {
        return true;
    }
    return false;
}

// Whether the tree by the kernel of choice, the one without blocks and the one by blocks are all the plain one.
bool trees_are_right(const TreeKernel& kernel, const Points& points) {
    const std::vector<Edge> expected = plain_tree(points);
    const Blocks blocks = blocks_of(points);
    const auto tree = points.dims == 2 ? kernel.plane : kernel.space;
    std::vector<Edge> chosen;
    std::vector<Edge> dense(expected.size());
    std::vector<Edge> by_blocks(expected.size());
    spanning_tree(kernel, points, chosen);
    tree(points, nullptr, dense.data());
    tree(points, &blocks, by_blocks.data());
    return equal(chosen, expected) && equal(dense, expected) && equal(by_blocks, expected);
}

}  // namespace

// Fewer points than a cell, one more, several blocks, of every kind.
void test_spanning_tree(int& passed, int& failed) {
    const auto check = [&](bool holds, const char* what) {
        if (holds) {
            ++passed;
            return;
        }
        ++failed;
        std::printf("FAILED: trees: %s\n", what);
    };
    check(equal_points_are_expected(), "equal points");
    check(unknown_set_is_refused(), "an instruction set that does not exist was taken");
    std::mt19937 random(7);
    for (const KernelSet& set : kernel_sets()) {
        if (!set.is_available()) continue;
        for (const int dims : {1, 2, 3, 7})
            for (const std::int64_t count : {1, 2, 8, 9, 65, 700})
                for (const Kind kind : {Kind::cloud, Kind::grid, Kind::far_out}) {
                    const Points points = random_points(count, dims, kind, random);
                    char what[80];
                    std::snprintf(what, sizeof what, "%s, %lld points, %d dimensions, kind %d", set.name,
                                  static_cast<long long>(count), dims, static_cast<int>(kind));
                    check(trees_are_right(*set.trees, points), what);
                }
    }
}
