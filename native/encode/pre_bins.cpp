#include "encode/pre_bins.hpp"

#include <algorithm>
#include <limits>

#include "encode/cuts.hpp"
#include "encode/hull.hpp"

namespace bitsieve {
namespace {

// A class of sorted samples that is read number by number.
class Reader {
public:
    explicit Reader(const SortedNumbers& numbers) : numbers_(numbers) { look(); }

    double next() const { return next_; }  // infinite where none is left

    // The weight of the next sample where it has this value, else 0.
    std::int64_t take(double value) {
        if (next_ != value) return 0;
        const std::int64_t weight = numbers_.weights ? numbers_.weights[position_] : 1;
        ++position_;
        look();
        return weight;
    }

private:
    void look() {
        next_ = position_ < numbers_.n ? numbers_.values[position_] : std::numeric_limits<double>::infinity();
    }

    const SortedNumbers& numbers_;
    std::int64_t position_ = 0;
    double next_;
};

std::int64_t n_samples(const SortedNumbers& numbers) {
    if (numbers.weights == nullptr) return numbers.n;
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < numbers.n; ++i) sum += numbers.weights[i];
    return sum;
}

// Picks the distinct numbers at which pre-bins end.
class EndFinder {
public:
    EndFinder(const PreBinRules& rules, std::int64_t n_rows) : rules_(rules), n_rows_(n_rows) { set_next_rank(); }

    // Numbers are appended in their order, each with all samples up to it.
    void append(const PreBinEnd& end) {
        const std::int64_t rows = end.events + end.nonevents;
        set_next_value(first_, end);
        set_next_value(by_rank_, end);
        if (end.n_distinct <= rules_.max_exact + 1) first_.push_back(end);
        if (rows >= next_rank_) by_rank_.push_back(end);
        while (rows >= next_rank_) set_next_rank();
        if (!rules_.refine) return;
        rising_.last().next_value = end.value;
        falling_.last().next_value = end.value;
        rising_.append(end);
        falling_.append(end);
    }

    std::vector<PreBinEnd> ends() const {
        if (std::int64_t(first_.size()) <= rules_.max_exact) return first_;
        std::vector<PreBinEnd> ends = by_rank_;
        if (rules_.refine) {
            ends.insert(ends.end(), rising_.vertices().begin() + 1, rising_.vertices().end());
            ends.insert(ends.end(), falling_.vertices().begin() + 1, falling_.vertices().end());
        }
        const auto is_before = [](const PreBinEnd& a, const PreBinEnd& b) { return a.n_distinct < b.n_distinct; };
        const auto is_same = [](const PreBinEnd& a, const PreBinEnd& b) { return a.n_distinct == b.n_distinct; };
        std::sort(ends.begin(), ends.end(), is_before);
        ends.erase(std::unique(ends.begin(), ends.end(), is_same), ends.end());
        return ends;
    }

private:
    // If the last end in a list is the number just before this one.
    static void set_next_value(std::vector<PreBinEnd>& ends, const PreBinEnd& end) {
        if (!ends.empty() && ends.back().n_distinct + 1 == end.n_distinct) ends.back().next_value = end.value;
    }

    // The rank of the next order statistic; after that of all samples there is none.
    void set_next_rank() {
        ++n_ranks_;
        if (n_ranks_ <= rules_.max_pre_bins)
            next_rank_ = std::max<std::int64_t>(1, rank_of_cut(n_ranks_, n_rows_, rules_.max_pre_bins));
        else
            next_rank_ = std::numeric_limits<std::int64_t>::max();
    }

    const PreBinRules& rules_;
    const std::int64_t n_rows_;
    std::int64_t n_ranks_ = 0;
    std::int64_t next_rank_ = 0;
    std::vector<PreBinEnd> first_;  // the first distinct numbers, one more than may all be tried
    std::vector<PreBinEnd> by_rank_;
    ConvexHull<PreBinEnd> rising_{true};
    ConvexHull<PreBinEnd> falling_{false};
};

}  // namespace

PreBinEnds find_pre_bins(const SortedNumbers& events, const SortedNumbers& nonevents, const PreBinRules& rules) {
    Reader with_event(events);
    Reader without_event(nonevents);
    EndFinder finder(rules, n_samples(events) + n_samples(nonevents));
    PreBinEnd end;
    const std::int64_t n = events.n + nonevents.n;
    for (std::int64_t taken = 0; taken < n; ++taken) {
        // Of two samples of one number, the second joins the first.
        const double value = std::min(with_event.next(), without_event.next());
        if (value != end.value || end.n_distinct == 0) {
            if (end.n_distinct > 0) finder.append(end);
            ++end.n_distinct;
            end.value = value + 0.0;  // no negative zero
        }
        const std::int64_t event_weight = with_event.take(value);
        end.events += event_weight;
        if (event_weight == 0) end.nonevents += without_event.take(value);
    }
    finder.append(end);
    return {finder.ends(), end.n_distinct};
}

std::vector<std::int64_t> hull_vertices(const std::int64_t* events, const std::int64_t* nonevents,
                                        std::int64_t n_bins) {
    struct Point {
        std::int64_t n_bins = 0, events = 0, nonevents = 0;  // before it
    };
    ConvexHull<Point> hull(true);
    Point point;
    for (std::int64_t b = 0; b < n_bins; ++b) {
        point.n_bins = b + 1;
        point.events += events[b];
        point.nonevents += nonevents[b];
        hull.append(point);
    }
    std::vector<std::int64_t> ends;
    for (const Point& vertex : hull.vertices())
        if (vertex.n_bins > 0) ends.push_back(vertex.n_bins);
    return ends;
}

}  // namespace bitsieve
