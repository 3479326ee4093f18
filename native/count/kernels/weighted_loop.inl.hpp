// Sums of weights over the cells of a pivot with the features of groups kept as bytes (see counting_kernel.hpp), compiled
// once per instruction set over its U64x8, eight 64-bit lanes, after pair_loop.inl.hpp. The including file defines
// kGroupsOfWeights, the groups that are added up together, one or two, and
//
//     template <int kColumns>
//     void add_four(const std::uint8_t* rows, const WeightedBuckets& buckets, std::int64_t four, int first_column,
//                   U64x8* sum)
//
// which adds to sum[c] the weights of those of four samples whose code in the lane is first_column + c.

constexpr int kWeightedColumns = 4;  // columns whose sums are held in registers together

// sums[group][column * 8 + lane] += the weights of the samples of the row whose code in the lane is the column, for
// kColumns columns from first_column on. With `fetches_next` the codes of as many groups behind these are fetched: the
// samples of a row lie all over those in the buckets.
template <int kGroups, int kColumns>
inline __attribute__((always_inline)) void add_columns(const WeightedBuckets& buckets, std::int64_t row,
                                                       const ByteGroup* groups, bool fetches_next, int first_column,
                                                       std::uint64_t* const* sums) {
    U64x8 sum[kGroups][kColumns];
    for (int g = 0; g < kGroups; ++g)
        for (int c = 0; c < kColumns; ++c) sum[g][c] = U64x8::load(sums[g] + (first_column + c) * kLanes);
    for (std::int64_t four = buckets.start[row]; four < buckets.start[row + 1]; ++four) {
        for (int g = 0; g < kGroups; ++g) add_four<kColumns>(groups[g].rows, buckets, four, first_column, sum[g]);
        for (int g = kGroups; g < 2 * kGroups && fetches_next; ++g)
            for (int i = 0; i < kSamplesOfFour; i += 2)
                __builtin_prefetch(groups[g].rows + std::int64_t(buckets.sample[four * kSamplesOfFour + i]) * kLanes);
    }
    for (int g = 0; g < kGroups; ++g)
        for (int c = 0; c < kColumns; ++c) sum[g][c].store(sums[g] + (first_column + c) * kLanes);
}

// The columns [first, last) of all rows.
template <int kGroups>
void add_rows(const WeightedBuckets& buckets, const ByteGroup* groups, bool fetches_next, int first, int last,
              std::uint64_t* const* sums) {
    for (std::int64_t row = 0; row < buckets.n_rows; ++row) {
        if (buckets.start[row] == buckets.start[row + 1]) continue;
        std::uint64_t* sums_of_row[kGroups];
        for (int g = 0; g < kGroups; ++g) sums_of_row[g] = sums[g] + row * (groups[g].n_codes - 1) * kLanes;
        int c = first;
        const auto add_next_columns = [&](auto width) {
            constexpr int kColumns = decltype(width)::value;
            add_columns<kGroups, kColumns>(buckets, row, groups, fetches_next, c, sums_of_row);
            fetches_next = false;
            c += kColumns;
        };
        while (last - c >= kWeightedColumns) add_next_columns(Width<kWeightedColumns>{});
        if (last - c == 3) add_next_columns(Width<3>{});
        if (last - c == 2) add_next_columns(Width<2>{});
        if (last - c == 1) add_next_columns(Width<1>{});
    }
}

void weighted_sums(const WeightedBuckets& buckets, const ByteGroup* groups, int n_groups, std::uint64_t* const* sums) {
    for (int g = 0; g < n_groups; ++g) {
        int n_done = 0;  // columns of the group
        if (kGroupsOfWeights == 2 && g + 1 < n_groups) {
            n_done = (groups[g].n_codes < groups[g + 1].n_codes ? groups[g] : groups[g + 1]).n_codes - 1;
            add_rows<kGroupsOfWeights>(buckets, groups + g, g + 3 < n_groups, 0, n_done, sums + g);
            add_rows<1>(buckets, groups + g, false, n_done, groups[g].n_codes - 1, sums + g);
            ++g;
        }
        add_rows<1>(buckets, groups + g, g + 1 < n_groups, n_done, groups[g].n_codes - 1, sums + g);
    }
}
