// The variational loops for x86-64 with AVX-512: eight doubles fill a register, and so do eight floats of one class
// with eight of the next, whose tables follow each other in memory and are looked up together.
#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "count/kernels/target.hpp"
#include "count/kernels/vector_address.hpp"
#include "count/prefetch.hpp"
#include "samples/parzen.hpp"
#include "samples/variational.hpp"

namespace bitsieve {
namespace avx512 {
namespace {

BITSIEVE_BEGIN_TARGET(BITSIEVE_AVX512)

struct Index {
    __m256i lanes;  // eight 32-bit numbers

    static Index load(const std::uint8_t* codes) { return {_mm256_cvtepu8_epi32(_mm_loadl_epi64(as_m128i(codes)))}; }
    static Index load(const std::uint16_t* codes) { return {_mm256_cvtepu16_epi32(_mm_loadu_si128(as_m128i(codes)))}; }
    Index times_plus(int factor, const Index& other) const {
        return {_mm256_add_epi32(_mm256_mullo_epi32(lanes, _mm256_set1_epi32(factor)), other.lanes)};
    }
};

struct F64x8 {
    using Real = double;
    using FullRegister = F64x8;
    static constexpr int kClasses = 1;
    static constexpr std::int64_t kCells[3] = {4, 8, 12};

    __m512d lanes;

    static F64x8 load(const double* p) { return {_mm512_loadu_pd(p)}; }
    static F64x8 narrow(const double* p) { return load(p); }
    static F64x8 broadcast(double x) { return {_mm512_set1_pd(x)}; }
    void store(double* p) const { _mm512_storeu_pd(p, lanes); }
    void widen(double* p) const { store(p); }
    F64x8 added_to(const F64x8& sum) const { return add(sum, *this); }
    static F64x8 add(const F64x8& a, const F64x8& b) { return {_mm512_add_pd(a.lanes, b.lanes)}; }
    static F64x8 subtract(const F64x8& a, const F64x8& b) { return {_mm512_sub_pd(a.lanes, b.lanes)}; }
    static F64x8 multiply(const F64x8& a, const F64x8& b) { return {_mm512_mul_pd(a.lanes, b.lanes)}; }
    static F64x8 max(const F64x8& a, const F64x8& b) { return {_mm512_max_pd(a.lanes, b.lanes)}; }
    bool any_below(double limit) const { return _mm512_cmp_pd_mask(lanes, _mm512_set1_pd(limit), _CMP_LT_OQ); }
    F64x8 times_power_in_low_bits(const F64x8& shifted) const {
        const __m512i power = _mm512_slli_epi64(_mm512_castpd_si512(shifted.lanes), 52);
        return {_mm512_castsi512_pd(_mm512_add_epi64(_mm512_castpd_si512(lanes), power))};
    }

    // Sums of exponents, lane by lane.
    struct Exponents {
        __m512i sum;

        Exponents() : sum(_mm512_setzero_si512()) {}
        // `product` times the mantissas of `value`, whose exponents are added to the sums.
        F64x8 split(const F64x8& value, const F64x8& product) {
            const __m512i bits = _mm512_castpd_si512(value.lanes);
            sum = _mm512_add_epi64(sum, _mm512_srli_epi64(bits, 52));
            const __m512i fraction = _mm512_and_si512(bits, _mm512_set1_epi64(0x000fffffffffffffLL));
            const __m512i one = _mm512_castpd_si512(_mm512_set1_pd(1.0));
            return F64x8::multiply(product, {_mm512_castsi512_pd(_mm512_or_si512(fraction, one))});
        }
        // After `count` calls of split: the mantissas of the product; their exponents and the sums are added to `out`.
        F64x8 finish(const F64x8& product, std::int64_t count, std::int64_t* out) {
            const F64x8 left = split(product, F64x8::broadcast(1.0));
            std::int64_t sums[8];
            _mm512_storeu_si512(sums, sum);
            for (int i = 0; i < 8; ++i) out[i] += sums[i] - 1023 * (count + 1);
            return left;
        }
    };

    struct LookupIndices {
        __m512i at;

        LookupIndices() = default;
        LookupIndices(const Index& i, std::int64_t) : at(_mm512_cvtepu32_epi64(i.lanes)) {}
        static __m512d four(const double* table) { return _mm512_castpd256_pd512(_mm256_loadu_pd(table)); }
    };
    struct Lookup1Reg : LookupIndices {
        using LookupIndices::LookupIndices;
        template <class>
        F64x8 in(const double* table) const {
            return {_mm512_permutexvar_pd(at, four(table))};
        }
    };
    struct Lookup2Reg : LookupIndices {
        using LookupIndices::LookupIndices;
        template <class>
        F64x8 in(const double* table) const {
            return {_mm512_permutexvar_pd(at, _mm512_loadu_pd(table))};
        }
    };
    struct Lookup3Reg : LookupIndices {
        using LookupIndices::LookupIndices;
        template <class>
        F64x8 in(const double* table) const {
            return {_mm512_permutex2var_pd(_mm512_loadu_pd(table), at, four(table + 8))};
        }
    };
    struct LookupGather : LookupIndices {
        using LookupIndices::LookupIndices;
        template <class>
        F64x8 in(const double* table) const {
            return {_mm512_mask_i64gather_pd(_mm512_setzero_pd(), 0xff, at, table, 8)};
        }
    };
};

struct F32x8;

// Eight floats of one class, then eight of the next.
struct F32x8x2 {
    using Real = float;

    __m512 lanes;

    static F32x8x2 load(const float* p) { return {_mm512_loadu_ps(p)}; }
    static F32x8x2 broadcast(float x) { return {_mm512_set1_ps(x)}; }
    void store(float* p) const { _mm512_storeu_ps(p, lanes); }
    inline F32x8 added_to(const F32x8& sum) const;
    static F32x8x2 add(const F32x8x2& a, const F32x8x2& b) { return {_mm512_add_ps(a.lanes, b.lanes)}; }
    static F32x8x2 subtract(const F32x8x2& a, const F32x8x2& b) { return {_mm512_sub_ps(a.lanes, b.lanes)}; }
    static F32x8x2 multiply(const F32x8x2& a, const F32x8x2& b) { return {_mm512_mul_ps(a.lanes, b.lanes)}; }
    static F32x8x2 max(const F32x8x2& a, const F32x8x2& b) { return {_mm512_max_ps(a.lanes, b.lanes)}; }
    F32x8x2 times_power_in_low_bits(const F32x8x2& shifted) const {
        const __m512i power = _mm512_slli_epi32(_mm512_castps_si512(shifted.lanes), 23);
        return {_mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(lanes), power))};
    }
};

struct F32x8 {
    using Real = float;
    using FullRegister = F32x8x2;
    static constexpr int kClasses = 2;
    static constexpr std::int64_t kCells[3] = {8, 16, 32};

    __m256 lanes;

    static F32x8 load(const float* p) { return {_mm256_loadu_ps(p)}; }
    static F32x8 narrow(const double* p) { return {_mm512_cvtpd_ps(_mm512_loadu_pd(p))}; }
    static F32x8 broadcast(float x) { return {_mm256_set1_ps(x)}; }
    void store(float* p) const { _mm256_storeu_ps(p, lanes); }
    void widen(double* p) const { _mm512_storeu_pd(p, _mm512_cvtps_pd(lanes)); }
    F32x8 added_to(const F32x8& sum) const { return add(sum, *this); }
    static F32x8 add(const F32x8& a, const F32x8& b) { return {_mm256_add_ps(a.lanes, b.lanes)}; }
    static F32x8 subtract(const F32x8& a, const F32x8& b) { return {_mm256_sub_ps(a.lanes, b.lanes)}; }
    static F32x8 multiply(const F32x8& a, const F32x8& b) { return {_mm256_mul_ps(a.lanes, b.lanes)}; }
    static F32x8 max(const F32x8& a, const F32x8& b) { return {_mm256_max_ps(a.lanes, b.lanes)}; }
    bool any_below(float limit) const { return _mm256_cmp_ps_mask(lanes, _mm256_set1_ps(limit), _CMP_LT_OQ); }
    F32x8 times_power_in_low_bits(const F32x8& shifted) const {
        const __m256i power = _mm256_slli_epi32(_mm256_castps_si256(shifted.lanes), 23);
        return {_mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(lanes), power))};
    }

    struct Exponents {
        __m256i sum;

        Exponents() : sum(_mm256_setzero_si256()) {}
        F32x8 split(const F32x8& value, const F32x8& product) {
            const __m256i bits = _mm256_castps_si256(value.lanes);
            sum = _mm256_add_epi32(sum, _mm256_srli_epi32(bits, 23));
            const __m256i fraction = _mm256_and_si256(bits, _mm256_set1_epi32(0x007fffff));
            const __m256i one = _mm256_castps_si256(_mm256_set1_ps(1.0f));
            return F32x8::multiply(product, {_mm256_castsi256_ps(_mm256_or_si256(fraction, one))});
        }
        F32x8 finish(const F32x8& product, std::int64_t count, std::int64_t* out) {
            const F32x8 left = split(product, F32x8::broadcast(1.0f));
            std::int32_t sums[8];
            _mm256_storeu_si256(as_m256i(sums), sum);
            for (int i = 0; i < 8; ++i) out[i] += sums[i] - 127 * (count + 1);
            return left;
        }
    };

    // The places of eight samples in the table of a class and, `stride` further on, in that of the next.
    struct LookupIndices {
        __m512i at;

        LookupIndices() = default;
        LookupIndices(const Index& i, std::int64_t stride) {
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

    struct Lookup1Reg : LookupIndices {
        using LookupIndices::LookupIndices;
        template <class W>
        W in(const float* table) const {
            if constexpr (kWide<W>)
                return {_mm512_permutexvar_ps(at, _mm512_loadu_ps(table))};
            else
                return {_mm256_permutexvar_ps(low(), _mm256_loadu_ps(table))};
        }
    };
    struct Lookup2Reg : LookupIndices {
        using LookupIndices::LookupIndices;
        template <class W>
        W in(const float* table) const {
            if constexpr (kWide<W>)
                return {of_thirty_two(table)};
            else
                return {of_sixteen(table)};
        }
    };
    struct Lookup3Reg : LookupIndices {
        using LookupIndices::LookupIndices;
        template <class W>
        W in(const float* table) const {
            if constexpr (kWide<W>)
                return {_mm512_mask_blend_ps(0xff00, of_thirty_two(table), of_thirty_two(table + 32))};
            else
                return {_mm512_castps512_ps256(of_thirty_two(table))};
        }
    };
    struct LookupGather : LookupIndices {
        using LookupIndices::LookupIndices;
        template <class W>
        W in(const float* table) const {
            if constexpr (kWide<W>)
                return {_mm512_mask_i32gather_ps(_mm512_setzero_ps(), 0xffff, at, table, 4)};
            else
                return {_mm256_i32gather_ps(table, low(), 4)};
        }
    };
};

inline F32x8 F32x8x2::added_to(const F32x8& sum) const {
    return F32x8::add(F32x8::add(sum, {_mm512_castps512_ps256(lanes)}), {_mm512_extractf32x8_ps(lanes, 1)});
}

constexpr int kKeysAtOnce = 32;
constexpr int kCandidatesAtOnce = 4;

#include "samples/variational_kernels/exp2_loop.inl.hpp"
#include "samples/variational_kernels/parzen_loop.inl.hpp"
#include "samples/variational_kernels/variational_loop.inl.hpp"

BITSIEVE_END_TARGET

constexpr VariationalKernel make_variational_kernel() {
    VariationalKernel kernel{};
    kernel.naive = naive<F64x8>;
    kernel.naive_float32 = naive<F32x8>;
    kernel.pairwise = pairwise<F64x8>;
    kernel.pairwise_float32 = pairwise<F32x8>;
    kernel.exp2 = exp2_all;
    kernel.log_kernel_sums = log_kernel_sums;
    kernel.count_keys = count_keys;
    return kernel;
}

constexpr ParzenKernel make_parzen_kernel() {
    ParzenKernel kernel{};
    kernel.grid_logs = grid_logs;
    kernel.joint_logs = joint_logs;
    return kernel;
}

}  // namespace

const VariationalKernel kVariational = make_variational_kernel();
const ParzenKernel kParzen = make_parzen_kernel();

}  // namespace avx512
}  // namespace bitsieve

#endif
