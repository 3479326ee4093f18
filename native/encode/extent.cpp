// What columns of numbers hold; see encode.hpp.
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "encode/encode.hpp"

namespace bitsieve {

namespace {

// The smallest and largest of the integers of a column.
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
        scan(1);
    else
        scan(stride);
    low = smallest;
    high = largest;
}

// Columns side by side in rows whose extents stay in the first-level cache.
template <class T>
constexpr std::int64_t kWidth = 4096 / std::int64_t(sizeof(T));

// The same of each of at most kWidth columns that lie side by side in rows, and whether they hold NaN.
template <class T>
void extend_ranges_of_rows(const T* values, std::int64_t stride, std::int64_t n_rows, std::int64_t n_columns, T* low,
                           T* high, std::uint8_t* content_flags) {
    T smallest[kWidth<T>];
    T largest[kWidth<T>];
    [[maybe_unused]] std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t> missing[kWidth<T>] = {};
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
        last = std::min(first + kWidth<T>, table.size());
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

template <class T>
void float_extent(const Columns& table, bool find_fractions, Extent<double>& result) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    // Of a column, some numbers of which were looked at.
    const auto add_range = [&](std::int64_t j, T low, T high) {
        std::uint8_t& content_flags = result.content_flags[std::size_t(j)];
        content_flags |= kHasNumbers;
        if (double(low) == -kInfinity || double(high) == kInfinity) content_flags |= kHasInfinite;
        double& smallest = result.low[std::size_t(j)];
        double& largest = result.high[std::size_t(j)];
        smallest = std::min(smallest, double(low));
        largest = std::max(largest, double(high));
    };
    if (!find_fractions && table.size() > 0 && table.columns[0].stride != 1 &&
        side_by_side<T>(table, 0, table.size())) {
        const Column& start = table.columns[0];
        for (std::int64_t first = 0; first < table.size(); first += kWidth<T>) {
            T low[kWidth<T>];
            T high[kWidth<T>];
            const std::int64_t width = std::min(kWidth<T>, table.size() - first);
            std::fill_n(low, width, T(kInfinity));
            std::fill_n(high, width, -T(kInfinity));
            extend_ranges_of_rows(static_cast<const T*>(start.values) + first, start.stride, table.n_rows, width, low,
                                  high, &result.content_flags[std::size_t(first)]);
            for (std::int64_t c = 0; c < width; ++c)
                if (low[c] <= high[c]) add_range(first + c, low[c], high[c]);
        }
        return;
    }
    for_each_tile<T>(table, kMaxTileRows, [&](std::int64_t j, std::int64_t, const T* values, std::int64_t n) {
        std::uint8_t& content_flags = result.content_flags[std::size_t(j)];
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
        if (low > high) {  // none, or one infinity
            for (std::int64_t i = 0; i < n; ++i)
                if (std::isinf(values[i])) content_flags |= kHasInfinite | kHasNumbers;
            return;
        }
        add_range(j, low, high);
        if (!find_fractions || (content_flags & kHasFractions)) return;
        bool fraction = false;
        if (low > T(-2147483648.0) && high < T(2147483648.0)) {  // a cheap conversion will do
            for (std::int64_t i = 0; i < n; ++i) {
                const T v = values[i] == values[i] ? values[i] : T(0);
                fraction |= T(std::int32_t(v)) != v;
            }
        } else {
            for (std::int64_t i = 0; i < n; ++i) fraction |= values[i] == values[i] && is_fraction(double(values[i]));
        }
        if (fraction) content_flags |= kHasFractions;
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
