// The counting loops in plain C++, for any machine and as a reference for the other instruction sets. arm64 counts bits
// in its baseline, so there this is the native kernel.
#include <cstring>

#include "count/kernels/counting_kernel.hpp"
#include "count/kernels/scratch.hpp"

namespace bitsieve {
namespace portable {
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

struct U64x8 {
    std::uint64_t lane[kLanes];

    static U64x8 zero() { return broadcast(0); }
    static U64x8 broadcast(std::uint64_t x) {
        U64x8 v;
        for (auto& l : v.lane) l = x;
        return v;
    }
    static U64x8 load(const std::uint64_t* p) {
        U64x8 v;
        std::memcpy(v.lane, p, sizeof v.lane);
        return v;
    }
    static U64x8 widen(const std::uint32_t* p) {
        U64x8 v;
        for (int i = 0; i < kLanes; ++i) v.lane[i] = p[i];
        return v;
    }
    void store(std::uint64_t* p) const { std::memcpy(p, lane, sizeof lane); }
    static U64x8 add(U64x8 a, const U64x8& b) {
        for (int i = 0; i < kLanes; ++i) a.lane[i] += b.lane[i];
        return a;
    }
    static U64x8 subtract(U64x8 a, const U64x8& b) {
        for (int i = 0; i < kLanes; ++i) a.lane[i] -= b.lane[i];
        return a;
    }
    static U64x8 add_popcount_and(U64x8 sum, const U64x8& a, const U64x8& b) {
        for (int i = 0; i < kLanes; ++i) sum.lane[i] += popcount(a.lane[i] & b.lane[i]);
        return sum;
    }
    static U64x8 shift_left(U64x8 a, int bits) {
        for (auto& l : a.lane) l <<= bits;
        return a;
    }
    static U64x8 shift_right(U64x8 a, int bits) {
        for (auto& l : a.lane) l >>= bits;
        return a;
    }
    static U64x8 shift_each(U64x8 a, const U64x8& bits) {
        for (int i = 0; i < kLanes; ++i) a.lane[i] <<= bits.lane[i];
        return a;
    }
    static U64x8 bit_and(U64x8 a, const U64x8& b) {
        for (int i = 0; i < kLanes; ++i) a.lane[i] &= b.lane[i];
        return a;
    }
    static U64x8 bit_xor(U64x8 a, const U64x8& b) {
        for (int i = 0; i < kLanes; ++i) a.lane[i] ^= b.lane[i];
        return a;
    }
    static U64x8 widen_bytes(const std::uint8_t* p) {
        U64x8 v;
        for (int i = 0; i < kLanes; ++i) v.lane[i] = p[i];
        return v;
    }
    // table[index % 16]
    static U64x8 look_up(const std::uint64_t* table, U64x8 index) {
        for (auto& l : index.lane) l = table[l % 16];
        return index;
    }
    void store_quotient(double one_bit, double* out) const {
        for (int i = 0; i < kLanes; ++i) out[i] = double(std::int64_t(lane[i])) / one_bit;
    }
};

constexpr int kTileRows = 4;
constexpr int kTileColumns = 2;
constexpr std::int64_t kCarriedWords = 24;
constexpr int kGroupsOfWeights = 1;

// In this order: each uses those before it.
// clang-format off
#include "count/kernels/pair_loop.inl.hpp"
#include "count/kernels/triple_loop.inl.hpp"
#include "count/kernels/packed_counters_loop.inl.hpp"
#include "count/kernels/look_up_weights.inl.hpp"
#include "count/kernels/weighted_loop.inl.hpp"
// clang-format on

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

// The costs were measured by benchmarks/kernel_costs.py on the machines that those of avx2.cpp are from.
constexpr CountingKernel make_kernel() {
    CountingKernel kernel{};
    kernel.pair_sums = pair_sums;
    kernel.strata_sums = strata_sums;
    kernel.pair_cells = pair_cells;
    kernel.triple_sums = triple_sums;
    kernel.counter_sums = counter_sums;
    kernel.weighted_sums = weighted_sums;
    kernel.tile_values = tile_values;
    kernel.plane_masks = plane_masks;
    kernel.plane_margins = plane_margins;
    kernel.cost.pair_word = 1.2;
    kernel.cost.pair_term = 0.76;
    kernel.cost.counter_sample = 0.42;
    kernel.cost.counter_row = 5.8;
    return kernel;
}

}  // namespace

const CountingKernel kCounting = make_kernel();

}  // namespace portable
}  // namespace bitsieve
