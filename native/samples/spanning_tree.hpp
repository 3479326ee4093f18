// Euclidean minimum spanning trees, exact, of distinct points.
//
// Edges are compared by (squared length as computed, lower point, higher point): a strict order, so that the tree is
// unique and every instruction set finds the same one. Squared lengths are summed in the order of the dimensions, each
// operation rounded; on a grid of whole numbers below 2^26 they are exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace bitsieve {

// Distinct points in lexicographic order: dimension k of point i is coordinates[k * count + i].
struct Points {
    std::vector<double> coordinates;
    std::int64_t count = 0;
    int dims = 0;
};

constexpr std::int64_t kMaxPoints = std::int64_t(1) << 26;
static_assert(kMaxPoints <= (std::int64_t(1) << 53) / kMaxPoints, "two numbers of points fit the fraction of a double");

struct Edge {
    std::int64_t low, high;  // the points it joins, low < high
};
static_assert(sizeof(Edge) == 2 * sizeof(std::int64_t), "edges are handed to Python as pairs of integers");

// Points cut into cells of near ones, and those into blocks: all cells have `cell` points but the last, and eight of
// them are a block.
struct Blocks {
    std::vector<std::int32_t> order;  // the points, cell by cell
    std::int64_t cell = 0;            // a multiple of eight
};

Blocks blocks_of(const Points& points);

struct TreeKernel {
    // plane, space: the minimum spanning tree by Prim's algorithm, beginning at the first point.
    //   out   the count - 1 edges in the order in which they are added
    //   how   with blocks only those are looked at that may hold the next edge; without (null) all points at every step
    //   needs distinct points in lexicographic order, less than 1e150 apart
    //   limit points <= 2^26
    //   cost  count * count distances without blocks; with them few cells a step in few dimensions
    //   same  squared lengths are summed in the order of the dimensions, ties go to the lower points: one tree for all
    //   test  tests/native/spanning_tree_test.cpp: every set against a plain Prim
    void (*plane)(const Points&, const Blocks*, Edge* edges);  // two dimensions
    void (*space)(const Points&, const Blocks*, Edge* edges);  // any number
};

void spanning_tree(const TreeKernel& kernel, const Points& points, std::vector<Edge>& edges);

namespace portable {
extern const TreeKernel kTrees;
}
#if defined(__x86_64__)
namespace avx2 {
extern const TreeKernel kTrees;
}
namespace avx512 {
extern const TreeKernel kTrees;
}
#endif

// How many edges of a spanning tree join points of two samples: the statistic of Friedman and Rafsky, for many sets of
// points that share all coordinates but the last.
//
// Equal points are merged into one point of the tree. The edges among them, and which of them an edge to another point
// touches, are not determined by lengths; counted is the expectation over all choices: a pair of m merged points is
// joined with probability 2 / m, and each of them is as likely as any other to be touched. Where all points differ this
// is the plain count.

// Values as ranks: the sample s has the value values[k * count + ranks[s]] in dimension k; rising ranks are rising
// values (in lexicographic order).
struct Ranked {
    const std::uint32_t* ranks;
    const double* values;
    std::int64_t count;
    int dims;
};

class CrossEdges {
public:
    // Point p weighs in_first[p] in the first sample and in_second[p] in the second; one of them is 0.
    CrossEdges(const TreeKernel& kernel, const Ranked& shared, std::vector<std::int64_t> shared_sample,
               std::vector<std::int64_t> last_sample, std::vector<double> in_first, std::vector<double> in_second);

    // The sum over the edges between a point u of the first sample and v of the second of in_first[u] * in_second[v],
    // where the last coordinate of point p is that of last_sample[p].
    double operator()(const Ranked& last);

private:
    void merge(const Ranked& last);

    struct MergedPoint {
        double count, first, second;
    };

    const TreeKernel& kernel_;
    Ranked shared_;
    std::vector<std::int64_t> shared_sample_, last_sample_;
    std::vector<double> in_first_, in_second_;
    std::vector<std::uint32_t> shared_rank_, last_rank_;  // of points; those of the shared part are 0, 1, ...
    std::vector<std::int64_t> start_, by_last_, order_;
    std::vector<MergedPoint> merged_points_;
    Points points_;
    std::vector<Edge> edges_;
};

}  // namespace bitsieve
