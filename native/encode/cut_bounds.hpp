// What the divisions of pre-bins with a certain cut can be worth at most.
//
// Of divisions with a rising event rate and no other bounds than a number of bins, the best one cuts at vertices of the
// lower convex hull of the points (cumulated nonevents, cumulated events): to move a cut down to the hull, and along it
// to a vertex, raises every objective that is convex and homogeneous. So a bound is found among those vertices alone, by
// a program over cuts without rates. The points are the boundaries that leave enough samples for a first bin before
// them, and for a last bin behind them; the bins on both sides of the cut in question have enough samples, too. Cost:
// O(B H k) time, B pre-bins and H vertices.
//
// A division that rises and then falls consists of a rising and a falling part, and any two such parts make one. It is
// bounded by the best sum of the bounds of both parts over all boundaries between them, in O(B^2 k) time.
#pragma once

#include <cstddef>
#include <vector>

#include "encode/division_rules.hpp"

namespace bitsieve {

// Whether the rules have such bounds: they have a trend, and no bin has an empty cell whose value is smoothed.
bool has_cut_bounds(const DivisionRules& rules);

// Bounds of values less the cost of bins; minus infinity where no cut may be. Boundary b lies before pre-bin b.
class CutBounds {
public:
    CutBounds(const PreBins& bins, const DivisionRules& rules);

    // Of the part before a cut with at most `n_bins` bins, at least one, whose last bin may be in a phase of the trend.
    double before(std::size_t cut, std::size_t n_bins, std::size_t phase) const {
        return before_[phase][cut * n_layers_ + (is_bounded_ ? n_bins : n_layers_) - 1];
    }

    // Of all divisions with the cut.
    double through(std::size_t cut) const;

private:
    // Of the part behind a cut, with as many bins as a part of that layer before it leaves.
    double behind(std::size_t cut, std::size_t layer_before, std::size_t phase) const {
        return behind_[phase][(n_ - cut) * n_layers_ + n_layers_ - 1 - layer_before];
    }

    std::size_t n_;
    bool is_bounded_;       // in the number of bins
    std::size_t n_layers_;  // of a part: layer k has at most k + 1 bins; without a bound it has any number
    // By the phase of the bin next to the cut, the number of pre-bins in the part, and layer.
    std::vector<std::vector<double>> before_, behind_;
};

// Of all divisions by rules with a turn of the event rate that have such bounds: a rising and a falling part, or one bin;
// minus infinity if there is none. Cost: O(B H k) time.
double bound_with_turn(const PreBins& bins, const DivisionRules& rules);

}  // namespace bitsieve
