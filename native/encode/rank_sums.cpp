#include "encode/rank_sums.hpp"

#include <numeric>

#include "encode/small_span.hpp"
#include "encode/sorting.hpp"

namespace bitsieve {

namespace {

// The sums of one column, to which its values are added in ascending order.
class ColumnSums {
public:
    ColumnSums(std::int64_t n_total, std::int64_t* n_samples, std::int64_t* deviations)
        : n_total_(n_total), n_samples_(n_samples), deviations_(deviations) {}

    // The next value, whose n samples are added after it.
    void begin_value(std::int64_t n) {
        deviation_ = 2 * n_smaller_ + n - n_total_;
        n_smaller_ += n;
        if (n > 1) ties_ += (__int128(n) * n - 1) * n;
    }

    void add(std::size_t label, std::int64_t n) {
        n_samples_[label] += n;
        deviations_[label] += n * deviation_;
    }

    __int128 ties() const { return ties_; }

private:
    std::int64_t n_total_;
    std::int64_t* n_samples_;
    std::int64_t* deviations_;
    std::int64_t n_smaller_ = 0;  // than the next value
    std::int64_t deviation_ = 0;  // of a sample of the present value
    __int128 ties_ = 0;
};

// The ties of a column; counts are those of count_classes.
__int128 add_counted(const std::vector<std::uint32_t>& counts, std::size_t n_classes, std::int64_t* n_samples,
                     std::int64_t* deviations) {
    const auto sum = [](const std::uint32_t* first, std::size_t n) {
        return std::accumulate(first, first + n, std::int64_t(0));
    };
    ColumnSums sums(sum(counts.data(), counts.size()), n_samples, deviations);
    const std::uint32_t* end = counts.data() + counts.size();
    for (const std::uint32_t* value = counts.data(); value != end; value += n_classes) {
        sums.begin_value(sum(value, n_classes));
        for (std::size_t c = 0; c < n_classes; ++c) sums.add(c, value[c]);
    }
    return sums.ties();
}

// The ties of a column. An item is times(item) samples of the class label(item).
template <class Label, class Times>
__int128 add_sorted(const std::vector<KeyedRow>& items, const Label& label, const Times& times, std::int64_t* n_samples,
                    std::int64_t* deviations) {
    std::int64_t n_total = 0;
    for (const KeyedRow& item : items) n_total += times(item);
    ColumnSums sums(n_total, n_samples, deviations);
    for (std::size_t first = 0, end; first < items.size(); first = end) {
        std::int64_t n_of_value = 0;
        for (end = first; end < items.size() && items[end].key == items[first].key; ++end)
            n_of_value += times(items[end]);
        sums.begin_value(n_of_value);
        for (std::size_t i = first; i < end; ++i) sums.add(label(items[i]), times(items[i]));
    }
    return sums.ties();
}

}  // namespace

RankSums rank_sums(const std::vector<const double*>& columns, std::int64_t n_rows, const std::int32_t* classes,
                   std::size_t n_classes, const std::int64_t* weights) {
    RankSums sums;
    sums.n_samples.resize(columns.size() * n_classes);
    sums.deviations.resize(columns.size() * n_classes);
    std::vector<KeyedRow> items;
    std::vector<KeyedRow> spare;
    std::vector<std::uint32_t> counts;
    std::int64_t* n_samples = sums.n_samples.data();
    std::int64_t* deviations = sums.deviations.data();
    for (const double* values : columns) {
        Span span;
        __int128 ties;
        if (is_small_span(values, n_rows, limit_of_span(n_rows, n_classes), span)) {
            count_classes(values, n_rows, span, classes, n_classes, weights, counts);
            ties = add_counted(counts, n_classes, n_samples, deviations);
        } else if (weights == nullptr) {  // the items hold classes: these would be far from row to row
            sort_present(values, n_rows, [classes](std::int64_t row) { return classes[row]; }, items, spare);
            const auto label = [](const KeyedRow& item) { return item.row; };
            const auto times = [](const KeyedRow&) { return 1; };
            ties = add_sorted(items, label, times, n_samples, deviations);
        } else {
            sort_present(values, n_rows, items, spare);
            const auto label = [classes](const KeyedRow& item) { return classes[item.row]; };
            const auto times = [weights](const KeyedRow& item) { return weights[item.row]; };
            ties = add_sorted(items, label, times, n_samples, deviations);
        }
        sums.ties_high.push_back(std::int64_t(ties >> 32));
        sums.ties_low.push_back(std::int64_t(ties & 0xffffffff));
        n_samples += n_classes;
        deviations += n_classes;
    }
    return sums;
}

}  // namespace bitsieve
