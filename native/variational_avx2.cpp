// The loops for x86-64 with AVX2: tables of up to eight cells are looked up in registers.
#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "exp2_terms.hpp"
#include "variational.hpp"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

namespace bitsieve {
namespace {

struct D {
    __m256d low, high;

    static D load(const double* p) { return {_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)}; }
    static D broadcast(double x) { return {_mm256_set1_pd(x), _mm256_set1_pd(x)}; }
    void store(double* p) const {
        _mm256_storeu_pd(p, low);
        _mm256_storeu_pd(p + 4, high);
    }
    static D add(const D& a, const D& b) { return {_mm256_add_pd(a.low, b.low), _mm256_add_pd(a.high, b.high)}; }
    static D subtract(const D& a, const D& b) { return {_mm256_sub_pd(a.low, b.low), _mm256_sub_pd(a.high, b.high)}; }
    static D multiply(const D& a, const D& b) { return {_mm256_mul_pd(a.low, b.low), _mm256_mul_pd(a.high, b.high)}; }
    static D max(const D& a, const D& b) { return {_mm256_max_pd(a.low, b.low), _mm256_max_pd(a.high, b.high)}; }
    bool any_below(double limit) const {
        const __m256d l = _mm256_set1_pd(limit);
        return _mm256_movemask_pd(_mm256_or_pd(_mm256_cmp_pd(low, l, _CMP_LT_OQ), _mm256_cmp_pd(high, l, _CMP_LT_OQ)));
    }
    D times_power_in_low_bits(const D& shifted) const {
        return {times_power(low, shifted.low), times_power(high, shifted.high)};
    }
    static __m256d times_power(__m256d x, __m256d shifted) {
        const __m256i power = _mm256_slli_epi64(_mm256_castpd_si256(shifted), 52);
        return _mm256_castsi256_pd(_mm256_add_epi64(_mm256_castpd_si256(x), power));
    }
};

struct Exponents {
    __m256i low, high;
    std::int64_t bias;

    // Of `count` sums to come.
    Exponents(const std::int64_t* start, std::int64_t count)
        : low(_mm256_loadu_si256((const __m256i*)start)),
          high(_mm256_loadu_si256((const __m256i*)(start + 4))),
          bias(1023 * count) {}

    D split(const D& value, const D& product) {
        low = _mm256_add_epi64(low, _mm256_srli_epi64(_mm256_castpd_si256(value.low), 52));
        high = _mm256_add_epi64(high, _mm256_srli_epi64(_mm256_castpd_si256(value.high), 52));
        return D::multiply(product, {mantissa(value.low), mantissa(value.high)});
    }
    static __m256d mantissa(__m256d x) {
        const __m256d fraction = _mm256_castsi256_pd(_mm256_set1_epi64x(0x000fffffffffffffLL));
        return _mm256_or_pd(_mm256_and_pd(x, fraction), _mm256_set1_pd(1.0));
    }
    D finish(const D& product, std::int64_t* out) {
        const D left = split(product, D::broadcast(1.0));
        _mm256_storeu_si256((__m256i*)out, low);
        _mm256_storeu_si256((__m256i*)(out + 4), high);
        for (int i = 0; i < 8; ++i) out[i] -= bias + 1023;
        return left;
    }
};

struct Index {
    __m256i lanes;  // eight 32-bit numbers

    static Index load(const std::uint8_t* codes) {
        return {_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i*)codes))};
    }
    static Index load(const std::uint16_t* codes) {
        return {_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i*)codes))};
    }
    Index times_plus(int factor, const Index& other) const {
        return {_mm256_add_epi32(_mm256_mullo_epi32(lanes, _mm256_set1_epi32(factor)), other.lanes)};
    }
};

// Each index as the two 32-bit places of its double.
inline __m256i places(__m128i four) {
    const __m256i twice = _mm256_slli_epi64(_mm256_cvtepu32_epi64(four), 1);
    return _mm256_or_si256(twice, _mm256_slli_epi64(_mm256_add_epi64(twice, _mm256_set1_epi64x(1)), 32));
}

inline __m256d choose(__m256d cells, __m256i at) {
    return _mm256_castsi256_pd(_mm256_permutevar8x32_epi32(_mm256_castpd_si256(cells), at));
}

struct Find4 {
    __m256i low, high;

    Find4() = default;
    explicit Find4(const Index& i)
        : low(places(_mm256_castsi256_si128(i.lanes))), high(places(_mm256_extracti128_si256(i.lanes, 1))) {}
    D operator()(const double* table) const {
        const __m256d cells = _mm256_loadu_pd(table);
        return {choose(cells, low), choose(cells, high)};
    }
};

struct Find8 {
    __m256i low, high;  // of an index of four or more, the permutation sees the two low bits, the blend the third

    Find8() = default;
    explicit Find8(const Index& i)
        : low(places(_mm256_castsi256_si128(i.lanes))), high(places(_mm256_extracti128_si256(i.lanes, 1))) {}
    D operator()(const double* table) const {
        const __m256d first = _mm256_loadu_pd(table), second = _mm256_loadu_pd(table + 4);
        return {either(first, second, low), either(first, second, high)};
    }
    static __m256d either(__m256d first, __m256d second, __m256i at) {
        const __m256d upper = _mm256_castsi256_pd(_mm256_slli_epi64(at, 60));  // the sign: bit 3 of twice the index
        return _mm256_blendv_pd(choose(first, at), choose(second, at), upper);
    }
};

struct Find12 {
    __m256i low, high;

    Find12() = default;
    explicit Find12(const Index& i)
        : low(places(_mm256_castsi256_si128(i.lanes))), high(places(_mm256_extracti128_si256(i.lanes, 1))) {}
    D operator()(const double* table) const {
        const __m256d first = _mm256_loadu_pd(table), second = _mm256_loadu_pd(table + 4), third = _mm256_loadu_pd(table + 8);
        return {one_of(first, second, third, low), one_of(first, second, third, high)};
    }
    static __m256d one_of(__m256d first, __m256d second, __m256d third, __m256i at) {
        const __m256d last = _mm256_castsi256_pd(_mm256_slli_epi64(at, 59));  // the sign: bit 4 of twice the index
        return _mm256_blendv_pd(Find8::either(first, second, at), choose(third, at), last);
    }
};

struct FindAny {
    __m128i low, high;

    FindAny() = default;
    explicit FindAny(const Index& i)
        : low(_mm256_castsi256_si128(i.lanes)), high(_mm256_extracti128_si256(i.lanes, 1)) {}
    D operator()(const double* table) const {
        return {_mm256_i32gather_pd(table, low, 8), _mm256_i32gather_pd(table, high, 8)};
    }
};

#include "variational_loop.inc"

}  // namespace

const VariationalKernel kAvx2Variational = {"avx2",              naive<std::uint8_t>,  naive<std::uint16_t>,
                                            power<std::uint8_t>, power<std::uint16_t>, exp2_all,
                                                kernel_sums};

}  // namespace bitsieve

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
