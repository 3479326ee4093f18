#include "encode/cut_bounds.hpp"

#include <limits>
#include <utility>

namespace bitsieve {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

// Pre-bins that are stored here.
struct StoredPreBins {
    std::vector<std::int64_t> events, nonevents;
    std::int64_t total_events, total_nonevents;

    explicit StoredPreBins(const PreBins& bins)
        : events(bins.events, bins.events + bins.n_bins),
          nonevents(bins.nonevents, bins.nonevents + bins.n_bins),
          total_events(bins.total_events),
          total_nonevents(bins.total_nonevents) {}

    void exchange_classes() {
        events.swap(nonevents);
        std::swap(total_events, total_nonevents);
    }

    void reverse() {
        std::reverse(events.begin(), events.end());
        std::reverse(nonevents.begin(), nonevents.end());
    }

    PreBins view() const {
        return {events.data(), nonevents.data(), std::int64_t(events.size()), total_events, total_nonevents};
    }
};

// Bounds of the rising divisions of the pre-bins before each boundary.
class PrefixBounds {
public:
    PrefixBounds(const PreBins& bins, const DivisionRules& rules, std::size_t n_layers)
        : rules_(rules),
          counts_(bins),
          value_of_(bins, rules),
          is_bounded_(rules.max_n_bins > 0),
          n_layers_(n_layers),
          parent_(counts_.n_bins() + 1),
          hull_values_((counts_.n_bins() + 1) * n_layers_, kImpossible),
          bounds_(hull_values_.size(), kImpossible) {
        find_possible_cuts();
        std::size_t last_begin = 0;  // of a bin with enough samples that ends at the cut
        std::size_t previous = 0;
        for (std::size_t cut = first_cut_; cut <= last_cut_; ++cut) {
            while (counts_.between(last_begin + 1, cut).keeps_minimum(rules_)) ++last_begin;
            const std::size_t last_vertex = vertex_before(cut, last_begin < first_cut_ ? 0 : last_begin);
            put_before(cut, last_vertex, bounds_);
            parent_[cut] = vertex_before(cut, previous);
            put_before(cut, parent_[cut], hull_values_);
            previous = cut;
        }
    }

    // By the number of pre-bins and layer.
    std::vector<double> take() { return std::move(bounds_); }

private:
    // The first cut has enough samples before it, and the last one behind it. No cut is possible if they are exchanged.
    void find_possible_cuts() {
        const std::size_t n = counts_.n_bins();
        first_cut_ = 1;
        while (first_cut_ < n && !counts_.between(0, first_cut_).keeps_minimum(rules_)) ++first_cut_;
        last_cut_ = n - 1;
        while (last_cut_ > 0 && !counts_.between(last_cut_, n).keeps_minimum(rules_)) --last_cut_;
    }

    // Of the hull of the points up to a vertex and of one more: the last vertex before that point.
    std::size_t vertex_before(std::size_t point, std::size_t vertex) const {
        while (vertex > 0) {
            const BinSize before = counts_.between(parent_[vertex], vertex);
            const BinSize behind = counts_.between(vertex, point);
            if (__int128(before.events) * behind.rows < __int128(behind.events) * before.rows) break;
            vertex = parent_[vertex];
        }
        return vertex;
    }

    // The largest values of divisions of the pre-bins before a point whose last cut is a vertex of the hull, or that
    // have no cut.
    void put_before(std::size_t point, std::size_t vertex, std::vector<double>& values) const {
        double* of_point = &values[point * n_layers_];
        const double without_cut = value_of_(counts_.between(0, point));
        for (std::size_t layer = 0; layer < n_layers_; ++layer) of_point[layer] = without_cut;
        for (; vertex > 0; vertex = parent_[vertex]) {
            const double value = value_of_(counts_.between(vertex, point));
            const double* of_vertex = &hull_values_[vertex * n_layers_];
            if (!is_bounded_) of_point[0] = std::max(of_point[0], of_vertex[0] + value);
            for (std::size_t layer = 1; layer < n_layers_; ++layer)
                of_point[layer] = std::max(of_point[layer], of_vertex[layer - 1] + value);
        }
    }

    const DivisionRules& rules_;
    const CumulatedCounts counts_;
    const BinValue value_of_;
    const bool is_bounded_;
    const std::size_t n_layers_;
    std::size_t first_cut_ = 0, last_cut_ = 0;
    std::vector<std::size_t> parent_;  // of the hull that ends at a boundary, the vertex before that
    std::vector<double> hull_values_;  // by boundary and layer, of divisions between vertices of that hull
    std::vector<double> bounds_;       // by boundary and layer
};

}  // namespace

bool has_cut_bounds(const DivisionRules& rules) {
    const bool is_monotone = rules.trend == RateTrend::kAscending || rules.trend == RateTrend::kDescending;
    const bool has_no_empty_cell = rules.min_events > 0 && rules.min_nonevents > 0;
    return is_monotone && (has_no_empty_cell || rules.objective != BinObjective::kInformationValue);
}

CutBounds::CutBounds(const PreBins& bins, const DivisionRules& rules)
    : n_(std::size_t(bins.n_bins)),
      is_bounded_(rules.max_n_bins > 0),
      n_layers_(is_bounded_ ? std::max<std::size_t>(std::size_t(rules.max_n_bins) - 1, 1) : 1) {
    StoredPreBins rising(bins);
    DivisionRules rules_of_rising = rules;
    if (rules.trend == RateTrend::kDescending) {
        rising.exchange_classes();
        std::swap(rules_of_rising.min_events, rules_of_rising.min_nonevents);
    }
    StoredPreBins backwards = rising;  // the other class rises from the last pre-bin to the first
    backwards.reverse();
    backwards.exchange_classes();
    DivisionRules rules_of_backwards = rules_of_rising;
    std::swap(rules_of_backwards.min_events, rules_of_backwards.min_nonevents);
    before_ = PrefixBounds(rising.view(), rules_of_rising, n_layers_).take();
    behind_ = PrefixBounds(backwards.view(), rules_of_backwards, n_layers_).take();
}

double CutBounds::through(std::size_t cut) const {
    if (!is_bounded_) return before(cut) + behind(cut);
    double bound = kImpossible;
    for (std::size_t n_bins = 1; n_bins <= n_layers_; ++n_bins)
        bound = std::max(bound, before(cut, n_bins) + behind(cut, n_layers_ + 1 - n_bins));
    return bound;
}

}  // namespace bitsieve
