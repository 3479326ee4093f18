// The best bins with a trend of the event rate, in Python.
#include <cmath>

#include "bind/binding.hpp"
#include "encode/monotone.hpp"

namespace bitsieve {

namespace {

constexpr std::int64_t kMaxCount = std::int64_t(1) << 40;

RateTrend trend_of(const std::string& name) {
    if (name == "none") return RateTrend::kNone;
    if (name == "ascending") return RateTrend::kAscending;
    if (name == "descending") return RateTrend::kDescending;
    if (name == "peak") return RateTrend::kPeak;
    if (name == "valley") return RateTrend::kValley;
    throw std::invalid_argument("trend must be none, ascending, descending, peak or valley");
}

BinObjective objective_of(const std::string& name) {
    if (name == "iv") return BinObjective::kInformationValue;
    if (name == "mi") return BinObjective::kMutualInformation;
    if (name == "gini") return BinObjective::kGini;
    if (name == "chi2") return BinObjective::kChiSquare;
    throw std::invalid_argument("objective must be iv, mi, gini or chi2");
}

auto best_division_of(Input<std::int64_t> events, Input<std::int64_t> nonevents, std::int64_t total_events,
                      std::int64_t total_nonevents, const std::string& trend, const std::string& objective,
                      double smoothing, double cost_per_bin, std::int64_t min_n_bins, std::int64_t max_n_bins,
                      std::int64_t min_rows, std::int64_t max_rows, std::int64_t min_events, std::int64_t min_nonevents,
                      std::int64_t min_rate_difference) {
    const std::int64_t n_bins = std::int64_t(events.size());
    require_within(n_bins, 1, kMaxPreBins + 1, "the number of pre-bins");
    require_size(nonevents, n_bins, "nonevents");
    require_within(total_events, 1, kMaxCount, "total_events");
    require_within(total_nonevents, 1, kMaxCount, "total_nonevents");
    require_all_within(events, 0, total_events + 1, "events");
    require_all_within(nonevents, 0, total_nonevents + 1, "nonevents");
    require(smoothing >= 0 && smoothing <= 1e6, "smoothing must lie between 0 and 10^6");
    require(cost_per_bin >= 0 && cost_per_bin <= 1e3, "cost_per_bin must lie between 0 and 1,000");
    require_within(min_n_bins, 1, kMaxPreBins + 1, "min_n_bins");
    require_within(max_n_bins, 0, kMaxPreBins + 1, "max_n_bins");
    require_within(min_rate_difference, 0, (std::int64_t(1) << 30) + 1, "min_rate_difference");
    const PreBins bins{events.data(), nonevents.data(), n_bins, total_events, total_nonevents};
    const DivisionRules rules{trend_of(trend),    objective_of(objective),
                              smoothing,          cost_per_bin,
                              min_n_bins,         max_n_bins,
                              min_rows,           max_rows,
                              min_events,         min_nonevents,
                              min_rate_difference};
    std::vector<std::int64_t> ends;
    {
        nb::gil_scoped_release unlocked;
        ends = best_division(bins, rules);
    }
    return to_numpy(std::move(ends));
}

}  // namespace

void bind_monotone(nb::module_& m) {
    m.def("best_division", &best_division_of, "events"_a, "nonevents"_a, "total_events"_a, "total_nonevents"_a,
          "trend"_a, "objective"_a, "smoothing"_a, "cost_per_bin"_a, "min_n_bins"_a, "max_n_bins"_a, "min_rows"_a,
          "max_rows"_a, "min_events"_a, "min_nonevents"_a, "min_rate_difference"_a);
}

}  // namespace bitsieve
