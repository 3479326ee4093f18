#include "encode/value_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "encode/cut_bounds.hpp"

namespace bitsieve {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();
constexpr std::int64_t kMaxLogarithms = std::int64_t(1) << 20;  // 8 MiB

}  // namespace

ValueBounds::ValueBounds(const DivisionRules& rules, std::int64_t n_samples) : rules_(rules) {
    if (rules.objective != BinObjective::kInformationValue) return;
    logarithms_.resize(std::size_t(std::min(n_samples + 1, kMaxLogarithms)));
    for (std::size_t n = 1; n < logarithms_.size(); ++n) logarithms_[n] = std::log(double(n));
}

double ValueBounds::of(const PreBins& bins) {
    const bool has_turn = rules_.trend == RateTrend::kPeak || rules_.trend == RateTrend::kValley;
    return has_turn && has_cut_bounds(rules_) ? bound_with_turn(bins, rules_) : of_any_rates(bins);
}

// best_[end * n_layers + k]: of divisions of the pre-bins before `end` into k + 1 bins; without a bound on the number of
// bins the last layer has those of that many or more.
double ValueBounds::of_any_rates(const PreBins& bins) {
    const CumulatedCounts counts(bins);
    const BinValue value_of(bins, rules_);
    const std::size_t n = counts.n_bins();
    const bool is_bounded = rules_.max_n_bins > 0;
    const std::size_t n_layers = std::size_t(is_bounded ? rules_.max_n_bins : rules_.min_n_bins);
    best_.assign((n + 1) * n_layers, kImpossible);
    for (std::size_t end = 1; end <= n; ++end) {
        double* best = &best_[end * n_layers];
        for (std::size_t begin = end; begin-- > 0;) {
            const BinSize bin = counts.between(begin, end);
            if (bin.rows > rules_.max_rows) break;
            if (!bin.keeps_minimum(rules_)) continue;
            const double value_of_bin = value(value_of, bin);
            if (begin == 0) {
                best[0] = std::max(best[0], value_of_bin);
                break;
            }
            const double* before = &best_[begin * n_layers];
            if (!is_bounded) best[n_layers - 1] = std::max(best[n_layers - 1], before[n_layers - 1] + value_of_bin);
            for (std::size_t layer = 1; layer < n_layers; ++layer)
                best[layer] = std::max(best[layer], before[layer - 1] + value_of_bin);
        }
    }
    if (std::size_t(rules_.min_n_bins) > n_layers) return kImpossible;
    const double* of_all = &best_[n * n_layers];
    return *std::max_element(of_all + rules_.min_n_bins - 1, of_all + n_layers);
}

// The value of a bin, by the logarithms of its counts if they are in the table.
double ValueBounds::value(const BinValue& value_of, const BinSize& bin) const {
    const std::int64_t nonevents = bin.rows - bin.events;
    const std::int64_t n_logarithms = std::int64_t(logarithms_.size());
    if (bin.events == 0 || nonevents == 0 || bin.rows >= n_logarithms) return value_of(bin);
    return value_of.information_value(bin, logarithms_[std::size_t(bin.events)] - logarithms_[std::size_t(nonevents)]);
}

}  // namespace bitsieve
