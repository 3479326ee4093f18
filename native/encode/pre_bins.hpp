// The pre-bins of a column of numbers: the bins of which monotone.hpp merges some.
//
// The numbers of the samples with the event, and of those without it, are sorted each for themselves; one merge of the
// two finds every distinct number with its counts. Up to a number of distinct numbers each is a pre-bin. Beyond, the
// pre-bins end at order statistics, and at the vertices of the convex hulls of the cumulated counts (hull.hpp). Costs
// O(n) time, and memory for the pre-bins alone.
#pragma once

#include <cstdint>
#include <vector>

namespace bitsieve {

struct NumbersOfClasses {
    std::vector<double> with_event, without_event;
};

// The numbers of the included rows, in their order. Two passes without a branch on the class.
NumbersOfClasses split_by_class(const double* values, const bool* is_event, const bool* is_included,
                                std::int64_t n_rows);

struct SortedNumbers {
    const double* values;         // ascending
    const std::int64_t* weights;  // how many samples each stands for; null: one
    std::int64_t n;
};

struct PreBinRules {
    std::int64_t max_exact;     // up to so many distinct numbers, each is a pre-bin
    std::int64_t max_pre_bins;  // the number of order statistics beyond, the last one included
    bool refine;                // whether the vertices of the hulls end pre-bins, too
};

// Where a pre-bin ends.
struct PreBinEnd {
    std::int64_t n_distinct = 0;             // numbers up to the end
    double value = 0;                        // the last of them
    double next_value = 0;                   // the smallest number beyond; the last one has none
    std::int64_t events = 0, nonevents = 0;  // samples up to the end
};

struct PreBinEnds {
    std::vector<PreBinEnd> ends;  // ascending
    std::int64_t n_distinct = 0;  // numbers of the column
};

PreBinEnds find_pre_bins(const SortedNumbers& events, const SortedNumbers& nonevents, const PreBinRules& rules);

}  // namespace bitsieve
