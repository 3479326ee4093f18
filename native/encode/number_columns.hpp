// Columns of numbers of one type, as they lie in a table: a matrix of any order, or arrays of their own.
//
// Kernels see one column at a time as contiguous values. Columns that lie beside each other in rows are transposed in
// tiles, so that every cache line of a row is read once for all of its columns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <vector>

#include "count/prefetch.hpp"
#include "count/transpose.hpp"

namespace bitsieve {

enum class NumberType { u8, u16, u32, u64, i8, i16, i32, i64, f32, f64 };

// F(type) for the C++ type of each of them.
#define BITSIEVE_FOR_NUMBER_TYPES(F) \
    F(std::uint8_t)                  \
    F(std::uint16_t)                 \
    F(std::uint32_t)                 \
    F(std::uint64_t)                 \
    F(std::int8_t)                   \
    F(std::int16_t)                  \
    F(std::int32_t)                  \
    F(std::int64_t)                  \
    F(float)                         \
    F(double)

struct Column {
    const void* values;
    std::int64_t stride;  // from row to row, in values
};

struct Columns {
    NumberType type;
    std::int64_t n_rows;
    std::vector<Column> columns;

    std::int64_t size() const { return std::int64_t(columns.size()); }
};

// Calls work(T()) for the C++ type of the numbers.
template <class Work>
void with_type(NumberType type, Work&& work) {
    switch (type) {
        case NumberType::u8: return work(std::uint8_t());
        case NumberType::u16: return work(std::uint16_t());
        case NumberType::u32: return work(std::uint32_t());
        case NumberType::u64: return work(std::uint64_t());
        case NumberType::i8: return work(std::int8_t());
        case NumberType::i16: return work(std::int16_t());
        case NumberType::i32: return work(std::int32_t());
        case NumberType::i64: return work(std::int64_t());
        case NumberType::f32: return work(float());
        case NumberType::f64: return work(double());
    }
}

constexpr std::int64_t kLineBytes = 64;            // of a cache line
constexpr std::int64_t kMaxTileRows = 2048;        // of a tile, where a function may read a column in several
constexpr std::int64_t kMaxTileColumns = 64;       // columns side by side in rows that are transposed together
constexpr std::int64_t kMaxTileBytes = 128 << 10;  // of such columns: half of a common second-level cache, or less

// Copies in[row * in_stride + column] to out[column * out_stride + row].
template <class T>
void transpose(const T* in, std::int64_t in_stride, std::int64_t n_rows, std::int64_t n_columns, T* out,
               std::int64_t out_stride) {
    std::int64_t block_rows = 0;  // rows and columns in whole blocks, which transpose_block takes
    std::int64_t block_columns = 0;
    if constexpr (sizeof(T) == 1) {
        block_rows = n_rows / kTransposeBlock * kTransposeBlock;
        block_columns = n_columns / kTransposeBlock * kTransposeBlock;
        const auto* bytes = reinterpret_cast<const std::uint8_t*>(in);
        for (std::int64_t r = 0; r < block_rows; r += kTransposeBlock) {
            for (std::int64_t i = 0; i < kTransposeBlock; ++i)
                __builtin_prefetch(address_ahead(bytes, (r + kTransposeBlock + i) * in_stride));
            for (std::int64_t c = 0; c < block_columns; c += kTransposeBlock)
                transpose_block([&](int i) { return bytes + (r + i) * in_stride + c; },
                                reinterpret_cast<std::uint8_t*>(out) + c * out_stride + r, out_stride);
        }
    }
    // What is left: as many rows at a time as fill whole cache lines of the columns.
    for (std::int64_t r = 0; r < n_rows; r += kTransposeBlock)
        for (std::int64_t c = r < block_rows ? block_columns : 0; c < n_columns; ++c)
            for (std::int64_t i = r; i < std::min<std::int64_t>(r + kTransposeBlock, n_rows); ++i)
                out[c * out_stride + i] = in[i * in_stride + c];
}

// Whether the columns first .. last lie side by side in rows.
template <class T>
bool side_by_side(const Columns& table, std::int64_t first, std::int64_t last) {
    const Column& start = table.columns[std::size_t(first)];
    for (std::int64_t j = first + 1; j < last; ++j) {
        const Column& other = table.columns[std::size_t(j)];
        const T* expected = static_cast<const T*>(start.values) + (j - first);
        if (other.stride != start.stride || static_cast<const T*>(other.values) != expected) return false;
    }
    return true;
}

// What is done with the rows of one column in a tile: work(column, first row, values, number of rows).
template <class T>
using TileWork = std::function<void(std::int64_t, std::int64_t, const T*, std::int64_t)>;

// Calls `work` on tiles of at most `max_rows` rows that together are the whole table; those of a column come in the order
// of the rows. A tile is skipped if is_needed(column) is false when its turn comes.
template <class T>
void for_each_tile(const Columns& table, std::int64_t max_rows, const std::function<bool(std::int64_t)>& is_needed,
                   const TileWork<T>& work);

template <class T>
void for_each_tile(const Columns& table, std::int64_t max_rows, const TileWork<T>& work) {
    for_each_tile<T>(table, max_rows, [](std::int64_t) { return true; }, work);
}

// Arrays of different lengths, one a column: array j is values[ends[j - 1], ends[j]).
template <class T>
struct Ragged {
    std::vector<T> values;
    std::vector<std::int64_t> ends;

    void append(const std::vector<T>& array) {
        values.insert(values.end(), array.begin(), array.end());
        ends.push_back(std::int64_t(values.size()));
    }
};

}  // namespace bitsieve
