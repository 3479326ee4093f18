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

    // The weight of all samples of this value. Which class has the next number is anybody's guess: the first sample is
    // taken without a branch.
    std::int64_t take(double value) {
        const std::int64_t has_sample = next_ == value;
        std::int64_t weight = has_sample * weight_;
        position_ += has_sample;
        look();
        while (next_ == value) {
            weight += weight_;
            ++position_;
            look();
        }
        return weight;
    }

private:
    void look() {
        if (position_ == numbers_.n) {
            next_ = std::numeric_limits<double>::infinity();
            return;
        }
        next_ = numbers_.values[position_];
        if (numbers_.weights != nullptr) weight_ = numbers_.weights[position_];
    }

    const SortedNumbers numbers_;
    std::int64_t position_ = 0;
    std::int64_t weight_ = 1;
    double next_;
};

std::int64_t n_samples(const SortedNumbers& numbers) {
    if (numbers.weights == nullptr) return numbers.n;
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < numbers.n; ++i) sum += numbers.weights[i];
    return sum;
}

// The samples of one number.
struct Counts {
    std::int64_t events, nonevents;

    bool has_smaller_rate_than(const Counts& other) const {
        return __int128(events) * other.nonevents < __int128(other.events) * nonevents;
    }
};

// Picks the distinct numbers at which pre-bins end.
class EndFinder {
public:
    EndFinder(const PreBinRules& rules, std::int64_t n_rows) : rules_(rules), n_rows_(n_rows) { set_next_rank(); }

    // A number and the next one: what comes next says whether the first may be a vertex. It is none of a hull, where
    // already its two neighbours are on the wrong side of it.
    void append(const PreBinEnd& end, const Counts& counts, const Counts& next_counts) {
        append_by_rank(end);
        if (!rules_.refine) return;
        if (counts.has_smaller_rate_than(next_counts)) rising_.append(end);
        if (next_counts.has_smaller_rate_than(counts)) falling_.append(end);
    }

    void append_last(const PreBinEnd& end) {
        append_by_rank(end);
        if (!rules_.refine) return;
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
    void append_by_rank(const PreBinEnd& end) {
        if (end.n_distinct <= rules_.max_exact + 1) first_.push_back(end);
        const std::int64_t rows = end.events + end.nonevents;
        if (rows < next_rank_) return;
        by_rank_.push_back(end);
        while (rows >= next_rank_) set_next_rank();
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

NumbersOfClasses split_by_class(const double* values, const bool* is_event, const bool* is_included,
                                std::int64_t n_rows) {
    std::size_t n_with = 0;
    std::size_t n_included = 0;
    for (std::int64_t i = 0; i < n_rows; ++i) {
        n_included += is_included[i];
        n_with += is_included[i] & is_event[i];
    }
    // A number is written to both ends and stays at one of them: each vector has room for one that does not.
    NumbersOfClasses numbers;
    numbers.with_event.resize(n_with + 1);
    numbers.without_event.resize(n_included - n_with + 1);
    double* with_event = numbers.with_event.data();
    double* without_event = numbers.without_event.data();
    for (std::int64_t i = 0; i < n_rows; ++i) {
        *with_event = values[i];
        *without_event = values[i];
        with_event += is_included[i] & is_event[i];
        without_event += is_included[i] & !is_event[i];
    }
    numbers.with_event.pop_back();
    numbers.without_event.pop_back();
    return numbers;
}

PreBinEnds find_pre_bins(const SortedNumbers& events, const SortedNumbers& nonevents, const PreBinRules& rules) {
    Reader with_event(events);
    Reader without_event(nonevents);
    EndFinder finder(rules, n_samples(events) + n_samples(nonevents));
    PreBinEnd end;
    Counts counts{};
    while (true) {
        const double value = std::min(with_event.next(), without_event.next());
        if (value == std::numeric_limits<double>::infinity()) break;
        const Counts next_counts{with_event.take(value), without_event.take(value)};
        if (end.n_distinct > 0) {
            end.next_value = value;
            finder.append(end, counts, next_counts);
        }
        ++end.n_distinct;
        end.value = value + 0.0;  // no negative zero
        end.events += next_counts.events;
        end.nonevents += next_counts.nonevents;
        counts = next_counts;
    }
    finder.append_last(end);
    return {finder.ends(), end.n_distinct};
}

}  // namespace bitsieve
