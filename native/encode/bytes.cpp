// Columns of small whole numbers as bytes; see encode.hpp.
#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "encode/encode.hpp"

namespace bitsieve {

namespace {

constexpr std::int64_t kRowsAtOnce = 64;  // of columns side by side in rows, before their bytes are transposed

// The bits of a number that a byte does not hold, in a word of its size; 0 if the byte is the number.
template <class T>
inline auto beyond_byte(T value, std::uint8_t& byte) {
    if constexpr (kFloats<T>) {
        // The last bits of a number in [kWhole, 2 * kWhole) are its whole number above kWhole.
        using Word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
        constexpr T kWhole = sizeof(T) == 8 ? T(1LL << 52) : T(1 << 23);
        const T above = value + kWhole, rest = (above - kWhole) - value;  // of a number that fits 0, and not -0
        Word word, whole, lost;
        std::memcpy(&word, &above, sizeof(T));
        std::memcpy(&whole, &kWhole, sizeof(T));
        std::memcpy(&lost, &rest, sizeof(T));
        byte = std::uint8_t(word);
        return Word(((word ^ whole) & Word(~Word(255))) | lost);
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
    return std::none_of(values, values + n_columns, [&](T value) { return beyond_byte(value, byte) != 0; });
}

// A column on its own; false as soon as a number is no byte.
template <class T>
bool column_as_bytes(const T* __restrict values, std::int64_t stride, std::int64_t n, std::uint8_t* __restrict out) {
    if (n > 0 && !begin_as_bytes(values, 1)) return false;
    for (std::int64_t first = 0; first < n; first += kTileRows) {
        const std::int64_t last = std::min(first + kTileRows, n);
        decltype(beyond_byte(T(), *out)) beyond = 0;
        if (stride == 1)
            for (std::int64_t i = first; i < last; ++i) beyond |= beyond_byte(values[i], out[i]);
        else
            for (std::int64_t i = first; i < last; ++i) beyond |= beyond_byte(values[i * stride], out[i]);
        if (beyond) return false;
    }
    return true;
}

// Columns side by side in rows; false as soon as a number of any of them is no byte.
template <class T>
bool rows_as_bytes(const T* values, std::int64_t stride, std::int64_t n_rows, std::int64_t n_columns, std::uint8_t* out) {
    if (n_rows > 0 && !begin_as_bytes(values, n_columns)) return false;
    std::vector<std::uint8_t> bytes(std::size_t(kRowsAtOnce * n_columns));
    for (std::int64_t first = 0; first < n_rows; first += kRowsAtOnce) {
        const std::int64_t count = std::min(kRowsAtOnce, n_rows - first);
        decltype(beyond_byte(T(), *out)) beyond = 0;
        for (std::int64_t i = 0; i < count; ++i) {
            const T* __restrict row = values + (first + i) * stride;
            std::uint8_t* __restrict to = bytes.data() + i * n_columns;
            for (std::int64_t c = 0; c < n_columns; ++c) beyond |= beyond_byte(row[c], to[c]);
        }
        if (beyond) return false;
        transpose(bytes.data(), n_columns, count, n_columns, out + first, n_rows);
    }
    return true;
}

}  // namespace

template <class T>
void as_bytes(const Columns& table, std::uint8_t* out, std::uint8_t* fits) {
    constexpr std::int64_t kTogether = 4096 / std::int64_t(sizeof(T));
    std::int64_t apart = 0;  // up to which column fewer are taken together, as not all of many are bytes
    for (std::int64_t first = 0, last = 0; first < table.size(); first = last) {
        last = std::min(first + (first < apart ? std::min(kStrip, kTogether) : kTogether), table.size());
        const Column& column = table.columns[std::size_t(first)];
        const T* values = static_cast<const T*>(column.values);
        std::uint8_t* to = out + first * table.n_rows;
        const bool in_rows = column.stride != 1 && side_by_side<T>(table, first, last);
        if (!in_rows) last = first + 1;
        const bool fit = in_rows ? rows_as_bytes(values, column.stride, table.n_rows, last - first, to)
                                 : column_as_bytes(values, column.stride, table.n_rows, to);
        if (!fit && last - first > kStrip) {
            apart = last;
            last = first;
        }
        std::fill(fits + first, fits + last, std::uint8_t(fit));
    }
}

#define BITSIEVE_FOR_TYPE(T) template void as_bytes<T>(const Columns&, std::uint8_t*, std::uint8_t*);
BITSIEVE_FOR_NUMBER_TYPES(BITSIEVE_FOR_TYPE)

}  // namespace bitsieve
