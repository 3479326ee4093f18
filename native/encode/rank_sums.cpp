#include "encode/rank_sums.hpp"

#include <numeric>

#include "encode/small_span.hpp"
#include "encode/sorting.hpp"

namespace bitsieve {

namespace {

// The sums of one column of n_total samples, whose values are added in ascending order.
class ColumnSums {
public:
    ColumnSums(std::int64_t n_total, std::int64_t* n_samples, std::int64_t* deviations)
        : n_total_(n_total), n_samples_(n_samples), deviations_(deviations) {}

    // Begins the next value, which n samples have; these are added after it. Their mean rank is
    // n_smaller + (n + 1) / 2, and their deviation twice that less n_total + 1.
    void begin_value(std::int64_t n) {
        deviation_ = 2 * n_smaller_ + n - n_total_;
        n_smaller_ += n;
        if (n > 1) ties_ += (__int128(n) * n - 1) * n;
    }

    // Adds n samples of the present value and of one class.
    void add(std::size_t c, std::int64_t n) {
        n_samples_[c] += n;
        deviations_[c] += n * deviation_;
    }

    __int128 ties() const { return ties_; }

private:
    std::int64_t n_total_;
    std::int64_t* n_samples_;     // by class
    std::int64_t* deviations_;    // by class
    std::int64_t n_smaller_ = 0;  // than the next value
    std::int64_t deviation_ = 0;  // of a sample of the present value
    __int128 ties_ = 0;
};

// Adds a column to the sums of the classes and returns its ties. counts are those of count_classes.
__int128 add_counted(const std::vector<std::uint32_t>& counts, std::size_t n_classes, std::int64_t* n_samples,
                     std::int64_t* deviations) {
    const auto sum = [](const std::uint32_t* first, std::size_t n) {
        return std::accumulate(first, first + n, std::int64_t(0));
    };
    ColumnSums sums(sum(counts.data(), counts.size()), n_samples, deviations);
    const std::uint32_t* end = counts.data() + counts.size();
    for (const std::uint32_t* value_counts = counts.data(); value_counts != end; value_counts += n_classes) {
        sums.begin_value(sum(value_counts, n_classes));
        for (std::size_t c = 0; c < n_classes; ++c) sums.add(c, value_counts[c]);
    }
    return sums.ties();
}

// Adds a column to the sums of the classes and returns its ties. The items ascend; class_of(item) is the class of the
// row of an item, and weight_of(item) its weight.
template <class ClassOf, class WeightOf>
__int128 add_sorted(const std::vector<KeyedRow>& items, const ClassOf& class_of, const WeightOf& weight_of,
                    std::int64_t* n_samples, std::int64_t* deviations) {
    std::int64_t n_total = 0;
    for (const KeyedRow& item : items) n_total += weight_of(item);
    ColumnSums sums(n_total, n_samples, deviations);
    std::size_t first = 0;  // item of a value
    while (first < items.size()) {
        std::size_t end = first;
        std::int64_t n_of_value = 0;
        for (; end < items.size() && items[end].key == items[first].key; ++end) n_of_value += weight_of(items[end]);
        sums.begin_value(n_of_value);
        for (std::size_t i = first; i < end; ++i) sums.add(class_of(items[i]), weight_of(items[i]));
        first = end;
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
        } else if (weights == nullptr) {
            // The items hold classes in place of rows: the classes of sorted rows lie far from each other in memory.
            sort_present(values, n_rows, [classes](std::int64_t row) { return classes[row]; }, items, spare);
            const auto class_of = [](const KeyedRow& item) { return item.row; };
            const auto weight_of = [](const KeyedRow&) { return 1; };
            ties = add_sorted(items, class_of, weight_of, n_samples, deviations);
        } else {
            sort_present(values, n_rows, items, spare);
            const auto class_of = [classes](const KeyedRow& item) { return classes[item.row]; };
            const auto weight_of = [weights](const KeyedRow& item) { return weights[item.row]; };
            ties = add_sorted(items, class_of, weight_of, n_samples, deviations);
        }
        sums.ties_high.push_back(std::int64_t(ties >> 32));
        sums.ties_low.push_back(std::int64_t(ties & 0xffffffff));
        n_samples += n_classes;
        deviations += n_classes;
    }
    return sums;
}

}  // namespace bitsieve
