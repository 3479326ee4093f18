// Codes by cuts of every instruction set against plain counting: numbers of cuts beyond which they are searched,
// repeated and infinite ones, numbers that are a cut, missing or of either zero, columns at the edges of what is read
// at once. And extents of columns side by side in rows, as many as are looked at together and one more.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <vector>

#include "encode/encode.hpp"
#include "kernel_set.hpp"

using namespace bitsieve;

namespace {

template <class T, class Code>
bool test_codes(NumberType type, std::int64_t n, std::int64_t n_cuts, std::mt19937& random) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    std::vector<T> values;
    std::vector<double> cuts;
    const bool floats = kFloats<T>;
    for (std::int64_t i = 0; i < n; ++i) values.push_back(T(double(random() % 100) / (floats ? 4 : 1)));
    for (std::int64_t c = 0; c < n_cuts; ++c) cuts.push_back(c % 50 == 40 ? kInfinity : double(random() % 100) / 4);
    if constexpr (kFloats<T>)
        for (const T odd : {std::numeric_limits<T>::quiet_NaN(), T(kInfinity), -T(kInfinity), T(-0.0)})
            values[random() % n] = odd;
    std::sort(cuts.begin(), cuts.end());
    const std::int64_t place = 0, missing = 255;
    bool right = true;
    for (const KernelSet& set : kernel_sets())
        for (const bool left : {false, true}) {
            if (!set.is_available()) continue;
            std::vector<Code> codes(values.size());
            const Columns table{type, n, {{values.data(), 1}}};
            code_by_cuts<T>(*set.cuts, table, cuts.data(), &n_cuts, left, &missing, &place, codes.data());
            for (std::int64_t i = 0; i < n; ++i) {
                const double v = double(values[i]);
                const auto below =
                    std::count_if(cuts.begin(), cuts.end(), [&](double cut) { return left ? v > cut : v >= cut; });
                right = right && codes[i] == (v == v ? Code(below) : Code(missing));
            }
        }
    return right;
}

template <class T>
bool test_extent(NumberType type, std::int64_t n, std::int64_t d, std::mt19937& random) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    std::vector<T> values;
    for (std::int64_t i = 0; i < n * d; ++i)
        values.push_back(random() % 5 == 0 ? std::numeric_limits<T>::quiet_NaN() : T(int(random() % 9) - 4));
    values[random() % values.size()] = T(kInfinity);
    values[random() % values.size()] = -T(kInfinity);
    Columns table{type, n, {}};
    for (std::int64_t j = 0; j < d; ++j) table.columns.push_back({values.data() + j, d});
    const auto found = extent<T>(table, false);
    bool right = true;
    for (std::int64_t j = 0; j < d; ++j) {
        double low = kInfinity, high = -kInfinity;
        unsigned content_flags = 0;
        for (std::int64_t i = 0; i < n; ++i) {
            const double v = double(values[std::size_t(i * d + j)]);
            content_flags |= v != v ? kHasMissing : kHasNumbers;
            if (std::abs(v) == kInfinity) content_flags |= kHasInfinite;
            low = v < low ? v : low;
            high = v > high ? v : high;
        }
        const std::size_t at = std::size_t(j);
        right = right && found.content_flags[at] == content_flags && found.low[at] == low && found.high[at] == high;
    }
    return right;
}

}  // namespace

// Numbers of checks that passed and failed.
void test_cuts(int& passed, int& failed) {
    std::mt19937 random(7);
    for (const std::int64_t n : {1, 7, 8, 15, 16, 17, 300, 2050})
        for (const std::int64_t n_cuts : {0, 1, 9, 40, 41, 128, 129, 200}) {
            const bool right = test_codes<double, std::uint8_t>(NumberType::f64, n, n_cuts, random) &&
                               test_codes<float, std::uint16_t>(NumberType::f32, n, n_cuts, random) &&
                               test_codes<std::uint8_t, std::uint8_t>(NumberType::u8, n, n_cuts, random) &&
                               test_codes<std::int64_t, std::uint16_t>(NumberType::i64, n, n_cuts, random);
            right ? ++passed : ++failed;
            if (!right) std::printf("FAILED: codes by cuts, %d numbers, %d cuts\n", int(n), int(n_cuts));
        }
    for (const std::int64_t n : {2, 3, 40})
        for (const std::int64_t d : {2, 7, 512, 513, 1024, 1025}) {
            const bool right =
                test_extent<double>(NumberType::f64, n, d, random) && test_extent<float>(NumberType::f32, n, d, random);
            right ? ++passed : ++failed;
            if (!right) std::printf("FAILED: extents, %d rows, %d columns\n", int(n), int(d));
        }
}
