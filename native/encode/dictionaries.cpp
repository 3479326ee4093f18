// Indices into dictionaries to codes in the order of the values; see encode.hpp.
#include <algorithm>
#include <stdexcept>
#include <vector>

#include "encode/encode.hpp"

namespace bitsieve {

namespace {

// The codes of one column: ranks first, and a second time only where some of them do not occur.
template <class T>
void code_column(const T* indices, std::int64_t stride, std::int64_t n_rows, const std::int32_t* rank,
                 std::int64_t n_ranks, std::int32_t* out, std::uint8_t* occurs) {
    for (std::int64_t i = 0; i < n_rows; ++i) {
        const T index = indices[i * stride];
        std::int32_t code = -1;
        if (!(index < T(0))) {
            if (std::uint64_t(index) >= std::uint64_t(n_ranks))
                throw std::invalid_argument("an index is beyond the dictionary of its column");
            code = rank[std::int64_t(index)];
            if (code >= 0) occurs[code] = 1;
        }
        out[i] = code;
    }
    std::vector<std::int32_t> code(std::size_t(n_ranks) + 1,
                                   -1);  // code[1 + rank]; rank -1 is missing, and its code -1
    std::int32_t n_codes = 0;
    std::int32_t n_values = 0;
    for (std::int64_t r = 0; r < n_ranks; ++r) {
        if (occurs[r]) code[std::size_t(r) + 1] = n_codes++;
        n_values = std::max(n_values, rank[r] + 1);
    }
    if (n_codes < n_values)
        for (std::int64_t i = 0; i < n_rows; ++i) out[i] = code[std::size_t(out[i]) + 1];
}

}  // namespace

template <class T>
void code_dictionaries(const Columns& indices, const std::int32_t* rank, const std::int64_t* ends, std::int32_t* out,
                       std::uint8_t* occurs) {
    std::int64_t begin = 0;  // of the ranks of a column
    for (std::int64_t j = 0; j < indices.size(); ++j) {
        const Column& column = indices.columns[std::size_t(j)];
        code_column(static_cast<const T*>(column.values), column.stride, indices.n_rows, rank + begin, ends[j] - begin,
                    out + j * indices.n_rows, occurs + begin);
        begin = ends[j];
    }
}

#define BITSIEVE_FOR_TYPE(T)                                                                                    \
    template void code_dictionaries<T>(const Columns&, const std::int32_t*, const std::int64_t*, std::int32_t*, \
                                       std::uint8_t*);
BITSIEVE_FOR_TYPE(std::int8_t)
BITSIEVE_FOR_TYPE(std::int16_t)
BITSIEVE_FOR_TYPE(std::int32_t)
BITSIEVE_FOR_TYPE(std::int64_t)
BITSIEVE_FOR_TYPE(std::uint8_t)
BITSIEVE_FOR_TYPE(std::uint16_t)
BITSIEVE_FOR_TYPE(std::uint32_t)
BITSIEVE_FOR_TYPE(std::uint64_t)

}  // namespace bitsieve
