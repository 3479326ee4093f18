// The counting loops for x86-64 with AVX-512 VPOPCNTDQ, which counts the bits of eight words in one instruction.
#if defined(__x86_64__)

#include <immintrin.h>

#include "count/kernels/counting_kernel.hpp"
#include "count/kernels/scratch.hpp"
#include "count/kernels/target.hpp"
#include "count/kernels/vector_address.hpp"

namespace bitsieve {
namespace avx512 {
namespace {

BITSIEVE_BEGIN_TARGET(BITSIEVE_AVX512)

struct U64x8 {
    __m512i v;

    static U64x8 zero() { return {_mm512_setzero_si512()}; }
    static U64x8 broadcast(std::uint64_t x) { return {_mm512_set1_epi64(static_cast<long long>(x))}; }
    static U64x8 load(const std::uint64_t* p) { return {_mm512_loadu_si512(p)}; }
    static U64x8 widen(const std::uint32_t* p) { return {_mm512_cvtepu32_epi64(_mm256_loadu_si256(as_m256i(p)))}; }
    void store(std::uint64_t* p) const { _mm512_storeu_si512(p, v); }
    static U64x8 add(U64x8 a, U64x8 b) { return {_mm512_add_epi64(a.v, b.v)}; }
    static U64x8 subtract(U64x8 a, U64x8 b) { return {_mm512_sub_epi64(a.v, b.v)}; }
    static U64x8 add_popcount_and(U64x8 sum, U64x8 a, U64x8 b) {
        return {_mm512_add_epi64(sum.v, _mm512_popcnt_epi64(_mm512_and_si512(a.v, b.v)))};
    }
    static U64x8 shift_left(U64x8 a, int bits) { return {_mm512_sll_epi64(a.v, _mm_cvtsi32_si128(bits))}; }
    static U64x8 shift_right(U64x8 a, int bits) { return {_mm512_srl_epi64(a.v, _mm_cvtsi32_si128(bits))}; }
    static U64x8 shift_each(U64x8 a, U64x8 bits) { return {_mm512_sllv_epi64(a.v, bits.v)}; }
    static U64x8 bit_and(U64x8 a, U64x8 b) { return {_mm512_and_si512(a.v, b.v)}; }
    static U64x8 bit_xor(U64x8 a, U64x8 b) { return {_mm512_xor_si512(a.v, b.v)}; }
    static U64x8 widen_bytes(const std::uint8_t* p) { return {_mm512_cvtepu8_epi64(_mm_loadl_epi64(as_m128i(p)))}; }
    // table[index % 16]
    static U64x8 look_up(const std::uint64_t* table, U64x8 index) {
        return {_mm512_permutex2var_epi64(load(table).v, index.v, load(table + 8).v)};
    }
    void store_quotient(double one_bit, double* out) const {
        _mm512_storeu_pd(out, _mm512_div_pd(_mm512_cvtepi64_pd(v), _mm512_set1_pd(one_bit)));
    }
};

constexpr int kTileRows = 8;
constexpr int kTileColumns = 3;
constexpr std::int64_t kCarriedWords = 0;
constexpr int kGroupsOfWeights = 2;

// In this order: each uses those before it.
// clang-format off
#include "count/kernels/pair_loop.inl.hpp"
#include "count/kernels/triple_loop.inl.hpp"
#include "count/kernels/packed_counters_loop.inl.hpp"
#include "count/kernels/look_up_weights.inl.hpp"
#include "count/kernels/weighted_loop.inl.hpp"
// clang-format on

std::uint64_t plane_masks(const std::uint8_t* codes, int n_planes, bool add, std::uint64_t* out) {
    const __m512i v = _mm512_loadu_si512(codes);
    for (int plane = 0; plane < n_planes; ++plane)
        out[plane * kLanes] =
            _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8(char(plane))) | (add ? out[plane * kLanes] : 0);
    return _mm512_cmpgt_epu8_mask(v, _mm512_set1_epi8(char(n_planes)));
}

int append_bits(const std::uint64_t* words, std::int64_t n, std::uint64_t selected, int n_filled, std::uint64_t* out) {
    const int count = int(_mm_popcnt_u64(selected));
    if (n_filled == 0) {
        for (std::int64_t i = 0; i < n; ++i) out[i] = _pext_u64(words[i], selected);
    } else if (n_filled + count <= 64) {
        for (std::int64_t i = 0; i < n; ++i) out[i] |= _pext_u64(words[i], selected) << n_filled;
    } else {
        for (std::int64_t i = 0; i < n; ++i) {
            const std::uint64_t bits = _pext_u64(words[i], selected);
            out[i] |= bits << n_filled;
            out[n + i] = bits >> (64 - n_filled);
        }
    }
    return count;
}

BITSIEVE_END_TARGET

// The costs were measured by benchmarks/kernel_costs.py on an Intel Xeon (Sapphire Rapids), November 2026.
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
    kernel.append_bits = append_bits;
    kernel.plane_margins = plane_margins;
    kernel.cost.pair_word = 0.064;
    kernel.cost.pair_term = 0.38;
    kernel.cost.counter_sample = 0.11;
    kernel.cost.counter_row = 1.5;
    return kernel;
}

}  // namespace

const CountingKernel kCounting = make_kernel();

}  // namespace avx512
}  // namespace bitsieve

#endif
