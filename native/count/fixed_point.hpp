// Entropy terms in fixed point:  T[c] = round(c * log2(c) * 2^shift),  by integer arithmetic alone.
//
// Every entropy of the package is log2(N) - (sum of T over the cells of a table) / (N * 2^shift): a sum of
// integers, free of order, so no thread count, chunking, instruction set or libm can change a bit of it.
//
// Limits: 1 <= N <= 2^31.  shift is the largest with N * log2(N) * 2^shift < 2^62, so that a sum of terms of
// one table (at most T[N] and rounding) and the sum of two such sums stay inside int64.
// log2 is right to 2^-112 absolute, so T is the correctly rounded value but for about one c in 2^50.
#pragma once

#include <cstdint>
#include <vector>

namespace bitsieve {

using u128 = unsigned __int128;

// log2(c) for c >= 1 with 120 fractional bits.
u128 log2_q120(std::uint64_t c);

// The largest shift s with n * log2(n) * 2^s < 2^62 (n = 1 takes the shift of n = 2).
int term_shift(std::uint64_t n);

// round(c * log2(c) * 2^shift), computed afresh (some 300 ns).
std::int64_t term(std::uint64_t c, int shift);

// T[0 .. limit-1] for tables of n samples; logarithms of composite numbers are sums of those of their factors.
std::vector<std::int64_t> term_table(std::uint64_t n, std::uint64_t limit);

// T by look-up where the table reaches (at least T[0] and T[1]), afresh beyond. A table may hold T[c] + e for every
// c > 0, e the same for all: the penalty of an occupied cell. Since 1 log2 1 = 0, T[1] holds e itself.
struct Terms {
    const std::int64_t* table;
    std::uint64_t limit;
    int shift;

    std::int64_t cell_penalty() const { return table[1]; }
    std::int64_t operator()(std::uint64_t c) const { return c < limit ? table[c] : term(c, shift) + cell_penalty(); }
};

}  // namespace bitsieve
