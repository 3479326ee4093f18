// Allocates and frees memory at a multiple of `alignment` bytes. Windows lacks std::aligned_alloc.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#if defined(_WIN32)
#include <malloc.h>
#endif

namespace bitsieve {

inline void* aligned_memory(std::size_t alignment, std::size_t bytes) {
#if defined(_WIN32)
    void* p = _aligned_malloc(bytes, alignment);
#else
    void* p = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
#endif
    if (p == nullptr) throw std::bad_alloc();
    return p;
}

inline void free_aligned(void* p) {
#if defined(_WIN32)
    _aligned_free(p);
#else
    std::free(p);
#endif
}

}  // namespace bitsieve
