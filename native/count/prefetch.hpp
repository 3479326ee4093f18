// Addresses of memory to fetch ahead of its use.
#pragma once

#include <cstdint>

namespace bitsieve {

// The address so many bytes behind another one, which may lie beyond the end of the array: for __builtin_prefetch, which
// takes any address. A pointer so far beyond must not be computed, an integer may.
inline __attribute__((always_inline)) const void* address_ahead(const void* from, std::int64_t bytes) {
    const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(from) + std::uintptr_t(bytes);
    return reinterpret_cast<const void*>(address);  // NOLINT(performance-no-int-to-ptr): it is never read through
}

}  // namespace bitsieve
