// Counting by packed counters (see counting_kernel.hpp), compiled once per instruction set over its U64x8, eight 64-bit
// lanes, after pair_loop.inl.hpp.

// The samples of a chunk in buckets by the code of one pivot: sample[code * capacity + i], i < size[code], have the code.
struct CodeBuckets {
    std::uint16_t* sample;
    std::int64_t capacity;
    std::int64_t size[kCountersPerWord];

    const std::uint16_t* samples_of(int code) const { return sample + code * capacity; }
};

// Sorts the samples by the code of a pivot. `codes[8 * t]` is 6 times the code of sample t; `codes` is null where the
// pivot is constant.
inline void put_into_buckets(const std::uint8_t* codes, std::int64_t n, CodeBuckets& buckets) {
    buckets.capacity = n / 32 * 32 + kBucketPadding;
    for (int a = 0; a < kCountersPerWord; ++a) buckets.size[a] = 0;
    if (codes == nullptr) {
        for (std::int64_t t = 0; t < n; ++t) buckets.sample[t] = std::uint16_t(t);
        buckets.size[0] = n;
        return;
    }
    std::uint16_t* end[kCountersPerWord * kCounterBits];  // end[6 * code]: behind the last sample of a bucket
    for (int a = 0; a < kCountersPerWord; ++a) end[a * kCounterBits] = buckets.sample + a * buckets.capacity;
    for (std::int64_t t = 0; t < n; ++t) *end[codes[t * kLanes]]++ = std::uint16_t(t);
    for (int a = 0; a < kCountersPerWord; ++a) buckets.size[a] = end[a * kCounterBits] - buckets.samples_of(a);
}

// Counts how many of n <= kCounterMax samples have each code. Every lane of the result is a word of ten counters.
inline __attribute__((always_inline)) U64x8 count_codes(const std::uint16_t* samples, std::int64_t n,
                                                        const std::uint8_t* rows) {
    const U64x8 one = U64x8::broadcast(1);
    U64x8 sum = U64x8::zero();
    for (std::int64_t t = 0; t < n; ++t)
        sum = U64x8::add(sum, U64x8::shift_each(one, U64x8::widen_bytes(rows + std::int64_t(samples[t]) * kLanes)));
    return sum;
}

// The counters of one pivot with one SIMD group, of which rows are codes of the pivot and columns codes of the group.
//
// A class whose samples come in one chunk is counted row by row: where no code of the pivot has more than kCounterMax
// samples the row is a word of counters, which is added to `packed`. All other rows are counted in `cells` and carried
// to `pooled`.
struct CounterState {
    std::uint64_t* packed;  // [row][even, odd][lane]: twelve-bit counters, over the classes since the last flush
    std::uint64_t* pooled;  // [row][column][lane]: 64-bit counters, over the classes before
    std::uint64_t* cells;  // [row][column][lane]: 64-bit counters of the present class; zeros after each row is carried
    std::int64_t* pooled_sums;
    std::int64_t* class_sums;  // null where sums within the classes are not wanted
};

// How the samples of the present class are counted.
struct ClassMode {
    bool is_whole_class;  // whether its samples come in one chunk
    bool per_class;       // whether the sums within the classes are wanted
    bool in_table;        // whether every count of the class is in the table of the terms
};

inline void add_to(std::uint64_t* counters, const U64x8& increment) {
    U64x8::add(U64x8::load(counters), increment).store(counters);
}

// Moves the packed counters to the pooled ones.
inline void flush(const CounterState& state, int n_rows, int n_columns) {
    const U64x8 twelve_bits = U64x8::broadcast(0xfff);
    for (int r = 0; r < n_rows; ++r)
        for (int odd = 0; odd < 2; ++odd) {
            std::uint64_t* packed = state.packed + (2 * r + odd) * kLanes;
            U64x8 word = U64x8::load(packed);
            for (int c = odd; c < n_columns; c += 2, word = U64x8::shift_right(word, 2 * kCounterBits))
                add_to(state.pooled + (r * n_columns + c) * kLanes, U64x8::bit_and(word, twelve_bits));
            U64x8::zero().store(packed);
        }
}

// Adds the samples of a bucket of any size to the cells of a row. It is not inlined, so that its loop has all registers.
__attribute__((noinline)) void add_to_cells(std::uint64_t* cells, int n_columns, const std::uint16_t* samples,
                                            std::int64_t n, const std::uint8_t* rows) {
    const U64x8 counter = U64x8::broadcast(std::uint64_t(kCounterMax));
    for (std::int64_t t = 0; t < n; t += kCounterMax) {
        U64x8 word = count_codes(samples + t, n - t < kCounterMax ? n - t : kCounterMax, rows);
        for (int c = 0; c < n_columns; ++c, word = U64x8::shift_right(word, kCounterBits))
            add_to(cells + c * kLanes, U64x8::bit_and(word, counter));
    }
}

// Adds the entropy terms of a finished row of cells to the class sums, and moves the row to the pooled counters.
inline void carry_row(const CounterState& state, int row, int n_columns, const ClassMode& mode, const Terms& terms) {
    std::uint64_t* cells = state.cells + row * n_columns * kLanes;
    if (mode.per_class) (mode.in_table ? add_terms<true> : add_terms<false>)(state.class_sums, cells, n_columns, terms);
    for (int c = 0; c < n_columns; ++c) {
        add_to(state.pooled + (row * n_columns + c) * kLanes, U64x8::load(cells + c * kLanes));
        U64x8::zero().store(cells + c * kLanes);
    }
}

// Counts one chunk of a class for one pivot and one SIMD group. Two neighbouring counters are looked up together, in
// pair_terms (see fill_pair_terms).
void count_chunk(const CodeBuckets& buckets, const std::uint8_t* rows, const CounterState& state, int n_rows,
                 int n_columns, const ClassMode& mode, const Terms& terms, const Terms& pair_terms) {
    const U64x8 twelve_bits = U64x8::broadcast(0xfff);
    const U64x8 even = U64x8::broadcast(kEvenCounters);
    alignas(64) std::uint64_t indices[kCountersPerWord * kCountersPerWord / 2 * kLanes];  // into pair_terms
    int n_indices = 0;
    for (int r = 0; r < n_rows; ++r) {
        const std::uint16_t* samples = buckets.samples_of(r);
        const std::int64_t size = buckets.size[r];
        if (size == 0) continue;
        if (!mode.is_whole_class || size > kCounterMax) {
            add_to_cells(state.cells + r * n_columns * kLanes, n_columns, samples, size, rows);
            if (mode.is_whole_class) carry_row(state, r, n_columns, mode, terms);
            continue;
        }
        const U64x8 word = count_codes(samples, size, rows);
        add_to(state.packed + 2 * r * kLanes, U64x8::bit_and(word, even));
        add_to(state.packed + (2 * r + 1) * kLanes, U64x8::bit_and(U64x8::shift_right(word, kCounterBits), even));
        U64x8 two_counters = word;
        for (int c = 0; c < n_columns; c += 2, ++n_indices) {
            U64x8::bit_and(two_counters, twelve_bits).store(indices + n_indices * kLanes);
            two_counters = U64x8::shift_right(two_counters, 2 * kCounterBits);
        }
    }
    if (mode.per_class) add_terms<true>(state.class_sums, indices, n_indices, pair_terms);
}

// pair_terms[c0 + 64 c1] = T[c0] + T[c1] for two counts that together are n_samples at most.
inline void fill_pair_terms(const Terms& terms, std::int64_t n_samples, std::int64_t* pair_terms) {
    for (std::int64_t c1 = 0; c1 <= n_samples; ++c1)
        for (std::int64_t c0 = 0; c0 <= n_samples - c1; ++c0)
            pair_terms[c0 + (c1 << kCounterBits)] = terms(std::uint64_t(c0)) + terms(std::uint64_t(c1));
}

// The counters of all pivots with all groups.
struct CounterGrid {
    const BytePivots& pivots;
    const ByteGroup* groups;
    int n_groups;
    CounterState* states;  // [group][pivot]

    // Calls work(group, pivot, state, codes of the group).
    template <class Work>
    inline __attribute__((always_inline)) void for_each(const Work& work) const {
        for (int g = 0; g < n_groups; ++g)
            for (int p = 0; p < pivots.lanes; ++p) work(g, p, states[g * pivots.lanes + p], groups[g].n_codes);
    }

    std::int64_t row_words() const { return std::int64_t(pivots.n_codes) * kLanes; }  // of one column of counters

    std::int64_t n_counters() const {
        std::int64_t n = 0;
        for (int g = 0; g < n_groups; ++g) n += pivots.lanes * row_words() * (2 + 2 * groups[g].n_codes);
        return n;
    }

    // Divides n_counters() counters among the states, and sets them and the sums to 0.
    void start(std::uint64_t* counters, std::int64_t* pooled_sums, std::int64_t* class_sums) const {
        const std::int64_t n = n_counters();
        for (std::int64_t i = 0; i < n; ++i) counters[i] = 0;
        for_each([&](int g, int p, CounterState& state, int n_columns) {
            const std::int64_t n_cells = row_words() * n_columns;
            const std::int64_t first_sum = std::int64_t(g * pivots.lanes + p) * kLanes;
            state.packed = counters;
            state.pooled = state.packed + 2 * row_words();
            state.cells = state.pooled + n_cells;
            counters = state.cells + n_cells;
            state.pooled_sums = pooled_sums + first_sum;
            state.class_sums = class_sums != nullptr ? class_sums + first_sum : nullptr;
            for (int lane = 0; lane < kLanes; ++lane) {
                state.pooled_sums[lane] = 0;
                if (class_sums != nullptr) state.class_sums[lane] = 0;
            }
        });
    }
};

// Fetches the chunk behind that of n samples: samples in the order of their codes are no pattern that the hardware
// could follow.
inline void fetch_next_chunk(const std::uint8_t* rows, std::int64_t n) {
    for (std::int64_t byte = 0; byte < n * kLanes; byte += 64)
        __builtin_prefetch(address_ahead(rows, n * kLanes + byte), 0, 2);
}

void counter_sums(const BytePivots& pivots, const ByteGroup* groups, int n_groups, const ClassLayout& layout,
                  const Terms& terms, std::int64_t* pooled_sums, std::int64_t* class_sums) {
    const bool per_class = class_sums != nullptr;
    const int n_rows = pivots.n_codes;
    const LargeScratch<CounterState> states(std::int64_t(pivots.lanes) * n_groups);
    const CounterGrid grid{pivots, groups, n_groups, states.data};
    const LargeScratch<std::uint64_t> counters(grid.n_counters());
    grid.start(counters.data, pooled_sums, class_sums);

    constexpr std::int64_t kPairTerms = std::int64_t(1) << (2 * kCounterBits);
    const LargeScratch<std::int64_t> pair_table(kPairTerms);
    fill_pair_terms(terms, layout.n_samples < kCounterMax ? layout.n_samples : kCounterMax, pair_table.data);
    const Terms pair_terms{pair_table.data, std::uint64_t(kPairTerms), terms.shift};

    constexpr std::int64_t kPivotBuckets = kCountersPerWord * kBucketCapacity;  // samples in the buckets of one pivot
    const LargeScratch<std::uint16_t> bucket_samples(pivots.lanes * kPivotBuckets);
    CodeBuckets buckets[kLanes];
    for (int p = 0; p < pivots.lanes; ++p) buckets[p].sample = bucket_samples.data + p * kPivotBuckets;

    const std::int64_t n_classes = per_class ? layout.n_classes : 1;
    std::int64_t n_unflushed = 0;  // classes that the packed counters hold
    std::int64_t first = 0;
    for (std::int64_t class_index = 0; class_index < n_classes; ++class_index) {
        const std::int64_t size = per_class ? layout.class_size[class_index] : layout.n_samples;
        const std::int64_t end = first + size;
        const ClassMode mode{size <= kBucketChunk, per_class, std::uint64_t(size) < terms.limit};
        for (; first < end; first += kBucketChunk) {
            const std::int64_t n = end - first < kBucketChunk ? end - first : kBucketChunk;
            for (int p = 0; p < pivots.lanes; ++p)
                put_into_buckets(pivots.rows ? pivots.rows + first * kLanes + p : nullptr, n, buckets[p]);
            grid.for_each([&](int g, int p, const CounterState& state, int n_columns) {
                const std::uint8_t* rows = groups[g].rows + first * kLanes;
                if (p == 0) fetch_next_chunk(rows, n);
                count_chunk(buckets[p], rows, state, n_rows, n_columns, mode, terms, pair_terms);
            });
        }
        first = end;
        if (!mode.is_whole_class)
            grid.for_each([&](int, int, const CounterState& state, int n_columns) {
                for (int r = 0; r < n_rows; ++r) carry_row(state, r, n_columns, mode, terms);
            });
        ++n_unflushed;
        if (n_unflushed == kMaxClassesHeld || class_index + 1 == n_classes) {
            grid.for_each([&](int, int, const CounterState& state, int n_columns) { flush(state, n_rows, n_columns); });
            n_unflushed = 0;
        }
    }
    const bool in_table = std::uint64_t(layout.n_samples) < terms.limit;
    grid.for_each([&](int, int, const CounterState& state, int n_columns) {
        (in_table ? add_terms<true> : add_terms<false>)(state.pooled_sums, state.pooled, n_rows * n_columns, terms);
    });
}
