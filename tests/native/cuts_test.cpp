// Codes by cuts of every instruction set against plain counting: numbers of cuts beyond which they are searched, repeated
// and infinite ones, numbers that are a cut, missing or of either zero, columns at the edges of what is read at once.
#include <algorithm>
#include <cstdio>
#include <limits>
#include <random>
#include <vector>

#include "count/kernels/kernel.hpp"
#include "encode/encode.hpp"

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
        for (const T odd : {std::numeric_limits<T>::quiet_NaN(), T(kInfinity), -T(kInfinity), T(-0.0)}) values[random() % n] = odd;
    std::sort(cuts.begin(), cuts.end());
    const std::int64_t place = 0, missing = 255;
    bool right = true;
    for (const Kernel& kernel : kernels())
        for (const bool left : {false, true}) {
            if (!kernel.available()) continue;
            std::vector<Code> codes(values.size());
            const Columns table{type, n, {{values.data(), 1}}};
            code_by_cuts<T>(cut_counter(kernel.name), table, cuts.data(), &n_cuts, left, &missing, &place, codes.data());
            for (std::int64_t i = 0; i < n; ++i) {
                const double v = double(values[i]);
                const auto below = std::count_if(cuts.begin(), cuts.end(), [&](double cut) { return left ? v > cut : v >= cut; });
                right = right && codes[i] == (v == v ? Code(below) : Code(missing));
            }
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
}
