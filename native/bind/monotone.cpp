// The best bins with a trend of the event rate, in Python.
#include <cmath>

#include "bind/binding.hpp"
#include "encode/hull.hpp"
#include "encode/monotone.hpp"
#include "encode/pre_bins.hpp"

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

PreBins checked_pre_bins(const Input<std::int64_t>& events, const Input<std::int64_t>& nonevents,
                         std::int64_t total_events, std::int64_t total_nonevents) {
    const std::int64_t n_bins = std::int64_t(events.size());
    require_size(nonevents, n_bins, "nonevents");
    require_within(total_events, 1, kMaxCount, "total_events");
    require_within(total_nonevents, 1, kMaxCount, "total_nonevents");
    require_all_within(events, 0, total_events + 1, "events");
    require_all_within(nonevents, 0, total_nonevents + 1, "nonevents");
    return {events.data(), nonevents.data(), n_bins, total_events, total_nonevents};
}

void require_smoothing(double smoothing) {
    require(smoothing >= 0 && smoothing <= 1e6, "smoothing must lie between 0 and 10^6");
}

auto best_division_of(Input<std::int64_t> events, Input<std::int64_t> nonevents, std::int64_t total_events,
                      std::int64_t total_nonevents, const std::string& trend, const std::string& objective,
                      double smoothing, double cost_per_bin, std::int64_t min_n_bins, std::int64_t max_n_bins,
                      std::int64_t min_rows, std::int64_t max_rows, std::int64_t min_events, std::int64_t min_nonevents,
                      std::int64_t min_rate_difference) {
    require_within(std::int64_t(events.size()), 1, kMaxPreBins + 1, "the number of pre-bins");
    const PreBins bins = checked_pre_bins(events, nonevents, total_events, total_nonevents);
    require_smoothing(smoothing);
    require(cost_per_bin >= 0 && cost_per_bin <= 1e3, "cost_per_bin must lie between 0 and 1,000");
    require_within(min_n_bins, 1, kMaxPreBins + 1, "min_n_bins");
    require_within(max_n_bins, 0, kMaxPreBins + 1, "max_n_bins");
    require_within(min_rate_difference, 0, (std::int64_t(1) << 30) + 1, "min_rate_difference");
    const DivisionRules rules{trend_of(trend),    objective_of(objective),
                              smoothing,          cost_per_bin,
                              min_n_bins,         max_n_bins,
                              min_rows,           max_rows,
                              min_events,         min_nonevents,
                              min_rate_difference};
    std::vector<std::int64_t> ends;
    {
        nb::gil_scoped_release unlocked;
        ends = best_division(bins, rules).ends;
    }
    return to_numpy(std::move(ends));
}

using Weights = std::optional<Input<std::int64_t>>;

SortedNumbers sorted_numbers_of(const Input<double>& values, const Weights& weights, const char* name) {
    const double* data = values.data();
    const std::int64_t n = std::int64_t(values.size());
    require_within(n, 0, kMaxSamples, name);
    bool is_ascending = true;
    for (std::int64_t i = 1; i < n; ++i) is_ascending &= data[i - 1] <= data[i];
    const bool is_finite = n == 0 || (std::isfinite(data[0]) && std::isfinite(data[n - 1]));
    require(is_ascending && is_finite, "the numbers of a class must be finite and ascending");
    if (!weights) return {data, nullptr, n};
    require_size(*weights, n, "the weights of a class");
    require_all_within(*weights, 1, kMaxSamples, "the weights of a class");
    return {data, weights->data(), n};
}

// The last number of each pre-bin but the last, the smallest number beyond, the events and other samples of each
// pre-bin, and the number of distinct numbers.
auto pre_bins_of(Input<double> events, Input<double> nonevents, Weights event_weights, Weights nonevent_weights,
                 std::int64_t max_exact, std::int64_t max_pre_bins, bool refine) {
    const SortedNumbers with_event = sorted_numbers_of(events, event_weights, "the number of events");
    const SortedNumbers without_event = sorted_numbers_of(nonevents, nonevent_weights, "the number of nonevents");
    require(with_event.n + without_event.n > 0, "a column without numbers has no pre-bins");
    require_within(max_exact, 1, kMaxPreBins + 1, "max_exact");
    require_within(max_pre_bins, 1, kMaxPreBins + 1, "max_pre_bins");
    std::vector<double> cuts;
    std::vector<double> next_above;
    std::vector<std::int64_t> events_of_bin;
    std::vector<std::int64_t> nonevents_of_bin;
    PreBinEnds pre_bins;
    {
        nb::gil_scoped_release unlocked;
        pre_bins = find_pre_bins(with_event, without_event, {max_exact, max_pre_bins, refine});
    }
    PreBinEnd previous;
    for (const PreBinEnd& end : pre_bins.ends) {
        events_of_bin.push_back(end.events - previous.events);
        nonevents_of_bin.push_back(end.nonevents - previous.nonevents);
        previous = end;
        if (end.n_distinct == pre_bins.n_distinct) break;
        cuts.push_back(end.value);
        next_above.push_back(end.next_value);
    }
    return std::make_tuple(to_numpy(std::move(cuts)), to_numpy(std::move(next_above)),
                           to_numpy(std::move(events_of_bin)), to_numpy(std::move(nonevents_of_bin)),
                           pre_bins.n_distinct);
}

auto hull_vertices_of(Input<std::int64_t> events, Input<std::int64_t> nonevents) {
    require_size(nonevents, std::int64_t(events.size()), "nonevents");
    require_all_within(events, 0, kMaxCount, "events");
    require_all_within(nonevents, 0, kMaxCount, "nonevents");
    return to_numpy(hull_vertices(events.data(), nonevents.data(), std::int64_t(events.size())));
}

// The information value of the best rising division, where nothing bounds the bins.
double hull_information_value_of(Input<std::int64_t> events, Input<std::int64_t> nonevents, std::int64_t total_events,
                                 std::int64_t total_nonevents, double smoothing) {
    const PreBins bins = checked_pre_bins(events, nonevents, total_events, total_nonevents);
    require_smoothing(smoothing);
    return hull_information_value(bins, smoothing);
}

// The numbers of the included rows with the event, and of those without it, in the order of the rows.
auto split_by_class_of(Input<double> values, Input<bool> is_event, Input<bool> is_included) {
    const std::int64_t n = std::int64_t(values.size());
    require_within(n, 0, kMaxSamples, "the number of rows");
    require_size(is_event, n, "is_event");
    require_size(is_included, n, "is_included");
    NumbersOfClasses numbers;
    {
        nb::gil_scoped_release unlocked;
        numbers = split_by_class(values.data(), is_event.data(), is_included.data(), n);
    }
    return std::make_tuple(to_numpy(std::move(numbers.with_event)), to_numpy(std::move(numbers.without_event)));
}

}  // namespace

void bind_monotone(nb::module_& m) {
    m.def("best_division", &best_division_of, "events"_a, "nonevents"_a, "total_events"_a, "total_nonevents"_a,
          "trend"_a, "objective"_a, "smoothing"_a, "cost_per_bin"_a, "min_n_bins"_a, "max_n_bins"_a, "min_rows"_a,
          "max_rows"_a, "min_events"_a, "min_nonevents"_a, "min_rate_difference"_a);
    m.def("pre_bins", &pre_bins_of, "events"_a, "nonevents"_a, "event_weights"_a.none(), "nonevent_weights"_a.none(),
          "max_exact"_a, "max_pre_bins"_a, "refine"_a);
    m.def("hull_vertices", &hull_vertices_of, "events"_a, "nonevents"_a);
    m.def("hull_information_value", &hull_information_value_of, "events"_a, "nonevents"_a, "total_events"_a,
          "total_nonevents"_a, "smoothing"_a);
    m.def("split_by_class", &split_by_class_of, "values"_a, "is_event"_a, "is_included"_a);
}

}  // namespace bitsieve
