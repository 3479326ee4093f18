// The variational loops for x86-64 with AVX-512: eight doubles fill a register, and so do eight floats of one class with
// eight of the next, whose tables follow each other in memory and are looked up together.
#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "samples/variational.hpp"
#include "samples/parzen.hpp"
#include "samples/variational.hpp"

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl")
#endif

namespace bitsieve {
namespace {

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

struct D {
    using Real = double;
    using Wide = D;
    static constexpr int kClasses = 1;
    static constexpr std::int64_t kCells[3] = {4, 8, 12};

    __m512d lanes;

    static D load(const double* p) { return {_mm512_loadu_pd(p)}; }
    static D narrow(const double* p) { return load(p); }
    static D broadcast(double x) { return {_mm512_set1_pd(x)}; }
    void store(double* p) const { _mm512_storeu_pd(p, lanes); }
    void widen(double* p) const { store(p); }
    D added_to(const D& sum) const { return add(sum, *this); }
    static D add(const D& a, const D& b) { return {_mm512_add_pd(a.lanes, b.lanes)}; }
    static D subtract(const D& a, const D& b) { return {_mm512_sub_pd(a.lanes, b.lanes)}; }
    static D multiply(const D& a, const D& b) { return {_mm512_mul_pd(a.lanes, b.lanes)}; }
    static D max(const D& a, const D& b) { return {_mm512_max_pd(a.lanes, b.lanes)}; }
    bool any_below(double limit) const { return _mm512_cmp_pd_mask(lanes, _mm512_set1_pd(limit), _CMP_LT_OQ); }
    D times_power_in_low_bits(const D& shifted) const {
        const __m512i power = _mm512_slli_epi64(_mm512_castpd_si512(shifted.lanes), 52);
        return {_mm512_castsi512_pd(_mm512_add_epi64(_mm512_castpd_si512(lanes), power))};
    }

    // Sums of exponents, lane by lane.
    struct Exponents {
        __m512i sum;

        Exponents() : sum(_mm512_setzero_si512()) {}
        // `product` times the mantissas of `value`, whose exponents are added to the sums.
        D split(const D& value, const D& product) {
            const __m512i bits = _mm512_castpd_si512(value.lanes);
            sum = _mm512_add_epi64(sum, _mm512_srli_epi64(bits, 52));
            const __m512i fraction = _mm512_and_si512(bits, _mm512_set1_epi64(0x000fffffffffffffLL));
            const __m512i one = _mm512_castpd_si512(_mm512_set1_pd(1.0));
            return D::multiply(product, {_mm512_castsi512_pd(_mm512_or_si512(fraction, one))});
        }
        // After `count` calls of split: the mantissas of the product; their exponents and the sums are added to `out`.
        D finish(const D& product, std::int64_t count, std::int64_t* out) {
            const D left = split(product, D::broadcast(1.0));
            std::int64_t sums[8];
            _mm512_storeu_si512(sums, sum);
            for (int i = 0; i < 8; ++i) out[i] += sums[i] - 1023 * (count + 1);
            return left;
        }
    };

    struct Places {
        __m512i at;

        Places() = default;
        Places(const Index& i, std::int64_t) : at(_mm512_cvtepu32_epi64(i.lanes)) {}
        static __m512d four(const double* table) { return _mm512_castpd256_pd512(_mm256_loadu_pd(table)); }
    };
    struct Find1 : Places {
        using Places::Places;
        template <class>
        D in(const double* table) const {
            return {_mm512_permutexvar_pd(at, four(table))};
        }
    };
    struct Find2 : Places {
        using Places::Places;
        template <class>
        D in(const double* table) const {
            return {_mm512_permutexvar_pd(at, _mm512_loadu_pd(table))};
        }
    };
    struct Find3 : Places {
        using Places::Places;
        template <class>
        D in(const double* table) const {
            return {_mm512_permutex2var_pd(_mm512_loadu_pd(table), at, four(table + 8))};
        }
    };
    struct FindAny : Places {
        using Places::Places;
        template <class>
        D in(const double* table) const {
            return {_mm512_mask_i64gather_pd(_mm512_setzero_pd(), 0xff, at, table, 8)};
        }
    };
};

struct S;

// Eight floats of one class, then eight of the next.
struct S2 {
    using Real = float;

    __m512 lanes;

    static S2 load(const float* p) { return {_mm512_loadu_ps(p)}; }
    static S2 broadcast(float x) { return {_mm512_set1_ps(x)}; }
    void store(float* p) const { _mm512_storeu_ps(p, lanes); }
    inline S added_to(const S& sum) const;
    static S2 add(const S2& a, const S2& b) { return {_mm512_add_ps(a.lanes, b.lanes)}; }
    static S2 subtract(const S2& a, const S2& b) { return {_mm512_sub_ps(a.lanes, b.lanes)}; }
    static S2 multiply(const S2& a, const S2& b) { return {_mm512_mul_ps(a.lanes, b.lanes)}; }
    static S2 max(const S2& a, const S2& b) { return {_mm512_max_ps(a.lanes, b.lanes)}; }
    S2 times_power_in_low_bits(const S2& shifted) const {
        const __m512i power = _mm512_slli_epi32(_mm512_castps_si512(shifted.lanes), 23);
        return {_mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(lanes), power))};
    }
};

struct S {
    using Real = float;
    using Wide = S2;
    static constexpr int kClasses = 2;
    static constexpr std::int64_t kCells[3] = {8, 16, 32};

    __m256 lanes;

    static S load(const float* p) { return {_mm256_loadu_ps(p)}; }
    static S narrow(const double* p) { return {_mm512_cvtpd_ps(_mm512_loadu_pd(p))}; }
    static S broadcast(float x) { return {_mm256_set1_ps(x)}; }
    void store(float* p) const { _mm256_storeu_ps(p, lanes); }
    void widen(double* p) const { _mm512_storeu_pd(p, _mm512_cvtps_pd(lanes)); }
    S added_to(const S& sum) const { return add(sum, *this); }
    static S add(const S& a, const S& b) { return {_mm256_add_ps(a.lanes, b.lanes)}; }
    static S subtract(const S& a, const S& b) { return {_mm256_sub_ps(a.lanes, b.lanes)}; }
    static S multiply(const S& a, const S& b) { return {_mm256_mul_ps(a.lanes, b.lanes)}; }
    static S max(const S& a, const S& b) { return {_mm256_max_ps(a.lanes, b.lanes)}; }
    bool any_below(float limit) const { return _mm256_cmp_ps_mask(lanes, _mm256_set1_ps(limit), _CMP_LT_OQ); }
    S times_power_in_low_bits(const S& shifted) const {
        const __m256i power = _mm256_slli_epi32(_mm256_castps_si256(shifted.lanes), 23);
        return {_mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(lanes), power))};
    }

    struct Exponents {
        __m256i sum;

        Exponents() : sum(_mm256_setzero_si256()) {}
        S split(const S& value, const S& product) {
            const __m256i bits = _mm256_castps_si256(value.lanes);
            sum = _mm256_add_epi32(sum, _mm256_srli_epi32(bits, 23));
            const __m256i fraction = _mm256_and_si256(bits, _mm256_set1_epi32(0x007fffff));
            const __m256i one = _mm256_castps_si256(_mm256_set1_ps(1.0f));
            return S::multiply(product, {_mm256_castsi256_ps(_mm256_or_si256(fraction, one))});
        }
        S finish(const S& product, std::int64_t count, std::int64_t* out) {
            const S left = split(product, S::broadcast(1.0f));
            std::int32_t sums[8];
            _mm256_storeu_si256((__m256i*)sums, sum);
            for (int i = 0; i < 8; ++i) out[i] += sums[i] - 127 * (count + 1);
            return left;
        }
    };

    // The places of eight samples in the table of a class and, `stride` further on, in that of the next.
    struct Places {
        __m512i at;

        Places() = default;
        Places(const Index& i, std::int64_t stride) {
            const __m256i next = _mm256_add_epi32(i.lanes, _mm256_set1_epi32(int(stride)));
            at = _mm512_inserti64x4(_mm512_castsi256_si512(i.lanes), next, 1);
        }
        __m256i low() const { return _mm512_castsi512_si256(at); }
        __m256 of_sixteen(const float* t) const {
            return _mm256_permutex2var_ps(_mm256_loadu_ps(t), low(), _mm256_loadu_ps(t + 8));
        }
        __m512 of_thirty_two(const float* t) const {
            return _mm512_permutex2var_ps(_mm512_loadu_ps(t), at, _mm512_loadu_ps(t + 16));
        }
    };
    template <class W>
    static constexpr bool kWide = sizeof(W) == 64;

    struct Find1 : Places {
        using Places::Places;
        template <class W>
        W in(const float* table) const {
            if constexpr (kWide<W>) return {_mm512_permutexvar_ps(at, _mm512_loadu_ps(table))};
            else return {_mm256_permutexvar_ps(low(), _mm256_loadu_ps(table))};
        }
    };
    struct Find2 : Places {
        using Places::Places;
        template <class W>
        W in(const float* table) const {
            if constexpr (kWide<W>) return {of_thirty_two(table)};
            else return {of_sixteen(table)};
        }
    };
    struct Find3 : Places {
        using Places::Places;
        template <class W>
        W in(const float* table) const {
            if constexpr (kWide<W>) return {_mm512_mask_blend_ps(0xff00, of_thirty_two(table), of_thirty_two(table + 32))};
            else return {_mm512_castps512_ps256(of_thirty_two(table))};
        }
    };
    struct FindAny : Places {
        using Places::Places;
        template <class W>
        W in(const float* table) const {
            if constexpr (kWide<W>) return {_mm512_mask_i32gather_ps(_mm512_setzero_ps(), 0xffff, at, table, 4)};
            else return {_mm256_i32gather_ps(table, low(), 4)};
        }
    };
};

inline S S2::added_to(const S& sum) const {
    return S::add(S::add(sum, {_mm512_castps512_ps256(lanes)}), {_mm512_extractf32x8_ps(lanes, 1)});
}

constexpr const char* kName = "avx512";
constexpr int kKeysAtOnce = 32;
constexpr int kCandidatesAtOnce = 4;

#include "samples/lanes/exp2_loop.inc"
#include "samples/lanes/parzen_loop.inc"
#include "samples/lanes/variational_loop.inc"

}  // namespace

const VariationalKernel kAvx512Variational = kKernel;
const ParzenKernel kAvx512Parzen = kParzen;

}  // namespace bitsieve

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif
