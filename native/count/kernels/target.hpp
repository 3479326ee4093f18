// What each instruction set may use, and whether this machine has it: no other file names a feature of a processor.
//
// The baseline of the compiler is never raised. The functions between BITSIEVE_BEGIN_TARGET and BITSIEVE_END_TARGET are
// compiled for the features listed, and are called only through the KernelSet of their instruction set
// (kernel_set.hpp).
//
// Invariant: has_avx2() and has_avx512() test every feature of their list, and kernel_set() hands out a set only where
// its test holds. Who adds a feature to a list adds it to the test beside it.
#pragma once

#if defined(__x86_64__)

#define BITSIEVE_AVX2 "avx2,popcnt"
#define BITSIEVE_AVX512 "avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq,popcnt,bmi2"

namespace bitsieve {

inline bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt"); }

inline bool has_avx512() {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("popcnt") &&
           __builtin_cpu_supports("bmi2");
}

}  // namespace bitsieve

#define BITSIEVE_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define BITSIEVE_BEGIN_TARGET(features) \
    BITSIEVE_PRAGMA(clang attribute push(__attribute__((target(features))), apply_to = function))
#define BITSIEVE_END_TARGET BITSIEVE_PRAGMA(clang attribute pop)
#else
#define BITSIEVE_BEGIN_TARGET(features) BITSIEVE_PRAGMA(GCC push_options) BITSIEVE_PRAGMA(GCC target(features))
#define BITSIEVE_END_TARGET BITSIEVE_PRAGMA(GCC pop_options)
#endif

#endif
