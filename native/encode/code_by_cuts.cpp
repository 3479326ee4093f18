// Codes by cuts; see encode.hpp.
#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "encode/encode.hpp"

namespace bitsieve {

namespace {

constexpr int kVectorBytes = 16;

#include "encode/code_by_cuts_loop.inl.hpp"

// The number of cuts that lie below each value (kLeft), or not above it, by a search in steps of the same lengths for
// all values: none has to be foretold, and several values are searched for at once. `padded` holds 2^steps - 1 cuts,
// the last of them NaN, which nothing lies above.
template <bool kLeft>
void search_cuts(const double* values, std::int64_t n, const std::vector<double>& padded, std::int64_t missing_code,
                 std::uint16_t* codes) {
    constexpr std::int64_t kNumbersAtOnce = 8;
    const std::int64_t longest_step = std::int64_t(padded.size() + 1) / 2;
    const double* const cuts = padded.data();
    for (std::int64_t first = 0; first < n; first += kNumbersAtOnce) {
        const std::int64_t count = std::min(kNumbersAtOnce, n - first);
        double numbers[kNumbersAtOnce] = {};
        std::int64_t n_below[kNumbersAtOnce] = {};
        for (std::int64_t l = 0; l < count; ++l) numbers[l] = values[first + l];
        for (std::int64_t step = longest_step; step > 0; step /= 2)
            for (std::int64_t l = 0; l < kNumbersAtOnce; ++l) {
                const double cut = cuts[n_below[l] + step - 1];
                n_below[l] += step & -std::int64_t(kLeft ? numbers[l] > cut : numbers[l] >= cut);
            }
        for (std::int64_t l = 0; l < count; ++l)
            codes[first + l] = std::uint16_t(numbers[l] == numbers[l] ? n_below[l] : missing_code);
    }
}

void code_values(const CutCounter& counter, const double* values, std::int64_t n, const double* cuts,
                 std::int64_t n_cuts, bool left, std::int64_t missing_code, std::uint16_t* codes,
                 std::vector<double>& padded) {
    if (n_cuts <= counter.max_cuts)
        return (left ? counter.below : counter.not_above)(values, n, cuts, n_cuts, missing_code, codes);
    std::size_t size = 1;
    while (size < std::size_t(n_cuts)) size = 2 * size + 1;
    padded.assign(size, std::numeric_limits<double>::quiet_NaN());
    std::copy_n(cuts, n_cuts, padded.begin());
    (left ? search_cuts<true> : search_cuts<false>)(values, n, padded, missing_code, codes);
}

}  // namespace

namespace portable {
namespace {

constexpr CutCounter make_counter() {
    CutCounter counter{};
    counter.below = count_cuts<true>;
    counter.not_above = count_cuts<false>;
    counter.max_cuts = 40;  // measured on x86-64; the codes do not depend on it
    return counter;
}

}  // namespace

const CutCounter kCuts = make_counter();

}  // namespace portable

template <class T, class Code>
void code_by_cuts(const CutCounter& counter, const Columns& table, const double* cuts, const std::int64_t* ends,
                  bool left, const std::int64_t* missing_code, const std::int64_t* out_column, Code* out) {
    std::uint16_t codes[kMaxTileRows];
    double numbers_buffer[kMaxTileRows];
    std::vector<double> padded;
    [[maybe_unused]] std::uint16_t by_byte[256];
    for_each_tile<T>(table, kMaxTileRows, [&](std::int64_t j, std::int64_t row, const T* values, std::int64_t n) {
        const std::int64_t begin = j ? ends[j - 1] : 0;
        const std::int64_t n_cuts = ends[j] - begin;
        Code* to = out + out_column[j] * table.n_rows + row;
        if constexpr (sizeof(T) == 1) {
            if (n >= 256 && n_cuts > 0) {
                for (int b = 0; b < 256; ++b) numbers_buffer[b] = double(T(b));
                code_values(counter, numbers_buffer, 256, cuts + begin, n_cuts, left, 0, by_byte, padded);
                for (std::int64_t i = 0; i < n; ++i) to[i] = Code(by_byte[std::uint8_t(values[i])]);
                return;
            }
        }
        const double* numbers = numbers_buffer;
        if constexpr (std::is_same_v<T, double>)
            numbers = values;
        else
            std::copy_n(values, n, numbers_buffer);
        code_values(counter, numbers, n, cuts + begin, n_cuts, left, missing_code[j], codes, padded);
        std::copy_n(codes, n, to);
    });
}

#define BITSIEVE_FOR_TYPE(T)                                                                                   \
    template void code_by_cuts<T>(const CutCounter&, const Columns&, const double*, const std::int64_t*, bool, \
                                  const std::int64_t*, const std::int64_t*, std::uint8_t*);                    \
    template void code_by_cuts<T>(const CutCounter&, const Columns&, const double*, const std::int64_t*, bool, \
                                  const std::int64_t*, const std::int64_t*, std::uint16_t*);
BITSIEVE_FOR_NUMBER_TYPES(BITSIEVE_FOR_TYPE)

}  // namespace bitsieve
