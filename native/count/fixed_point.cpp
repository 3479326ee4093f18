#include "count/fixed_point.hpp"

#include <array>

namespace bitsieve {

namespace {

constexpr int kFraction = 120;  // fractional bits of every u128 below
constexpr int kTerms = 27;      // |z| <= 1/5, so z^(2 * 27) < 2^-125

constexpr u128 make_u128(std::uint64_t high, std::uint64_t low) { return (u128(high) << 64) | low; }

// 2 / ln 2
constexpr u128 kTwoLog2E = make_u128(0x2e2a8eca5705fc2ULL, 0xeefa1ffb41a474faULL);

constexpr std::array<u128, kTerms> odd_reciprocals() {
    std::array<u128, kTerms> r{};
    for (int j = 0; j < kTerms; ++j) r[j] = (u128(1) << kFraction) / u128(2 * j + 1);
    return r;
}
constexpr std::array<u128, kTerms> kOddReciprocal = odd_reciprocals();

// floor(a * b / 2^120) for a, b < 2^127, from four 64-bit products; the product must fit 248 bits.
u128 multiply(u128 a, u128 b) {
    const std::uint64_t a1 = std::uint64_t(a >> 64);
    const std::uint64_t a0 = std::uint64_t(a);
    const std::uint64_t b1 = std::uint64_t(b >> 64);
    const std::uint64_t b0 = std::uint64_t(b);
    const u128 low = u128(a0) * b0;
    const u128 m1 = u128(a1) * b0;
    const u128 m2 = u128(a0) * b1;
    const u128 high = u128(a1) * b1;
    const u128 middle = (low >> 64) + std::uint64_t(m1) + std::uint64_t(m2);
    const u128 top = high + (m1 >> 64) + (m2 >> 64) + (middle >> 64);
    return (top << 8) | (std::uint64_t(middle) >> 56);
}

// The product c * x of a 64-bit and a 128-bit number, as 192 bits.
struct Uint192 {
    std::uint64_t high, middle, low;
};

Uint192 product(std::uint64_t c, u128 x) {
    const u128 low = u128(c) * std::uint64_t(x);
    const u128 high = u128(c) * std::uint64_t(x >> 64) + (low >> 64);
    return {std::uint64_t(high >> 64), std::uint64_t(high), std::uint64_t(low)};
}

int bit_length(std::uint64_t x) { return x ? 64 - __builtin_clzll(x) : 0; }

// round-half-up(c * log / 2^(120 - shift))
std::int64_t scale(std::uint64_t c, u128 log, int shift) {
    const Uint192 p = product(c, log);
    const int drop = kFraction - shift - 1;  // one bit more than the result, to round on; 59 <= drop <= 119
    const u128 high = (u128(p.high) << 64) | p.middle;
    const u128 truncated = drop >= 64 ? high >> (drop - 64) : (high << (64 - drop)) | (p.low >> drop);
    return std::int64_t((truncated + 1) >> 1);
}

}  // namespace

u128 log2_q120(std::uint64_t c) {
    // c = m * 2^k with m in [3/4, 3/2);  log2 m = 2/ln2 * atanh z,  z = (c - 2^k) / (c + 2^k) in [-1/7, 1/5].
    int k = bit_length(c) - 1;
    if (k > 0 && ((c >> (k - 1)) & 1)) ++k;
    const u128 power = u128(1) << k;
    const bool below = c < power;
    const u128 p = below ? power - c : c - power;
    const u128 q = c + power;
    if (p == 0) return u128(k) << kFraction;
    const u128 quotient = (p << 60) / q;
    const u128 rest = (p << 60) % q;
    const u128 z = (quotient << 60) | ((rest << 60) / q);
    const u128 square = multiply(z, z);
    u128 sum = kOddReciprocal[kTerms - 1];
    for (int j = kTerms - 2; j >= 0; --j) sum = kOddReciprocal[j] + multiply(sum, square);
    const u128 log = multiply(kTwoLog2E, multiply(z, sum));
    return below ? (u128(k) << kFraction) - log : (u128(k) << kFraction) + log;
}

int term_shift(std::uint64_t n) {
    if (n < 2) n = 2;
    const Uint192 p = product(n, log2_q120(n));
    const int length = p.high ? 128 + bit_length(p.high) : 64 + bit_length(p.middle);
    return 62 + kFraction - length;
}

std::int64_t term(std::uint64_t c, int shift) { return c < 2 ? 0 : scale(c, log2_q120(c), shift); }

std::vector<std::int64_t> term_table(std::uint64_t n, std::uint64_t limit) {
    const int shift = term_shift(n);
    std::vector<std::int64_t> table(limit, 0);
    std::vector<std::uint32_t> factor(limit, 0);  // a prime factor, 0 for primes
    for (std::uint64_t p = 2; p * p < limit; ++p)
        if (!factor[p])
            for (std::uint64_t c = p * p; c < limit; c += p) factor[c] = std::uint32_t(p);
    std::vector<u128> log(limit / 2 + 1, 0);  // no factor of a count is larger than its half
    for (std::uint64_t c = 2; c < limit; ++c) {
        const u128 log_of_count = factor[c] ? log[factor[c]] + log[c / factor[c]] : log2_q120(c);
        if (c < log.size()) log[c] = log_of_count;
        table[c] = scale(c, log_of_count, shift);
    }
    return table;
}

}  // namespace bitsieve
