#include "encode/cuts.hpp"

#include <algorithm>
#include <type_traits>
#include <vector>

#include "encode/mdl.hpp"
#include "encode/small_span.hpp"
#include "encode/sorting.hpp"

namespace bitsieve {

namespace {

constexpr std::int64_t kMinSelected = 1 << 15;  // numbers; fewer are sorted as fast
constexpr int kIntervalBits = 16;

// Memory that is used again for the next column.
struct ColumnScratch {
    std::vector<KeyedRow> items, spare;
    std::vector<double> values;
    std::vector<std::int32_t> classes;
    std::vector<std::int64_t> weights;
    std::vector<std::int64_t> ranks;
    std::vector<std::uint32_t> counts;
    std::vector<std::uint8_t> is_selected;
    std::vector<std::uint64_t> keys;
    std::vector<std::size_t> positions;
};

// The numbers of a column that are there as ascending items, and as doubles.
template <class T>
void sort_column(const T* values, std::int64_t n, ColumnScratch& scratch) {
    sort_present(values, n, scratch.items, scratch.spare);
    const std::size_t n_present = scratch.items.size();
    scratch.values.resize(n_present);
    for (std::size_t i = 0; i < n_present; ++i) scratch.values[i] = value_of(scratch.items[i].key);
}

// Moves keys to where sorting would bring them, at some ascending positions; the first key is that of position `before`.
void select_positions(std::uint64_t* first, std::uint64_t* last, const std::size_t* position, const std::size_t* end,
                      std::size_t before) {
    if (position == end) return;
    const std::size_t* middle = position + (end - position) / 2;
    std::uint64_t* middle_key = first + (*middle - before);
    std::nth_element(first, middle_key, last);
    select_positions(first, middle_key, position, middle, before);
    select_positions(middle_key + 1, last, middle + 1, end, *middle + 1);
}

// Whether one number seems to be a quarter of a long column, by a few of its rows.
template <class T>
bool has_frequent_number(const T* values, std::int64_t n) {
    constexpr int kSampleSize = 64;
    constexpr int kMinEqual = 12;  // of the sample
    double sample[kSampleSize];
    int n_present = 0;
    for (int i = 0; i < kSampleSize; ++i)
        if (const T value = values[n / kSampleSize * i]; !is_missing(value)) sample[n_present++] = double(value);
    std::sort(sample, sample + n_present);
    for (int i = kMinEqual - 1; i < n_present; ++i)
        if (sample[i] == sample[i - kMinEqual + 1]) return true;
    return false;
}

// Fills `keys` with those of the numbers of a column that are not missing; returns how many there are.
template <class T>
std::int64_t fill_keys(const T* values, std::int64_t n, std::vector<std::uint64_t>& keys) {
    keys.resize(std::size_t(n));
    std::int64_t total = 0;
    for (std::int64_t i = 0; i < n; ++i) {
        keys[total] = key_of(double(values[i]));
        total += !is_missing(values[i]);
    }
    return total;
}

// Cuts a long column, given by `total` keys, without sorting it: these are counted by their upper bits, and only those
// are looked at again that lie in an interval with a rank of a cut. False, and no cut is made, where these are more
// than a quarter.
bool cut_by_selection(std::int64_t total, std::int64_t n_bins, ColumnScratch& scratch, std::vector<double>& cuts) {
    std::vector<std::uint64_t>& keys = scratch.keys;
    if (total < kMinSelected) return false;
    const auto [smallest_key, largest_key] = std::minmax_element(keys.begin(), keys.begin() + total);
    if (*smallest_key == *largest_key) return false;
    const auto interval = [low = *smallest_key,
                           shift = __builtin_clzll(*largest_key - *smallest_key)](std::uint64_t key) {
        return std::size_t(((key - low) << shift) >> (64 - kIntervalBits));
    };
    const double largest = value_of(*largest_key);
    scratch.counts.assign(std::size_t(1) << kIntervalBits, 0);
    for (std::int64_t i = 0; i < total; ++i) ++scratch.counts[interval(keys[i])];

    std::vector<std::int64_t>& ranks = scratch.ranks;
    ranks.clear();
    for (std::int64_t b = 1; b < n_bins; ++b) {
        const std::int64_t rank = rank_of_cut(b, total, n_bins);
        if (rank > (ranks.empty() ? 0 : ranks.back()) && rank < total) ranks.push_back(rank);
    }
    scratch.positions.clear();
    std::int64_t before = 0;
    std::int64_t n_selected = 0;
    auto rank = ranks.begin();
    scratch.is_selected.assign(scratch.counts.size(), 0);
    for (std::size_t i = 0; i < scratch.counts.size(); ++i) {
        const std::int64_t end = before + scratch.counts[i];
        const bool has_rank = rank != ranks.end() && *rank <= end;
        scratch.is_selected[i] = has_rank;
        for (; rank != ranks.end() && *rank <= end; ++rank)
            scratch.positions.push_back(std::size_t(n_selected + *rank - before - 1));
        if (has_rank) n_selected += end - before;
        before = end;
    }
    if (n_selected > total / 4) return false;
    std::size_t next = 0;
    for (std::int64_t i = 0; i < total; ++i) {
        const std::uint64_t key = keys[i];
        keys[next] = key;
        next += scratch.is_selected[interval(key)];
    }
    const std::vector<std::size_t>& positions = scratch.positions;
    select_positions(keys.data(), keys.data() + next, positions.data(), positions.data() + positions.size(), 0);
    cut_by_ranks(
        ranks.size() + 1, n_bins, [&](std::size_t i) { return i < ranks.size() ? ranks[i] : total; },
        [&](std::size_t i) { return i < ranks.size() ? value_of(keys[positions[i]]) : largest; }, cuts);
    return true;
}

// The same values as doubles.
template <class T>
const double* as_doubles(const T* values, std::int64_t n, std::vector<double>& out) {
    if constexpr (std::is_same_v<T, double>) return values;
    out.assign(values, values + n);
    return out.data();
}

// The values of the rows of the sorted items.
template <class Value>
const Value* in_order(const Value* row_values, const std::vector<KeyedRow>& items, std::vector<Value>& out) {
    if (row_values == nullptr) return nullptr;
    out.resize(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) out[i] = row_values[items[i].row];
    return out.data();
}

// Cuts a column that is sorted.
void cut_sorted(const std::int64_t* weights, std::int64_t n_bins, ColumnScratch& scratch, std::vector<double>& cuts) {
    const std::int64_t* ranks = in_order(weights, scratch.items, scratch.ranks);  // once they are added up
    for (std::size_t i = 1; ranks && i < scratch.ranks.size(); ++i) scratch.ranks[i] += scratch.ranks[i - 1];
    cut_by_ranks(
        scratch.values.size(), n_bins, [&](std::size_t i) { return ranks ? ranks[i] : std::int64_t(i) + 1; },
        [&](std::size_t i) { return scratch.values[i]; }, cuts);
}

// Cuts a column of whole numbers by the counts of each of its span, of which ranks are made in place.
void cut_counted(const Span& span, std::int64_t n_bins, std::vector<std::int64_t>& ranks, std::vector<double>& cuts) {
    for (std::size_t v = 1; v < ranks.size(); ++v) ranks[v] += ranks[v - 1];
    cut_by_ranks(
        ranks.size(), n_bins, [&](std::size_t v) { return ranks[v]; },
        [&](std::size_t v) { return span.low + double(v); }, cuts);
}

}  // namespace

template <class T>
Ragged<double> mdl_cuts(const Columns& table, const ClassVectors& vectors, const std::int64_t* weights,
                        const Terms& terms) {
    Ragged<double> cuts_of_columns;
    ColumnScratch scratch;
    MdlCutter cutter(vectors.n_classes, terms);
    UnsortedMdlCutter unsorted_cutter(vectors.n_classes, terms);
    const std::uint64_t limit = limit_of_span(table.n_rows, vectors.n_classes);
    for_each_tile<T>(table, table.n_rows, [&](std::int64_t, std::int64_t, const T* values, std::int64_t n) {
        Span span;
        const bool counted = is_small_span(values, n, limit, span);
        const std::int64_t* sorted_weights = nullptr;
        const double* numbers = nullptr;
        const bool unsorted = !counted && unsorted_cutter.has_enough_rows(std::size_t(n));
        if (unsorted) {
            numbers = as_doubles(values, n, scratch.values);
        } else if (!counted) {
            sort_column(values, n, scratch);
            sorted_weights = in_order(weights, scratch.items, scratch.weights);
        }
        for (std::int64_t b = 0; b < vectors.n_vectors; ++b) {
            const std::int32_t* classes = vectors.classes + b * n;
            if (unsorted) {
                cuts_of_columns.append(unsorted_cutter.cuts(numbers, classes, weights, std::size_t(n)));
                continue;
            }
            if (!counted) {
                const std::int32_t* sorted_classes = in_order(classes, scratch.items, scratch.classes);
                cuts_of_columns.append(
                    cutter.cuts(scratch.values.data(), sorted_classes, sorted_weights, scratch.values.size()));
                continue;
            }
            count_classes(values, n, span, classes, vectors.n_classes, weights, scratch.counts);
            cuts_of_columns.append(cutter.cuts_of_counts(span.low, std::size_t(span.range + 1), scratch.counts.data()));
        }
    });
    return cuts_of_columns;
}

template <class T>
Ragged<double> order_statistic_cuts(const Columns& table, std::int64_t n_bins, const std::int64_t* weights) {
    Ragged<double> cuts_of_columns;
    ColumnScratch scratch;
    std::vector<double> cuts;
    const std::uint64_t max_values = std::max<std::uint64_t>(256, 2 * std::uint64_t(table.n_rows));
    for_each_tile<T>(table, table.n_rows, [&](std::int64_t, std::int64_t, const T* values, std::int64_t n) {
        Span span;
        if (is_small_span(values, n, max_values, span)) {
            std::vector<std::int64_t>& ranks = scratch.ranks;
            ranks.assign(std::size_t(span.range + 1), 0);
            for (std::int64_t i = 0; i < n; ++i)
                if (!is_missing(values[i])) ranks[index_in_span(values[i], span.low)] += weights ? weights[i] : 1;
            cut_counted(span, n_bins, ranks, cuts);
        } else if (weights || n < kMinSelected || has_frequent_number(values, n) ||
                   !cut_by_selection(fill_keys(values, n, scratch.keys), n_bins, scratch, cuts)) {
            sort_column(values, n, scratch);
            cut_sorted(weights, n_bins, scratch, cuts);
        }
        cuts_of_columns.append(cuts);
    });
    return cuts_of_columns;
}

#define BITSIEVE_FOR_TYPE(T)                                                                                     \
    template Ragged<double> mdl_cuts<T>(const Columns&, const ClassVectors&, const std::int64_t*, const Terms&); \
    template Ragged<double> order_statistic_cuts<T>(const Columns&, std::int64_t, const std::int64_t*);
BITSIEVE_FOR_NUMBER_TYPES(BITSIEVE_FOR_TYPE)
}  // namespace bitsieve
