// The variational loops for x86-64 with AVX2; small tables are looked up in registers.
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
namespace avx2 {
namespace {

BITSIEVE_BEGIN_TARGET(BITSIEVE_AVX2)

struct Index {
    __m256i lanes;  // eight 32-bit numbers

    static Index load(const std::uint8_t* codes) { return {_mm256_cvtepu8_epi32(_mm_loadl_epi64(as_m128i(codes)))}; }
    static Index load(const std::uint16_t* codes) { return {_mm256_cvtepu16_epi32(_mm_loadu_si128(as_m128i(codes)))}; }
    Index times_plus(int factor, const Index& other) const {
        return {_mm256_add_epi32(_mm256_mullo_epi32(lanes, _mm256_set1_epi32(factor)), other.lanes)};
    }
};

// Four doubles at each of two registers of places: an index as the two 32-bit places of its double.
struct LookupIndices {
    __m256i low, high;

    LookupIndices() = default;
    explicit LookupIndices(const Index& i)
        : low(of(_mm256_castsi256_si128(i.lanes))), high(of(_mm256_extracti128_si256(i.lanes, 1))) {}
    static __m256i of(__m128i four) {
        const __m256i twice = _mm256_slli_epi64(_mm256_cvtepu32_epi64(four), 1);
        return _mm256_or_si256(twice, _mm256_slli_epi64(_mm256_add_epi64(twice, _mm256_set1_epi64x(1)), 32));
    }
    // Of four cells, by the two low bits of the index; bits 2 and 3 of the index are bits 3 and 4 of a place.
    static __m256d find(__m256d cells, __m256i at) {
        return _mm256_castsi256_pd(_mm256_permutevar8x32_epi32(_mm256_castpd_si256(cells), at));
    }
    template <int kBit>
    static __m256d blend(__m256d clear, __m256d set, __m256i at) {
        return _mm256_blendv_pd(clear, set, _mm256_castsi256_pd(_mm256_slli_epi64(at, 63 - kBit)));
    }
};

struct F64x8 {
    using Real = double;
    using FullRegister = F64x8;
    static constexpr int kClasses = 1;
    static constexpr std::int64_t kCells[3] = {4, 8, 12};

    __m256d low, high;

    static F64x8 load(const double* p) { return {_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)}; }
    static F64x8 narrow(const double* p) { return load(p); }
    static F64x8 broadcast(double x) { return {_mm256_set1_pd(x), _mm256_set1_pd(x)}; }
    void store(double* p) const {
        _mm256_storeu_pd(p, low);
        _mm256_storeu_pd(p + 4, high);
    }
    void widen(double* p) const { store(p); }
    F64x8 added_to(const F64x8& sum) const { return add(sum, *this); }
    static F64x8 add(const F64x8& a, const F64x8& b) {
        return {_mm256_add_pd(a.low, b.low), _mm256_add_pd(a.high, b.high)};
    }
    static F64x8 subtract(const F64x8& a, const F64x8& b) {
        return {_mm256_sub_pd(a.low, b.low), _mm256_sub_pd(a.high, b.high)};
    }
    static F64x8 multiply(const F64x8& a, const F64x8& b) {
        return {_mm256_mul_pd(a.low, b.low), _mm256_mul_pd(a.high, b.high)};
    }
    static F64x8 max(const F64x8& a, const F64x8& b) {
        return {_mm256_max_pd(a.low, b.low), _mm256_max_pd(a.high, b.high)};
    }
    bool any_below(double limit) const {
        const __m256d l = _mm256_set1_pd(limit);
        return _mm256_movemask_pd(_mm256_or_pd(_mm256_cmp_pd(low, l, _CMP_LT_OQ), _mm256_cmp_pd(high, l, _CMP_LT_OQ)));
    }
    F64x8 times_power_in_low_bits(const F64x8& shifted) const {
        return {times_power(low, shifted.low), times_power(high, shifted.high)};
    }
    static __m256d times_power(__m256d x, __m256d shifted) {
        const __m256i power = _mm256_slli_epi64(_mm256_castpd_si256(shifted), 52);
        return _mm256_castsi256_pd(_mm256_add_epi64(_mm256_castpd_si256(x), power));
    }

    // Sums of exponents, lane by lane.
    struct Exponents {
        __m256i low, high;

        Exponents() : low(_mm256_setzero_si256()), high(_mm256_setzero_si256()) {}
        // `product` times the mantissas of `value`, whose exponents are added to the sums.
        F64x8 split(const F64x8& value, const F64x8& product) {
            low = _mm256_add_epi64(low, _mm256_srli_epi64(_mm256_castpd_si256(value.low), 52));
            high = _mm256_add_epi64(high, _mm256_srli_epi64(_mm256_castpd_si256(value.high), 52));
            return F64x8::multiply(product, {mantissa(value.low), mantissa(value.high)});
        }
        static __m256d mantissa(__m256d x) {
            const __m256d fraction = _mm256_castsi256_pd(_mm256_set1_epi64x(0x000fffffffffffffLL));
            return _mm256_or_pd(_mm256_and_pd(x, fraction), _mm256_set1_pd(1.0));
        }
        // After `count` calls of split: the mantissas of the product; their exponents and the sums are added to `out`.
        F64x8 finish(const F64x8& product, std::int64_t count, std::int64_t* out) {
            const F64x8 left = split(product, F64x8::broadcast(1.0));
            std::int64_t sums[8];
            _mm256_storeu_si256(as_m256i(sums), low);
            _mm256_storeu_si256(as_m256i(sums + 4), high);
            for (int i = 0; i < 8; ++i) out[i] += sums[i] - 1023 * (count + 1);
            return left;
        }
    };

    struct Lookup1Reg : LookupIndices {
        Lookup1Reg() = default;
        Lookup1Reg(const Index& i, std::int64_t) : LookupIndices(i) {}
        template <class>
        F64x8 in(const double* table) const {
            const __m256d cells = _mm256_loadu_pd(table);
            return {find(cells, low), find(cells, high)};
        }
    };
    struct Lookup2Reg : LookupIndices {
        Lookup2Reg() = default;
        Lookup2Reg(const Index& i, std::int64_t) : LookupIndices(i) {}
        template <class>
        F64x8 in(const double* table) const {
            return {of_eight(table, low), of_eight(table, high)};
        }
        static __m256d of_eight(const double* table, __m256i at) {
            return blend<3>(find(_mm256_loadu_pd(table), at), find(_mm256_loadu_pd(table + 4), at), at);
        }
    };
    struct Lookup3Reg : LookupIndices {
        Lookup3Reg() = default;
        Lookup3Reg(const Index& i, std::int64_t) : LookupIndices(i) {}
        template <class>
        F64x8 in(const double* table) const {
            return {of_twelve(table, low), of_twelve(table, high)};
        }
        static __m256d of_twelve(const double* table, __m256i at) {
            return blend<4>(Lookup2Reg::of_eight(table, at), find(_mm256_loadu_pd(table + 8), at), at);
        }
    };
    struct LookupGather {
        __m128i low, high;

        LookupGather() = default;
        LookupGather(const Index& i, std::int64_t)
            : low(_mm256_castsi256_si128(i.lanes)), high(_mm256_extracti128_si256(i.lanes, 1)) {}
        template <class>
        F64x8 in(const double* table) const {
            return {_mm256_i32gather_pd(table, low, 8), _mm256_i32gather_pd(table, high, 8)};
        }
    };
};

struct F32x8 {
    using Real = float;
    using FullRegister = F32x8;
    static constexpr int kClasses = 1;
    static constexpr std::int64_t kCells[3] = {8, 16, 32};

    __m256 lanes;

    static F32x8 load(const float* p) { return {_mm256_loadu_ps(p)}; }
    static F32x8 narrow(const double* p) {
        return {_mm256_set_m128(_mm256_cvtpd_ps(_mm256_loadu_pd(p + 4)), _mm256_cvtpd_ps(_mm256_loadu_pd(p)))};
    }
    static F32x8 broadcast(float x) { return {_mm256_set1_ps(x)}; }
    void store(float* p) const { _mm256_storeu_ps(p, lanes); }
    void widen(double* p) const {
        _mm256_storeu_pd(p, _mm256_cvtps_pd(_mm256_castps256_ps128(lanes)));
        _mm256_storeu_pd(p + 4, _mm256_cvtps_pd(_mm256_extractf128_ps(lanes, 1)));
    }
    F32x8 added_to(const F32x8& sum) const { return add(sum, *this); }
    static F32x8 add(const F32x8& a, const F32x8& b) { return {_mm256_add_ps(a.lanes, b.lanes)}; }
    static F32x8 subtract(const F32x8& a, const F32x8& b) { return {_mm256_sub_ps(a.lanes, b.lanes)}; }
    static F32x8 multiply(const F32x8& a, const F32x8& b) { return {_mm256_mul_ps(a.lanes, b.lanes)}; }
    static F32x8 max(const F32x8& a, const F32x8& b) { return {_mm256_max_ps(a.lanes, b.lanes)}; }
    bool any_below(float limit) const {
        return _mm256_movemask_ps(_mm256_cmp_ps(lanes, _mm256_set1_ps(limit), _CMP_LT_OQ));
    }
    F32x8 times_power_in_low_bits(const F32x8& shifted) const {
        const __m256i power = _mm256_slli_epi32(_mm256_castps_si256(shifted.lanes), 23);
        return {_mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(lanes), power))};
    }

    struct Exponents {
        __m256i sum;

        Exponents() : sum(_mm256_setzero_si256()) {}
        F32x8 split(const F32x8& value, const F32x8& product) {
            sum = _mm256_add_epi32(sum, _mm256_srli_epi32(_mm256_castps_si256(value.lanes), 23));
            const __m256 fraction = _mm256_castsi256_ps(_mm256_set1_epi32(0x007fffff));
            return F32x8::multiply(product, {_mm256_or_ps(_mm256_and_ps(value.lanes, fraction), _mm256_set1_ps(1.0f))});
        }
        F32x8 finish(const F32x8& product, std::int64_t count, std::int64_t* out) {
            const F32x8 left = split(product, F32x8::broadcast(1.0f));
            std::int32_t sums[8];
            _mm256_storeu_si256(as_m256i(sums), sum);
            for (int i = 0; i < 8; ++i) out[i] += sums[i] - 127 * (count + 1);
            return left;
        }
    };

    // Cells in registers of eight, by the three low bits of the index; the next bits choose the register.
    struct Registered {
        __m256i at;

        Registered() = default;
        explicit Registered(const Index& i) : at(i.lanes) {}
        __m256 find(const float* table) const { return _mm256_permutevar8x32_ps(_mm256_loadu_ps(table), at); }
        template <int kBit>
        __m256 blend(__m256 clear, __m256 set) const {
            return _mm256_blendv_ps(clear, set, _mm256_castsi256_ps(_mm256_slli_epi32(at, 31 - kBit)));
        }
        __m256 find_two(const float* table) const { return blend<3>(find(table), find(table + 8)); }
    };
    struct Lookup1Reg : Registered {
        Lookup1Reg() = default;
        Lookup1Reg(const Index& i, std::int64_t) : Registered(i) {}
        template <class>
        F32x8 in(const float* table) const {
            return {find(table)};
        }
    };
    struct Lookup2Reg : Registered {
        Lookup2Reg() = default;
        Lookup2Reg(const Index& i, std::int64_t) : Registered(i) {}
        template <class>
        F32x8 in(const float* table) const {
            return {find_two(table)};
        }
    };
    struct Lookup3Reg : Registered {
        Lookup3Reg() = default;
        Lookup3Reg(const Index& i, std::int64_t) : Registered(i) {}
        template <class>
        F32x8 in(const float* table) const {
            return {blend<4>(find_two(table), find_two(table + 16))};
        }
    };
    struct LookupGather {
        __m256i at;

        LookupGather() = default;
        LookupGather(const Index& i, std::int64_t) : at(i.lanes) {}
        template <class>
        F32x8 in(const float* table) const {
            return {_mm256_i32gather_ps(table, at, 4)};
        }
    };
};

constexpr int kKeysAtOnce = 32;
constexpr int kCandidatesAtOnce = 2;

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

}  // namespace avx2
}  // namespace bitsieve

#endif
