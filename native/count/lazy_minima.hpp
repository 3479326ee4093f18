// Greedy scores by the smallest numbers over pivots, brought up to date only where they may still win.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "count/pivot_counter.hpp"

namespace bitsieve {

// How often each code of each feature occurs: feature f has the counts distinct[index[starts[f] .. starts[f + 1] - 1]],
// where `distinct`, which is not kept here, lists every count once. Without corrections for chance all is empty.
struct CodeCounts {
    std::vector<std::int64_t> starts;
    std::vector<std::int64_t> index;
    std::int64_t n_distinct;
};

// What is known of a pivot beside its counts with others.
struct PivotOffsets {
    std::int64_t sum;                           // added to the sums of every pair
    double bits;                                // added to every number
    std::vector<std::int64_t> chance_of_count;  // of every distinct count of a code; empty: no correction for chance
    std::int64_t chance;                        // added to what the codes of a feature sum to
};

// The score of every feature over pivots that are added one at a time, and the feature where it is largest: the core of
// forward selection by minima, such as CMIM.
//
// The score is the smallest number of the feature with a pivot, or the mean of the two smallest. With the sums of the
// pair, the number of a feature of counts m with a pivot is
//
//     (class_sum - pooled_sum + sum) / one_bit - (chance + sum over m of chance_of_count[m]) / one_bit + bits
//
// Smallest numbers only fall: those that lack some pivots bound the score from above. Fleuret's lazy rule follows: SIMD
// groups are brought up to date from the highest bound down, one pivot at a time, until no bound left can reach the
// highest score. Which ones are depends on the groups asked for together; what is found does not.
//
// Limits: all features are kept as planes. Memory: the planes of the pivots, and 24 bytes a feature.

class LazyMinima {
public:
    // `start` bounds the smallest number of every feature, such as by what it is without a pivot. `n_smallest` numbers
    // are averaged, 1 or 2; of a single pivot, the only one. Scores within `tie` of each other count as equal.
    LazyMinima(const PackedTable& packed, std::vector<std::int64_t> table, int shift, const std::vector<double>& start,
               int n_smallest, CodeCounts code_counts, double one_bit, double tie);
    LazyMinima(const LazyMinima&) = delete;  // the terms point into its own table
    LazyMinima& operator=(const LazyMinima&) = delete;
    ~LazyMinima() = default;

    std::int64_t n_features() const { return packed_.n_features(); }
    std::int64_t n_simd_groups() const { return packed_.n_simd_groups(); }
    const CodeCounts& code_counts() const { return code_counts_; }

    // Adds a pivot, in which every score then lies behind.
    void add(std::int64_t feature, PivotOffsets offsets);

    // Raises `best_so_far` to the largest score of the candidates in the SIMD groups [first, last), those within a tie
    // of it up to date. Groups that do not overlap may be asked for at once, with one `best_so_far`: what does not
    // reach what others have found is left behind.
    void largest(const bool* candidates, std::int64_t first, std::int64_t last, double* best_so_far);

    // The first candidate that is up to date with a score within a tie of `largest`, and that score; -1: none.
    std::int64_t first_at(const bool* candidates, double largest, double& score) const;

private:
    struct Bound {
        double score;
        std::int64_t simd_group;
    };

    bool reaches(double score, double mark) const { return score >= mark - tie_; }
    bool is_current(std::int64_t simd_group) const {
        return depth_[std::size_t(simd_group)] == std::int64_t(pivots_.size());
    }
    double score(std::size_t lane_index) const;
    Bound bound(const bool* candidates, std::int64_t simd_group) const;
    std::int64_t chance(const PivotOffsets& offsets, std::int64_t feature) const;
    void advance(std::int64_t simd_group);

    const PackedTable& packed_;
    const std::vector<std::int64_t> table_;
    const Terms terms_;
    const int n_smallest_;
    const CodeCounts code_counts_;
    const double one_bit_, tie_;
    std::deque<PivotCounter> pivots_;
    std::vector<PivotOffsets> offsets_;
    std::vector<std::int64_t> depth_;  // by SIMD group: pivots seen so far
    std::vector<double> smallest_;     // by place in the SIMD groups: the smallest number over these pivots
    std::vector<double> second_;       // the second smallest, where two are averaged
};

}  // namespace bitsieve
