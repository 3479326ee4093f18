// The counting loops in plain C++, for any machine and as a reference for the other instruction sets. arm64 counts bits in
// its baseline, so there this is the native kernel.
#include <cstring>

#include "count/kernels/kernel.hpp"
#include "count/kernels/pair_loop.hpp"
#include "count/kernels/kernel.hpp"

namespace bitsieve {
namespace {

inline std::uint64_t popcount(std::uint64_t x) {
#if defined(__aarch64__)
    return std::uint64_t(__builtin_popcountll(x));
#else
    x -= (x >> 1) & 0x5555555555555555ULL;
    x = (x & 0x3333333333333333ULL) + ((x >> 2) & 0x3333333333333333ULL);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
    return (x * 0x0101010101010101ULL) >> 56;
#endif
}

struct V {
    std::uint64_t lane[kLanes];

    static V zero() { return broadcast(0); }
    static V broadcast(std::uint64_t x) {
        V v;
        for (auto& l : v.lane) l = x;
        return v;
    }
    static V load(const std::uint64_t* p) {
        V v;
        std::memcpy(v.lane, p, sizeof v.lane);
        return v;
    }
    static V widen(const std::uint32_t* p) {
        V v;
        for (int i = 0; i < kLanes; ++i) v.lane[i] = p[i];
        return v;
    }
    void store(std::uint64_t* p) const { std::memcpy(p, lane, sizeof lane); }
    static V add(V a, const V& b) {
        for (int i = 0; i < kLanes; ++i) a.lane[i] += b.lane[i];
        return a;
    }
    static V subtract(V a, const V& b) {
        for (int i = 0; i < kLanes; ++i) a.lane[i] -= b.lane[i];
        return a;
    }
    static V add_popcount_and(V sum, const V& a, const V& b) {
        for (int i = 0; i < kLanes; ++i) sum.lane[i] += popcount(a.lane[i] & b.lane[i]);
        return sum;
    }
    static V shift_left(V a, int bits) {
        for (auto& l : a.lane) l <<= bits;
        return a;
    }
    static V shift_right(V a, int bits) {
        for (auto& l : a.lane) l >>= bits;
        return a;
    }
    static V shift_each(V a, const V& bits) {
        for (int i = 0; i < kLanes; ++i) a.lane[i] <<= bits.lane[i];
        return a;
    }
    static V bit_and(V a, const V& b) {
        for (int i = 0; i < kLanes; ++i) a.lane[i] &= b.lane[i];
        return a;
    }
    static V bit_xor(V a, const V& b) {
        for (int i = 0; i < kLanes; ++i) a.lane[i] ^= b.lane[i];
        return a;
    }
    static V widen_bytes(const std::uint8_t* p) {
        V v;
        for (int i = 0; i < kLanes; ++i) v.lane[i] = p[i];
        return v;
    }
    void store_quotient(double one_bit, double* out) const {
        for (int i = 0; i < kLanes; ++i) out[i] = double(std::int64_t(lane[i])) / one_bit;
    }
};

constexpr int kTileRows = 4;
constexpr int kTileColumns = 2;
constexpr std::int64_t kCarriedWords = 24;

#include "count/kernels/pair_loop.inc"
#include "count/kernels/triple_loop.inc"
#include "count/kernels/packed_counters_loop.inc"

std::uint64_t plane_masks(const std::uint8_t* codes, int n_planes, bool add, std::uint64_t* out) {
    for (int plane = 0; plane < n_planes; ++plane) {
        std::uint64_t mask = 0;
        for (int t = 0; t < 64; ++t) mask |= std::uint64_t(codes[t] == plane) << t;
        out[plane * kLanes] = mask | (add ? out[plane * kLanes] : 0);
    }
    std::uint64_t beyond = 0;
    for (int t = 0; t < 64; ++t) beyond |= std::uint64_t(codes[t] > n_planes) << t;
    return beyond;
}

bool available() { return true; }

}  // namespace

const Kernel kPortableKernel = {"portable", available, pair_sums, pair_cells, triple_sums, counter_sums, tile_values, plane_masks,
    nullptr, plane_margins,
    1.2, 0.76, 0.42, 5.8};

}  // namespace bitsieve
