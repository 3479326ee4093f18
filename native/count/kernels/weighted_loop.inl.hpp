// Sums of weights over the cells of a pivot with the features of a group kept as bytes (see counting_kernel.hpp),
// compiled once per instruction set over its U64x8, eight 64-bit lanes, after pair_loop.inl.hpp.

constexpr int kWeightedColumns = 4;  // columns whose sums are held in registers together

// The samples of one bucket.
struct WeightedBucket {
    const std::uint32_t* sample;
    const std::uint64_t* weight;
    std::int64_t n;
};

// sums[column * 8 + lane] += the weights of the samples whose code in the lane is first_column + column.
template <int kColumns>
inline __attribute__((always_inline)) void add_weights(const WeightedBucket& bucket, const std::uint8_t* rows,
                                                       int first_column, std::uint64_t* sums) {
    U64x8 sum[kColumns];
    U64x8 code_of_column[kColumns];
    for (int c = 0; c < kColumns; ++c) {
        sum[c] = U64x8::load(sums + c * kLanes);
        code_of_column[c] = U64x8::broadcast(kCounterBits * std::uint64_t(first_column + c));
    }
    for (std::int64_t i = 0; i < bucket.n; ++i) {
        const U64x8 codes = U64x8::widen_bytes(rows + std::int64_t(bucket.sample[i]) * kLanes);
        const U64x8 weight = U64x8::broadcast(bucket.weight[i]);
        for (int c = 0; c < kColumns; ++c) sum[c] = U64x8::add_where_equal(sum[c], codes, code_of_column[c], weight);
    }
    for (int c = 0; c < kColumns; ++c) sum[c].store(sums + c * kLanes);
}

void weighted_sums(const WeightedBuckets& buckets, const ByteGroup& group, std::uint64_t* sums) {
    const int n_columns = group.n_codes - 1;
    for (std::int64_t i = 0; i < buckets.n_rows * n_columns * kLanes; i += kLanes) U64x8::zero().store(sums + i);
    for (std::int64_t chunk = 0; chunk < buckets.n_chunks; ++chunk)
        for (std::int64_t row = 0; row < buckets.n_rows; ++row) {
            const std::int64_t* start = buckets.start + chunk * buckets.n_rows + row;
            const WeightedBucket bucket{buckets.sample + start[0], buckets.weight + start[0], start[1] - start[0]};
            if (bucket.n == 0) continue;
            int c = 0;
            const auto add_next_columns = [&](auto width) {
                constexpr int kColumns = decltype(width)::value;
                add_weights<kColumns>(bucket, group.rows, c, sums + (row * n_columns + c) * kLanes);
                c += kColumns;
            };
            while (n_columns - c >= kWeightedColumns) add_next_columns(Width<kWeightedColumns>{});
            if (n_columns - c == 3) add_next_columns(Width<3>{});
            if (n_columns - c == 2) add_next_columns(Width<2>{});
            if (n_columns - c == 1) add_next_columns(Width<1>{});
        }
}
