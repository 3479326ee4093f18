// What columns of numbers hold; see encode.hpp.
#include <algorithm>
#include <limits>
#include <type_traits>

#include "encode/encode.hpp"

namespace bitsieve {

namespace {

// Extends low .. high by the integers of a column.
template <class T>
void extend_range(const T* values, std::int64_t stride, std::int64_t n, T& low, T& high) {
    T smallest = low;
    T largest = high;
    const auto scan = [&](std::int64_t step) {
        for (std::int64_t i = 0; i < n; ++i) {
            smallest = std::min(smallest, values[i * step]);
            largest = std::max(largest, values[i * step]);
        }
    };
    if (stride == 1)
        scan(1);  // a stride that the compiler knows
    else
        scan(stride);
    low = smallest;
    high = largest;
}

// Columns side by side in rows that are scanned together: their extents stay in the first-level cache.
template <class T>
constexpr std::int64_t kMaxWidth = 4096 / std::int64_t(sizeof(T));

// Extends low[c] .. high[c] by the numbers of column c, for at most kMaxWidth columns that lie side by side in rows, and
// flags those that hold NaN.
template <class T>
void extend_ranges_of_rows(const T* values, std::int64_t stride, std::int64_t n_rows, std::int64_t n_columns, T* low,
                           T* high, std::uint8_t* content_flags) {
    T smallest[kMaxWidth<T>];
    T largest[kMaxWidth<T>];
    [[maybe_unused]] std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t> missing[kMaxWidth<T>] = {};
    std::copy(low, low + n_columns, smallest);
    std::copy(high, high + n_columns, largest);
    for (std::int64_t i = 0; i < n_rows; ++i, values += stride)  // row by row: the order in which memory comes fastest
        for (std::int64_t c = 0; c < n_columns; ++c) {
            const T value = values[c];
            smallest[c] = value < smallest[c] ? value : smallest[c];
            largest[c] = value > largest[c] ? value : largest[c];
            if constexpr (kFloats<T>) missing[c] |= value != value;
        }
    if constexpr (kFloats<T>)
        for (std::int64_t c = 0; c < n_columns; ++c)
            if (missing[c]) content_flags[c] |= kHasMissing;
    std::copy(smallest, smallest + n_columns, low);
    std::copy(largest, largest + n_columns, high);
}

template <class T>
void integer_extent(const Columns& table, Extent<T>& result) {
    for (std::int64_t first = 0, last = 0; first < table.size(); first = last) {
        last = std::min(first + kMaxWidth<T>, table.size());
        const Column& column = table.columns[std::size_t(first)];
        const T* values = static_cast<const T*>(column.values);
        T* low = &result.low[std::size_t(first)];
        T* high = &result.high[std::size_t(first)];
        if (column.stride != 1 && side_by_side<T>(table, first, last)) {
            extend_ranges_of_rows(values, column.stride, table.n_rows, last - first, low, high,
                                  &result.content_flags[std::size_t(first)]);
        } else {
            last = first + 1;
            extend_range(values, column.stride, table.n_rows, *low, *high);
        }
    }
    std::fill(result.content_flags.begin(), result.content_flags.end(), std::uint8_t(kHasNumbers));
}

// Extends the extent of column j by numbers between low and high.
template <class T>
void add_range(Extent<double>& extent, std::int64_t j, T low, T high) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    std::uint8_t& content_flags = extent.content_flags[std::size_t(j)];
    content_flags |= kHasNumbers;
    if (double(low) == -kInfinity || double(high) == kInfinity) content_flags |= kHasInfinite;
    double& smallest = extent.low[std::size_t(j)];
    double& largest = extent.high[std::size_t(j)];
    smallest = std::min(smallest, double(low));
    largest = std::max(largest, double(high));
}

// The extents of columns that lie side by side in rows; fractions are not looked for.
template <class T>
void float_extent_by_rows(const Columns& table, Extent<double>& result) {
    constexpr T kInfinity = std::numeric_limits<T>::infinity();
    const Column& start = table.columns[0];
    for (std::int64_t first = 0; first < table.size(); first += kMaxWidth<T>) {
        T low[kMaxWidth<T>];
        T high[kMaxWidth<T>];
        const std::int64_t width = std::min(kMaxWidth<T>, table.size() - first);
        std::fill_n(low, width, kInfinity);
        std::fill_n(high, width, -kInfinity);
        extend_ranges_of_rows(static_cast<const T*>(start.values) + first, start.stride, table.n_rows, width, low, high,
                              &result.content_flags[std::size_t(first)]);
        for (std::int64_t c = 0; c < width; ++c)
            if (low[c] <= high[c]) add_range(result, first + c, low[c], high[c]);  // else all are missing
    }
}

// Whether a number between low and high is not whole, or beyond int64.
template <class T>
bool any_fraction(const T* values, std::int64_t n, T low, T high) {
    bool fraction = false;  // no early exit, so that compilers vectorize the loops
    if (low > T(-2147483648.0) && high < T(2147483648.0)) {
        for (std::int64_t i = 0; i < n; ++i) {  // the conversion to 32 bits is the cheaper one
            const T v = values[i] == values[i] ? values[i] : T(0);
            fraction |= T(std::int32_t(v)) != v;
        }
    } else {
        for (std::int64_t i = 0; i < n; ++i) fraction |= values[i] == values[i] && is_fraction(double(values[i]));
    }
    return fraction;
}

// Extends the extent of column j by some of its values.
template <class T>
void add_values(Extent<double>& extent, std::int64_t j, const T* values, std::int64_t n, bool find_fractions) {
    std::uint8_t& content_flags = extent.content_flags[std::size_t(j)];
    T low = std::numeric_limits<T>::infinity();
    T high = -low;
    bool missing = false;
    for (std::int64_t i = 0; i < n; ++i) {
        const T v = values[i];
        missing |= v != v;
        low = v < low ? v : low;
        high = v > high ? v : high;
    }
    if (missing) content_flags |= kHasMissing;
    if (low > high) return;  // all are missing
    add_range(extent, j, low, high);
    const bool has_fractions = (content_flags & kHasFractions) != 0;  // known from other values of the column
    if (find_fractions && !has_fractions && any_fraction(values, n, low, high)) content_flags |= kHasFractions;
}

template <class T>
void float_extent(const Columns& table, bool find_fractions, Extent<double>& result) {
    const bool in_rows = table.size() > 0 && table.columns[0].stride != 1 && side_by_side<T>(table, 0, table.size());
    if (in_rows && !find_fractions) return float_extent_by_rows<T>(table, result);
    for_each_tile<T>(table, kMaxTileRows, [&](std::int64_t j, std::int64_t, const T* values, std::int64_t n) {
        add_values(result, j, values, n, find_fractions);
    });
}

}  // namespace

template <class T>
Extent<typename WidenFloat<T>::type> extent(const Columns& table, bool find_fractions) {
    using Number = typename WidenFloat<T>::type;
    const std::size_t n = std::size_t(table.size());
    Extent<Number> result{std::vector<std::uint8_t>(n, 0), std::vector<Number>(n), std::vector<Number>(n)};
    if constexpr (kFloats<T>) {
        std::fill(result.low.begin(), result.low.end(), std::numeric_limits<double>::infinity());
        std::fill(result.high.begin(), result.high.end(), -std::numeric_limits<double>::infinity());
        float_extent<T>(table, find_fractions, result);
    } else {
        std::fill(result.low.begin(), result.low.end(), std::numeric_limits<T>::max());
        std::fill(result.high.begin(), result.high.end(), std::numeric_limits<T>::min());
        integer_extent<T>(table, result);
    }
    return result;
}

#define BITSIEVE_FOR_TYPE(T) template Extent<WidenFloat<T>::type> extent<T>(const Columns&, bool);
BITSIEVE_FOR_NUMBER_TYPES(BITSIEVE_FOR_TYPE)
#undef BITSIEVE_FOR_TYPE

}  // namespace bitsieve
