// What divisions of pre-bins can be worth at most, where many counts of the same pre-bins are to be bounded: for shuffles,
// of which it is only asked whether their best division reaches a value.
//
// Rules with a turn of the event rate (peak, valley) have the bounds of both monotone parts, added at every boundary
// (cut_bounds.hpp): O(B H k) time, B pre-bins, H vertices of their hulls and k bins. Where these bounds do not hold, and
// for rules without a trend, the bound is the largest value of divisions whatever their event rates, by a program over
// the last cut in O(B^2 k) time: that of the best division if the rules ask nothing of the rates of neighbours.
#pragma once

#include <cstdint>
#include <vector>

#include "encode/division_rules.hpp"

namespace bitsieve {

class ValueBounds {
public:
    // Of pre-bins that have `n_samples` samples together.
    ValueBounds(const DivisionRules& rules, std::int64_t n_samples);

    // Minus infinity if no division keeps the rules.
    double of(const PreBins& bins);

private:
    double of_any_rates(const PreBins& bins);
    double value(const BinValue& value_of, const BinSize& bin) const;

    DivisionRules rules_;
    std::vector<double> logarithms_;  // of 1, 2, ... samples
    std::vector<double> best_;        // of divisions of the pre-bins before each boundary, by their number of bins
};

}  // namespace bitsieve
