// Greedy scores that are minima over pivots, brought up to date only where they may still win.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "count/pivot_counter.hpp"

namespace bitsieve {

// The smallest number of every feature over pivots that are added one at a time, and the feature where it is largest:
// the core of forward selection by minima, such as CMIM.
//
// The number of feature i with pivot s is  within - pooled + offset_s  for the sums of the pair, so a minimum is an
// integer. Minima only fall: one that lacks some pivots bounds the true one from above. Fleuret's lazy rule
// follows: SIMD groups are brought up to date from the highest bound down, one pivot at a time, until no bound left can
// reach the highest minimum. Which ones are depends on the groups asked for together; what is found does not.
//
// Limits: all features are kept as planes. Memory: the planes of the pivots, and 16 bytes a feature.

class LazyMinima {
public:
    // `start` bounds the minimum of every feature, such as by what it is without a pivot. Minima within `tie` of
    // each other count as equal, once divided by `one_bit`.
    LazyMinima(const PackedTable& packed, std::vector<std::int64_t> table, int shift, std::vector<std::int64_t> start,
               double one_bit, double tie);
    LazyMinima(const LazyMinima&) = delete;  // the terms point into its own table
    LazyMinima& operator=(const LazyMinima&) = delete;
    ~LazyMinima() = default;

    std::int64_t n_features() const { return packed_.n_features(); }
    std::int64_t n_simd_groups() const { return packed_.n_simd_groups(); }

    // Adds a pivot, in which every minimum then lies behind.
    void add(std::int64_t feature, std::int64_t offset);

    // Raises `best_so_far` to the largest minimum of the candidates in the SIMD groups [first, last), those within a
    // tie of it up to date. Groups that do not overlap may be asked for at once, with one `best_so_far`: what does not
    // reach what others have found is left behind.
    void largest(const bool* candidates, std::int64_t first, std::int64_t last, std::int64_t* best_so_far);

    // The first candidate that is up to date with a minimum within a tie of `largest`, and that minimum; -1: none.
    std::int64_t first_at(const bool* candidates, std::int64_t largest, std::int64_t& minimum) const;

private:
    struct Bound {
        std::int64_t sum, simd_group;
    };

    bool reaches(std::int64_t sum, std::int64_t mark) const {
        return double(sum) / one_bit_ >= double(mark) / one_bit_ - tie_;
    }
    Bound bound(const bool* candidates, std::int64_t simd_group) const;
    void advance(std::int64_t simd_group);

    const PackedTable& packed_;
    const std::vector<std::int64_t> table_;
    const Terms terms_;
    const double one_bit_, tie_;
    std::deque<PivotCounter> pivots_;
    std::vector<std::int64_t> offsets_;
    std::vector<std::int64_t> depth_;   // by SIMD group: pivots seen so far
    std::vector<std::int64_t> lowest_;  // by place in the SIMD groups: the minimum over them
};

}  // namespace bitsieve
