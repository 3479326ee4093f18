// Addresses as the load and store intrinsics of x86-64 take them: these may read and write memory of any type.
#pragma once

#if defined(__x86_64__)

#include <immintrin.h>

namespace bitsieve {

inline const __m128i* as_m128i(const void* address) { return static_cast<const __m128i*>(address); }
inline const __m256i* as_m256i(const void* address) { return static_cast<const __m256i*>(address); }
inline __m128i* as_m128i(void* address) { return static_cast<__m128i*>(address); }
inline __m256i* as_m256i(void* address) { return static_cast<__m256i*>(address); }

}  // namespace bitsieve

#endif
