// The pre-bins of a column of numbers: the bins of which monotone.hpp merges some.
//
// Up to a number of distinct numbers each is a pre-bin. Beyond, the pre-bins end at order statistics, and at the vertices
// of the convex hulls of the cumulated counts (hull.hpp). Here they are found in a piece of the column: all ends of
// pre-bins of the column that lie in it are among its own. Costs O(n) time, and memory for a few rows in a hundred.
#pragma once

#include <cstdint>
#include <vector>

#include "encode/classed_keys.hpp"

namespace bitsieve {

struct SortedPiece {
    const std::uint64_t* keys;    // ascending
    const std::int64_t* weights;  // how many samples each stands for; null: one
    std::int64_t n;
    bool is_negative;          // whether its numbers are
    std::int64_t n_before;     // samples of the column in the pieces before
    std::int64_t n_of_column;  // samples of the column
};

struct PreBinRules {
    std::int64_t max_exact;     // up to so many distinct numbers, each is a pre-bin
    std::int64_t max_pre_bins;  // the number of order statistics beyond, the last one included
    bool refine;                // whether the vertices of the hulls end pre-bins, too
};

// Where a pre-bin ends. All counts are within the piece.
struct PreBinEnd {
    std::int64_t n_distinct = 0;             // numbers up to the end
    double value = 0;                        // the last of them
    double next_value = 0;                   // the smallest number beyond; infinite, if the piece has none
    std::int64_t events = 0, nonevents = 0;  // samples up to the end
};

// Ascending. The last number of the piece is among them.
std::vector<PreBinEnd> find_pre_bins(const SortedPiece& piece, const PreBinRules& rules);

}  // namespace bitsieve
