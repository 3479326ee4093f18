// What is divided into bins with a trend of the event rate, what the bins must keep, and what a bin is worth.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
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

// The samples of a bin.
struct BinSize {
    std::int64_t events, rows;

    double rate() const { return double(events) / double(rows); }

    bool keeps_minimum(const DivisionRules& rules) const {
        return rows >= std::max<std::int64_t>(rules.min_rows, 1) && events >= rules.min_events &&
               rows - events >= rules.min_nonevents;
    }
};

// The samples before each boundary of pre-bins: boundary b lies before pre-bin b, the last one after all.
class CumulatedCounts {
public:
    explicit CumulatedCounts(const PreBins& bins)
        : n_bins_(std::size_t(bins.n_bins)), events_(n_bins_ + 1), rows_(n_bins_ + 1) {
        for (std::size_t b = 0; b < n_bins_; ++b) {
            events_[b + 1] = events_[b] + bins.events[b];
            rows_[b + 1] = rows_[b] + bins.events[b] + bins.nonevents[b];
        }
    }

    std::size_t n_bins() const { return n_bins_; }
    BinSize between(std::size_t begin, std::size_t end) const {
        return {events_[end] - events_[begin], rows_[end] - rows_[begin]};
    }

private:
    std::size_t n_bins_;
    std::vector<std::int64_t> events_, rows_;
};

// The part of a bin in the objective, less what a bin costs.
class BinValue {
public:
    BinValue(const PreBins& bins, const DivisionRules& rules)
        : objective_(rules.objective),
          smoothing_(rules.smoothing),
          cost_(rules.cost_per_bin),
          n_events_(double(bins.total_events)),
          n_nonevents_(double(bins.total_nonevents)),
          n_rows_(n_events_ + n_nonevents_),
          event_rate_(n_events_ / n_rows_),
          per_event_(1 / n_events_),
          per_nonevent_(1 / n_nonevents_),
          log_odds_(std::log(n_events_ / n_nonevents_)) {}

    double operator()(const BinSize& bin) const {
        const double rows = double(bin.rows);
        const double e = double(bin.events);
        const double n = rows - e;
        switch (objective_) {
            case BinObjective::kInformationValue: return information_value(e, n) - cost_;
            case BinObjective::kMutualInformation: return mutual_information(e, n, rows) - cost_;
            case BinObjective::kGini: return 2 * squared_excess(e, rows) - cost_;
            case BinObjective::kChiSquare: return squared_excess(e, rows) / (event_rate_ * (1 - event_rate_)) - cost_;
        }
        return 0;
    }

    // Of a bin without an empty cell, given the logarithm of its events over its nonevents.
    double information_value(const BinSize& bin, double log_odds_of_bin) const {
        const double difference = double(bin.events) * per_event_ - double(bin.rows - bin.events) * per_nonevent_;
        return difference * (log_odds_of_bin - log_odds_) - cost_;
    }

private:
    double information_value(double e, double n) const {
        const double difference = e * per_event_ - n * per_nonevent_;
        if (e == 0 || n == 0) {
            e += smoothing_ * event_rate_;
            n += smoothing_ * (1 - event_rate_);
        }
        if (e == 0 || n == 0) return 0;
        return difference * std::log((e * n_nonevents_) / (n * n_events_));
    }

    double mutual_information(double e, double n, double rows) const {
        const double of_events = e == 0 ? 0 : e / n_rows_ * std::log(e * per_event_ * n_rows_ / rows);
        const double of_nonevents = n == 0 ? 0 : n / n_rows_ * std::log(n * per_nonevent_ * n_rows_ / rows);
        return of_events + of_nonevents;
    }

    // (e - t pi)^2 / t as a share of the rows: Gini's index is twice as much, chi-square 1 / (pi (1 - pi)) times.
    double squared_excess(double e, double rows) const {
        const double excess = e - rows * event_rate_;
        return excess * excess / (rows * n_rows_);
    }

    const BinObjective objective_;
    const double smoothing_, cost_;
    const double n_events_, n_nonevents_, n_rows_, event_rate_, per_event_, per_nonevent_, log_odds_;
};

}  // namespace bitsieve
