#include "encode/monotone.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace bitsieve {
namespace {

using i128 = __int128;

constexpr std::int64_t kUnit = std::int64_t(1) << 44;
constexpr std::int64_t kTie = 17;  // 1e-12 in units of 2^-44
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min() / 4;
constexpr std::int64_t kRateUnit = std::int64_t(1) << 30;

// The best division of the pre-bins from some bin on, that bin included.
struct Continuation {
    std::int64_t value = kNever;
    std::uint16_t n_bins = 0;
    std::uint16_t next_end = 0;  // where the bin after this one ends
    std::uint8_t next_phase = 0;

    bool is_possible() const { return value != kNever; }

    bool is_better_than(const Continuation& other) const {
        if (value > other.value + kTie) return true;
        if (value < other.value - kTie) return false;
        if (n_bins != other.n_bins) return n_bins < other.n_bins;
        return next_end < other.next_end;
    }
};

// Where a neighbour's rate may lie, and the phase of the trend that it begins. A peak has two phases: it rises in
// phase 0 and falls in phase 1.
struct Step {
    bool up;
    std::uint8_t to_phase;
};
using Phases = std::vector<std::vector<Step>>;

Phases phases_of(RateTrend trend) {
    const Step up{true, 0};
    const Step down{false, 0};
    switch (trend) {
        case RateTrend::kNone: return {{up, down}};
        case RateTrend::kAscending: return {{up}};
        case RateTrend::kDescending: return {{down}};
        case RateTrend::kPeak: return {{up, {false, 1}}, {{false, 1}}};
        case RateTrend::kValley: return {{down, {true, 1}}, {{true, 1}}};
    }
    return {};
}

class DivisionSearch {
public:
    DivisionSearch(const PreBins& bins, const DivisionRules& rules)
        : bins_(bins), rules_(rules), n_(std::size_t(bins.n_bins)), phases_(phases_of(rules.trend)) {
        add_up();
        find_values();
        sort_by_rate();
    }

    std::vector<std::int64_t> best() {
        const bool bounded = rules_.max_n_bins > 0;
        const std::int64_t n_layers = bounded ? std::min(rules_.max_n_bins, bins_.n_bins) : rules_.min_n_bins;
        Continuation best;
        std::size_t best_layer = 0;
        std::size_t best_end = 0;
        std::uint8_t best_phase = 0;
        for (std::int64_t layer = 0; layer < n_layers; ++layer) {
            if (layer > 0)
                add_layer();
            else if (bounded)
                begin_with_last_bins();
            else
                begin_with_any_number_of_bins();
            if (layer + 1 < rules_.min_n_bins) continue;
            for (std::size_t phase = 0; phase < phases_.size(); ++phase)
                for (std::size_t end = 1; end <= n_; ++end) {
                    Continuation from_start = at(phase, 0, end);
                    if (!from_start.is_possible()) continue;
                    from_start.next_end = std::uint16_t(end);
                    if (!from_start.is_better_than(best)) continue;
                    best = from_start;
                    best_layer = std::size_t(layer);
                    best_end = end;
                    best_phase = std::uint8_t(phase);
                }
        }
        if (!best.is_possible()) return {};
        return follow(best_layer, best_phase, best_end);
    }

private:
    // Where the bin (begin, end] lies in an array of all bins.
    std::size_t index(std::size_t begin, std::size_t end) const { return begin * (n_ + 1) + end; }

    std::int64_t events(std::size_t begin, std::size_t end) const { return events_[end] - events_[begin]; }
    std::int64_t rows(std::size_t begin, std::size_t end) const { return rows_[end] - rows_[begin]; }

    void add_up() {
        events_.assign(n_ + 1, 0);
        rows_.assign(n_ + 1, 0);
        for (std::size_t b = 0; b < n_; ++b) {
            events_[b + 1] = events_[b] + bins_.events[b];
            rows_[b + 1] = rows_[b] + bins_.events[b] + bins_.nonevents[b];
        }
    }

    bool is_allowed(std::size_t begin, std::size_t end) const {
        const std::int64_t n_events = events(begin, end);
        const std::int64_t n_rows = rows(begin, end);
        return n_rows >= std::max<std::int64_t>(rules_.min_rows, 1) && n_rows <= rules_.max_rows &&
               n_events >= rules_.min_events && n_rows - n_events >= rules_.min_nonevents;
    }

    double objective(std::size_t begin, std::size_t end) const {
        const double total = double(bins_.total_events + bins_.total_nonevents);
        const double event_share = double(bins_.total_events) / total;
        const double n_rows = double(rows(begin, end));
        double e = double(events(begin, end));
        double n = n_rows - e;
        if (rules_.objective == BinObjective::kGini || rules_.objective == BinObjective::kChiSquare) {
            // (e - t pi)^2 / t as a share: Gini's index is 2 / T times as much, chi-square 1 / (pi (1 - pi)) times
            const double excess = e - n_rows * event_share;
            const double in_common = excess * excess / (n_rows * total);
            return rules_.objective == BinObjective::kGini ? 2 * in_common
                                                           : in_common / (event_share * (1 - event_share));
        }
        const double p = e / double(bins_.total_events);
        const double q = n / double(bins_.total_nonevents);
        if (rules_.objective == BinObjective::kMutualInformation) {
            const double m = n_rows / total;
            const double of_events = e == 0 ? 0 : event_share * p * std::log(p / m);
            const double of_nonevents = n == 0 ? 0 : (1 - event_share) * q * std::log(q / m);
            return of_events + of_nonevents;
        }
        if (e == 0 || n == 0) {
            e += rules_.smoothing * event_share;
            n += rules_.smoothing * (1 - event_share);
        }
        if (e == 0 || n == 0) return 0;
        return (p - q) * std::log((e * double(bins_.total_nonevents)) / (n * double(bins_.total_events)));
    }

    void find_values() {
        values_.assign((n_ + 1) * (n_ + 1), kNever);
        for (std::size_t begin = 0; begin < n_; ++begin)
            for (std::size_t end = begin + 1; end <= n_; ++end)
                if (is_allowed(begin, end))
                    values_[index(begin, end)] =
                        std::int64_t(std::llround((objective(begin, end) - rules_.cost_per_bin) * double(kUnit)));
    }

    // Whether rate(a, b) + the smallest difference <= rate(c, d), in integers.
    bool is_below(std::size_t a, std::size_t b, std::size_t c, std::size_t d) const {
        const i128 left = i128(events(a, b)) * kRateUnit + i128(rows(a, b)) * rules_.min_rate_difference;
        return left * rows(c, d) <= i128(events(c, d)) * kRateUnit * rows(a, b);
    }

    bool has_smaller_rate(std::size_t a, std::size_t b, std::size_t c, std::size_t d) const {
        return i128(events(a, b)) * rows(c, d) < i128(events(c, d)) * rows(a, b);
    }

    // For every boundary, the begins of the bins that end there and the ends of those that begin there, rates ascending.
    void sort_by_rate() {
        begins_.resize(n_ + 1);
        ends_.resize(n_ + 1);
        for (std::size_t at = 1; at < n_; ++at) {
            for (std::size_t begin = 0; begin < at; ++begin)
                if (values_[index(begin, at)] != kNever) begins_[at].push_back(std::uint16_t(begin));
            for (std::size_t end = at + 1; end <= n_; ++end)
                if (values_[index(at, end)] != kNever) ends_[at].push_back(std::uint16_t(end));
            std::sort(begins_[at].begin(), begins_[at].end(),
                      [&](std::uint16_t a, std::uint16_t b) { return has_smaller_rate(a, at, b, at); });
            std::sort(ends_[at].begin(), ends_[at].end(),
                      [&](std::uint16_t a, std::uint16_t b) { return has_smaller_rate(at, a, at, b); });
        }
    }

    Continuation at(std::size_t phase, std::size_t begin, std::size_t end) const {
        return layer_[phase][index(begin, end)];
    }

    // The divisions of one bin, which ends where the column ends.
    void begin_with_last_bins() {
        layer_.assign(phases_.size(), std::vector<Continuation>((n_ + 1) * (n_ + 1)));
        for (std::size_t phase = 0; phase < phases_.size(); ++phase) set_last_bins(layer_[phase]);
        keep_pointers(layer_);
    }

    void set_last_bins(std::vector<Continuation>& of_phase) const {
        for (std::size_t begin = 0; begin < n_; ++begin) {
            const std::int64_t value = values_[index(begin, n_)];
            if (value != kNever) of_phase[index(begin, n_)] = {value, 1, std::uint16_t(n_), 0};
        }
    }

    // The divisions of any number of bins: from the last boundary to the first, as those after a boundary are needed.
    void begin_with_any_number_of_bins() {
        layer_.assign(phases_.size(), std::vector<Continuation>((n_ + 1) * (n_ + 1)));
        for (std::size_t phase = 0; phase < phases_.size(); ++phase) set_last_bins(layer_[phase]);
        for (std::size_t boundary = n_ - 1; boundary >= 1; --boundary) extend_at(boundary, layer_, layer_);
        keep_pointers(layer_);
    }

    // The divisions of one bin more.
    void add_layer() {
        std::vector<std::vector<Continuation>> longer(phases_.size(), std::vector<Continuation>((n_ + 1) * (n_ + 1)));
        for (std::size_t boundary = 1; boundary < n_; ++boundary) extend_at(boundary, layer_, longer);
        layer_ = std::move(longer);
        keep_pointers(layer_);
    }

    // Put every bin that ends at a boundary before the best of those that may follow it.
    void extend_at(std::size_t boundary, const std::vector<std::vector<Continuation>>& after,
                   std::vector<std::vector<Continuation>>& longer) const {
        for (std::size_t phase = 0; phase < phases_.size(); ++phase)
            for (const Step& step : phases_[phase]) {
                if (step.up)
                    extend_upwards(boundary, step.to_phase, after[step.to_phase], longer[phase]);
                else
                    extend_downwards(boundary, step.to_phase, after[step.to_phase], longer[phase]);
            }
    }

    // Bins and their followers by falling rate: what may follow a bin may follow every bin of a smaller rate.
    void extend_upwards(std::size_t boundary, std::uint8_t to_phase, const std::vector<Continuation>& after,
                        std::vector<Continuation>& longer) const {
        const auto& begins = begins_[boundary];
        const auto& ends = ends_[boundary];
        Continuation best;
        auto follower = ends.rbegin();
        for (auto begin = begins.rbegin(); begin != begins.rend(); ++begin) {
            while (follower != ends.rend() && is_below(*begin, boundary, boundary, *follower))
                take_follower(boundary, *follower++, to_phase, after, best);
            put_before(*begin, boundary, best, longer);
        }
    }

    // By rising rate: what may follow a bin may follow every bin of a greater rate.
    void extend_downwards(std::size_t boundary, std::uint8_t to_phase, const std::vector<Continuation>& after,
                          std::vector<Continuation>& longer) const {
        const auto& begins = begins_[boundary];
        const auto& ends = ends_[boundary];
        Continuation best;
        auto follower = ends.begin();
        for (const std::uint16_t begin : begins) {
            while (follower != ends.end() && is_below(boundary, *follower, begin, boundary))
                take_follower(boundary, *follower++, to_phase, after, best);
            put_before(begin, boundary, best, longer);
        }
    }

    void take_follower(std::size_t boundary, std::uint16_t end, std::uint8_t phase,
                       const std::vector<Continuation>& after, Continuation& best) const {
        Continuation candidate = after[index(boundary, end)];
        if (!candidate.is_possible()) return;
        candidate.next_end = end;
        candidate.next_phase = phase;
        if (candidate.is_better_than(best)) best = candidate;
    }

    void put_before(std::size_t begin, std::size_t boundary, const Continuation& best,
                    std::vector<Continuation>& longer) const {
        if (!best.is_possible()) return;
        Continuation candidate = best;
        candidate.value += values_[index(begin, boundary)];
        candidate.n_bins = std::uint16_t(best.n_bins + 1);
        Continuation& present = longer[index(begin, boundary)];
        if (candidate.is_better_than(present)) present = candidate;
    }

    struct Pointer {
        std::uint16_t next_end;
        std::uint8_t next_phase;
    };

    void keep_pointers(const std::vector<std::vector<Continuation>>& layer) {
        std::vector<std::vector<Pointer>> pointers(phases_.size());
        for (std::size_t phase = 0; phase < phases_.size(); ++phase)
            for (const Continuation& each : layer[phase]) pointers[phase].push_back({each.next_end, each.next_phase});
        pointers_.push_back(std::move(pointers));
    }

    std::vector<std::int64_t> follow(std::size_t layer, std::uint8_t phase, std::size_t end) const {
        std::vector<std::int64_t> ends{std::int64_t(end)};
        std::size_t begin = 0;
        while (end < n_) {
            const Pointer pointer = pointers_[layer][phase][index(begin, end)];
            begin = end;
            end = pointer.next_end;
            phase = pointer.next_phase;
            if (layer > 0) --layer;
            ends.push_back(std::int64_t(end));
        }
        return ends;
    }

    const PreBins& bins_;
    const DivisionRules& rules_;
    const std::size_t n_;
    const Phases phases_;
    std::vector<std::int64_t> events_, rows_;  // of the pre-bins before each boundary
    std::vector<std::int64_t> values_;
    std::vector<std::vector<std::uint16_t>> begins_, ends_;
    std::vector<std::vector<Continuation>> layer_;             // by phase
    std::vector<std::vector<std::vector<Pointer>>> pointers_;  // by layer and phase
};

}  // namespace

std::vector<std::int64_t> best_division(const PreBins& bins, const DivisionRules& rules) {
    if (rules.min_n_bins > bins.n_bins) return {};
    return DivisionSearch(bins, rules).best();
}

}  // namespace bitsieve
