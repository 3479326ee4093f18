// Scratch memory and constants of the counting loops, outside the target regions. The counting loops call no function
// of the standard library: one that is not inlined would be compiled for an instruction set and, as the linker keeps one
// copy of an inline function, could be called on a machine that lacks it.
#pragma once

#include <cstdint>
#include <type_traits>

#include "count/aligned.hpp"
#include "count/prefetch.hpp"

namespace bitsieve {

constexpr int kMaxPlanes = 63;  // features of more than 64 codes are never stored as planes

// One number for the planes of three columns: no two triples share one, so that a switch over it cannot confuse them.
constexpr int planes_key(int first, int second, int third) { return first << 16 | second << 8 | third; }
static_assert(kMaxPlanes < 256, "the planes of a column fill eight bits of planes_key at most");

template <int N>
using Width = std::integral_constant<int, N>;

// n values of a type without constructor or destructor, 64-byte aligned: on the stack while they fill kStackBytes at
// most, else on the heap.
template <class T, std::int64_t kStackBytes>
class AlignedScratch {
    static_assert(std::is_trivial_v<T>, "scratch memory holds what needs no constructor and no destructor");

public:
    explicit AlignedScratch(std::int64_t n) : data(n <= kOnStack ? on_stack_ : allocate(n)) {}
    ~AlignedScratch() {
        if (data != on_stack_) free_aligned(data);
    }
    AlignedScratch(const AlignedScratch&) = delete;  // `data` points into the object itself while n is small
    AlignedScratch& operator=(const AlignedScratch&) = delete;

    T* const data;

private:
    static T* allocate(std::int64_t n) { return static_cast<T*>(aligned_memory(64, std::size_t(n) * sizeof(T))); }
    static constexpr std::int64_t kOnStack = kStackBytes / std::int64_t(sizeof(T));
    alignas(64) T on_stack_[kOnStack];
};

template <class T>
using Scratch = AlignedScratch<T, 16 << 10>;  // mostly small: on the stack
template <class T>
using LargeScratch = AlignedScratch<T, 64>;  // seldom small: on the heap

}  // namespace bitsieve
