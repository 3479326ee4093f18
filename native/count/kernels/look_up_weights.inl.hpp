// The weights of four samples by one look-up a code, for weighted_loop.inl.hpp: where a look-up costs less than four
// comparisons of codes.

// Bit 6 * code + i of a lane is set for the code of sample i of four.
inline __attribute__((always_inline)) U64x8 patterns_of_codes(const std::uint8_t* rows, const std::uint32_t* sample) {
    U64x8 patterns = U64x8::zero();
    for (int i = 0; i < kSamplesOfFour; ++i) {
        const U64x8 six_times_code = U64x8::widen_bytes(rows + std::int64_t(sample[i]) * kLanes);
        patterns = U64x8::bit_xor(patterns, U64x8::shift_each(U64x8::broadcast(std::uint64_t(1) << i), six_times_code));
    }
    return patterns;
}

template <int kColumns>
inline __attribute__((always_inline)) void add_four(const std::uint8_t* rows, const WeightedBuckets& buckets,
                                                    std::int64_t four, int first_column, U64x8* sum) {
    const std::uint64_t* subset_sums = buckets.subset_sums + four * kSubsetsOfFour;
    U64x8 patterns = patterns_of_codes(rows, buckets.sample + four * kSamplesOfFour);
    patterns = U64x8::shift_right(patterns, kCounterBits * first_column);
    for (int c = 0; c < kColumns; ++c) {
        sum[c] = U64x8::add(sum[c], U64x8::look_up(subset_sums, patterns));
        patterns = U64x8::shift_right(patterns, kCounterBits);
    }
}
