// Counting by packed counters (see kernel.hpp), compiled once per instruction set over a vector `U64x8` of eight
// 64-bit lanes, after pair_loop.inl.hpp.
//
// Limits: scratch is lanes * groups * (2 * codes * codes + 2 * codes) * 64 bytes on the heap of the calling thread, 2
// MB for eight pivots and sixteen groups of ten codes.

// The samples of a chunk in buckets by the code of one pivot: sample[a * room + i], i < size[a], have code a.
struct CodeBuckets {
    std::uint16_t* sample;
    std::int64_t room;
    std::int64_t size[kCountersPerWord];
};

inline void put_into_buckets(const std::uint8_t* codes, std::int64_t n, CodeBuckets& buckets) {
    for (int a = 0; a < kCountersPerWord; ++a) buckets.size[a] = 0;
    if (codes == nullptr) {
        for (std::int64_t t = 0; t < n; ++t) buckets.sample[t] = std::uint16_t(t);
        buckets.size[0] = n;
        return;
    }
    std::uint16_t* end[kCountersPerWord * kCounterBits];  // by 6 * code, as the codes are kept
    for (int a = 0; a < kCountersPerWord; ++a) end[a * kCounterBits] = buckets.sample + a * buckets.room;
    for (std::int64_t t = 0; t < n; ++t) *end[codes[t * kLanes]]++ = std::uint16_t(t);
    for (int a = 0; a < kCountersPerWord; ++a)
        buckets.size[a] = end[a * kCounterBits] - (buckets.sample + a * buckets.room);
}

// How many of these samples, 63 at most, have each code: ten counters a lane.
inline __attribute__((always_inline)) U64x8 count_codes(const std::uint16_t* samples, std::int64_t n,
                                                        const std::uint8_t* rows) {
    const U64x8 one = U64x8::broadcast(1);
    U64x8 sum = U64x8::zero();
    for (std::int64_t t = 0; t < n; ++t)
        sum = U64x8::add(sum, U64x8::shift_each(one, U64x8::widen_bytes(rows + std::int64_t(samples[t]) * kLanes)));
    return sum;
}

// The counters of one pivot with one SIMD group, which go on from class to class.
struct CounterState {
    std::uint64_t* packed;  // [row][even, odd][lane]: twelve-bit counters, over the classes that fit a word
    std::uint64_t* pooled;  // [row][column][lane]: 64-bit counters, over the classes that were flushed
    std::uint64_t* cells;   // [row][column][lane]: of the present class where it does not fit a word; else 0
    std::int64_t *pooled_sums, *class_sums;
};

inline void add_to(std::uint64_t* place, const U64x8& more) { U64x8::add(U64x8::load(place), more).store(place); }

// Adds the packed counters to the pooled ones and sets them to 0.
inline void flush(const CounterState& state, int n_rows, int n_columns) {
    const U64x8 field = U64x8::broadcast(0xfff);
    for (int r = 0; r < n_rows; ++r)
        for (int odd = 0; odd < 2; ++odd) {
            std::uint64_t* packed = state.packed + (2 * r + odd) * kLanes;
            U64x8 word = U64x8::load(packed);
            for (int c = odd; c < n_columns; c += 2, word = U64x8::shift_right(word, 2 * kCounterBits))
                add_to(state.pooled + (r * n_columns + c) * kLanes, U64x8::bit_and(word, field));
            U64x8::zero().store(packed);
        }
}

// Adds the samples of a bucket of any size to the cells of a row.
inline void add_to_cells(std::uint64_t* cells, int n_columns, const std::uint16_t* samples, std::int64_t n,
                         const std::uint8_t* rows) {
    const U64x8 field = U64x8::broadcast(std::uint64_t(kCounterMax));
    for (std::int64_t t = 0; t < n; t += kCounterMax) {
        U64x8 word = count_codes(samples + t, n - t < kCounterMax ? n - t : kCounterMax, rows);
        for (int c = 0; c < n_columns; ++c, word = U64x8::shift_right(word, kCounterBits))
            add_to(cells + c * kLanes, U64x8::bit_and(word, field));
    }
}

// Sums the entropy terms of a finished row of cells and carries the row to the pooled counters.
inline void carry_row(const CounterState& state, int row, int n_columns, bool per_class, bool in_table,
                      const Terms& terms) {
    std::uint64_t* cells = state.cells + row * n_columns * kLanes;
    if (per_class) (in_table ? add_terms<true> : add_terms<false>)(state.class_sums, cells, n_columns, terms);
    for (int c = 0; c < n_columns; ++c) {
        add_to(state.pooled + (row * n_columns + c) * kLanes, U64x8::load(cells + c * kLanes));
        U64x8::zero().store(cells + c * kLanes);
    }
}

// Counts one chunk of a class for one pivot and one SIMD group. `is_whole_class`: the chunk is the whole class.
void count_chunk(const CodeBuckets& buckets, const std::uint8_t* rows, const CounterState& state, int n_rows,
                 int n_columns, bool is_whole_class, bool per_class, bool in_table, const Terms& terms,
                 const Terms& pair_terms) {
    const U64x8 two_fields = U64x8::broadcast(0xfff), even = U64x8::broadcast(kEvenCounters);
    alignas(64) std::uint64_t indices[kCountersPerWord * kCountersPerWord / 2 * kLanes];
    int n = 0;
    for (int r = 0; r < n_rows; ++r) {
        const std::uint16_t* samples = buckets.sample + r * buckets.room;
        const std::int64_t size = buckets.size[r];
        if (size == 0) continue;
        if (!is_whole_class || size > kCounterMax) {
            add_to_cells(state.cells + r * n_columns * kLanes, n_columns, samples, size, rows);
            if (is_whole_class) carry_row(state, r, n_columns, per_class, in_table, terms);
            continue;
        }
        const U64x8 word = count_codes(samples, size, rows);
        add_to(state.packed + 2 * r * kLanes, U64x8::bit_and(word, even));
        add_to(state.packed + (2 * r + 1) * kLanes, U64x8::bit_and(U64x8::shift_right(word, kCounterBits), even));
        U64x8 next = word;
        for (int c = 0; c < n_columns; c += 2, ++n, next = U64x8::shift_right(next, 2 * kCounterBits))
            U64x8::bit_and(next, two_fields).store(indices + n * kLanes);
    }
    if (per_class) add_terms<true>(state.class_sums, indices, n, pair_terms);
}

// pairs[c0 + 64 c1] = T[c0] + T[c1] for counts of at most `most` samples together.
inline void fill_pair_terms(const Terms& terms, std::int64_t most, std::int64_t* pairs) {
    for (std::int64_t c1 = 0; c1 <= most; ++c1)
        for (std::int64_t c0 = 0; c0 <= most - c1; ++c0)
            pairs[c0 + (c1 << kCounterBits)] = terms(std::uint64_t(c0)) + terms(std::uint64_t(c1));
}

void counter_sums(const BytePivots& pivots, const ByteGroup* groups, int n_groups, const ClassLayout& layout,
                  const Terms& terms, std::int64_t* pooled_sums, std::int64_t* class_sums) {
    const bool per_class = class_sums != nullptr;
    const int n_rows = pivots.n_codes, n_states = pivots.lanes * n_groups;
    const std::int64_t row_words = std::int64_t(n_rows) * kLanes;
    std::int64_t n_words = 0;
    for (int g = 0; g < n_groups; ++g) n_words += pivots.lanes * row_words * (2 + 2 * groups[g].n_codes);
    LargeScratch counters(n_words), bucket_room(pivots.lanes * (kCountersPerWord * (kBucketChunk + 96)) / 4);
    LargeScratch pair_room(std::int64_t(1) << (2 * kCounterBits)),
        state_room(n_states * std::int64_t(sizeof(CounterState)) / 8);
    for (std::int64_t i = 0; i < n_words; ++i) counters.data[i] = 0;
    CounterState* const states = reinterpret_cast<CounterState*>(state_room.data);
    std::uint64_t* next = counters.data;
    for (int g = 0; g < n_groups; ++g)
        for (int p = 0; p < pivots.lanes; ++p) {
            const int i = g * pivots.lanes + p;
            const std::int64_t cells = row_words * groups[g].n_codes;
            states[i] = {next, next + 2 * row_words, next + 2 * row_words + cells, pooled_sums + i * kLanes,
                         per_class ? class_sums + i * kLanes : nullptr};
            next += 2 * row_words + 2 * cells;
            for (int lane = 0; lane < kLanes; ++lane) {
                states[i].pooled_sums[lane] = 0;
                if (per_class) states[i].class_sums[lane] = 0;
            }
        }
    std::int64_t* const pairs = reinterpret_cast<std::int64_t*>(pair_room.data);
    fill_pair_terms(terms, layout.n_samples < kCounterMax ? layout.n_samples : kCounterMax, pairs);
    const Terms pair_terms{pairs, std::uint64_t(1) << (2 * kCounterBits), terms.shift};
    CodeBuckets buckets[kLanes];
    const auto each = [&](auto work) {
        for (int g = 0; g < n_groups; ++g)
            for (int p = 0; p < pivots.lanes; ++p) work(g, p, states[g * pivots.lanes + p], groups[g].n_codes);
    };

    const std::int64_t n_classes = per_class ? layout.count : 1;
    int held = 0;  // classes that the packed counters hold: 64 of them cannot overflow twelve bits
    for (std::int64_t s = 0, first = 0; s < n_classes; ++s) {
        const std::int64_t size = per_class ? layout.size[s] : layout.n_samples, end = first + size;
        const bool is_whole_class = size <= kBucketChunk, in_table = std::uint64_t(size) < terms.limit;
        for (; first < end; first += kBucketChunk) {
            const std::int64_t n = end - first < kBucketChunk ? end - first : kBucketChunk;
            for (int p = 0; p < pivots.lanes; ++p) {
                buckets[p].room = n / 32 * 32 + 96;  // no power of two, so that buckets share no set of the cache
                buckets[p].sample =
                    reinterpret_cast<std::uint16_t*>(bucket_room.data) + p * kCountersPerWord * (kBucketChunk + 96);
                put_into_buckets(pivots.rows ? pivots.rows + first * kLanes + p : nullptr, n, buckets[p]);
            }
            each([&](int g, int p, const CounterState& state, int n_columns) {
                const std::uint8_t* rows = groups[g].rows + first * kLanes;
                if (p == 0)  // the order of the buckets is no pattern that the hardware could prefetch by itself
                    for (std::int64_t byte = 0; byte < n * kLanes; byte += 64)
                        __builtin_prefetch(rows + n * kLanes + byte, 0, 2);
                count_chunk(buckets[p], rows, state, n_rows, n_columns, is_whole_class, per_class, in_table, terms,
                            pair_terms);
            });
        }
        first = end;
        if (!is_whole_class)
            each([&](int, int, const CounterState& state, int n_columns) {
                for (int r = 0; r < n_rows; ++r) carry_row(state, r, n_columns, per_class, in_table, terms);
            });
        if (++held < 64 && s + 1 < n_classes) continue;
        each([&](int, int, const CounterState& state, int n_columns) { flush(state, n_rows, n_columns); });
        held = 0;
    }
    const bool in_table = std::uint64_t(layout.n_samples) < terms.limit;
    each([&](int, int, const CounterState& state, int n_columns) {
        (in_table ? add_terms<true> : add_terms<false>)(state.pooled_sums, state.pooled, n_rows * n_columns, terms);
    });
}
