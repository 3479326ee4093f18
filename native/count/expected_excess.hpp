// By how much E[c ln c] exceeds m ln m, for a cell with count c and mean m, when samples are shuffled.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace bitsieve {

// Excesses are integers, in units of 2^-50 nats: a sum of them does not depend on its order.
constexpr int kExcessShift = 50;
constexpr double kExcessUnit = double(std::int64_t(1) << kExcessShift);

// The excess of a cell with margins a and b out of n samples,
//
//     E[c ln c] - m ln m,    m = a b / n,    c hypergeometric: a draws out of n samples, of which b are of one kind.
//
//   how   m < 64: the sum over all counts c. Else a series of central moments, whose error is below 1e-4
//   needs 1 <= a, b <= n < 2^32
//   cost  some 3 ns where the same excess was needed recently; else up to 1 us
//   same  the excess is symmetric in a and b, and does not depend on what was computed before
class ExpectedExcess {
public:
    ExpectedExcess();

    std::int64_t operator()(std::int64_t n, std::int64_t a, std::int64_t b);

private:
    struct Entry {
        std::uint32_t n, low, high;  // n is 0 in an empty entry
        std::int64_t excess;
    };

    double sum_over_counts(double n, double low, double high) const;
    double series(double n, double a, double b) const;

    std::vector<Entry> recent_;        // by slot; a new excess replaces the one in its slot
    std::array<double, 256> c_log_c_;  // by count c: c ln c
};

}  // namespace bitsieve
