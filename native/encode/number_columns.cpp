#include "encode/number_columns.hpp"

namespace bitsieve {

template <class T>
void for_each_tile(const Columns& table, std::int64_t rows, const std::function<bool(std::int64_t)>& wanted,
                   const TileWork<T>& work) {
    constexpr std::int64_t kNarrow = std::max<std::int64_t>(8, kLine / std::int64_t(sizeof(T)));
    std::vector<T> scratch;
    for (std::int64_t j = 0; j < table.size();) {
        const Column& column = table.columns[std::size_t(j)];
        const T* values = static_cast<const T*>(column.values);
        if (column.stride == 1 || table.n_rows == 1) {
            for (std::int64_t r = 0; r < table.n_rows && wanted(j); r += rows)
                work(j, r, values + r, std::min(rows, table.n_rows - r));
            ++j;
            continue;
        }
        // A tile that is a full column is too long for more columns than a cache line holds.
        const bool is_full_column = rows >= table.n_rows;
        std::int64_t width = std::min(is_full_column ? kNarrow : kStrip, table.size() - j);
        if (!side_by_side<T>(table, j, j + width)) width = std::min(kNarrow, width);
        if (!side_by_side<T>(table, j, j + width)) width = 1;
        const std::int64_t step =
            is_full_column ? rows : std::min(rows, kStripBytes / (width * std::int64_t(sizeof(T))));
        // Columns that lay a power of two apart would share few sets of the cache.
        const std::int64_t height = std::min(step, table.n_rows) + kLine / std::int64_t(sizeof(T));
        scratch.resize(std::size_t(width * height));
        for (std::int64_t r = 0; r < table.n_rows; r += step) {
            bool any = false;
            for (std::int64_t c = 0; c < width; ++c) any |= wanted(j + c);
            if (!any) break;
            const std::int64_t count = std::min(step, table.n_rows - r);
            transpose(values + r * column.stride, column.stride, count, width, scratch.data(), height);
            for (std::int64_t c = 0; c < width; ++c)
                if (wanted(j + c)) work(j + c, r, scratch.data() + c * height, count);
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
