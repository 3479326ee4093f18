// The best division of a column's ordered pre-bins into bins whose event rates follow a trend.
//
// Pre-bin b holds events[b] samples of the event and nonevents[b] others. A bin (i, j] holds the pre-bins i .. j-1. The
// best division maximises  sum over bins of [ value(i, j) - cost per bin ]  over all divisions whose bins keep the
// bounds and whose neighbours keep the trend. Rates are compared as fractions of integers. Values are multiples of
// 2^-44, so that sums are the same in any order; among divisions equal within 1e-12 the one of fewest bins wins, then
// the one of the smallest ends.
//
// The trend binds neighbours alone, so the best continuation after bin (i, j] depends on that bin alone:
//     best_1(i, B) = value(i, B),    best_k(i, j) = value(i, j) + max over allowed (j, m] of best_{k-1}(j, m).
// Only bins that keep the bounds are stored. For every boundary those that begin there are sorted by rate once, and for
// each bin that ends there the number of those that may follow it is found once; each k is then a running maximum. Cost:
// O(B^2 (k + log B)) time, at most 30 B^2 bytes and 2 k B^2 bytes of pointers, B pre-bins.
#pragma once

#include <cstdint>
#include <vector>

namespace bitsieve {

enum class RateTrend { kNone, kAscending, kDescending, kPeak, kValley };
enum class BinObjective { kInformationValue, kMutualInformation, kGini, kChiSquare };

struct PreBins {
    const std::int64_t* events;
    const std::int64_t* nonevents;
    std::int64_t n_bins;
    std::int64_t total_events, total_nonevents;  // of the whole table, with the samples that are in no pre-bin
};

struct DivisionRules {
    RateTrend trend;
    BinObjective objective;
    double smoothing;     // so many samples of the table's event rate are added to a bin with an empty cell
    double cost_per_bin;  // in the unit of the objective
    std::int64_t min_n_bins, max_n_bins;  // max_n_bins 0: no bound
    std::int64_t min_rows, max_rows;      // of each bin
    std::int64_t min_events, min_nonevents;
    std::int64_t min_rate_difference;  // of neighbours, in units of 2^-30
};

constexpr std::int64_t kMaxPreBins = 1 << 13;

// The end of each bin, ascending, the last one B; empty if no division keeps the rules.
std::vector<std::int64_t> best_division(const PreBins& bins, const DivisionRules& rules);

}  // namespace bitsieve
