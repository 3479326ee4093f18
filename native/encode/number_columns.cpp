#include "encode/number_columns.hpp"

namespace bitsieve {

template <class T>
void for_each_tile(const Columns& table, std::int64_t max_rows, const std::function<bool(std::int64_t)>& is_needed,
                   const TileWork<T>& work) {
    constexpr std::int64_t kLineColumns = std::max<std::int64_t>(8, kLineBytes / std::int64_t(sizeof(T)));
    const bool is_full_column = max_rows >= table.n_rows;
    std::vector<T> scratch;
    for (std::int64_t j = 0; j < table.size();) {
        const Column& column = table.columns[std::size_t(j)];
        const T* values = static_cast<const T*>(column.values);
        if (column.stride == 1 || table.n_rows == 1) {
            for (std::int64_t r = 0; r < table.n_rows && is_needed(j); r += max_rows)
                work(j, r, values + r, std::min(max_rows, table.n_rows - r));
            ++j;
            continue;
        }
        // Columns side by side in rows are transposed together; full columns are too long for more of them than a cache
        // line holds.
        std::int64_t width = std::min(is_full_column ? kLineColumns : kMaxTileColumns, table.size() - j);
        if (!side_by_side<T>(table, j, j + width)) width = std::min(kLineColumns, width);
        if (!side_by_side<T>(table, j, j + width)) width = 1;
        const std::int64_t cache_rows = kMaxTileBytes / (width * std::int64_t(sizeof(T)));
        const std::int64_t step = is_full_column ? max_rows : std::min(max_rows, cache_rows);
        // A line more: columns a power of two apart would share few sets of the cache.
        const std::int64_t scratch_stride = std::min(step, table.n_rows) + kLineBytes / std::int64_t(sizeof(T));
        scratch.resize(std::size_t(width * scratch_stride));
        for (std::int64_t r = 0; r < table.n_rows; r += step) {
            bool is_any_needed = false;
            for (std::int64_t c = 0; c < width; ++c) is_any_needed |= is_needed(j + c);
            if (!is_any_needed) break;
            const std::int64_t n = std::min(step, table.n_rows - r);
            transpose(values + r * column.stride, column.stride, n, width, scratch.data(), scratch_stride);
            for (std::int64_t c = 0; c < width; ++c)
                if (is_needed(j + c)) work(j + c, r, scratch.data() + c * scratch_stride, n);
        }
        j += width;
    }
}

#define BITSIEVE_FOR_TYPE(T)                                                                               \
    template void for_each_tile<T>(const Columns&, std::int64_t, const std::function<bool(std::int64_t)>&, \
                                   const TileWork<T>&);
BITSIEVE_FOR_NUMBER_TYPES(BITSIEVE_FOR_TYPE)
#undef BITSIEVE_FOR_TYPE

}  // namespace bitsieve
