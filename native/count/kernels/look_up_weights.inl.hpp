// The weights of a quad of samples by one look-up for each code, for weighted_loop.inl.hpp: where a look-up costs less
// than four comparisons of codes.

// Each lane has six bits for every code, as a byte of a ByteGroup is 6 * code. Bit i of the six of a code is set if
// sample i of the quad has the code; two of them are unused.
inline __attribute__((always_inline)) U64x8 subsets_by_code(const std::uint8_t* rows, const std::uint32_t* samples) {
    U64x8 subsets = U64x8::zero();
    for (int i = 0; i < kQuadSamples; ++i) {
        const U64x8 first_bit_of_code = U64x8::widen_bytes(rows + std::int64_t(samples[i]) * kLanes);
        const U64x8 bit_of_sample = U64x8::broadcast(std::uint64_t(1) << i);
        subsets = U64x8::bit_xor(subsets, U64x8::shift_each(bit_of_sample, first_bit_of_code));
    }
    return subsets;
}

// The lowest four bits of a lane are the subset of the samples that have the next code: it looks up their weight.
template <int kColumns>
inline __attribute__((always_inline)) void add_quad(const std::uint8_t* rows, const WeightedBuckets& buckets,
                                                    std::int64_t quad, int first_column, U64x8* sum) {
    const std::uint64_t* subset_sums = buckets.subset_sums + quad * kQuadSubsets;
    U64x8 subsets = subsets_by_code(rows, buckets.sample + quad * kQuadSamples);
    subsets = U64x8::shift_right(subsets, kCounterBits * first_column);
    for (int c = 0; c < kColumns; ++c) {
        sum[c] = U64x8::add(sum[c], U64x8::look_up(subset_sums, subsets));
        subsets = U64x8::shift_right(subsets, kCounterBits);
    }
}
