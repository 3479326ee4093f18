#include "encode/monotone.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "encode/cut_bounds.hpp"

namespace bitsieve {
namespace {

using i128 = __int128;

constexpr std::int64_t kUnit = std::int64_t(1) << 44;  // of values: they are multiples of 2^-44
constexpr std::int64_t kTie = 17;                      // 1e-12 in these units
// The value of no division. A sum of four of them still fits an integer.
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min() / 4;
constexpr std::int64_t kRateUnit = std::int64_t(1) << 30;
constexpr double kRateRounding = 1e-15;            // rates that differ by more differ as fractions
constexpr double kBoundMargin = 1e-9;              // far above the rounding of a bound, and far below what matters
constexpr std::int64_t kFewPreBins = 64;           // so few are searched at once
constexpr std::int64_t kFewCuts = 40;              // the first ones of a search in steps
constexpr std::int64_t kShareOfPromisingCuts = 8;  // an eighth of the cuts

// A step from one bin to the next: upwards or downwards in the event rate, into a phase of the trend. A peak has two
// phases: it rises in phase 0 and falls in phase 1.
struct Step {
    bool up;
    std::size_t to_phase;
};

// Where a trend binds the rates, it has one step into each phase, which has the number of the phase.
struct TrendSteps {
    std::vector<Step> steps;
    std::vector<std::vector<std::size_t>> steps_of_phase;  // those that a bin of each phase may take
};

TrendSteps steps_of(const DivisionRules& rules) {
    const Step up{true, 0};
    const Step down{false, 0};
    switch (rules.trend) {
        case RateTrend::kNone:
            if (rules.min_rate_difference == 0) return {{up}, {{0}}};  // one step, which no rate hinders
            return {{up, down}, {{0, 1}}};
        case RateTrend::kAscending: return {{up}, {{0}}};
        case RateTrend::kDescending: return {{down}, {{0}}};
        case RateTrend::kPeak: return {{up, {false, 1}}, {{0, 1}, {1}}};
        case RateTrend::kValley: return {{down, {true, 1}}, {{0, 1}, {1}}};
    }
    return {};
}

// Where divisions may cut, and what they must be worth at least.
struct SearchSpace {
    std::vector<std::size_t> boundaries;  // ascending, the first and the last one included
    const CutBounds* bounds = nullptr;    // null: unknown
    double smallest_value = -std::numeric_limits<double>::infinity();
};

class DivisionSearch {
public:
    DivisionSearch(const PreBins& bins, const DivisionRules& rules, const SearchSpace& space)
        : rules_(rules),
          space_(space),
          counts_(bins),
          value_of_(bins, rules),
          n_(space.boundaries.size() - 1),
          trend_(steps_of(rules)),
          is_bounded_(rules.max_n_bins > 0),
          n_layers_(std::size_t(is_bounded_ ? rules.max_n_bins : rules.min_n_bins)),
          any_rate_may_follow_(rules.trend == RateTrend::kNone && rules.min_rate_difference == 0),
          rate_difference_(double(rules.min_rate_difference) / double(kRateUnit)) {
        const std::size_t n_phases = trend_.steps_of_phase.size();
        best_of_lists_.resize((n_ + 1) * trend_.steps.size() * n_layers_);
        lists_.resize(best_of_lists_.size());
        complete_.resize(n_phases * n_layers_);
        best_next_values_.assign((n_ + 1) * n_phases, kNever);
        set_smallest_values();
        for (const std::size_t boundary : space.boundaries) {
            rates_before_.push_back(counts_.between(0, boundary).rate());
            rates_behind_.push_back(counts_.between(boundary, counts_.n_bins()).rate());
        }
    }

    Division best() {
        for (std::size_t begin = n_; begin-- > 0;) add_bins_from(begin);
        const Continuation* best = nullptr;
        for (std::size_t layer = std::size_t(rules_.min_n_bins) - 1; layer < n_layers_; ++layer)
            for (std::size_t phase = 0; phase < trend_.steps_of_phase.size(); ++phase) {
                const Continuation& division = complete_[phase * n_layers_ + layer];
                if (division.is_possible() && (best == nullptr || division.is_better_than(*best))) best = &division;
            }
        if (best == nullptr) return {};
        return {ends_of(*best), double(best->value) / double(kUnit)};
    }

private:
    // A division of the pre-bins from a boundary on.
    struct Continuation {
        std::int64_t value = kNever;
        // The rate of the first bin; negated if the step into it is downwards. A division with a larger one may follow
        // more bins.
        double signed_rate = 0;
        BinSize first_bin{};
        std::int64_t n_bins = 0;
        std::uint32_t next_list = 0;  // where the division after the first bin is
        std::uint16_t next_index = 0;
        std::uint16_t end = 0;       // of the first bin
        std::uint16_t next_end = 0;  // of the second bin

        bool is_possible() const { return value != kNever; }

        bool is_better_than(const Continuation& other) const {
            if (value > other.value + kTie) return true;
            if (value < other.value - kTie) return false;
            if (n_bins != other.n_bins) return n_bins < other.n_bins;
            if (end != other.end) return end < other.end;
            return next_end < other.next_end;
        }
    };

    // The value and the rate of the best division in a list.
    struct BestOfList {
        std::int64_t value = kNever;
        double signed_rate = -std::numeric_limits<double>::infinity();
    };

    // The divisions that begin at a boundary and are entered by a step have a list for each layer; this is the first of
    // them. With a bound on the number of bins, layer k has the divisions of k + 1 bins; without one, those of k + 1 or
    // more.
    std::size_t list_of(std::size_t boundary, std::size_t step) const {
        return (boundary * trend_.steps.size() + step) * n_layers_;
    }

    std::size_t phase_index(std::size_t position, std::size_t phase) const {
        return position * trend_.steps_of_phase.size() + phase;
    }

    // Sets the value that a division from each boundary on must have: with less, every division of which it is a part
    // is worth too little.
    void set_smallest_values() {
        const std::size_t n_phases = trend_.steps_of_phase.size();
        smallest_values_.assign((n_ + 1) * n_phases * n_layers_, kNever);
        if (space_.bounds == nullptr) return;
        for (std::size_t position = 0; position < n_; ++position)
            for (std::size_t phase = 0; phase < n_phases; ++phase)
                for (std::size_t layer = 0; layer < n_layers_; ++layer)
                    smallest_values_[phase_index(position, phase) * n_layers_ + layer] =
                        smallest_value_from(position, phase, n_layers_ - 1 - layer);
    }

    std::int64_t smallest_value_from(std::size_t position, std::size_t phase, std::size_t n_bins_before) const {
        if (position > 0 && is_bounded_ && n_bins_before == 0) return std::numeric_limits<std::int64_t>::max();
        double before = 0;
        if (position > 0) before = space_.bounds->before(space_.boundaries[position], n_bins_before, phase);
        if (std::isinf(before)) return std::numeric_limits<std::int64_t>::max();  // no cut may be here
        const double value = (space_.smallest_value - before) * double(kUnit);
        return std::int64_t(std::clamp(value, double(kNever), double(-kNever)));
    }

    void add_bins_from(std::size_t begin) {
        for (std::size_t end = begin + 1; end <= n_; ++end) {
            const BinSize bin = counts_.between(space_.boundaries[begin], space_.boundaries[end]);
            if (bin.rows > rules_.max_rows) break;
            if (!bin.keeps_minimum(rules_)) continue;
            const double rate = bin.rate();
            for (std::size_t phase = 0; phase < trend_.steps_of_phase.size(); ++phase) {
                if (!agrees_with_others(begin, end, phase, rate)) continue;
                const std::int64_t value = std::llrint(value_of_(bin) * double(kUnit));
                if (!may_be_worth_enough(begin, end, phase, value)) continue;
                if (end == n_)
                    add_last_bin(begin, phase, bin, value);
                else
                    prepend_to_next_bins(begin, end, phase, bin, rate, value);
            }
        }
        set_best_next_values(begin);
    }

    void set_best_next_values(std::size_t position) {
        for (std::size_t phase = 0; phase < trend_.steps_of_phase.size(); ++phase)
            for (const std::size_t step : trend_.steps_of_phase[phase])
                for (std::size_t layer = 0; layer < n_layers_; ++layer) {
                    std::int64_t& best = best_next_values_[phase_index(position, phase)];
                    best = std::max(best, best_of_lists_[list_of(position, step) + layer].value);
                }
    }

    // Whether the event rate of a bin agrees with the samples before and behind it, all taken together: where the first
    // phase of a trend rises, the rate is not below that of the samples before it, and where the last phase rises, not
    // above that of those behind it; the other way round where they fall.
    bool agrees_with_others(std::size_t begin, std::size_t end, std::size_t phase, double rate) const {
        if (rules_.trend == RateTrend::kNone) return true;
        const std::size_t last_phase = trend_.steps_of_phase.size() - 1;
        const double sign = trend_.steps[phase].up ? 1 : -1;
        if (phase == 0 && begin > 0 && sign * rate < sign * rates_before_[begin] - kRateRounding) return false;
        if (phase == last_phase && end < n_ && sign * rate > sign * rates_behind_[end] + kRateRounding) return false;
        return true;
    }

    // Whether a bin and the best divisions behind it, whatever their rates, are worth enough.
    bool may_be_worth_enough(std::size_t begin, std::size_t end, std::size_t phase, std::int64_t value) const {
        if (end < n_) value += best_next_values_[phase_index(end, phase)];
        return value >= smallest_values_[phase_index(begin, phase) * n_layers_];
    }

    void add_last_bin(std::size_t begin, std::size_t phase, const BinSize& bin, std::int64_t value) {
        Continuation division;
        division.value = value;
        division.first_bin = bin;
        division.n_bins = 1;
        division.end = std::uint16_t(n_);
        add(begin, phase, 0, division);
    }

    // Puts a bin before the best divisions behind it that may follow it.
    void prepend_to_next_bins(std::size_t begin, std::size_t end, std::size_t phase, const BinSize& bin, double rate,
                              std::int64_t value) {
        for (const std::size_t step : trend_.steps_of_phase[phase]) {
            const bool up = trend_.steps[step].up;
            const double signed_rate_needed = (up ? rate : -rate) + rate_difference_;
            for (std::size_t layer = is_bounded_ ? 1 : 0; layer < n_layers_; ++layer) {
                const std::size_t next_layer = layer > 0 ? layer - 1 : 0;
                const Follower next = best_follower(list_of(end, step) + next_layer, signed_rate_needed, bin, up);
                if (next.value == kNever) continue;
                const std::int64_t total = value + next.value;
                if (total < smallest_values_[phase_index(begin, phase) * n_layers_ + layer]) continue;
                if (begin > 0 && is_dominated(begin, phase, layer, total, rate)) continue;
                const Continuation& next_division = lists_[next.list][next.index];
                Continuation division;
                division.value = total;
                division.first_bin = bin;
                division.n_bins = next_division.n_bins + 1;
                division.next_list = std::uint32_t(next.list);
                division.next_index = std::uint16_t(next.index);
                division.end = std::uint16_t(end);
                division.next_end = next_division.end;
                add(begin, phase, layer, division);
            }
        }
    }

    // A division that follows a bin, by its place in the lists. None has the value kNever.
    struct Follower {
        std::size_t list = 0;
        std::size_t index = 0;
        std::int64_t value = kNever;
    };

    // The best division in a list that may follow a bin. Mostly it is the best of the list, and the list is not read.
    Follower best_follower(std::size_t list, double signed_rate_needed, const BinSize& bin, bool up) const {
        const BestOfList& best = best_of_lists_[list];
        if (best.value == kNever) return {};
        if (any_rate_may_follow_ || signed_rate_needed <= best.signed_rate - kRateRounding)
            return {list, 0, best.value};
        const std::size_t index = first_that_follows(list, signed_rate_needed, bin, up);
        if (index == lists_[list].size()) return {};
        return {list, index, lists_[list][index].value};
    }

    // Whether a division from a boundary on, of this value and with this rate of its first bin, is certainly of no use:
    // the best ones there are better, and may follow every bin that it may follow.
    bool is_dominated(std::size_t begin, std::size_t phase, std::size_t layer, std::int64_t value, double rate) const {
        for (std::size_t step = 0; step < trend_.steps.size(); ++step) {
            if (trend_.steps[step].to_phase != phase) continue;
            const BestOfList& best = best_of_lists_[list_of(begin, step) + layer];
            const double signed_rate = trend_.steps[step].up ? rate : -rate;
            if (value >= best.value - kTie) return false;
            if (!any_rate_may_follow_ && signed_rate > best.signed_rate - kRateRounding) return false;
        }
        return true;
    }

    // The index of the first division in a list that may follow a bin, which is the best of those that may; the length
    // of the list if there is none.
    std::size_t first_that_follows(std::size_t list, double signed_rate_needed, const BinSize& bin, bool up) const {
        const std::vector<Continuation>& divisions = lists_[list];
        const auto cannot_follow = [&](const Continuation& next) {
            if (signed_rate_needed < next.signed_rate - kRateRounding) return false;
            if (signed_rate_needed > next.signed_rate + kRateRounding) return true;
            return up ? !is_below(bin, next.first_bin) : !is_below(next.first_bin, bin);
        };
        return std::size_t(std::partition_point(divisions.begin(), divisions.end(), cannot_follow) - divisions.begin());
    }

    // Whether the rate of a bin and the smallest difference together are at most the rate of another, in integers.
    bool is_below(const BinSize& bin, const BinSize& other) const {
        const i128 limit = i128(bin.events) * kRateUnit + i128(bin.rows) * rules_.min_rate_difference;
        return limit * other.rows <= i128(other.events) * kRateUnit * bin.rows;
    }

    // Keeps a division, if it is better than those that it competes with.
    void add(std::size_t begin, std::size_t phase, std::size_t layer, Continuation& division) {
        if (begin == 0) {
            Continuation& best = complete_[phase * n_layers_ + layer];
            if (!best.is_possible() || division.is_better_than(best)) best = division;
            return;
        }
        for (std::size_t step = 0; step < trend_.steps.size(); ++step) {
            if (trend_.steps[step].to_phase != phase) continue;
            const double rate = division.first_bin.rate();
            division.signed_rate = trend_.steps[step].up ? rate : -rate;
            add_to_list(list_of(begin, step) + layer, division, trend_.steps[step].up);
        }
    }

    // A list is sorted from the best division on, and each may follow more bins than those before it. A division that
    // does not do so has no place there.
    void add_to_list(std::size_t list, const Continuation& division, bool up) {
        std::vector<Continuation>& divisions = lists_[list];
        const auto follows_as_many_bins = [&](const Continuation& a, const Continuation& b) {
            return any_rate_may_follow_ || follows_as_many(a, b, up);
        };
        const auto is_as_good = [&](const Continuation& other) { return !division.is_better_than(other); };
        const auto first = std::partition_point(divisions.begin(), divisions.end(), is_as_good);
        if (first != divisions.begin() && follows_as_many_bins(*(first - 1), division)) return;
        auto end = first;
        while (end != divisions.end() && follows_as_many_bins(division, *end)) ++end;
        if (end == first) {
            divisions.insert(first, division);
        } else {  // it takes the place of worse ones that follow no more bins
            *first = division;
            divisions.erase(first + 1, end);
        }
        best_of_lists_[list] = {divisions.front().value, divisions.front().signed_rate};
    }

    // Whether a may follow every bin that b may follow: its rate is at least as large, or as small if the step is down.
    static bool follows_as_many(const Continuation& a, const Continuation& b, bool up) {
        if (a.signed_rate > b.signed_rate + kRateRounding) return true;
        if (a.signed_rate < b.signed_rate - kRateRounding) return false;
        const i128 left = i128(a.first_bin.events) * b.first_bin.rows;
        const i128 right = i128(b.first_bin.events) * a.first_bin.rows;
        return up ? left >= right : left <= right;
    }

    // The end of each bin: that of the first bin of the division, of the division behind that bin, and so on.
    std::vector<std::int64_t> ends_of(const Continuation& division) const {
        const Continuation* rest = &division;
        std::vector<std::int64_t> ends{std::int64_t(space_.boundaries[rest->end])};
        while (rest->end < n_) {
            rest = &lists_[rest->next_list][rest->next_index];
            ends.push_back(std::int64_t(space_.boundaries[rest->end]));
        }
        return ends;
    }

    const DivisionRules& rules_;
    const SearchSpace& space_;
    const CumulatedCounts counts_;
    const BinValue value_of_;
    const std::size_t n_;  // boundaries are numbered by their positions 0 .. n among those of the search
    const TrendSteps trend_;
    const bool is_bounded_;       // in the number of bins
    const std::size_t n_layers_;  // see list_of
    const bool any_rate_may_follow_;
    const double rate_difference_;                     // that neighbours must have at least
    std::vector<double> rates_before_, rates_behind_;  // of all samples, by position; the outer ones are no numbers
    std::vector<std::int64_t> smallest_values_;        // by position, phase and layer
    std::vector<std::int64_t> best_next_values_;       // of divisions that may follow, by position and phase
    std::vector<BestOfList> best_of_lists_;            // by list
    std::vector<std::vector<Continuation>> lists_;     // see list_of
    std::vector<Continuation> complete_;               // the best division of all pre-bins, by phase and layer
};

// The search in steps: among a few cuts first, then among the promising ones, and at last among all that the best
// division may have. What was found bounds the next step, which has to look at fewer cuts and fewer bins.
class SearchInSteps {
public:
    SearchInSteps(const PreBins& bins, const DivisionRules& rules)
        : bins_(bins), rules_(rules), bounds_(bins, rules), bound_of_boundary_(std::size_t(bins.n_bins) + 1, kAlways) {
        for (std::size_t cut = 1; cut + 1 < bound_of_boundary_.size(); ++cut)
            bound_of_boundary_[cut] = bounds_.through(cut);
    }

    Division best() {
        search(kAlways, kFewCuts);
        std::vector<double> bounds = bound_of_boundary_;
        const auto last_promising = bounds.begin() + bins_.n_bins / kShareOfPromisingCuts;
        std::nth_element(bounds.begin(), last_promising, bounds.end(), std::greater<>());
        search(*last_promising, 2 * kFewCuts);
        if (smallest_value() < *last_promising) search(smallest_value(), 1);
        return std::move(best_);
    }

private:
    static constexpr double kAlways = std::numeric_limits<double>::infinity();  // the bound of the outer boundaries

    double smallest_value() const { return best_.ends.empty() ? -kAlways : best_.value - kBoundMargin; }

    // Among the cuts whose bound is large enough, and some at equal distances.
    void search(double smallest_bound, std::int64_t n_at_equal_distances) {
        SearchSpace space;
        space.bounds = &bounds_;
        space.smallest_value = smallest_value();
        const std::size_t distance = std::size_t(bins_.n_bins / n_at_equal_distances + 1);
        for (std::size_t boundary = 0; boundary < bound_of_boundary_.size(); ++boundary)
            if (bound_of_boundary_[boundary] >= smallest_bound || boundary % distance == 0)
                space.boundaries.push_back(boundary);
        Division division = DivisionSearch(bins_, rules_, space).best();
        if (!division.ends.empty()) best_ = std::move(division);
    }

    const PreBins& bins_;
    const DivisionRules& rules_;
    const CutBounds bounds_;
    std::vector<double> bound_of_boundary_;
    Division best_;
};

// The largest number of bins that the rules allow without a bound on that number.
std::int64_t largest_number_of_bins(const PreBins& bins, const DivisionRules& rules) {
    const std::int64_t n_rows = CumulatedCounts(bins).between(0, std::size_t(bins.n_bins)).rows;
    return std::min(bins.n_bins, n_rows / std::max<std::int64_t>(rules.min_rows, 1));
}

}  // namespace

Division best_division(const PreBins& bins, const DivisionRules& rules) {
    if (rules.min_n_bins > bins.n_bins) return {};
    DivisionRules binding_rules = rules;
    if (rules.max_n_bins >= largest_number_of_bins(bins, rules)) binding_rules.max_n_bins = 0;
    if (bins.n_bins > kFewPreBins && has_cut_bounds(rules)) return SearchInSteps(bins, binding_rules).best();
    SearchSpace all;
    for (std::int64_t boundary = 0; boundary <= bins.n_bins; ++boundary)
        all.boundaries.push_back(std::size_t(boundary));
    return DivisionSearch(bins, binding_rules, all).best();
}

}  // namespace bitsieve
