// The best bins with a trend of the event rate, in Python.
#include <algorithm>

#include "bind/alias_check.hpp"
#include "bind/binding.hpp"
#include "encode/classed_keys.hpp"
#include "encode/hull.hpp"
#include "encode/monotone.hpp"
#include "encode/pre_bins.hpp"
#include "encode/value_bounds.hpp"

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

DivisionRules rules_of(const std::string& trend, const std::string& objective, double smoothing, double cost_per_bin,
                       std::int64_t min_n_bins, std::int64_t max_n_bins, std::int64_t min_rows, std::int64_t max_rows,
                       std::int64_t min_events, std::int64_t min_nonevents, std::int64_t min_rate_difference) {
    require_smoothing(smoothing);
    require(cost_per_bin >= 0 && cost_per_bin <= 1e3, "cost_per_bin must lie between 0 and 1,000");
    require_within(min_n_bins, 1, kMaxPreBins + 1, "min_n_bins");
    require_within(max_n_bins, 0, kMaxPreBins + 1, "max_n_bins");
    require_within(min_rate_difference, 0, (std::int64_t(1) << 30) + 1, "min_rate_difference");
    return {trend_of(trend),    objective_of(objective),
            smoothing,          cost_per_bin,
            min_n_bins,         max_n_bins,
            min_rows,           max_rows,
            min_events,         min_nonevents,
            min_rate_difference};
}

auto best_division_of(Input<std::int64_t> events, Input<std::int64_t> nonevents, std::int64_t total_events,
                      std::int64_t total_nonevents, const std::string& trend, const std::string& objective,
                      double smoothing, double cost_per_bin, std::int64_t min_n_bins, std::int64_t max_n_bins,
                      std::int64_t min_rows, std::int64_t max_rows, std::int64_t min_events, std::int64_t min_nonevents,
                      std::int64_t min_rate_difference) {
    require_within(std::int64_t(events.size()), 1, kMaxPreBins + 1, "the number of pre-bins");
    const PreBins bins = checked_pre_bins(events, nonevents, total_events, total_nonevents);
    const DivisionRules rules = rules_of(trend, objective, smoothing, cost_per_bin, min_n_bins, max_n_bins, min_rows,
                                         max_rows, min_events, min_nonevents, min_rate_difference);
    std::vector<std::int64_t> ends;
    {
        nb::gil_scoped_release unlocked;
        ends = best_division(bins, rules).ends;
    }
    return to_numpy(std::move(ends));
}

// Bounds of the value of divisions of the same pre-bins, for each row of events and nonevents.
auto division_bounds_of(InputGrid<std::int64_t> events, InputGrid<std::int64_t> nonevents, std::int64_t total_events,
                        std::int64_t total_nonevents, const std::string& trend, const std::string& objective,
                        double smoothing, double cost_per_bin, std::int64_t min_n_bins, std::int64_t max_n_bins,
                        std::int64_t min_rows, std::int64_t max_rows, std::int64_t min_events,
                        std::int64_t min_nonevents, std::int64_t min_rate_difference) {
    const std::int64_t n_bins = std::int64_t(events.shape(1));
    require_within(n_bins, 1, kMaxPreBins + 1, "the number of pre-bins");
    require(nonevents.shape(0) == events.shape(0) && nonevents.shape(1) == events.shape(1),
            "nonevents must have the shape of events");
    require_within(total_events, 1, kMaxCount, "total_events");
    require_within(total_nonevents, 1, kMaxCount, "total_nonevents");
    require_all_within(events, 0, total_events + 1, "events");
    require_all_within(nonevents, 0, total_nonevents + 1, "nonevents");
    const DivisionRules rules = rules_of(trend, objective, smoothing, cost_per_bin, min_n_bins, max_n_bins, min_rows,
                                         max_rows, min_events, min_nonevents, min_rate_difference);
    const std::int64_t* first_events = events.data();
    const std::int64_t* first_nonevents = nonevents.data();
    std::vector<double> bounds(events.shape(0));
    {
        nb::gil_scoped_release unlocked;
        ValueBounds bounds_of(rules, total_events + total_nonevents);
        for (std::size_t row = 0; row < bounds.size(); ++row) {
            const std::int64_t first = std::int64_t(row) * n_bins;
            bounds[row] =
                bounds_of.of({first_events + first, first_nonevents + first, n_bins, total_events, total_nonevents});
        }
    }
    return to_numpy(std::move(bounds));
}

using Weights = std::optional<Input<std::int64_t>>;

void require_weights(const Weights& weights, std::int64_t n_rows) {
    if (!weights) return;
    require_size(*weights, n_rows, "weights");
    require_all_within(*weights, 1, kMaxSamples, "weights");
}

PieceLimits limits_of(const Input<double>& limits) {
    require(std::is_sorted(limits.data(), limits.data() + limits.size()), "limits must be ascending");
    return {limits.data(), std::int64_t(limits.size())};
}

// How many included rows there are, and how many reach each limit.
auto count_reaching_of(Input<double> values, Input<bool> is_included, Input<double> limits) {
    const std::int64_t n_rows = std::int64_t(values.size());
    require_size(is_included, n_rows, "is_included");
    const PieceLimits piece_limits = limits_of(limits);
    const ClassedColumn column{values.data(), nullptr, is_included.data(), nullptr, n_rows};
    std::vector<std::int64_t> counts;
    {
        nb::gil_scoped_release unlocked;
        counts = count_reaching(column, piece_limits);
    }
    return to_numpy(std::move(counts));
}

// Writes the key and the weight of each row to the next place of its piece, those of rows that are not included after
// those of the last piece.
void place_keys_of(Input<double> values, Input<bool> is_event, Input<bool> is_included, Weights weights,
                   Input<double> limits, Input<std::int64_t> first_places, Input<std::int64_t> end_places,
                   Output<std::uint64_t> keys, std::optional<Output<std::int64_t>> placed_weights) {
    const std::int64_t n_rows = std::int64_t(values.size());
    require_size(is_event, n_rows, "is_event");
    require_size(is_included, n_rows, "is_included");
    require_weights(weights, n_rows);
    const PieceLimits piece_limits = limits_of(limits);
    const std::int64_t n_pieces = piece_limits.n + 2;  // that of rows that are not included among them
    require_size(first_places, n_pieces, "first_places");
    require_size(end_places, n_pieces, "end_places");
    const std::int64_t n_keys = std::int64_t(keys.size());
    std::vector<std::int64_t> next = to_vector(first_places);
    for (std::size_t piece = 0; piece < next.size(); ++piece) {
        require_within(end_places.data()[piece], 0, n_keys + 1, "the end of the places of a piece");
        require_within(next[piece], 0, end_places.data()[piece] + 1, "the first place of a piece");
    }
    require(weights.has_value() == placed_weights.has_value(), "give both weights and placed_weights, or neither");
    if (placed_weights) require_size(*placed_weights, n_keys, "placed_weights");
    const ClassedColumn column{values.data(), is_event.data(), is_included.data(), weights ? weights->data() : nullptr,
                               n_rows};
    const Places places{next.data(), end_places.data(), keys.data(), placed_weights ? placed_weights->data() : nullptr};
    bool is_placed = false;
    {
        nb::gil_scoped_release unlocked;
        is_placed = place_keys(column, piece_limits, places);
    }
    require(is_placed, "the places of a piece do not suffice");
}

// For each pre-bin of a piece: how many different numbers, events and nonevents there are up to its end, the number at
// its end, and the next number.
auto pre_bins_of(Input<std::uint64_t> keys, Weights weights, bool is_negative, std::int64_t n_before,
                 std::int64_t n_of_column, std::int64_t max_exact, std::int64_t max_pre_bins, bool refine) {
    const std::int64_t n = std::int64_t(keys.size());
    require_within(n, 1, kMaxSamples, "the number of keys");
    require_weights(weights, n);
    require_within(n_of_column, 1, kMaxCount, "n_of_column");
    require_within(n_before, 0, n_of_column, "n_before");
    require_within(max_exact, 1, kMaxPreBins + 1, "max_exact");
    require_within(max_pre_bins, 1, kMaxPreBins + 1, "max_pre_bins");
    const SortedPiece piece{keys.data(), weights ? weights->data() : nullptr, n, is_negative, n_before, n_of_column};
    std::vector<PreBinEnd> pre_bins;
    {
        nb::gil_scoped_release unlocked;
        if (std::is_sorted(piece.keys, piece.keys + n))
            pre_bins = find_pre_bins(piece, {max_exact, max_pre_bins, refine});
    }
    require(!pre_bins.empty(), "keys must be ascending");
    std::vector<std::int64_t> n_distinct;
    std::vector<std::int64_t> events;
    std::vector<std::int64_t> nonevents;
    std::vector<double> values;
    std::vector<double> next_values;
    for (const PreBinEnd& end : pre_bins) {
        n_distinct.push_back(end.n_distinct);
        events.push_back(end.events);
        nonevents.push_back(end.nonevents);
        values.push_back(end.value);
        next_values.push_back(end.next_value);
    }
    return std::make_tuple(to_numpy(std::move(n_distinct)), to_numpy(std::move(events)), to_numpy(std::move(nonevents)),
                           to_numpy(std::move(values)), to_numpy(std::move(next_values)));
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

}  // namespace

void bind_monotone(nb::module_& m) {
    m.def("best_division", &best_division_of, "events"_a, "nonevents"_a, "total_events"_a, "total_nonevents"_a,
          "trend"_a, "objective"_a, "smoothing"_a, "cost_per_bin"_a, "min_n_bins"_a, "max_n_bins"_a, "min_rows"_a,
          "max_rows"_a, "min_events"_a, "min_nonevents"_a, "min_rate_difference"_a);
    m.def("division_bounds", &division_bounds_of, "events"_a, "nonevents"_a, "total_events"_a, "total_nonevents"_a,
          "trend"_a, "objective"_a, "smoothing"_a, "cost_per_bin"_a, "min_n_bins"_a, "max_n_bins"_a, "min_rows"_a,
          "max_rows"_a, "min_events"_a, "min_nonevents"_a, "min_rate_difference"_a);
    m.def("count_reaching", &count_reaching_of, "values"_a, "is_included"_a, "limits"_a);
    m.def("place_keys", with_alias_check(&place_keys_of), "values"_a, "is_event"_a, "is_included"_a, "weights"_a.none(),
          "limits"_a, "first_places"_a, "end_places"_a, "keys"_a, "placed_weights"_a.none());
    m.def("pre_bins", &pre_bins_of, "keys"_a, "weights"_a.none(), "is_negative"_a, "n_before"_a, "n_of_column"_a,
          "max_exact"_a, "max_pre_bins"_a, "refine"_a);
    m.def("hull_vertices", &hull_vertices_of, "events"_a, "nonevents"_a);
    m.def("hull_information_value", &hull_information_value_of, "events"_a, "nonevents"_a, "total_events"_a,
          "total_nonevents"_a, "smoothing"_a);
}

}  // namespace bitsieve
