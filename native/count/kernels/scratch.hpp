// Scratch memory and constants of pair_loop.inl.hpp. They stand outside the target regions, so that no inline function
// of the standard library is compiled for an instruction set that the machine may lack.
#pragma once

#include <cstdint>
#include <type_traits>

#include "count/aligned.hpp"

namespace bitsieve {

constexpr int kMaxPlanes = 63;  // features of more than 64 codes are never stored as planes

// One number for the planes of three columns: no two triples share one, so that a switch over it cannot confuse them.
constexpr int planes_key(int first, int second, int third) { return first << 16 | second << 8 | third; }
static_assert(kMaxPlanes < 256, "the planes of a column fill eight bits of planes_key at most");

template <int N>
using Width = std::integral_constant<int, N>;

// 64-byte aligned counters on the stack while they are few, else on the heap.
template <std::int64_t kInline>
class AlignedScratch {
public:
    explicit AlignedScratch(std::int64_t n) : data(n <= kInline ? inline_ : allocate(n)) {}
    ~AlignedScratch() {
        if (data != inline_) free_aligned(data);
    }
    AlignedScratch(const AlignedScratch&) = delete;
    AlignedScratch& operator=(const AlignedScratch&) = delete;

    std::uint64_t* const data;

private:
    static std::uint64_t* allocate(std::int64_t n) {
        return static_cast<std::uint64_t*>(aligned_memory(64, std::size_t(n) * 8));
    }
    alignas(64) std::uint64_t inline_[kInline];
};
using Scratch = AlignedScratch<2048>;    // 16 KiB of the stack
using LargeScratch = AlignedScratch<8>;  // of what is seldom small

}  // namespace bitsieve
