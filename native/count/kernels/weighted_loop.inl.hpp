// Sums of weights over the cells of a pivot with the features of groups kept as bytes (see counting_kernel.hpp),
// compiled once per instruction set over its U64x8, eight 64-bit lanes, after pair_loop.inl.hpp. The including file
// defines kGroupsOfWeights, the groups that are added up together, one or two, and
//
//     template <int kColumns>
//     void add_quad(const std::uint8_t* rows, const WeightedBuckets& buckets, std::int64_t quad, int first_column,
//                   U64x8* sum)
//
// which adds to sum[c] the weights of those samples of a quad whose code in the lane is first_column + c.
//
// In this file a row is a code of the pivot and has one bucket, and a column is a code of a group.

constexpr int kWeightedColumns = 4;  // columns whose sums are held in registers together

// The columns of the sums of a group: its last code has none, as its cells follow from the weight of the row.
inline int n_columns_of(const ByteGroup& group) { return group.n_codes - 1; }

// Fetches the codes of a quad in the next n groups. Of two neighbours in a bucket one is enough: often they share a
// cache line.
inline __attribute__((always_inline)) void fetch_quad(const ByteGroup* next_groups, int n,
                                                      const std::uint32_t* samples) {
    for (int g = 0; g < n; ++g)
        for (int i = 0; i < kQuadSamples; i += 2)
            __builtin_prefetch(next_groups[g].rows + std::int64_t(samples[i]) * kLanes);
}

// sums[group][column * 8 + lane] += the weights of the samples of the row whose code in the lane is the column, for
// kColumns columns from first_column on. The codes of these samples in n_fetched more groups are fetched.
template <int kGroups, int kColumns>
inline __attribute__((always_inline)) void add_columns(const WeightedBuckets& buckets, std::int64_t row,
                                                       const ByteGroup* groups, int n_fetched, int first_column,
                                                       std::uint64_t* const* sums) {
    U64x8 sum[kGroups][kColumns];
    for (int g = 0; g < kGroups; ++g)
        for (int c = 0; c < kColumns; ++c) sum[g][c] = U64x8::load(sums[g] + (first_column + c) * kLanes);
    for (std::int64_t quad = buckets.start[row]; quad < buckets.start[row + 1]; ++quad) {
        for (int g = 0; g < kGroups; ++g) add_quad<kColumns>(groups[g].rows, buckets, quad, first_column, sum[g]);
        fetch_quad(groups + kGroups, n_fetched, buckets.sample + quad * kQuadSamples);
    }
    for (int g = 0; g < kGroups; ++g)
        for (int c = 0; c < kColumns; ++c) sum[g][c].store(sums[g] + (first_column + c) * kLanes);
}

// Adds the columns [first, end) of all rows. The first row alone fetches: its samples lie all over the chunk that is in
// the buckets, and so in most of the cache lines that the other rows need.
template <int kGroups>
void add_rows(const WeightedBuckets& buckets, const ByteGroup* groups, int n_fetched, int first, int end,
              std::uint64_t* const* sums) {
    for (std::int64_t row = 0; row < buckets.n_rows; ++row) {
        if (buckets.start[row] == buckets.start[row + 1]) continue;
        std::uint64_t* row_sums[kGroups];
        for (int g = 0; g < kGroups; ++g) row_sums[g] = sums[g] + row * n_columns_of(groups[g]) * kLanes;
        int c = first;
        const auto add_next_columns = [&](auto width) {
            constexpr int kColumns = decltype(width)::value;
            add_columns<kGroups, kColumns>(buckets, row, groups, n_fetched, c, row_sums);
            n_fetched = 0;
            c += kColumns;
        };
        while (end - c >= kWeightedColumns) add_next_columns(Width<kWeightedColumns>{});
        if (end - c == 3) add_next_columns(Width<3>{});
        if (end - c == 2) add_next_columns(Width<2>{});
        if (end - c == 1) add_next_columns(Width<1>{});
    }
}

void weighted_sums(const WeightedBuckets& buckets, const ByteGroup* groups, int n_groups, std::uint64_t* const* sums) {
    int g = 0;
    if constexpr (kGroupsOfWeights == 2)
        for (; g + 1 < n_groups; g += 2) {
            const int first_columns = n_columns_of(groups[g]);
            const int second_columns = n_columns_of(groups[g + 1]);
            const int columns_of_both = first_columns < second_columns ? first_columns : second_columns;
            const int n_behind = n_groups - (g + 2);
            add_rows<2>(buckets, groups + g, n_behind < 2 ? n_behind : 2, 0, columns_of_both, sums + g);
            add_rows<1>(buckets, groups + g, 0, columns_of_both, first_columns, sums + g);
            add_rows<1>(buckets, groups + g + 1, 0, columns_of_both, second_columns, sums + g + 1);
        }
    for (; g < n_groups; ++g)
        add_rows<1>(buckets, groups + g, g + 1 < n_groups ? 1 : 0, 0, n_columns_of(groups[g]), sums + g);
}
