#include "encode/cuts.hpp"

#include <algorithm>
#include <numeric>
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

// Sorts the numbers of a column that are not missing: they become ascending items, and doubles.
template <class T>
void sort_column(const T* values, std::int64_t n, ColumnScratch& scratch) {
    sort_present(values, n, scratch.items, scratch.spare);
    const std::size_t n_present = scratch.items.size();
    scratch.values.resize(n_present);
    for (std::size_t i = 0; i < n_present; ++i) scratch.values[i] = value_of(scratch.items[i].key);
}

// Moves keys to where sorting would bring them, at some ascending positions. `first_position` is that of the first key.
void select_positions(std::uint64_t* first, std::uint64_t* last, const std::size_t* position, const std::size_t* end,
                      std::size_t first_position) {
    if (position == end) return;
    const std::size_t* middle = position + (end - position) / 2;
    std::uint64_t* middle_key = first + (*middle - first_position);
    std::nth_element(first, middle_key, last);
    select_positions(first, middle_key, position, middle, first_position);
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

// Intervals of keys: those of the same upper bits among what the keys of a column differ in.
struct KeyIntervals {
    std::uint64_t min_key;
    int shift;

    KeyIntervals(std::uint64_t smallest, std::uint64_t largest)
        : min_key(smallest), shift(__builtin_clzll(largest - smallest)) {}

    std::size_t operator()(std::uint64_t key) const {
        return std::size_t(((key - min_key) << shift) >> (64 - kIntervalBits));
    }
};

// The different ranks of the cuts of `total` numbers, ascending; a cut at the rank 0 or at the largest number is none.
void find_ranks(std::int64_t total, std::int64_t n_bins, std::vector<std::int64_t>& ranks) {
    ranks.clear();
    std::int64_t last_rank = 0;
    for (std::int64_t b = 1; b < n_bins; ++b) {
        const std::int64_t rank = rank_of_cut(b, total, n_bins);
        if (rank <= last_rank || rank >= total) continue;
        ranks.push_back(rank);
        last_rank = rank;
    }
}

// Selects the intervals in which a rank lies, given the number of keys in each. The positions are those of the ranks
// among the keys of the selected intervals. Returns how many keys these have.
std::int64_t select_intervals(const std::vector<std::int64_t>& ranks, const std::vector<std::uint32_t>& counts,
                              std::vector<std::uint8_t>& is_selected, std::vector<std::size_t>& positions) {
    is_selected.assign(counts.size(), 0);
    positions.clear();
    std::int64_t n_before = 0;    // keys in the intervals before
    std::int64_t n_selected = 0;  // and those of them that are selected
    auto rank = ranks.begin();
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const std::int64_t end = n_before + counts[i];
        for (; rank != ranks.end() && *rank <= end; ++rank) {
            is_selected[i] = 1;
            positions.push_back(std::size_t(n_selected + (*rank - n_before) - 1));
        }
        if (is_selected[i]) n_selected += counts[i];
        n_before = end;
    }
    return n_selected;
}

// Cuts a long column, given by `total` keys, without sorting it: these are counted by their upper bits, and only those
// are looked at again that lie in an interval with a rank of a cut. False, and no cut is made, where these are more
// than a quarter.
bool cut_by_selection(std::int64_t total, std::int64_t n_bins, ColumnScratch& scratch, std::vector<double>& cuts) {
    if (total < kMinSelected) return false;
    std::vector<std::uint64_t>& keys = scratch.keys;
    const auto [smallest_key, largest_key] = std::minmax_element(keys.begin(), keys.begin() + total);
    if (*smallest_key == *largest_key) return false;
    const double largest = value_of(*largest_key);
    const KeyIntervals interval_of(*smallest_key, *largest_key);
    scratch.counts.assign(std::size_t(1) << kIntervalBits, 0);
    for (std::int64_t i = 0; i < total; ++i) ++scratch.counts[interval_of(keys[i])];

    const std::vector<std::int64_t>& ranks = scratch.ranks;
    const std::vector<std::size_t>& positions = scratch.positions;
    find_ranks(total, n_bins, scratch.ranks);
    if (select_intervals(ranks, scratch.counts, scratch.is_selected, scratch.positions) > total / 4) return false;

    std::size_t n_selected = 0;
    for (std::int64_t i = 0; i < total; ++i) {
        const std::uint64_t key = keys[i];
        keys[n_selected] = key;
        n_selected += scratch.is_selected[interval_of(key)];
    }
    select_positions(keys.data(), keys.data() + n_selected, positions.data(), positions.data() + positions.size(), 0);
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
    const auto value_at = [&](std::size_t i) { return scratch.values[i]; };
    if (weights == nullptr) {
        cut_by_ranks(scratch.values.size(), n_bins, [](std::size_t i) { return std::int64_t(i) + 1; }, value_at, cuts);
        return;
    }
    in_order(weights, scratch.items, scratch.weights);
    scratch.ranks.resize(scratch.weights.size());
    std::partial_sum(scratch.weights.begin(), scratch.weights.end(), scratch.ranks.begin());
    cut_by_ranks(scratch.values.size(), n_bins, [&](std::size_t i) { return scratch.ranks[i]; }, value_at, cuts);
}

// Cuts a column of whole numbers in a small span, by the samples of each number.
template <class T>
void cut_counted(const T* values, std::int64_t n, const Span& span, const std::int64_t* weights, std::int64_t n_bins,
                 ColumnScratch& scratch, std::vector<double>& cuts) {
    std::vector<std::int64_t>& ranks = scratch.ranks;
    ranks.assign(std::size_t(span.range + 1), 0);
    for (std::int64_t i = 0; i < n; ++i)
        if (!is_missing(values[i])) ranks[index_in_span(values[i], span.low)] += weights ? weights[i] : 1;
    std::partial_sum(ranks.begin(), ranks.end(), ranks.begin());
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
        const auto classes_of_vector = [&](std::int64_t b) { return vectors.classes + b * n; };
        Span span;
        if (is_small_span(values, n, limit, span)) {
            for (std::int64_t b = 0; b < vectors.n_vectors; ++b) {
                count_classes(values, n, span, classes_of_vector(b), vectors.n_classes, weights, scratch.counts);
                cuts_of_columns.append(
                    cutter.cuts_of_counts(span.low, std::size_t(span.range + 1), scratch.counts.data()));
            }
            return;
        }
        if (unsorted_cutter.has_enough_rows(std::size_t(n))) {
            const double* numbers = as_doubles(values, n, scratch.values);
            for (std::int64_t b = 0; b < vectors.n_vectors; ++b)
                cuts_of_columns.append(unsorted_cutter.cuts(numbers, classes_of_vector(b), weights, std::size_t(n)));
            return;
        }
        sort_column(values, n, scratch);
        const std::int64_t* sorted_weights = in_order(weights, scratch.items, scratch.weights);
        for (std::int64_t b = 0; b < vectors.n_vectors; ++b) {
            const std::int32_t* sorted_classes = in_order(classes_of_vector(b), scratch.items, scratch.classes);
            cuts_of_columns.append(
                cutter.cuts(scratch.values.data(), sorted_classes, sorted_weights, scratch.values.size()));
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
            cut_counted(values, n, span, weights, n_bins, scratch, cuts);
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
