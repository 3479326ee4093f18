// Counting pairs of features by bit planes, compiled once per instruction set over its U64x8, eight 64-bit lanes.
//
// A pair of features within a class is counted by popcounts of ANDs of their planes, in tiles that fill the registers;
// the last row and column of its table follow from the margins. What each function needs, its limits and its cost stand
// in counting_kernel.hpp. The including file defines
//   U64x8                    eight 64-bit lanes
//   kTileRows, kTileColumns  the tile whose sums fill the registers
//   kCarriedWords            classes of so many words are counted by carries (count_carried), for an instruction set
//                            that counts bits slowly; 0: none are
//
// In this file rows are planes of the pivots, columns are planes of the group, and a word is 64 samples.

// Planes that are counted at once: with those of the next chunk they fit the second-level cache. Carries read them anew
// for every cell, from the first-level cache.
constexpr std::int64_t kChunkBytes = (kCarriedWords > 0 ? 48 : 128) << 10;
constexpr std::int64_t kMinPrefetchedWords = 32;  // fetching ahead pays in a class of at least so many words

// Planes side by side: plane p of word w is first[w * stride + p].
struct PlaneBlock {
    const std::uint64_t* first;
    std::int64_t stride;

    __attribute__((always_inline)) PlaneBlock from(std::int64_t plane) const { return {first + plane, stride}; }
};

// Counts side by side: row r, column c and a lane are first[r * stride + c * kLanes + lane].
struct CountBlock {
    std::uint64_t* first;
    std::int64_t stride;
    bool replace;  // whether counts are written over (by the first chunk of a class), not added to

    __attribute__((always_inline)) CountBlock from(std::int64_t row, int column) const {
        return {first + row * stride + column * kLanes, stride, replace};
    }
    __attribute__((always_inline)) void put(int row, int column, const U64x8& sum) const {
        std::uint64_t* out = first + row * stride + column * kLanes;
        (replace ? sum : U64x8::add(sum, U64x8::load(out))).store(out);
    }
};

// counts[row][column] += popcount(rows & columns) over n_words; registers hold the sums of the tile. The columns are
// fetched prefetch_words ahead (0: they are not): a tile reads a few planes of every word, a stride that the hardware
// does not fetch ahead well from main memory.
template <int kRows, int kColumns>
inline __attribute__((always_inline)) void count_tile(PlaneBlock rows, PlaneBlock columns, std::int64_t n_words,
                                                      std::int64_t prefetch_words, CountBlock counts) {
    U64x8 sum[kRows][kColumns];
    for (int r = 0; r < kRows; ++r)
        for (int c = 0; c < kColumns; ++c) sum[r][c] = U64x8::zero();
    for (std::int64_t w = 0; w < n_words; ++w, rows.first += rows.stride, columns.first += columns.stride) {
        U64x8 column[kColumns];
        for (int c = 0; c < kColumns; ++c) column[c] = U64x8::load(columns.first + c * kLanes);
        if (prefetch_words)
            for (int c = 0; c < kColumns; ++c)
                __builtin_prefetch(address_ahead(columns.first, (prefetch_words * columns.stride + c * kLanes) * 8), 0,
                                   2);
        for (int r = 0; r < kRows; ++r) {
            const U64x8 row = U64x8::broadcast(rows.first[r]);
            for (int c = 0; c < kColumns; ++c) sum[r][c] = U64x8::add_popcount_and(sum[r][c], row, column[c]);
        }
    }
    for (int r = 0; r < kRows; ++r)
        for (int c = 0; c < kColumns; ++c) counts.put(r, c, sum[r][c]);
}

// A full adder of every bit: ones + a + b = 2 carry + ones, the new `ones`. Returns the carry.
inline __attribute__((always_inline)) U64x8 carry(U64x8& ones, const U64x8& a, const U64x8& b) {
    const U64x8 either = U64x8::bit_xor(ones, a);
    const U64x8 carried = U64x8::bit_xor(U64x8::bit_and(ones, a), U64x8::bit_and(either, b));
    ones = U64x8::bit_xor(either, b);
    return carried;
}

// One cell of count_tile by the Harley-Seal method: the ANDs of eight words are added bit by bit, and only the carries to
// eights are counted.
inline __attribute__((always_inline)) void count_carried(PlaneBlock row, PlaneBlock column, std::int64_t n_words,
                                                         CountBlock count) {
    U64x8 eights = U64x8::zero();  // the number of these carries
    U64x8 fours = eights;          // bits that count four, two and one
    U64x8 twos = eights;
    U64x8 ones = eights;
    const auto next_word = [&] {
        const U64x8 both = U64x8::bit_and(U64x8::broadcast(*row.first), U64x8::load(column.first));
        row.first += row.stride;
        column.first += column.stride;
        return both;
    };
    const auto next_two_words = [&] {
        const U64x8 a = next_word();
        const U64x8 b = next_word();
        return carry(ones, a, b);
    };
    const auto next_four_words = [&] {
        const U64x8 a = next_two_words();
        const U64x8 b = next_two_words();
        return carry(twos, a, b);
    };
    const auto add_count = [](const U64x8& sum, const U64x8& bits) { return U64x8::add_popcount_and(sum, bits, bits); };
    std::int64_t w = 0;
    for (; w + 8 <= n_words; w += 8) {
        const U64x8 a = next_four_words();
        const U64x8 b = next_four_words();
        eights = add_count(eights, carry(fours, a, b));
    }
    // ((2 eights + fours) 2 + twos) 2 + ones
    U64x8 sum = add_count(U64x8::shift_left(eights, 1), fours);
    sum = add_count(U64x8::shift_left(sum, 1), twos);
    sum = add_count(U64x8::shift_left(sum, 1), ones);
    for (; w < n_words; ++w) sum = add_count(sum, next_word());
    count.put(0, 0, sum);
}

// All rows with kColumns columns, in tiles of kTileRows, then one tile of the rows that remain. Where 9 divides the rows
// tiles have 9 of them: their 27 sums and 3 columns still fit the 32 registers of AVX-512.
template <int kColumns>
inline __attribute__((always_inline)) void count_rows(PlaneBlock rows, std::int64_t n_rows, PlaneBlock columns,
                                                      std::int64_t n_words, std::int64_t prefetch_words,
                                                      CountBlock counts) {
    std::int64_t r = 0;
    if constexpr (kCarriedWords > 0)
        if (n_words >= kCarriedWords) {
            for (; r < n_rows; ++r)
                for (int c = 0; c < kColumns; ++c)
                    count_carried(rows.from(r), columns.from(c * kLanes), n_words, counts.from(r, c));
            return;
        }
    const auto count_next_rows = [&](auto height) {
        constexpr int kRows = decltype(height)::value;
        const std::int64_t tile_prefetch_words = r == 0 ? prefetch_words : 0;  // the first tile fetches for all
        count_tile<kRows, kColumns>(rows.from(r), columns, n_words, tile_prefetch_words, counts.from(r, 0));
        r += kRows;
    };
    if constexpr (kTileRows == 8 && kColumns <= 3)
        if (n_rows % 9 == 0)
            while (r < n_rows) count_next_rows(Width<9>{});
    while (n_rows - r >= kTileRows) count_next_rows(Width<kTileRows>{});
    if constexpr (kTileRows > 4) {
        if (n_rows - r == 7) count_next_rows(Width<7>{});
        if (n_rows - r == 6) count_next_rows(Width<6>{});
        if (n_rows - r == 5) count_next_rows(Width<5>{});
        if (n_rows - r == 4) count_next_rows(Width<4>{});
    }
    if constexpr (kTileRows > 2)
        if (n_rows - r == 3) count_next_rows(Width<3>{});
    if (n_rows - r == 2) count_next_rows(Width<2>{});
    if (n_rows - r == 1) count_next_rows(Width<1>{});
}

// The inner cells over some words: counts[((plane of pivot * lanes + lane of pivot) * n_planes + plane of group) * 8 +
// lane of group].
void count_words(const PivotPlanes& pivot, const PlaneGroup& group, std::int64_t first_word, std::int64_t last_word,
                 std::uint64_t* counts) {
    const std::int64_t n_rows = std::int64_t(pivot.n_planes) * pivot.lanes;
    const int n_columns = group.n_planes;
    const std::int64_t column_stride = std::int64_t(n_columns) * kLanes;
    const std::int64_t word_bytes = (n_rows + n_columns * kLanes) * 8 + 1;  // + 1: constants have no planes
    const std::int64_t chunk = kChunkBytes / word_bytes > 16 ? kChunkBytes / word_bytes : 16;
    const std::int64_t prefetch_words = last_word - first_word >= kMinPrefetchedWords ? chunk : 0;
    std::int64_t w = first_word;
    do {
        const std::int64_t n_words = last_word - w < chunk ? last_word - w : chunk;
        const PlaneBlock rows{pivot.planes + w * n_rows, n_rows};
        const PlaneBlock columns{group.planes + w * column_stride, column_stride};
        const CountBlock chunk_counts{counts, column_stride, w == first_word};
        int c = 0;
        const auto count_next_columns = [&](auto width) {
            constexpr int kColumns = decltype(width)::value;
            count_rows<kColumns>(rows, n_rows, columns.from(c * kLanes), n_words, prefetch_words,
                                 chunk_counts.from(0, c));
            c += kColumns;
        };
        // The last four columns are two tiles of two, rather than three columns and one.
        while (n_columns - c > kTileColumns + 1) count_next_columns(Width<kTileColumns>{});
        if constexpr (kTileColumns == 3)
            if (n_columns - c == 3) count_next_columns(Width<3>{});
        while (n_columns - c >= 2) count_next_columns(Width<2>{});
        if (c < n_columns) count_next_columns(Width<1>{});
        w += n_words;
    } while (w < last_word);
}

// The inner cells of one class.
void count_class(const PivotPlanes& pivot, const PlaneGroup& group, const ClassLayout& layout, std::int64_t class_index,
                 std::uint64_t* counts) {
    count_words(pivot, group, layout.word_start[class_index], layout.word_start[class_index + 1], counts);
}

void plane_margins(const std::uint64_t* planes, std::int64_t row, const ClassLayout& layout, std::uint32_t* margins) {
    constexpr std::int64_t kWords = 16;  // words of all planes that are read together, as they lie side by side
    std::uint32_t* total = margins + layout.n_classes * row;
    const U64x8 ones = U64x8::broadcast(~std::uint64_t(0));
    const Scratch<std::uint64_t> counts(row);
    for (std::int64_t i = 0; i < row; ++i) total[i] = 0;
    for (std::int64_t c = 0; c < layout.n_classes; ++c) {
        const std::int64_t end = layout.word_start[c + 1];
        for (std::int64_t i = 0; i < row; ++i) counts.data[i] = 0;
        for (std::int64_t first = layout.word_start[c]; first < end; first += kWords)
            for (std::int64_t i = 0; i < row; i += kLanes) {
                U64x8 sum = U64x8::load(counts.data + i);
                for (std::int64_t w = first; w < end && w < first + kWords; ++w)
                    sum = U64x8::add_popcount_and(sum, U64x8::load(planes + w * row + i), ones);
                sum.store(counts.data + i);
            }
        for (std::int64_t i = 0; i < row; ++i) {
            margins[c * row + i] = std::uint32_t(counts.data[i]);
            total[i] += std::uint32_t(counts.data[i]);
        }
    }
}

// sums[lane] += T[cells[c * 8 + lane]] over n cells. kInTable: no count is beyond the table of the terms. These are
// scalar look-ups: on the machines measured a gather is no faster.
template <bool kInTable>
inline __attribute__((always_inline)) void add_terms(std::int64_t* sums, const std::uint64_t* cells, int n,
                                                     const Terms& terms) {
    std::int64_t sum[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) sum[lane] = sums[lane];
    for (int c = 0; c < n; ++c)
        for (int lane = 0; lane < kLanes; ++lane) {
            const std::uint64_t count = cells[c * kLanes + lane];
            sum[lane] += kInTable ? terms.table[count] : terms(count);
            // Keeps the sum in a scalar register: compilers would gather pairs of terms, at a loss.
            __asm__("" : "+r"(sum[lane]));
        }
    for (int lane = 0; lane < kLanes; ++lane) sums[lane] = sum[lane];
}

// The inner cells of one class, or of all samples together (class_index n_classes).
struct ClassCounts {
    const std::uint64_t* counts;  // as count_words writes them
    std::int64_t class_index;
    std::int64_t class_size;
};

// Adds to sums[lane of pivot * 8 + lane of group] the entropy terms of all cells: the inner ones, and those of the last
// row and column, which follow from the margins. kColumns = planes of the group and kRows = planes of the pivot where
// they are known when compiled; 0: any number.
template <int kRows, int kColumns, bool kInTable>
void add_table_terms(const PivotPlanes& pivot, const PlaneGroup& group, const ClassCounts& inner, const Terms& terms,
                     std::int64_t* sums) {
    const int n_columns = kColumns ? kColumns : group.n_planes;
    const int n_rows = kRows ? kRows : pivot.n_planes;
    const std::uint32_t* row_margin = pivot.margins + inner.class_index * n_rows * pivot.lanes;
    const std::uint32_t* column_margin = group.margins + inner.class_index * group.n_planes * kLanes;
    alignas(64) std::uint64_t derived[(kMaxPlanes + 1 + kMaxPlanes) * kLanes];  // cells of the last column, last row
    for (int lane = 0; lane < pivot.lanes; ++lane) {
        U64x8 column_rest[kColumns ? kColumns : kMaxPlanes];
        for (int c = 0; c < n_columns; ++c) column_rest[c] = U64x8::widen(column_margin + c * kLanes);
        std::int64_t last_row_size = inner.class_size;
        for (int r = 0; r < n_rows; ++r) {
            const std::int64_t row = std::int64_t(r) * pivot.lanes + lane;
            const std::uint64_t* cell = inner.counts + row * n_columns * kLanes;
            last_row_size -= row_margin[row];
            U64x8 rest = U64x8::broadcast(row_margin[row]);
            for (int c = 0; c < n_columns; ++c) {
                const U64x8 count = U64x8::load(cell + c * kLanes);
                rest = U64x8::subtract(rest, count);
                column_rest[c] = U64x8::subtract(column_rest[c], count);
            }
            rest.store(derived + r * kLanes);
            add_terms<kInTable>(sums + lane * kLanes, cell, n_columns, terms);
        }
        U64x8 rest = U64x8::broadcast(std::uint64_t(last_row_size));
        for (int c = 0; c < n_columns; ++c) {
            rest = U64x8::subtract(rest, column_rest[c]);
            column_rest[c].store(derived + (n_rows + c) * kLanes);
        }
        rest.store(derived + (n_rows + n_columns) * kLanes);
        add_terms<kInTable>(sums + lane * kLanes, derived, n_rows + n_columns + 1, terms);
    }
}

// Adds the entropy terms of one row, cell by cell; count[c] are its inner cells.
template <int kColumns>
inline __attribute__((always_inline)) void add_row_by_cells(const U64x8* count, std::int64_t margin, const Terms& terms,
                                                            std::int64_t* sums) {
    alignas(64) std::uint64_t cells[(kColumns + 1) * kLanes];
    U64x8 rest = U64x8::broadcast(std::uint64_t(margin));
    for (int c = 0; c < kColumns; ++c) {
        rest = U64x8::subtract(rest, count[c]);
        count[c].store(cells + c * kLanes);
    }
    rest.store(cells + kColumns * kLanes);
    add_terms<true>(sums, cells, kColumns + 1, terms);
}

// As add_table_terms, for features of two or three codes and one pivot with row tables: one look-up a row in place of
// one a cell. A row whose table would be too large (RowTable::terms is null) is looked up cell by cell.
template <int kColumns>
void add_row_terms(const PivotPlanes& pivot, const PlaneGroup& group, const ClassCounts& inner, const Terms& terms,
                   std::int64_t* sums) {
    const RowTable* tables = pivot.row_tables + inner.class_index * (pivot.n_planes + 1);
    const std::uint32_t* column_margin = group.margins + inner.class_index * kColumns * kLanes;
    alignas(64) std::uint64_t index[kLanes];
    U64x8 column_rest[kColumns];  // what the rows so far leave of the margins: at last, the last row
    for (int c = 0; c < kColumns; ++c) column_rest[c] = U64x8::widen(column_margin + c * kLanes);
    for (int r = 0; r <= pivot.n_planes; ++r) {
        const bool is_last_row = r == pivot.n_planes;
        U64x8 count[kColumns];
        for (int c = 0; c < kColumns; ++c) {
            count[c] = is_last_row ? column_rest[c] : U64x8::load(inner.counts + (r * kColumns + c) * kLanes);
            column_rest[c] = U64x8::subtract(column_rest[c], count[c]);
        }
        const RowTable& table = tables[r];
        if (table.terms == nullptr) {
            add_row_by_cells<kColumns>(count, table.margin, terms, sums);
            continue;
        }
        U64x8 row_index = count[0];
        if constexpr (kColumns == 2) row_index = U64x8::add(row_index, U64x8::shift_left(count[1], table.shift));
        row_index.store(index);
        for (int lane = 0; lane < kLanes; ++lane) sums[lane] += table.terms[index[lane]];
    }
}

// Adds the entropy terms of one class by the fastest of these functions. kColumns: planes of the group (0: any number).
template <int kColumns>
void add_class_terms(const PivotPlanes& pivot, const PlaneGroup& group, const ClassCounts& inner, const Terms& terms,
                     std::int64_t* sums) {
    if constexpr (kColumns == 1 || kColumns == 2)
        if (pivot.row_tables != nullptr) return add_row_terms<kColumns>(pivot, group, inner, terms, sums);
    if (std::uint64_t(inner.class_size) >= terms.limit)
        return add_table_terms<0, kColumns, false>(pivot, group, inner, terms, sums);
    if constexpr (kColumns == 1 || kColumns == 2)
        if (pivot.n_planes == kColumns)
            return add_table_terms<kColumns, kColumns, true>(pivot, group, inner, terms, sums);
    add_table_terms<0, kColumns, true>(pivot, group, inner, terms, sums);
}

using AddClassTerms = void (*)(const PivotPlanes&, const PlaneGroup&, const ClassCounts&, const Terms&, std::int64_t*);

AddClassTerms class_terms_for(int n_columns) {
    switch (n_columns) {
        case 1: return add_class_terms<1>;
        case 2: return add_class_terms<2>;
        case 3: return add_class_terms<3>;
        case 4: return add_class_terms<4>;
        default: return add_class_terms<0>;
    }
}

void pair_sums(const PivotPlanes& pivot, const PlaneGroup& group, const ClassLayout& layout, const Terms& terms,
               std::int64_t* pooled_sums, std::int64_t* class_sums) {
    const std::int64_t n_sums = std::int64_t(pivot.lanes) * kLanes;
    const std::int64_t n_counts = n_sums * pivot.n_planes * group.n_planes;
    const AddClassTerms add_terms_of_class = class_terms_for(group.n_planes);
    Scratch<std::uint64_t> scratch(2 * n_counts);
    std::uint64_t* pooled = scratch.data;
    std::uint64_t* counts = pooled + n_counts;
    for (std::int64_t i = 0; i < n_sums; ++i) pooled_sums[i] = 0;
    if (class_sums == nullptr) {
        count_words(pivot, group, 0, layout.word_start[layout.n_classes], pooled);
    } else {
        for (std::int64_t i = 0; i < n_sums; ++i) class_sums[i] = 0;
        for (std::int64_t c = 0; c < layout.n_classes; ++c) {
            std::uint64_t* class_counts = c == 0 ? pooled : counts;
            count_class(pivot, group, layout, c, class_counts);
            add_terms_of_class(pivot, group, {class_counts, c, layout.class_size[c]}, terms, class_sums);
            if (c > 0)
                for (std::int64_t i = 0; i < n_counts; i += kLanes)
                    U64x8::add(U64x8::load(pooled + i), U64x8::load(counts + i)).store(pooled + i);
        }
    }
    add_terms_of_class(pivot, group, {pooled, layout.n_classes, layout.n_samples}, terms, pooled_sums);
}

// The margins of a pivot and of a group over several classes.
struct SummedMargins {
    std::uint32_t rows[kMaxPlanes];
    alignas(64) std::uint32_t columns[kMaxPlanes * kLanes];
    std::int64_t n_samples = 0;

    SummedMargins(const PivotPlanes& pivot, const PlaneGroup& group, const ClassLayout& layout,
                  std::int64_t first_class, std::int64_t end_class) {
        const int n_rows = pivot.n_planes;
        const int n_columns = group.n_planes * kLanes;
        for (int r = 0; r < n_rows; ++r) rows[r] = 0;
        for (int c = 0; c < n_columns; ++c) columns[c] = 0;
        for (std::int64_t k = first_class; k < end_class; ++k) {
            for (int r = 0; r < n_rows; ++r) rows[r] += pivot.margins[k * n_rows + r];
            for (int c = 0; c < n_columns; ++c) columns[c] += group.margins[k * n_columns + c];
            n_samples += layout.class_size[k];
        }
    }
};

void strata_sums(const PivotPlanes& pivot, const PlaneGroup& group, const ClassLayout& layout,
                 const StrataLayout& strata, const Terms& terms, std::int64_t* stratum_sums, std::int64_t* class_sums) {
    const std::int64_t n_counts = std::int64_t(kLanes) * pivot.n_planes * group.n_planes;
    const AddClassTerms add_terms_of_class = class_terms_for(group.n_planes);
    Scratch<std::uint64_t> scratch(2 * n_counts);
    std::uint64_t* in_stratum = scratch.data;
    std::uint64_t* in_class = in_stratum + n_counts;
    for (int lane = 0; lane < kLanes; ++lane) {
        stratum_sums[lane] = 0;
        if (class_sums != nullptr) class_sums[lane] = 0;
    }
    for (std::int64_t s = 0; s < strata.n_strata; ++s) {
        const std::int64_t first_class = strata.first_class[s];
        const std::int64_t end_class = strata.first_class[s + 1];
        if (class_sums == nullptr) {
            count_words(pivot, group, layout.word_start[first_class], layout.word_start[end_class], in_stratum);
        } else {
            for (std::int64_t c = first_class; c < end_class; ++c) {
                std::uint64_t* counts = c == first_class ? in_stratum : in_class;
                count_class(pivot, group, layout, c, counts);
                add_terms_of_class(pivot, group, {counts, c, layout.class_size[c]}, terms, class_sums);
                if (c > first_class)
                    for (std::int64_t i = 0; i < n_counts; i += kLanes)
                        U64x8::add(U64x8::load(in_stratum + i), U64x8::load(in_class + i)).store(in_stratum + i);
            }
        }
        const SummedMargins margins(pivot, group, layout, first_class, end_class);
        const PivotPlanes pivot_in_stratum{pivot.planes, margins.rows, pivot.n_planes, 1, nullptr};
        const PlaneGroup group_in_stratum{group.planes, margins.columns, group.n_planes};
        add_terms_of_class(pivot_in_stratum, group_in_stratum, {in_stratum, 0, margins.n_samples}, terms, stratum_sums);
    }
}

// The table of one class with every cell, the derived ones included: cells[(row * columns + column) * 8 + lane].
void write_cells(const PivotPlanes& pivot, const PlaneGroup& group, const ClassCounts& inner, std::uint64_t* cells) {
    const int n_rows = pivot.n_planes;
    const int n_columns = group.n_planes;
    const std::int64_t row_cells = std::int64_t(n_columns + 1) * kLanes;
    const std::uint32_t* row_margin = pivot.margins + inner.class_index * n_rows;
    const std::uint32_t* column_margin = group.margins + inner.class_index * n_columns * kLanes;
    std::uint64_t* last_row = cells + n_rows * row_cells;
    std::int64_t last_row_size = inner.class_size;
    for (int c = 0; c < n_columns; ++c) U64x8::widen(column_margin + c * kLanes).store(last_row + c * kLanes);
    for (int r = 0; r < n_rows; ++r, cells += row_cells) {
        last_row_size -= row_margin[r];
        U64x8 rest = U64x8::broadcast(row_margin[r]);
        for (int c = 0; c < n_columns; ++c) {
            const U64x8 count = U64x8::load(inner.counts + (std::int64_t(r) * n_columns + c) * kLanes);
            std::uint64_t* below = last_row + c * kLanes;
            count.store(cells + c * kLanes);
            rest = U64x8::subtract(rest, count);
            U64x8::subtract(U64x8::load(below), count).store(below);
        }
        rest.store(cells + n_columns * kLanes);
    }
    U64x8 last_row_sum = U64x8::zero();
    for (int c = 0; c < n_columns; ++c) last_row_sum = U64x8::add(last_row_sum, U64x8::load(last_row + c * kLanes));
    U64x8::subtract(U64x8::broadcast(std::uint64_t(last_row_size)), last_row_sum).store(last_row + n_columns * kLanes);
}

void pair_cells(const PivotPlanes& pivot, const PlaneGroup& group, const ClassLayout& layout, std::uint64_t* cells) {
    const std::int64_t table_cells = std::int64_t(pivot.n_planes + 1) * (group.n_planes + 1) * kLanes;
    const Scratch<std::uint64_t> counts(std::int64_t(pivot.n_planes) * group.n_planes * kLanes);
    for (std::int64_t c = 0; c < layout.n_classes; ++c, cells += table_cells) {
        count_class(pivot, group, layout, c, counts.data);
        write_cells(pivot, group, {counts.data, c, layout.class_size[c]}, cells);
    }
}

// sign * *p, for a sign of -1, 0 or 1.
inline __attribute__((always_inline)) U64x8 signed_load(const std::int64_t* p, int sign) {
    const U64x8 v = U64x8::load(reinterpret_cast<const std::uint64_t*>(p));
    if (sign == 0) return U64x8::zero();
    return sign > 0 ? v : U64x8::subtract(U64x8::zero(), v);
}

void tile_values(int n_rows, const std::int64_t* pooled_sums, int pooled_sign, const std::int64_t* class_sums,
                 int class_sign, const std::int64_t* first, const std::int64_t* second, double one_bit, double* out) {
    const U64x8 column = U64x8::load(reinterpret_cast<const std::uint64_t*>(second));
    for (int a = 0; a < n_rows; ++a) {
        const U64x8 pooled = signed_load(pooled_sums + a * kLanes, pooled_sign);
        const U64x8 per_class = signed_load(class_sums + a * kLanes, class_sign);
        const U64x8 row = U64x8::broadcast(std::uint64_t(first[a]));
        U64x8::add(U64x8::add(U64x8::add(pooled, per_class), row), column).store_quotient(one_bit, out + a * kLanes);
    }
}
