// Transposes blocks of bytes.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

#if defined(__SSE2__)  // every x86-64 has it
#include <emmintrin.h>
#endif

namespace bitsieve {

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
constexpr bool kLittleEndian = true;
#else
constexpr bool kLittleEndian = false;
#endif

// Eight words of eight bytes, byte c of word r to byte r of word c, on a little-endian machine.
inline void transpose_8x8(std::uint64_t (&w)[8]) {
    const auto swap = [&w](int a, int b, int bits, std::uint64_t mask) {
        const std::uint64_t moved = ((w[a] >> bits) ^ w[b]) & mask;
        w[b] ^= moved;
        w[a] ^= moved << bits;
    };
    for (int r = 0; r < 4; ++r) swap(r, r + 4, 32, 0x00000000FFFFFFFFULL);
    for (int r : {0, 1, 4, 5}) swap(r, r + 2, 16, 0x0000FFFF0000FFFFULL);
    for (int r : {0, 2, 4, 6}) swap(r, r + 1, 8, 0x00FF00FF00FF00FFULL);
}

constexpr int kTransposeBlock = 16;  // rows and columns that are transposed at once

// Byte c of row r to out[c * out_stride + r], for sixteen rows of sixteen bytes; row(r) is where row r lies.
template <class Row>
inline void transpose_block(Row&& row, std::uint8_t* out, std::int64_t out_stride) {
#if defined(__SSE2__)
    __m128i v[kTransposeBlock];
    __m128i w[kTransposeBlock];
    for (int r = 0; r < kTransposeBlock; ++r) v[r] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(row(r)));
    for (int round = 0; round < 4; ++round) {  // each moves one bit of the number of a row into that of a byte
        for (int i = 0; i < 8; ++i) {
            w[2 * i] = _mm_unpacklo_epi8(v[i], v[i + 8]);
            w[2 * i + 1] = _mm_unpackhi_epi8(v[i], v[i + 8]);
        }
        std::swap(v, w);
    }
    for (int c = 0; c < kTransposeBlock; ++c) _mm_storeu_si128(reinterpret_cast<__m128i*>(out + c * out_stride), v[c]);
#else
    for (int r = 0; r < kTransposeBlock; r += 8)
        for (int c = 0; c < kTransposeBlock; c += 8) {
            std::uint64_t words[8];
            for (int i = 0; i < 8 && kLittleEndian; ++i) std::memcpy(&words[i], row(r + i) + c, 8);
            if (kLittleEndian) transpose_8x8(words);
            for (int i = 0; i < 8; ++i)
                if (kLittleEndian)
                    std::memcpy(out + (c + i) * out_stride + r, &words[i], 8);
                else
                    for (int j = 0; j < 8; ++j) out[(c + i) * out_stride + r + j] = row(r + j)[c + i];
        }
#endif
}

}  // namespace bitsieve
