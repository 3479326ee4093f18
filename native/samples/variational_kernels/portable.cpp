// The variational loops in plain C++, for any machine and as a reference for the other instruction sets.
#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "count/prefetch.hpp"
#include "samples/parzen.hpp"
#include "samples/variational.hpp"

namespace bitsieve {
namespace portable {
namespace {

struct Index {
    std::int32_t lane[8];

    template <class Code>
    static Index load(const Code* codes) {
        Index index;
        for (int i = 0; i < 8; ++i) index.lane[i] = codes[i];
        return index;
    }
    Index times_plus(int factor, const Index& other) const {
        Index index;
        for (int i = 0; i < 8; ++i) index.lane[i] = lane[i] * factor + other.lane[i];
        return index;
    }
};

// Eight numbers; Bits are as many bits as one has, kFraction of them the fraction, and kOne is 1.
template <class R, class Bits, int kFraction, Bits kOne>
struct Lanes {
    using Real = R;
    using Vector = Lanes;
    using FullRegister = Lanes;
    static constexpr int kClasses = 1;
    static constexpr std::int64_t kCells[3] = {sizeof(R) == 8 ? 4 : 8, sizeof(R) == 8 ? 8 : 16,
                                               sizeof(R) == 8 ? 12 : 32};

    R lane[8];

    static Vector load(const R* p) {
        Vector v;
        std::memcpy(v.lane, p, sizeof v.lane);
        return v;
    }
    static Vector broadcast(R x) {
        Vector v;
        for (auto& l : v.lane) l = x;
        return v;
    }
    static Vector narrow(const double* p) {
        Vector v;
        for (int i = 0; i < 8; ++i) v.lane[i] = R(p[i]);
        return v;
    }
    void store(R* p) const { std::memcpy(p, lane, sizeof lane); }
    void widen(double* p) const { std::copy(lane, lane + 8, p); }
    Vector added_to(const Vector& sum) const { return add(sum, *this); }
    static Vector add(Vector a, const Vector& b) {
        for (int i = 0; i < 8; ++i) a.lane[i] += b.lane[i];
        return a;
    }
    static Vector subtract(Vector a, const Vector& b) {
        for (int i = 0; i < 8; ++i) a.lane[i] -= b.lane[i];
        return a;
    }
    static Vector multiply(Vector a, const Vector& b) {
        for (int i = 0; i < 8; ++i) a.lane[i] *= b.lane[i];
        return a;
    }
    static Vector max(Vector a, const Vector& b) {
        for (int i = 0; i < 8; ++i) a.lane[i] = a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i];
        return a;
    }
    bool any_below(R limit) const {
        bool any = false;
        for (R l : lane) any |= l < limit;
        return any;
    }
    Vector times_power_in_low_bits(const Vector& shifted) const {
        Bits bits[8];
        Bits power[8];
        std::memcpy(bits, lane, sizeof bits);
        std::memcpy(power, shifted.lane, sizeof power);
        for (int i = 0; i < 8; ++i) bits[i] += power[i] << kFraction;
        Vector v;
        std::memcpy(v.lane, bits, sizeof bits);
        return v;
    }

    // Sums of exponents, lane by lane.
    struct Exponents {
        Bits sum[8] = {};

        // `product` times the mantissas of `value`, whose exponents are added to the sums.
        Vector split(const Vector& value, const Vector& product) {
            Bits bits[8];
            std::memcpy(bits, value.lane, sizeof bits);
            for (int i = 0; i < 8; ++i) {
                sum[i] += bits[i] >> kFraction;
                bits[i] = (bits[i] & ((Bits(1) << kFraction) - 1)) | kOne;
            }
            Vector mantissa;
            std::memcpy(mantissa.lane, bits, sizeof bits);
            return Vector::multiply(product, mantissa);
        }
        // After `count` calls of split: the mantissas of the product; their exponents and the sums are added to `out`.
        Vector finish(const Vector& product, std::int64_t count, std::int64_t* out) {
            const Vector left = split(product, Vector::broadcast(1));
            for (int i = 0; i < 8; ++i) out[i] += std::int64_t(sum[i]) - std::int64_t(kOne >> kFraction) * (count + 1);
            return left;
        }
    };

    struct LookupGather {
        Index index;

        LookupGather() = default;
        LookupGather(const Index& i, std::int64_t) : index(i) {}
        template <class>
        Vector in(const R* table) const {
            Vector v;
            for (int i = 0; i < 8; ++i) v.lane[i] = table[index.lane[i]];
            return v;
        }
    };
    using Lookup1Reg = LookupGather;
    using Lookup2Reg = LookupGather;
    using Lookup3Reg = LookupGather;
};

using F64x8 = Lanes<double, std::uint64_t, 52, 0x3ff0000000000000ULL>;
using F32x8 = Lanes<float, std::uint32_t, 23, 0x3f800000U>;

constexpr int kKeysAtOnce = 16;
constexpr int kCandidatesAtOnce = 1;

#include "samples/variational_kernels/exp2_loop.inl.hpp"
#include "samples/variational_kernels/parzen_loop.inl.hpp"
#include "samples/variational_kernels/variational_loop.inl.hpp"

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

}  // namespace portable
}  // namespace bitsieve
