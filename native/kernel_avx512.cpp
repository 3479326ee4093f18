// The loops for x86-64 with AVX-512 VPOPCNTDQ, which counts the bits of eight words in one instruction.
#if defined(__x86_64__)

#include <immintrin.h>

#include "kernel.hpp"
#include "pair_loop.hpp"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512vpopcntdq,popcnt"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512vpopcntdq,popcnt")
#endif

namespace bitsieve {
namespace {

struct V {
    __m512i v;

    static V zero() { return {_mm512_setzero_si512()}; }
    static V broadcast(std::uint64_t x) { return {_mm512_set1_epi64((long long)x)}; }
    static V load(const std::uint64_t* p) { return {_mm512_loadu_si512(p)}; }
    static V widen(const std::uint32_t* p) {
        return {_mm512_cvtepu32_epi64(_mm256_loadu_si256((const __m256i*)p))};
    }
    void store(std::uint64_t* p) const { _mm512_storeu_si512(p, v); }
    static V add(V a, V b) { return {_mm512_add_epi64(a.v, b.v)}; }
    static V subtract(V a, V b) { return {_mm512_sub_epi64(a.v, b.v)}; }
    static V add_popcount_and(V sum, V a, V b) {
        return {_mm512_add_epi64(sum.v, _mm512_popcnt_epi64(_mm512_and_si512(a.v, b.v)))};
    }
    template <bool kTabled>
    static V add_terms(V sum, V counts, const Terms& terms) {
        if constexpr (kTabled) {
            return {_mm512_add_epi64(sum.v, _mm512_i64gather_epi64(counts.v, terms.table, 8))};
        } else {
            const __m512i limit = _mm512_set1_epi64((long long)terms.limit);
            const __mmask8 beyond = _mm512_cmpge_epu64_mask(counts.v, limit);
            const __m512i inside = _mm512_maskz_mov_epi64((__mmask8)~beyond, counts.v);  // T[0] = 0
            __m512i found = _mm512_i64gather_epi64(inside, terms.table, 8);
            if (beyond) {
                alignas(64) std::uint64_t c[kLanes], t[kLanes];
                _mm512_store_si512(c, counts.v);
                _mm512_store_si512(t, found);
                for (int i = 0; i < kLanes; ++i)
                    if (beyond >> i & 1) t[i] = std::uint64_t(terms(c[i]));
                found = _mm512_load_si512(t);
            }
            return {_mm512_add_epi64(sum.v, found)};
        }
    }
};

constexpr int kTileRows = 8;
constexpr int kTileColumns = 3;

#include "pair_loop.inc"

void plane_masks(const std::uint8_t* codes, int n_planes, std::uint64_t* out) {
    const __m512i v = _mm512_loadu_si512(codes);
    for (int plane = 0; plane < n_planes; ++plane)
        out[plane * kLanes] = _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8((char)plane));
}

}  // namespace
}  // namespace bitsieve

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

namespace bitsieve {
namespace {
bool available() {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vpopcntdq");
}
}  // namespace

const Kernel kAvx512Kernel = {"avx512", available, pair_sums, plane_masks, plane_margins, 0.055, 0.4};

}  // namespace bitsieve

#endif
