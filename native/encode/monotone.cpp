#include "encode/monotone.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

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
using Continuations = std::vector<Continuation>;  // one a bin

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

// How many of n ascending numbers are smaller than a limit, without a branch that depends on them.
std::size_t count_below(const double* numbers, std::size_t n, double limit) {
    std::size_t n_below = 0;
    while (n > 1) {
        const std::size_t half = n / 2;
        n_below += numbers[n_below + half - 1] < limit ? half : 0;
        n -= half;
    }
    return n == 1 ? n_below + (numbers[n_below] < limit) : 0;
}

// The bins that keep the bounds, numbered by their ends, and those of one end by their beginnings. All bounds are on
// sums of counts, so the beginnings that an end allows are neighbours.
class AllowedBins {
public:
    AllowedBins(const PreBins& bins, const DivisionRules& rules) : n_(std::size_t(bins.n_bins)) {
        events_.assign(n_ + 1, 0);
        rows_.assign(n_ + 1, 0);
        for (std::size_t b = 0; b < n_; ++b) {
            events_[b + 1] = events_[b] + bins.events[b];
            rows_[b + 1] = rows_[b] + bins.events[b] + bins.nonevents[b];
        }
        first_begin_.assign(n_ + 1, 0);
        offset_.assign(n_ + 2, 0);
        std::size_t first = 0;
        std::size_t last = 0;
        for (std::size_t end = 1; end <= n_; ++end) {
            while (first < end && rows(first, end) > rules.max_rows) ++first;
            while (last < end && is_large_enough(last, end, rules)) ++last;
            first_begin_[end] = first;
            offset_[end + 1] = offset_[end] + (last > first ? last - first : 0);
        }
    }

    std::size_t size() const { return offset_[n_ + 1]; }
    std::size_t n_pre_bins() const { return n_; }
    std::int64_t events(std::size_t begin, std::size_t end) const { return events_[end] - events_[begin]; }
    std::int64_t rows(std::size_t begin, std::size_t end) const { return rows_[end] - rows_[begin]; }
    double rate(std::size_t begin, std::size_t end) const {
        return double(events(begin, end)) / double(rows(begin, end));
    }

    std::size_t first_begin(std::size_t end) const { return first_begin_[end]; }
    std::size_t after_last_begin(std::size_t end) const {
        return first_begin_[end] + (offset_[end + 1] - offset_[end]);
    }
    bool is_allowed(std::size_t begin, std::size_t end) const {
        return begin >= first_begin(end) && begin < after_last_begin(end);
    }
    std::size_t index(std::size_t begin, std::size_t end) const { return offset_[end] + begin - first_begin_[end]; }

private:
    bool is_large_enough(std::size_t begin, std::size_t end, const DivisionRules& rules) const {
        const std::int64_t n_events = events(begin, end);
        const std::int64_t n_rows = rows(begin, end);
        return n_rows >= std::max<std::int64_t>(rules.min_rows, 1) && n_events >= rules.min_events &&
               n_rows - n_events >= rules.min_nonevents;
    }

    std::size_t n_;
    std::vector<std::int64_t> events_, rows_;  // of the pre-bins before each boundary
    std::vector<std::size_t> first_begin_;     // of the bins that end at each boundary
    std::vector<std::size_t> offset_;          // the number of bins that end before each boundary
};

class DivisionSearch {
public:
    DivisionSearch(const PreBins& bins, const DivisionRules& rules)
        : pre_bins_(bins), rules_(rules), bins_(bins, rules), n_(bins_.n_pre_bins()), phases_(phases_of(rules.trend)) {
        find_values();
        sort_followers();
    }

    std::vector<std::int64_t> best() {
        const bool bounded = rules_.max_n_bins > 0;
        const std::int64_t n_layers = bounded ? std::min<std::int64_t>(rules_.max_n_bins, n_) : rules_.min_n_bins;
        Continuation best;
        std::size_t best_layer = 0;
        std::size_t best_end = 0;
        std::uint8_t best_phase = 0;
        for (std::int64_t layer = 0; layer < n_layers; ++layer) {
            if (layer > 0)
                add_layer();
            else
                begin_with_last_bins(bounded);
            keep_pointers();
            if (layer + 1 < rules_.min_n_bins) continue;
            for (std::size_t phase = 0; phase < phases_.size(); ++phase)
                for (std::size_t end = 1; end <= n_; ++end) {
                    if (!bins_.is_allowed(0, end)) continue;
                    Continuation from_start = layer_[phase][bins_.index(0, end)];
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
    double objective(std::size_t begin, std::size_t end) const {
        const double total = double(pre_bins_.total_events + pre_bins_.total_nonevents);
        const double event_share = double(pre_bins_.total_events) / total;
        const double n_rows = double(bins_.rows(begin, end));
        double e = double(bins_.events(begin, end));
        double n = n_rows - e;
        if (rules_.objective == BinObjective::kGini || rules_.objective == BinObjective::kChiSquare) {
            // (e - t pi)^2 / t as a share: Gini's index is 2 / T times as much, chi-square 1 / (pi (1 - pi)) times
            const double excess = e - n_rows * event_share;
            const double in_common = excess * excess / (n_rows * total);
            return rules_.objective == BinObjective::kGini ? 2 * in_common
                                                           : in_common / (event_share * (1 - event_share));
        }
        const double p = e / double(pre_bins_.total_events);
        const double q = n / double(pre_bins_.total_nonevents);
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
        return (p - q) * std::log((e * double(pre_bins_.total_nonevents)) / (n * double(pre_bins_.total_events)));
    }

    void find_values() {
        values_.reserve(bins_.size());
        for (std::size_t end = 1; end <= n_; ++end)
            for (std::size_t begin = bins_.first_begin(end); begin < bins_.after_last_begin(end); ++begin) {
                const double value = objective(begin, end) - rules_.cost_per_bin;
                values_.push_back(std::int64_t(std::llround(value * double(kUnit))));
            }
    }

    // Whether rate(a, b) + the smallest difference <= rate(c, d), in integers.
    bool is_below(std::size_t a, std::size_t b, std::size_t c, std::size_t d) const {
        const i128 left = i128(bins_.events(a, b)) * kRateUnit + i128(bins_.rows(a, b)) * rules_.min_rate_difference;
        return left * bins_.rows(c, d) <= i128(bins_.events(c, d)) * kRateUnit * bins_.rows(a, b);
    }

    // A bin that begins at a boundary.
    struct Follower {
        double rate;  // rounded: rates that are rounded to the same number are compared as fractions
        std::uint32_t index;
        std::uint16_t end;
    };

    // For every boundary, the bins that begin there by rising rate, and how many of them have too small a rate to follow
    // upwards, and small enough a rate to follow downwards, each bin that ends there.
    void sort_followers() {
        followers_.resize(n_ + 1);
        n_too_low_.resize(bins_.size());
        n_low_enough_.resize(bins_.size());
        std::vector<double> rates;
        for (std::size_t at = 1; at < n_; ++at) {
            std::vector<Follower>& followers = followers_[at];
            for (std::size_t end = at + 1; end <= n_; ++end)
                if (bins_.is_allowed(at, end))
                    followers.push_back({bins_.rate(at, end), std::uint32_t(bins_.index(at, end)), std::uint16_t(end)});
            std::sort(followers.begin(), followers.end(), [&](const Follower& a, const Follower& b) {
                if (a.rate != b.rate) return a.rate < b.rate;
                return i128(bins_.events(at, a.end)) * bins_.rows(at, b.end) <
                       i128(bins_.events(at, b.end)) * bins_.rows(at, a.end);
            });
            rates.clear();
            for (const Follower& follower : followers) rates.push_back(follower.rate);
            for (std::size_t begin = bins_.first_begin(at); begin < bins_.after_last_begin(at); ++begin)
                find_followers(begin, at, rates);
        }
    }

    // By rounded rates first, and then by fractions.
    void find_followers(std::size_t begin, std::size_t at, const std::vector<double>& rates) {
        const std::vector<Follower>& followers = followers_[at];
        const std::size_t n = followers.size();
        const double rate = bins_.rate(begin, at);
        const double difference = double(rules_.min_rate_difference) / double(kRateUnit);
        const auto is_high_enough = [&](std::size_t f) { return is_below(begin, at, at, followers[f].end); };
        const auto is_low_enough = [&](std::size_t f) { return is_below(at, followers[f].end, begin, at); };
        std::size_t n_too_low = count_below(rates.data(), n, rate + difference);
        while (n_too_low > 0 && is_high_enough(n_too_low - 1)) --n_too_low;
        while (n_too_low < n && !is_high_enough(n_too_low)) ++n_too_low;
        std::size_t n_low_enough = difference > 0 ? count_below(rates.data(), n, rate - difference) : n_too_low;
        while (n_low_enough > 0 && !is_low_enough(n_low_enough - 1)) --n_low_enough;
        while (n_low_enough < n && is_low_enough(n_low_enough)) ++n_low_enough;
        n_too_low_[bins_.index(begin, at)] = std::uint16_t(n_too_low);
        n_low_enough_[bins_.index(begin, at)] = std::uint16_t(n_low_enough);
    }

    // The divisions of one bin, which ends where the column ends; or else those of any number of bins, from the last
    // boundary to the first, as those after a boundary are needed.
    void begin_with_last_bins(bool bounded) {
        layer_.assign(phases_.size(), Continuations(bins_.size()));
        for (Continuations& of_phase : layer_)
            for (std::size_t begin = bins_.first_begin(n_); begin < bins_.after_last_begin(n_); ++begin) {
                const std::size_t last_bin = bins_.index(begin, n_);
                of_phase[last_bin] = {values_[last_bin], 1, std::uint16_t(n_), 0};
            }
        if (bounded) return;
        for (std::size_t boundary = n_ - 1; boundary >= 1; --boundary) extend_at(boundary, layer_, layer_);
    }

    // The divisions of one bin more.
    void add_layer() {
        longer_.resize(phases_.size());
        for (Continuations& of_phase : longer_) of_phase.assign(bins_.size(), Continuation());
        for (std::size_t boundary = 1; boundary < n_; ++boundary) extend_at(boundary, layer_, longer_);
        layer_.swap(longer_);
    }

    // Put every bin that ends at a boundary before the best of those that may follow it.
    void extend_at(std::size_t boundary, const std::vector<Continuations>& after, std::vector<Continuations>& longer) {
        for (std::size_t phase = 0; phase < phases_.size(); ++phase)
            for (const Step& step : phases_[phase]) {
                if (step.up)
                    extend_upwards(boundary, step.to_phase, after[step.to_phase], longer[phase]);
                else
                    extend_downwards(boundary, step.to_phase, after[step.to_phase], longer[phase]);
            }
    }

    // best_[f] is the best of the followers from f on.
    void extend_upwards(std::size_t boundary, std::uint8_t to_phase, const Continuations& after,
                        Continuations& longer) {
        const std::vector<Follower>& followers = followers_[boundary];
        best_.resize(followers.size() + 1);
        best_.back() = Continuation();
        for (std::size_t f = followers.size(); f-- > 0;)
            best_[f] = better_of(best_[f + 1], followers[f], to_phase, after);
        put_before(boundary, n_too_low_, best_.front().is_possible(), longer);
    }

    // best_[f] is the best of the first f followers.
    void extend_downwards(std::size_t boundary, std::uint8_t to_phase, const Continuations& after,
                          Continuations& longer) {
        const std::vector<Follower>& followers = followers_[boundary];
        best_.resize(followers.size() + 1);
        best_.front() = Continuation();
        for (std::size_t f = 0; f < followers.size(); ++f)
            best_[f + 1] = better_of(best_[f], followers[f], to_phase, after);
        put_before(boundary, n_low_enough_, best_.back().is_possible(), longer);
    }

    static Continuation better_of(const Continuation& best, const Follower& follower, std::uint8_t phase,
                                  const Continuations& after) {
        Continuation candidate = after[follower.index];
        candidate.next_end = follower.end;
        candidate.next_phase = phase;
        return candidate.is_possible() && candidate.is_better_than(best) ? candidate : best;
    }

    void put_before(std::size_t boundary, const std::vector<std::uint16_t>& position, bool is_possible,
                    Continuations& longer) const {
        if (!is_possible) return;
        const std::size_t first = bins_.index(bins_.first_begin(boundary), boundary);
        const std::size_t end = bins_.index(bins_.after_last_begin(boundary), boundary);
        for (std::size_t bin = first; bin < end; ++bin) {
            Continuation candidate = best_[position[bin]];
            if (!candidate.is_possible()) continue;
            candidate.value += values_[bin];
            ++candidate.n_bins;
            if (candidate.is_better_than(longer[bin])) longer[bin] = candidate;
        }
    }

    struct Pointer {
        std::uint16_t next_end;
        std::uint8_t next_phase;
    };

    void keep_pointers() {
        std::vector<std::vector<Pointer>> pointers(phases_.size());
        for (std::size_t phase = 0; phase < phases_.size(); ++phase) {
            pointers[phase].reserve(bins_.size());
            for (const Continuation& each : layer_[phase]) pointers[phase].push_back({each.next_end, each.next_phase});
        }
        pointers_.push_back(std::move(pointers));
    }

    std::vector<std::int64_t> follow(std::size_t layer, std::uint8_t phase, std::size_t end) const {
        std::vector<std::int64_t> ends{std::int64_t(end)};
        std::size_t begin = 0;
        while (end < n_) {
            const Pointer pointer = pointers_[layer][phase][bins_.index(begin, end)];
            begin = end;
            end = pointer.next_end;
            phase = pointer.next_phase;
            if (layer > 0) --layer;
            ends.push_back(std::int64_t(end));
        }
        return ends;
    }

    const PreBins& pre_bins_;
    const DivisionRules& rules_;
    const AllowedBins bins_;
    const std::size_t n_;
    const Phases phases_;
    std::vector<std::int64_t> values_;
    std::vector<std::vector<Follower>> followers_;             // by boundary
    std::vector<std::uint16_t> n_too_low_, n_low_enough_;      // of the followers, by bin
    std::vector<Continuations> layer_, longer_;                // by phase
    Continuations best_;                                       // of the followers of a boundary
    std::vector<std::vector<std::vector<Pointer>>> pointers_;  // by layer, phase and bin
};

}  // namespace

std::vector<std::int64_t> best_division(const PreBins& bins, const DivisionRules& rules) {
    if (rules.min_n_bins > bins.n_bins) return {};
    return DivisionSearch(bins, rules).best();
}

}  // namespace bitsieve
