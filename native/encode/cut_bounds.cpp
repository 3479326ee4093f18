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

bool has_smaller_rate(const BinSize& bin, const BinSize& other) {
    return __int128(bin.events) * other.rows < __int128(other.events) * bin.rows;
}

// The first and the last possible cut: there are enough samples before the first, and behind the last. No cut is
// possible if the first comes after the last.
struct CutRange {
    std::size_t first, last;

    CutRange(const CumulatedCounts& counts, const DivisionRules& rules) : first(1), last(counts.n_bins() - 1) {
        const std::size_t n = counts.n_bins();
        while (first < n && !counts.between(0, first).keeps_minimum(rules)) ++first;
        while (last > 0 && !counts.between(last, n).keeps_minimum(rules)) --last;
    }
};

// The values of divisions stand by layer: layer k has those of at most k + 1 bins. Without a bound on their number
// there is one layer, for any number. Raises `layers` to the values of shorter divisions with one more bin, which adds
// `value`.
void raise_by_one_bin(double* layers, const double* shorter_layers, double value, std::size_t n_layers,
                      bool is_bounded) {
    if (!is_bounded) layers[0] = std::max(layers[0], shorter_layers[0] + value);
    for (std::size_t layer = 1; layer < n_layers; ++layer)
        layers[layer] = std::max(layers[layer], shorter_layers[layer - 1] + value);
}

// Bounds of the rising divisions of the pre-bins before each boundary.
class RisingBounds {
public:
    RisingBounds(const PreBins& bins, const DivisionRules& rules, std::size_t n_layers)
        : rules_(rules),
          counts_(bins),
          value_of_(bins, rules),
          is_bounded_(rules.max_n_bins > 0),
          n_layers_(n_layers),
          cuts_(counts_, rules),
          parent_(counts_.n_bins() + 1),
          hull_values_((counts_.n_bins() + 1) * n_layers_, kImpossible),
          bounds_(hull_values_.size(), kImpossible) {
        std::size_t last_begin = 0;  // the last boundary from which the samples up to the cut are enough for a bin
        std::size_t previous_cut = 0;
        for (std::size_t cut = cuts_.first; cut <= cuts_.last; ++cut) {
            while (counts_.between(last_begin + 1, cut).keeps_minimum(rules_)) ++last_begin;
            // In a bound the bin that ends at the cut has enough samples; the bins before it may have any number.
            const std::size_t last_vertex = vertex_before(cut, last_begin < cuts_.first ? 0 : last_begin);
            set_values_before(cut, last_vertex, bounds_);
            parent_[cut] = vertex_before(cut, previous_cut);
            set_values_before(cut, parent_[cut], hull_values_);
            previous_cut = cut;
        }
    }

    // By the number of pre-bins and layer.
    std::vector<double> take_bounds() { return std::move(bounds_); }

private:
    // The last vertex before a point in the hull of that point and all points up to `vertex`, which is the last one of
    // the hull of these.
    std::size_t vertex_before(std::size_t point, std::size_t vertex) const {
        while (vertex > 0) {
            const BinSize before = counts_.between(parent_[vertex], vertex);
            const BinSize behind = counts_.between(vertex, point);
            if (has_smaller_rate(before, behind)) break;
            vertex = parent_[vertex];
        }
        return vertex;
    }

    // Sets the largest values of the divisions of the pre-bins before a point whose last cut is `vertex` or a vertex
    // before it, or that have no cut.
    void set_values_before(std::size_t point, std::size_t vertex, std::vector<double>& values) const {
        double* point_layers = &values[point * n_layers_];
        const double without_cut = value_of_(counts_.between(0, point));
        for (std::size_t layer = 0; layer < n_layers_; ++layer) point_layers[layer] = without_cut;
        for (; vertex > 0; vertex = parent_[vertex]) {
            const double value = value_of_(counts_.between(vertex, point));
            const double* vertex_layers = &hull_values_[vertex * n_layers_];
            raise_by_one_bin(point_layers, vertex_layers, value, n_layers_, is_bounded_);
        }
    }

    const DivisionRules& rules_;
    const CumulatedCounts counts_;
    const BinValue value_of_;
    const bool is_bounded_;
    const std::size_t n_layers_;
    const CutRange cuts_;
    std::vector<std::size_t> parent_;  // of the hull that ends at a boundary, the vertex before that
    std::vector<double> hull_values_;  // by boundary and layer, of divisions between vertices of that hull
    std::vector<double> bounds_;       // by boundary and layer
};

// Bounds of the divisions of the pre-bins before each boundary that rise and then fall. They consist of a rising part,
// bounded as above, and of a falling part with any number of bins, whose best division is the upper convex hull.
class PeakBounds {
public:
    // `rising` has the bounds of rising divisions.
    PeakBounds(const PreBins& bins, const DivisionRules& rules, std::size_t n_layers, const std::vector<double>& rising)
        : rules_(rules),
          counts_(bins),
          value_of_(bins, without_cost(rules)),
          is_bounded_(rules.max_n_bins > 0),
          n_layers_(n_layers),
          cuts_(counts_, rules),
          rising_(rising),
          bounds_(rising) {
        find_first_ends();
        for (std::size_t cut = cuts_.first; cut <= cuts_.last; ++cut) bound_divisions_before(cut);
    }

    // By the number of pre-bins and layer.
    std::vector<double> take_bounds() { return std::move(bounds_); }

private:
    // A vertex of the upper convex hull that ends at a cut.
    struct Vertex {
        std::size_t boundary;
        double value;     // of the bins from here to the cut
        BinSize segment;  // from here to the next vertex
    };

    static DivisionRules without_cost(const DivisionRules& rules) {
        DivisionRules free_rules = rules;
        free_rules.cost_per_bin = 0;
        return free_rules;
    }

    // Where the first bin that begins at each boundary and has enough samples ends; beyond all if none has.
    void find_first_ends() {
        const std::size_t n = counts_.n_bins();
        first_ends_.resize(n);
        std::size_t end = 0;
        for (std::size_t begin = 0; begin < n; ++begin) {
            while (end <= n && !(end > begin && counts_.between(begin, end).keeps_minimum(rules_))) ++end;
            first_ends_[begin] = end;
        }
    }

    // Every boundary with enough samples from there to the cut may begin the falling part. The first bin of that part
    // may end at the boundaries of the hull, which takes in more of them the earlier the part begins.
    void bound_divisions_before(std::size_t cut) {
        hull_.assign(1, {cut, 0, {}});
        std::size_t first_added =
            cut;  // of the boundaries from here on, those with enough samples to the cut are added
        for (std::size_t begin = cut; begin-- > 0;) {
            if (first_ends_[begin] > cut) continue;
            while (first_added > first_ends_[begin]) {
                --first_added;
                if (first_ends_[first_added] <= cut) append(first_added);
            }
            if (begin == 0 || begin >= cuts_.first) raise_bounds(cut, begin);
        }
    }

    void append(std::size_t boundary) {
        const std::size_t next = next_vertex(boundary);
        hull_.resize(next + 1);
        const BinSize segment = counts_.between(boundary, hull_[next].boundary);
        hull_.push_back({boundary, hull_[next].value + value_of_(segment), segment});
    }

    // The position in hull_ of the vertex behind `boundary`, in the hull of that boundary and the points of hull_.
    std::size_t next_vertex(std::size_t boundary) const {
        std::size_t position = hull_.size() - 1;
        while (position > 0) {
            const Vertex& vertex = hull_[position];
            if (has_smaller_rate(vertex.segment, counts_.between(boundary, vertex.boundary))) break;
            --position;
        }
        return position;
    }

    // The bounds of divisions whose falling part begins at a boundary. That part costs one bin at least.
    void raise_bounds(std::size_t cut, std::size_t begin) {
        const Vertex& next = hull_[next_vertex(begin)];
        const double falling = next.value + value_of_(counts_.between(begin, next.boundary)) - rules_.cost_per_bin;
        double* cut_layers = &bounds_[cut * n_layers_];
        if (begin == 0) {
            for (std::size_t layer = is_bounded_ ? 1 : 0; layer < n_layers_; ++layer)
                cut_layers[layer] = std::max(cut_layers[layer], falling);
            return;
        }
        const double* begin_layers = &rising_[begin * n_layers_];
        raise_by_one_bin(cut_layers, begin_layers, falling, n_layers_, is_bounded_);
    }

    const DivisionRules& rules_;
    const CumulatedCounts counts_;
    const BinValue value_of_;
    const bool is_bounded_;
    const std::size_t n_layers_;
    const CutRange cuts_;
    const std::vector<double>& rising_;
    std::vector<std::size_t> first_ends_;  // by boundary
    std::vector<Vertex> hull_;             // from the last vertex to the first
    std::vector<double> bounds_;           // by boundary and layer
};

bool has_turn(const DivisionRules& rules) {
    return rules.trend == RateTrend::kPeak || rules.trend == RateTrend::kValley;
}

// Of the parts before and behind a cut: layer k has at most k + 1 bins; without a bound it has any number.
std::size_t layers_of_parts(const DivisionRules& rules) {
    return rules.max_n_bins > 0 ? std::max<std::size_t>(std::size_t(rules.max_n_bins) - 1, 1) : 1;
}

// The pre-bins forwards and backwards, with the classes exchanged where that makes the part that begins there rise.
struct RisingParts {
    StoredPreBins forwards, backwards;
    DivisionRules rules_of_forwards, rules_of_backwards;

    RisingParts(const PreBins& bins, const DivisionRules& rules)
        : forwards(bins), backwards(bins), rules_of_forwards(rules), rules_of_backwards(rules) {
        if (rules.trend == RateTrend::kDescending || rules.trend == RateTrend::kValley) {
            forwards.exchange_classes();
            std::swap(rules_of_forwards.min_events, rules_of_forwards.min_nonevents);
        }
        if (rules.trend == RateTrend::kAscending || rules.trend == RateTrend::kValley) {
            backwards.exchange_classes();
            std::swap(rules_of_backwards.min_events, rules_of_backwards.min_nonevents);
        }
        backwards.reverse();
    }

    // Of the part before each boundary, by layer.
    std::vector<double> bounds_before(std::size_t n_layers) const {
        return RisingBounds(forwards.view(), rules_of_forwards, n_layers).take_bounds();
    }

    // Of the part with so many of the last pre-bins, by layer.
    std::vector<double> bounds_behind(std::size_t n_layers) const {
        return RisingBounds(backwards.view(), rules_of_backwards, n_layers).take_bounds();
    }
};

}  // namespace

bool has_cut_bounds(const DivisionRules& rules) {
    const bool has_no_empty_cell = rules.min_events > 0 && rules.min_nonevents > 0;
    return rules.trend != RateTrend::kNone && (has_no_empty_cell || rules.objective != BinObjective::kInformationValue);
}

CutBounds::CutBounds(const PreBins& bins, const DivisionRules& rules)
    : n_(std::size_t(bins.n_bins)), is_bounded_(rules.max_n_bins > 0), n_layers_(layers_of_parts(rules)) {
    const RisingParts parts(bins, rules);
    before_.push_back(parts.bounds_before(n_layers_));
    behind_.push_back(parts.bounds_behind(n_layers_));
    if (!has_turn(rules)) return;
    before_.push_back(PeakBounds(parts.forwards.view(), parts.rules_of_forwards, n_layers_, before_[0]).take_bounds());
    behind_.push_back(
        PeakBounds(parts.backwards.view(), parts.rules_of_backwards, n_layers_, behind_[0]).take_bounds());
    behind_[0].swap(behind_[1]);  // behind a cut in the second phase the rates only fall
}

double bound_with_turn(const PreBins& bins, const DivisionRules& rules) {
    const CumulatedCounts counts(bins);
    const std::size_t n = counts.n_bins();
    const std::size_t n_layers = layers_of_parts(rules);
    const RisingParts parts(bins, rules);
    const std::vector<double> before = parts.bounds_before(n_layers);
    const std::vector<double> behind = parts.bounds_behind(n_layers);
    const BinSize all = counts.between(0, n);
    double bound = kImpossible;
    if (all.keeps_minimum(rules)) bound = BinValue(bins, rules)(all);
    if (rules.max_n_bins == 1) return bound;
    for (std::size_t cut = 1; cut < n; ++cut)
        for (std::size_t layer = 0; layer < n_layers; ++layer) {
            const double of_parts =
                before[cut * n_layers + layer] + behind[(n - cut) * n_layers + n_layers - 1 - layer];
            bound = std::max(bound, of_parts);
        }
    return bound;
}

double CutBounds::through(std::size_t cut) const {
    double bound = kImpossible;
    for (std::size_t phase = 0; phase < before_.size(); ++phase)
        for (std::size_t layer = 0; layer < n_layers_; ++layer) {
            const double before = before_[phase][cut * n_layers_ + layer];
            bound = std::max(bound, before + behind(cut, layer, phase));
        }
    return bound;
}

}  // namespace bitsieve
