// Columns of small whole numbers as bytes; see encode.hpp.
#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "encode/encode.hpp"

namespace bitsieve {

namespace {

constexpr std::int64_t kRowsAtOnce = 64;  // of columns side by side in rows, before their bytes are transposed
constexpr std::int64_t kWideRow = 4096;   // columns beyond which it is sixteen, for the second-level cache
constexpr std::int64_t kMaxColumnsAtOnce = 32 << 10;  // columns at most
constexpr std::int64_t kMaxPartColumns = 64;          // columns that fit together or not at all

// The bits of a number that a byte does not hold, in a word of its size; 0 if the byte is the number.
template <class T>
inline auto bits_beyond_byte(T value, std::uint8_t& byte) {
    if constexpr (kFloats<T>) {
        // The last bits of a number in [kWhole, 2 * kWhole) are its whole number above kWhole.
        using Word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
        constexpr T kWhole = sizeof(T) == 8 ? T(1LL << 52) : T(1 << 23);
        const T above = value + kWhole;
        const T rest = (above - kWhole) - value;  // of a number that fits 0, and not -0
        Word word;
        Word whole_bits;
        Word rest_bits;
        std::memcpy(&word, &above, sizeof(T));
        std::memcpy(&whole_bits, &kWhole, sizeof(T));
        std::memcpy(&rest_bits, &rest, sizeof(T));
        byte = std::uint8_t(word);
        return Word(((word ^ whole_bits) & Word(~Word(255))) | rest_bits);
    } else {
        using Word = std::make_unsigned_t<T>;
        byte = std::uint8_t(value);
        constexpr Word kHeld = std::is_signed_v<T> && sizeof(T) == 1 ? 127 : 255;
        return Word(Word(value) & Word(~kHeld));
    }
}

// Whether the first numbers of columns are bytes: of measured quantities they seldom are, and no more need be read.
template <class T>
bool begin_as_bytes(const T* values, std::int64_t n_columns) {
    std::uint8_t byte;
    return std::none_of(values, values + n_columns, [&](T value) { return bits_beyond_byte(value, byte) != 0; });
}

// Numbers side by side; whether any of them is no byte.
template <class T>
bool run_as_bytes(const T* __restrict values, std::int64_t n, std::uint8_t* __restrict out) {
    decltype(bits_beyond_byte(T(), *out)) beyond = 0;
    for (std::int64_t i = 0; i < n; ++i) beyond |= bits_beyond_byte(values[i], out[i]);
    return beyond != 0;
}

// A column on its own; false as soon as a number is no byte.
template <class T>
bool column_as_bytes(const T* __restrict values, std::int64_t stride, std::int64_t n, std::uint8_t* __restrict out) {
    if (n > 0 && !begin_as_bytes(values, 1)) return false;
    for (std::int64_t first = 0; first < n; first += kMaxTileRows) {
        const std::int64_t last = std::min(first + kMaxTileRows, n);
        decltype(bits_beyond_byte(T(), *out)) beyond = 0;
        if (stride == 1)
            for (std::int64_t i = first; i < last; ++i) beyond |= bits_beyond_byte(values[i], out[i]);
        else
            for (std::int64_t i = first; i < last; ++i) beyond |= bits_beyond_byte(values[i * stride], out[i]);
        if (beyond) return false;
    }
    return true;
}

// Columns side by side in rows: parts with a number that is no byte are read no further. Rows are read whole, as they
// lie: several times as fast as a part of each.
template <class T>
void rows_as_bytes(const T* values, std::int64_t stride, std::int64_t n_rows, std::int64_t n_columns, std::uint8_t* out,
                   std::int64_t out_stride, std::uint8_t* fits) {
    const std::int64_t rows_at_once = n_columns > kWideRow ? kTransposeBlock : kRowsAtOnce;
    std::vector<std::uint8_t> bytes(std::size_t(rows_at_once * n_columns));
    std::vector<std::int64_t> parts;
    std::vector<std::uint8_t> beyond;
    const std::int64_t n_parts = (n_columns + kMaxPartColumns - 1) / kMaxPartColumns;
    const std::int64_t widest =
        ((n_columns + n_parts - 1) / n_parts + kTransposeBlock - 1) / kTransposeBlock * kTransposeBlock;
    const auto width = [&](std::int64_t part) { return std::min(widest, n_columns - part); };
    for (std::int64_t c = 0; c < n_columns; c += widest)
        if (begin_as_bytes(values + c, width(c))) parts.push_back(c);
    for (std::int64_t first = 0; first < n_rows && !parts.empty(); first += rows_at_once) {
        const std::int64_t count = std::min(rows_at_once, n_rows - first);
        beyond.assign(parts.size(), 0);
        for (std::int64_t i = 0; i < count; ++i)
            for (std::size_t p = 0; p < parts.size(); ++p)
                beyond[p] |= run_as_bytes(values + (first + i) * stride + parts[p], width(parts[p]),
                                          bytes.data() + i * n_columns + parts[p]);
        std::size_t n_fitting = 0;
        for (std::size_t p = 0; p < parts.size(); ++p)
            if (!beyond[p]) parts[n_fitting++] = parts[p];
        parts.resize(n_fitting);
        for (const std::int64_t c : parts)
            transpose(bytes.data() + c, n_columns, count, width(c), out + c * out_stride + first, out_stride);
    }
    for (const std::int64_t c : parts) std::fill_n(fits + c, width(c), std::uint8_t(1));
}

}  // namespace

template <class T>
void as_bytes(const Columns& table, std::uint8_t* out, std::int64_t out_stride, std::uint8_t* fits) {
    std::fill_n(fits, table.size(), std::uint8_t(0));
    for (std::int64_t first = 0, last = 0; first < table.size(); first = last) {
        last = std::min(first + kMaxColumnsAtOnce, table.size());
        const Column& column = table.columns[std::size_t(first)];
        const T* values = static_cast<const T*>(column.values);
        std::uint8_t* to = out + first * out_stride;
        if (column.stride != 1 && side_by_side<T>(table, first, last)) {
            rows_as_bytes(values, column.stride, table.n_rows, last - first, to, out_stride, fits + first);
        } else {
            last = first + 1;
            fits[first] = column_as_bytes(values, column.stride, table.n_rows, to);
        }
    }
}

#define BITSIEVE_FOR_TYPE(T) template void as_bytes<T>(const Columns&, std::uint8_t*, std::int64_t, std::uint8_t*);
BITSIEVE_FOR_NUMBER_TYPES(BITSIEVE_FOR_TYPE)

}  // namespace bitsieve
