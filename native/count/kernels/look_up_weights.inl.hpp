// The weights of four samples by one look-up for each code, for weighted_loop.inl.hpp: where a look-up costs less than
// four comparisons of codes.

// Each lane has six bits for every code. Bit i of the six of a code is set if sample i of the four has the code.
inline __attribute__((always_inline)) U64x8 patterns_of_codes(const std::uint8_t* rows, const std::uint32_t* sample) {
    U64x8 patterns = U64x8::zero();
    for (int i = 0; i < kSamplesOfFour; ++i) {
        const U64x8 first_bit_of_code = U64x8::widen_bytes(rows + std::int64_t(sample[i]) * kLanes);  // 6 * code
        const U64x8 bit_of_sample = U64x8::broadcast(std::uint64_t(1) << i);
        patterns = U64x8::bit_xor(patterns, U64x8::shift_each(bit_of_sample, first_bit_of_code));
    }
    return patterns;
}

// The pattern of a code, its four lowest bits, is the subset of the samples that have the code: it looks up their weight.
template <int kColumns>
inline __attribute__((always_inline)) void add_four(const std::uint8_t* rows, const WeightedBuckets& buckets,
                                                    std::int64_t four, int first_column, U64x8* sum) {
    const std::uint64_t* subset_sums = buckets.subset_sums + four * kSubsetsOfFour;
    U64x8 patterns = patterns_of_codes(rows, buckets.sample + four * kSamplesOfFour);
    patterns = U64x8::shift_right(patterns, kCounterBits * first_column);
    for (int c = 0; c < kColumns; ++c) {
        sum[c] = U64x8::add(sum[c], U64x8::look_up(subset_sums, patterns));  // by the lowest four bits of a lane
        patterns = U64x8::shift_right(patterns, kCounterBits);
    }
}
