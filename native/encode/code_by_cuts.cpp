// Codes by cuts; see encode.hpp.
#include <algorithm>
#include <limits>
#include <type_traits>
#include <vector>

#include "encode/encode.hpp"

namespace bitsieve {

namespace {

constexpr std::int64_t kFewCuts = 8;  // up to here one comparison a cut is faster than a binary search a value

// Codes are counted in lanes as wide as the comparisons, which the compiler then does several at a time.
void count_few_cuts(const double* values, std::int64_t n, const double* cuts, std::int64_t n_cuts, bool left,
                    std::uint16_t* codes) {
    constexpr std::int64_t kAtOnce = 128;
    std::int64_t sums[kAtOnce];
    for (std::int64_t first = 0; first < n; first += kAtOnce) {
        const std::int64_t count = std::min(kAtOnce, n - first);
        const double* const wide = values + first;
        std::fill(sums, sums + count, 0);
        for (std::int64_t c = 0; c < n_cuts; ++c) {
            const double cut = cuts[c];
            if (left)
                for (std::int64_t i = 0; i < count; ++i) sums[i] += wide[i] > cut;
            else
                for (std::int64_t i = 0; i < count; ++i) sums[i] += wide[i] >= cut;
        }
        for (std::int64_t i = 0; i < count; ++i) codes[first + i] = std::uint16_t(sums[i]);
    }
}

// The number of cuts that lie below each value (kLeft), or not above it, by a search in steps of the same lengths for all values:
// none has to be foretold, and several values are searched for at once. `padded` holds 2^steps - 1 cuts, the last of them NaN,
// which nothing lies above.
template <bool kLeft>
void search_cuts(const double* values, std::int64_t n, const std::vector<double>& padded, std::uint16_t* codes) {
    constexpr std::int64_t kLanes = 8;
    const std::int64_t longest = std::int64_t(padded.size() + 1) / 2;
    const double* const cuts = padded.data();
    for (std::int64_t first = 0; first < n; first += kLanes) {
        const std::int64_t count = std::min(kLanes, n - first);
        double wide[kLanes] = {};
        std::int64_t found[kLanes] = {};
        for (std::int64_t l = 0; l < count; ++l) wide[l] = values[first + l];
        for (std::int64_t step = longest; step > 0; step /= 2)
            for (std::int64_t l = 0; l < kLanes; ++l) {
                const double cut = cuts[found[l] + step - 1];
                found[l] += step & -std::int64_t(kLeft ? wide[l] > cut : wide[l] >= cut);
            }
        for (std::int64_t l = 0; l < count; ++l) codes[first + l] = std::uint16_t(found[l]);
    }
}

void count_cuts(const double* values, std::int64_t n, const double* cuts, std::int64_t n_cuts, bool left,
                std::uint16_t* codes, std::vector<double>& padded) {
    if (n_cuts <= kFewCuts) return count_few_cuts(values, n, cuts, n_cuts, left, codes);
    std::size_t size = 1;
    while (size < std::size_t(n_cuts)) size = 2 * size + 1;
    padded.assign(size, std::numeric_limits<double>::quiet_NaN());
    std::copy_n(cuts, n_cuts, padded.begin());
    left ? search_cuts<true>(values, n, padded, codes) : search_cuts<false>(values, n, padded, codes);
}

}  // namespace

template <class T, class Code>
void code_by_cuts(const Columns& table, const double* cuts, const std::int64_t* ends, bool left,
                  const std::int64_t* missing_code, const std::int64_t* place, Code* out) {
    std::uint16_t codes[kTileRows];
    double wide[kTileRows];
    std::vector<double> padded;
    [[maybe_unused]] std::uint16_t by_byte[256];
    for_each_tile<T>(table, kTileRows, [&](std::int64_t j, std::int64_t row, const T* values, std::int64_t n) {
        const std::int64_t begin = j ? ends[j - 1] : 0, n_cuts = ends[j] - begin;
        Code* to = out + place[j] * table.n_rows + row;
        if constexpr (sizeof(T) == 1) {
            if (n >= 256 && n_cuts > 0) {
                for (int b = 0; b < 256; ++b) wide[b] = double(T(b));
                count_cuts(wide, 256, cuts + begin, n_cuts, left, by_byte, padded);
                for (std::int64_t i = 0; i < n; ++i) to[i] = Code(by_byte[std::uint8_t(values[i])]);
                return;
            }
        }
        const double* numbers = wide;
        if constexpr (std::is_same_v<T, double>)
            numbers = values;
        else
            std::copy_n(values, n, wide);
        count_cuts(numbers, n, cuts + begin, n_cuts, left, codes, padded);
        if constexpr (kFloats<T>)
            for (std::int64_t i = 0; i < n; ++i) to[i] = values[i] == values[i] ? Code(codes[i]) : Code(missing_code[j]);
        else
            for (std::int64_t i = 0; i < n; ++i) to[i] = Code(codes[i]);
    });
}

#define BITSIEVE_FOR_TYPE(T)                                                                                             \
    template void code_by_cuts<T>(const Columns&, const double*, const std::int64_t*, bool, const std::int64_t*,         \
                                  const std::int64_t*, std::uint8_t*);                                                   \
    template void code_by_cuts<T>(const Columns&, const double*, const std::int64_t*, bool, const std::int64_t*,         \
                                  const std::int64_t*, std::uint16_t*);
BITSIEVE_FOR_NUMBER_TYPES(BITSIEVE_FOR_TYPE)

}  // namespace bitsieve
