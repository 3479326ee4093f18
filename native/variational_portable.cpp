// The loops in plain C++: any machine, and a reference for the other sets.
#include <algorithm>
#include <cmath>
#include <memory>

#include "exp2_terms.hpp"
#include "variational.hpp"

namespace bitsieve {
namespace {

struct D {
    double lane[8];

    static D load(const double* p) {
        D d;
        std::memcpy(d.lane, p, sizeof d.lane);
        return d;
    }
    static D broadcast(double x) {
        D d;
        for (auto& l : d.lane) l = x;
        return d;
    }
    void store(double* p) const { std::memcpy(p, lane, sizeof lane); }
    static D add(D a, const D& b) {
        for (int i = 0; i < 8; ++i) a.lane[i] += b.lane[i];
        return a;
    }
    static D subtract(D a, const D& b) {
        for (int i = 0; i < 8; ++i) a.lane[i] -= b.lane[i];
        return a;
    }
    static D multiply(D a, const D& b) {
        for (int i = 0; i < 8; ++i) a.lane[i] *= b.lane[i];
        return a;
    }
    static D max(D a, const D& b) {
        for (int i = 0; i < 8; ++i) a.lane[i] = a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i];
        return a;
    }
    bool any_below(double limit) const {
        bool any = false;
        for (double l : lane) any |= l < limit;
        return any;
    }
    D times_power_in_low_bits(const D& shifted) const {
        std::uint64_t bits[8], power[8];
        std::memcpy(bits, lane, sizeof bits);
        std::memcpy(power, shifted.lane, sizeof power);
        for (int i = 0; i < 8; ++i) bits[i] += power[i] << 52;
        D d;
        std::memcpy(d.lane, bits, sizeof bits);
        return d;
    }
};

struct Exponents {
    std::uint64_t sum[8];
    std::int64_t bias;

    // Of `count` sums to come.
    Exponents(const std::int64_t* start, std::int64_t count) : bias(1023 * count) { std::memcpy(sum, start, sizeof sum); }

    D split(const D& value, D product) {
        std::uint64_t bits[8];
        std::memcpy(bits, value.lane, sizeof bits);
        for (int i = 0; i < 8; ++i) {
            sum[i] += bits[i] >> 52;
            bits[i] = (bits[i] & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL;
        }
        D mantissa;
        std::memcpy(mantissa.lane, bits, sizeof bits);
        return D::multiply(product, mantissa);
    }
    D finish(const D& product, std::int64_t* out) {
        const D left = split(product, D::broadcast(1.0));
        for (int i = 0; i < 8; ++i) out[i] = std::int64_t(sum[i]) - bias - 1023;
        return left;
    }
};

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

struct FindAny {
    Index index;

    FindAny() = default;
    explicit FindAny(const Index& i) : index(i) {}
    D operator()(const double* table) const {
        D d;
        for (int i = 0; i < 8; ++i) d.lane[i] = table[index.lane[i]];
        return d;
    }
};
using Find4 = FindAny;
using Find8 = FindAny;
using Find12 = FindAny;

#include "variational_loop.inc"

}  // namespace

const VariationalKernel kPortableVariational = {"portable",           naive<std::uint8_t>,  naive<std::uint16_t>,
                                                power<std::uint8_t>, power<std::uint16_t>, exp2_all,
                                                kernel_sums};

}  // namespace bitsieve
