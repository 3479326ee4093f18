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

constexpr std::int64_t kMostPoints = std::int64_t(1) << 26;  // two numbers of points fit the fraction of a double

struct Edge {
    std::int64_t low, high;  // the points it joins, low < high
};

// Points cut into cells of near ones, and those into blocks: all cells have `cell` points but the last, and eight of them
// are a block.
struct Blocks {
    std::vector<std::int32_t> order;  // the points, cell by cell
    std::int64_t cell = 0;            // a multiple of eight
};

Blocks blocks_of(const Points& points);

struct TreeKernel {
    const char* name;
    // The count - 1 edges in the order in which Prim's algorithm adds them, beginning at the first point.
    void (*plane)(const Points&, const Blocks&, Edge* edges);   // two dimensions
    void (*space)(const Points&, const Blocks&, Edge* edges);   // any number
};

// The kernel of an instruction set that the counting kernels know by this name.
const TreeKernel& tree_kernel(const std::string& name);

void spanning_tree(const TreeKernel& kernel, const Points& points, std::vector<Edge>& edges);

extern const TreeKernel kPortableTree;
#if defined(__x86_64__)
extern const TreeKernel kAvx2Tree;
extern const TreeKernel kAvx512Tree;
#endif

}  // namespace bitsieve
