// Counting pairs of features by bit planes, compiled once per instruction set over a vector `U64x8` of eight 64-bit
// lanes.
//
// A pair of features within a class is counted by popcounts of ANDs of their planes, in tiles that fill the registers;
// the last row and column of its table follow from the margins. The including file defines U64x8, kTileRows,
// kTileColumns and kCarriedWords: from so many words on, bits are added in carries, as counting them takes long; 0:
// never.
//
// Limits: counts are 64-bit, margins 32-bit, for up to 2^31 samples; scratch is
// n_planes(pivot) * lanes * n_planes(group) * 64 bytes, twice, on the heap of the calling thread.

// Of planes at once: with the next chunk, less than the second-level cache. Carries read them anew for every cell.
constexpr std::int64_t kChunkBytes = (kCarriedWords > 0 ? 48 : 128) << 10;
constexpr std::int64_t kLongRun = 32;  // words from which fetching ahead pays

// counts[row][column] += popcount(rows & columns) over `words` words; registers hold the whole tile. Where
// `ahead` is not 0, the same planes are fetched that many words ahead: a tile reads a few planes of every word, a
// stride that the hardware follows badly from main memory.
template <int R, int C>
inline __attribute__((always_inline)) void count_tile(const std::uint64_t* rows, std::int64_t row_stride,
                                                      const std::uint64_t* columns, std::int64_t column_stride,
                                                      std::int64_t words, std::uint64_t* counts,
                                                      std::int64_t count_stride, bool fresh, std::int64_t ahead) {
    U64x8 sum[R][C];
    for (int r = 0; r < R; ++r)
        for (int c = 0; c < C; ++c) sum[r][c] = U64x8::zero();
    for (std::int64_t w = 0; w < words; ++w, rows += row_stride, columns += column_stride) {
        U64x8 column[C];
        for (int c = 0; c < C; ++c) column[c] = U64x8::load(columns + c * kLanes);
        if (ahead)
            for (int c = 0; c < C; ++c) __builtin_prefetch(columns + ahead * column_stride + c * kLanes, 0, 2);
        for (int r = 0; r < R; ++r) {
            const U64x8 row = U64x8::broadcast(rows[r]);
            for (int c = 0; c < C; ++c) sum[r][c] = U64x8::add_popcount_and(sum[r][c], row, column[c]);
        }
    }
    for (int r = 0; r < R; ++r)
        for (int c = 0; c < C; ++c) {
            std::uint64_t* out = counts + r * count_stride + c * kLanes;
            (fresh ? sum[r][c] : U64x8::add(sum[r][c], U64x8::load(out))).store(out);
        }
}

// The bits of a and b added to `ones`, place by place: what is carried.
inline __attribute__((always_inline)) U64x8 carry(U64x8& ones, const U64x8& a, const U64x8& b) {
    const U64x8 either = U64x8::bit_xor(ones, a),
                carried = U64x8::bit_xor(U64x8::bit_and(ones, a), U64x8::bit_and(either, b));
    ones = U64x8::bit_xor(either, b);
    return carried;
}

// One cell of count_tile by carries (the Harley-Seal method): of eight words' ANDs one is counted, which holds eights.
inline __attribute__((always_inline)) void count_carried(const std::uint64_t* row, std::int64_t row_stride,
                                                         const std::uint64_t* column, std::int64_t column_stride,
                                                         std::int64_t words, std::uint64_t* counts, bool fresh) {
    U64x8 eights = U64x8::zero(), fours = eights, twos = eights, ones = eights;
    const auto next = [&] {
        const U64x8 both = U64x8::bit_and(U64x8::broadcast(*row), U64x8::load(column));
        row += row_stride;
        column += column_stride;
        return both;
    };
    const auto count = [](const U64x8& sum, const U64x8& bits) { return U64x8::add_popcount_and(sum, bits, bits); };
    const auto two = [&] {
        const U64x8 a = next(), b = next();
        return carry(ones, a, b);
    };
    const auto four = [&] {
        const U64x8 a = two(), b = two();
        return carry(twos, a, b);
    };
    std::int64_t w = 0;
    for (; w + 8 <= words; w += 8) {
        const U64x8 a = four(), b = four();
        eights = count(eights, carry(fours, a, b));
    }
    U64x8 sum = count(
        U64x8::shift_left(count(U64x8::shift_left(count(U64x8::shift_left(eights, 1), fours), 1), twos), 1), ones);
    for (; w < words; ++w) sum = count(sum, next());
    (fresh ? sum : U64x8::add(sum, U64x8::load(counts))).store(counts);
}

// Goes through the rows in tiles of kTileRows (or 9, where that divides them: 24 to 27 sums and 3 columns fill the 32
// registers of AVX-512), then one tile of the remaining rows.
template <int C>
inline __attribute__((always_inline)) void count_rows(const std::uint64_t* rows, std::int64_t n_rows,
                                                      const std::uint64_t* columns, std::int64_t column_stride,
                                                      std::int64_t words, std::uint64_t* counts,
                                                      std::int64_t count_stride, bool fresh, std::int64_t ahead) {
    std::int64_t r = 0;
    if constexpr (kCarriedWords > 0)
        if (words >= kCarriedWords) {
            for (; r < n_rows; ++r)
                for (int c = 0; c < C; ++c)
                    count_carried(rows + r, n_rows, columns + c * kLanes, column_stride, words,
                                  counts + r * count_stride + c * kLanes, fresh);
            return;
        }
    const auto tile = [&](auto height) {
        constexpr int R = decltype(height)::value;
        count_tile<R, C>(rows + r, n_rows, columns, column_stride, words, counts + r * count_stride, count_stride,
                         fresh, r == 0 ? ahead : 0);
        r += R;
    };
    if constexpr (kTileRows == 8 && C <= 3)
        if (n_rows % 9 == 0)
            while (r < n_rows) tile(Width<9>{});
    while (n_rows - r >= kTileRows) tile(Width<kTileRows>{});
    if constexpr (kTileRows > 4) {
        if (n_rows - r == 7) tile(Width<7>{});
        if (n_rows - r == 6) tile(Width<6>{});
        if (n_rows - r == 5) tile(Width<5>{});
        if (n_rows - r == 4) tile(Width<4>{});
    }
    if constexpr (kTileRows > 2)
        if (n_rows - r == 3) tile(Width<3>{});
    if (n_rows - r == 2) tile(Width<2>{});
    if (n_rows - r == 1) tile(Width<1>{});
}

// All inner cells of one segment: counts[(plane * lanes + lane of pivot) * n_planes + plane of group][lane].
void count_segment(const PivotPlanes& pivot, const PlaneGroup& group, std::int64_t first, std::int64_t last,
                   std::uint64_t* counts) {
    const std::int64_t n_rows = std::int64_t(pivot.n_planes) * pivot.lanes;
    const int n_columns = group.n_planes;
    const std::int64_t word_bytes = (n_rows + n_columns * kLanes) * 8 + 1;  // + 1: both sides may be constants
    const std::int64_t chunk = kChunkBytes / word_bytes > 16 ? kChunkBytes / word_bytes : 16;
    std::int64_t w = first;
    do {
        const std::int64_t words = last - w < chunk ? last - w : chunk;
        const std::uint64_t* rows = pivot.planes + w * n_rows;
        const std::uint64_t* columns = group.planes + w * n_columns * kLanes;
        const std::int64_t column_stride = std::int64_t(n_columns) * kLanes;
        int c = 0;
        const auto step = [&](auto width) {
            constexpr int C = decltype(width)::value;
            count_rows<C>(rows, n_rows, columns + c * kLanes, column_stride, words, counts + c * kLanes, column_stride,
                          w == first, last - first >= kLongRun ? chunk : 0);
            c += C;
        };
        while (n_columns - c > kTileColumns + 1) step(Width<kTileColumns>{});
        if constexpr (kTileColumns == 3)
            if (n_columns - c == 3) step(Width<3>{});
        while (n_columns - c >= 2) step(Width<2>{});
        if (c < n_columns) step(Width<1>{});
        w += words;
    } while (w < last);
}

void plane_margins(const std::uint64_t* planes, std::int64_t row, const ClassLayout& layout, std::uint32_t* margins) {
    constexpr std::int64_t kWords = 16;  // of all planes at once, which lie side by side in memory
    std::uint32_t* total = margins + layout.count * row;
    const U64x8 ones = U64x8::broadcast(~std::uint64_t(0));
    const Scratch counts(row);
    for (std::int64_t i = 0; i < row; ++i) total[i] = 0;
    for (std::int64_t s = 0; s < layout.count; ++s) {
        for (std::int64_t i = 0; i < row; ++i) counts.data[i] = 0;
        for (std::int64_t first = layout.word_start[s], end = layout.word_start[s + 1]; first < end; first += kWords)
            for (std::int64_t i = 0; i < row; i += kLanes) {
                U64x8 sum = U64x8::load(counts.data + i);
                for (std::int64_t w = first; w < end && w < first + kWords; ++w)
                    sum = U64x8::add_popcount_and(sum, U64x8::load(planes + w * row + i), ones);
                sum.store(counts.data + i);
            }
        for (std::int64_t i = 0; i < row; ++i) {
            margins[s * row + i] = std::uint32_t(counts.data[i]);
            total[i] += std::uint32_t(counts.data[i]);
        }
    }
}

// sums[lane] += T[cells[c * 8 + lane]] over n cells. Scalar look-ups into eight registers: on the machines measured
// a gather is no faster.
template <bool kInTable>
inline __attribute__((always_inline)) void add_terms(std::int64_t* sums, const std::uint64_t* cells, int n,
                                                     const Terms& terms) {
    std::int64_t sum[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) sum[lane] = sums[lane];
    for (int c = 0; c < n; ++c)
        for (int lane = 0; lane < kLanes; ++lane) {
            const std::uint64_t count = cells[c * kLanes + lane];
            sum[lane] += kInTable ? terms.table[count] : terms(count);
            __asm__("" : "+r"(sum[lane]));  // in a register of its own: compilers would gather pairs of them, at a loss
        }
    for (int lane = 0; lane < kLanes; ++lane) sums[lane] = sum[lane];
}

// Adds to sums[lane of pivot] the entropy terms of all cells, those of the last row and column included, which follow
// from the margins. C = planes of the group and R = planes of the pivot where they are known, 0: any.
template <int R, int C, bool kInTable>
void add_table_terms(const PivotPlanes& pivot, const PlaneGroup& group, std::int64_t segment, std::int64_t size,
                     const std::uint64_t* counts, const Terms& terms, std::int64_t* sums) {
    const int n_columns = C ? C : group.n_planes, n_rows = R ? R : pivot.n_planes;
    const std::uint32_t* row_margin = pivot.margins + segment * n_rows * pivot.lanes;
    const std::uint32_t* column_margin = group.margins + segment * group.n_planes * kLanes;
    alignas(64) std::uint64_t derived[(kMaxPlanes + 1 + kMaxPlanes) * kLanes];  // last column, then last row
    for (int lane = 0; lane < pivot.lanes; ++lane) {
        U64x8 column_rest[C ? C : kMaxPlanes];
        for (int c = 0; c < n_columns; ++c) column_rest[c] = U64x8::widen(column_margin + c * kLanes);
        std::int64_t last = size;
        for (int r = 0; r < n_rows; ++r) {
            const std::int64_t row = std::int64_t(r) * pivot.lanes + lane;
            const std::uint64_t* cell = counts + row * n_columns * kLanes;
            last -= row_margin[row];
            U64x8 rest = U64x8::broadcast(row_margin[row]);
            for (int c = 0; c < n_columns; ++c) {
                const U64x8 count = U64x8::load(cell + c * kLanes);
                rest = U64x8::subtract(rest, count);
                column_rest[c] = U64x8::subtract(column_rest[c], count);
            }
            rest.store(derived + r * kLanes);
            add_terms<kInTable>(sums + lane * kLanes, cell, n_columns, terms);
        }
        U64x8 rest = U64x8::broadcast(std::uint64_t(last));
        for (int c = 0; c < n_columns; ++c) {
            rest = U64x8::subtract(rest, column_rest[c]);
            column_rest[c].store(derived + (n_rows + c) * kLanes);
        }
        rest.store(derived + (n_rows + n_columns) * kLanes);
        add_terms<kInTable>(sums + lane * kLanes, derived, n_rows + n_columns + 1, terms);
    }
}

// The same for features of two or three codes and a pivot that has row tables: one look-up a row instead of one a cell.
template <int C>
void add_row_terms(const PivotPlanes& pivot, const PlaneGroup& group, std::int64_t segment, const std::uint64_t* counts,
                   const Terms& terms, std::int64_t* sums) {
    const RowTable* tables = pivot.row_tables + segment * (pivot.n_planes + 1);
    const std::uint32_t* column_margin = group.margins + segment * C * kLanes;
    alignas(64) std::uint64_t cells[(C + 1) * kLanes];
    U64x8 column_rest[C];
    for (int c = 0; c < C; ++c) column_rest[c] = U64x8::widen(column_margin + c * kLanes);
    for (int r = 0; r <= pivot.n_planes; ++r) {
        U64x8 count[C];
        for (int c = 0; c < C; ++c) {
            if (r == pivot.n_planes) {
                count[c] = column_rest[c];
            } else {
                count[c] = U64x8::load(counts + (r * C + c) * kLanes);
                column_rest[c] = U64x8::subtract(column_rest[c], count[c]);
            }
        }
        if (tables[r].terms != nullptr) {
            U64x8 cell = count[0];
            if constexpr (C == 2) cell = U64x8::add(cell, U64x8::shift_left(count[1], tables[r].shift));
            cell.store(cells);
            for (int lane = 0; lane < kLanes; ++lane) sums[lane] += tables[r].terms[cells[lane]];
        } else {
            U64x8 rest = U64x8::broadcast(std::uint64_t(tables[r].margin));
            for (int c = 0; c < C; ++c) {
                rest = U64x8::subtract(rest, count[c]);
                count[c].store(cells + c * kLanes);
            }
            rest.store(cells + C * kLanes);
            add_terms<true>(sums, cells, C + 1, terms);
        }
    }
}

template <int C>
void add_any_terms(const PivotPlanes& pivot, const PlaneGroup& group, std::int64_t segment, std::int64_t size,
                   const std::uint64_t* counts, const Terms& terms, std::int64_t* sums) {
    if constexpr (C == 1 || C == 2)
        if (pivot.row_tables != nullptr) return add_row_terms<C>(pivot, group, segment, counts, terms, sums);
    if (std::uint64_t(size) >= terms.limit)
        return add_table_terms<0, C, false>(pivot, group, segment, size, counts, terms, sums);
    if constexpr (C == 1 || C == 2)
        if (pivot.n_planes == C) return add_table_terms<C, C, true>(pivot, group, segment, size, counts, terms, sums);
    add_table_terms<0, C, true>(pivot, group, segment, size, counts, terms, sums);
}

using AddTerms = void (*)(const PivotPlanes&, const PlaneGroup&, std::int64_t, std::int64_t, const std::uint64_t*,
                          const Terms&, std::int64_t*);

AddTerms terms_for(int n_columns) {
    switch (n_columns) {
        case 1:
            return add_any_terms<1>;
        case 2:
            return add_any_terms<2>;
        case 3:
            return add_any_terms<3>;
        case 4:
            return add_any_terms<4>;
        default:
            return add_any_terms<0>;
    }
}

void pair_sums(const PivotPlanes& pivot, const PlaneGroup& group, const ClassLayout& layout, const Terms& terms,
               std::int64_t* pooled_sums, std::int64_t* class_sums) {
    const std::int64_t n_sums = std::int64_t(pivot.lanes) * kLanes;
    const std::int64_t n_counts = n_sums * pivot.n_planes * group.n_planes;
    const AddTerms add_terms_of_table = terms_for(group.n_planes);
    Scratch scratch(2 * n_counts);
    std::uint64_t *pooled = scratch.data, *counts = pooled + n_counts;
    for (std::int64_t i = 0; i < n_sums; ++i) pooled_sums[i] = 0;
    if (class_sums == nullptr) {
        count_segment(pivot, group, 0, layout.word_start[layout.count], pooled);
    } else {
        for (std::int64_t i = 0; i < n_sums; ++i) class_sums[i] = 0;
        for (std::int64_t s = 0; s < layout.count; ++s) {
            std::uint64_t* into = s == 0 ? pooled : counts;
            count_segment(pivot, group, layout.word_start[s], layout.word_start[s + 1], into);
            add_terms_of_table(pivot, group, s, layout.size[s], into, terms, class_sums);
            if (s > 0)
                for (std::int64_t i = 0; i < n_counts; i += kLanes)
                    U64x8::add(U64x8::load(pooled + i), U64x8::load(counts + i)).store(pooled + i);
        }
    }
    add_terms_of_table(pivot, group, layout.count, layout.n_samples, pooled, terms, pooled_sums);
}

// The whole table of one segment, the derived cells included: cells[(row * columns + column) * 8 + lane].
void write_cells(const PivotPlanes& pivot, const PlaneGroup& group, std::int64_t segment, std::int64_t size,
                 const std::uint64_t* counts, std::uint64_t* cells) {
    const int n_rows = pivot.n_planes, n_columns = group.n_planes;
    const std::int64_t row_cells = std::int64_t(n_columns + 1) * kLanes;
    const std::uint32_t* row_margin = pivot.margins + segment * n_rows;
    const std::uint32_t* column_margin = group.margins + segment * n_columns * kLanes;
    std::uint64_t* last_row = cells + n_rows * row_cells;
    std::int64_t last = size;
    U64x8 last_rest = U64x8::zero();
    for (int c = 0; c < n_columns; ++c) U64x8::widen(column_margin + c * kLanes).store(last_row + c * kLanes);
    for (int r = 0; r < n_rows; ++r, cells += row_cells) {
        last -= row_margin[r];
        U64x8 rest = U64x8::broadcast(row_margin[r]);
        for (int c = 0; c < n_columns; ++c) {
            const U64x8 count = U64x8::load(counts + (std::int64_t(r) * n_columns + c) * kLanes);
            std::uint64_t* below = last_row + c * kLanes;
            count.store(cells + c * kLanes);
            rest = U64x8::subtract(rest, count);
            U64x8::subtract(U64x8::load(below), count).store(below);
        }
        rest.store(cells + n_columns * kLanes);
    }
    for (int c = 0; c < n_columns; ++c) last_rest = U64x8::add(last_rest, U64x8::load(last_row + c * kLanes));
    U64x8::subtract(U64x8::broadcast(std::uint64_t(last)), last_rest).store(last_row + n_columns * kLanes);
}

void pair_cells(const PivotPlanes& pivot, const PlaneGroup& group, const ClassLayout& layout, std::uint64_t* cells) {
    const std::int64_t table_cells = std::int64_t(pivot.n_planes + 1) * (group.n_planes + 1) * kLanes;
    const Scratch counts(std::int64_t(pivot.n_planes) * group.n_planes * kLanes);
    for (std::int64_t s = 0; s < layout.count; ++s, cells += table_cells) {
        count_segment(pivot, group, layout.word_start[s], layout.word_start[s + 1], counts.data);
        write_cells(pivot, group, s, layout.size[s], counts.data, cells);
    }
}

inline __attribute__((always_inline)) U64x8 signed_load(const std::int64_t* p, int sign) {
    const U64x8 v = U64x8::load(reinterpret_cast<const std::uint64_t*>(p));
    return sign == 0 ? U64x8::zero() : sign > 0 ? v : U64x8::subtract(U64x8::zero(), v);
}

void tile_values(int n_rows, const std::int64_t* pooled_sums, int pooled_sign, const std::int64_t* class_sums,
                 int class_sign, const std::int64_t* first, const std::int64_t* second, double one_bit, double* out) {
    const U64x8 column = U64x8::load(reinterpret_cast<const std::uint64_t*>(second));
    for (int a = 0; a < n_rows; ++a) {
        const U64x8 sum = U64x8::add(signed_load(pooled_sums + a * kLanes, pooled_sign),
                                     signed_load(class_sums + a * kLanes, class_sign));
        U64x8::add(U64x8::add(sum, U64x8::broadcast(std::uint64_t(first[a]))), column)
            .store_quotient(one_bit, out + a * kLanes);
    }
}
