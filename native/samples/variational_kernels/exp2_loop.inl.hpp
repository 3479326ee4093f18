// Powers of two of F64x8, eight doubles, and of floats; see variational.hpp.

inline F64x8 exp2_of(F64x8 x) {
    x = F64x8::max(x, F64x8::broadcast(kMinExponent));
    const F64x8 shifted = F64x8::add(x, F64x8::broadcast(kToInteger));
    const F64x8 r = F64x8::subtract(x, F64x8::subtract(shifted, F64x8::broadcast(kToInteger)));
    const F64x8 r2 = F64x8::multiply(r, r);
    // Even and odd pairs are summed separately: two short chains of dependent operations instead of a long one.
    F64x8 even = F64x8::broadcast(kExp2Terms[8]);
    F64x8 odd = F64x8::broadcast(kExp2Terms[7]);
    for (int i = 6; i >= 0; i -= 2) {
        even = F64x8::add(F64x8::multiply(even, r2), F64x8::broadcast(kExp2Terms[i]));
        if (i > 0) odd = F64x8::add(F64x8::multiply(odd, r2), F64x8::broadcast(kExp2Terms[i - 1]));
    }
    const F64x8 p = F64x8::add(even, F64x8::multiply(odd, r));
    return F64x8::add(F64x8::multiply(p, r), F64x8::broadcast(1.0)).times_power_in_low_bits(shifted);
}

// 2^x of floats, Floats or the Wide of Floats.
template <class Floats>
inline Floats exp2_of_floats(Floats x) {
    x = Floats::max(x, Floats::broadcast(kMinExponentFloat32));
    const Floats shifted = Floats::add(x, Floats::broadcast(kToIntegerFloat32));
    const Floats r = Floats::subtract(x, Floats::subtract(shifted, Floats::broadcast(kToIntegerFloat32)));
    const Floats r2 = Floats::multiply(r, r);
    const Floats high = Floats::add(Floats::multiply(Floats::broadcast(kExp2TermsFloat32[4]), r2),
                                    Floats::broadcast(kExp2TermsFloat32[2]));
    const Floats even = Floats::add(Floats::multiply(high, r2), Floats::broadcast(kExp2TermsFloat32[0]));
    const Floats odd = Floats::add(Floats::multiply(Floats::broadcast(kExp2TermsFloat32[3]), r2),
                                   Floats::broadcast(kExp2TermsFloat32[1]));
    const Floats p = Floats::add(even, Floats::multiply(odd, r));
    return Floats::add(Floats::multiply(p, r), Floats::broadcast(1.0f)).times_power_in_low_bits(shifted);
}

template <class Vector>
inline Vector power_of_two(Vector x) {
    if constexpr (sizeof(typename Vector::Real) == 8)
        return exp2_of(x);
    else
        return exp2_of_floats(x);
}

void exp2_all(const double* x, std::int64_t count, double* out) {
    for (std::int64_t i = 0; i < count; i += 8) {
        double block[8] = {};
        const std::int64_t n = std::min<std::int64_t>(8, count - i);
        std::copy(x + i, x + i + n, block);
        exp2_of(F64x8::load(block)).store(block);
        for (std::int64_t j = 0; j < n; ++j) out[i + j] = x[i + j] < kMinExponent ? 0.0 : block[j];
    }
}
