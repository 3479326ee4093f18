// A raw table of codes to its packed form, row by row; see packed_table.hpp.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "count/kernels/counting_kernel.hpp"
#include "count/packed_table.hpp"
#include "count/prefetch.hpp"
#include "count/transpose.hpp"

namespace bitsieve {

namespace {

constexpr std::int64_t kPrefetchRows = 16;  // rows that are fetched before they are read

// A code as a byte; what is too large for any plane stays so.
template <class Code>
inline std::uint8_t to_byte(Code code) {
    return sizeof(Code) == 1 ? std::uint8_t(code) : std::uint8_t(std::min<Code>(code, kNoCode));
}

// Whether the numbers are k, k + 1, ...
inline bool consecutive(const std::int64_t* numbers, std::int64_t n) {
    for (std::int64_t i = 1; i < n; ++i)
        if (numbers[i] != numbers[0] + i) return false;
    return true;
}

// Copies the codes of rows and eight features to out[row * 8 + lane]; a lane without a feature holds zeros. The table and
// the batch are copies, which no byte that is written can change.
template <class Code>
void copy_lanes(const CodeTable<Code> table, const Batch batch, std::int64_t first_row, std::int64_t n_rows,
                const std::int64_t* features, std::uint8_t* out) {
    const bool are_neighbours = sizeof(Code) == 1 && table.columns == nullptr && table.feature_stride == 1 &&
                                features[0] >= 0 && consecutive(features, kLanes);
    if (are_neighbours) {
        const Code* in = table.column(features[0]);
        for (std::int64_t t = 0; t < n_rows; ++t)
            std::memcpy(out + t * kLanes, in + batch.row(first_row + t) * table.sample_stride, kLanes);
        return;
    }
    const Code zero = 0;
    const Code* in[kLanes];
    std::int64_t stride[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) {
        in[lane] = features[lane] < 0 ? &zero : table.column(features[lane]);
        stride[lane] = features[lane] < 0 ? 0 : table.sample_stride;
    }
    for (std::int64_t t = 0; t < n_rows; ++t) {
        const std::int64_t row = batch.row(first_row + t);
        for (int lane = 0; lane < kLanes; ++lane) out[t * kLanes + lane] = to_byte(in[lane][row * stride[lane]]);
    }
}

// Six times every code in place, of eight lanes; and the greatest code of each. The codes are of at most four bits where
// they are not refused: six times such a code fits into its byte.
void to_counter_bits(std::int64_t n_rows, std::uint8_t* codes, std::uint8_t* greatest) {
    typedef std::uint8_t Bytes __attribute__((vector_size(2 * kLanes)));  // two rows
    typedef std::uint64_t Rows __attribute__((vector_size(2 * kLanes)));
    static_assert(kCounterBits == 4 + 2, "two shifts are a multiplication");
    Bytes greatest_of_two = {};
    std::int64_t t = 0;
    for (; t + 2 <= n_rows; t += 2) {
        Bytes two;
        std::memcpy(&two, codes + t * kLanes, sizeof two);
        greatest_of_two = two > greatest_of_two ? two : greatest_of_two;
        two = Bytes((Rows(two) << 2) + (Rows(two) << 1));
        std::memcpy(codes + t * kLanes, &two, sizeof two);
    }
    for (int i = 0; i < 2 * kLanes; ++i)
        greatest[i % kLanes] = std::max<std::uint8_t>(greatest[i % kLanes], greatest_of_two[i]);
    for (; t < n_rows; ++t)
        for (int lane = 0; lane < kLanes; ++lane) {
            std::uint8_t& code = codes[t * kLanes + lane];
            greatest[lane] = std::max(greatest[lane], code);
            code = std::uint8_t(code * kCounterBits);
        }
}

// The codes of 64 samples.
struct alignas(64) Word {
    std::uint8_t codes[64];
    Word() { std::memset(codes, kNoCode, sizeof codes); }
};

// Where the codes of some columns are read to: 64 samples of a column side by side, columns as they come or, where
// those of a row lie together, in strips of neighbours that are transposed at once.
template <class Code>
class Tile {
public:
    Tile(const CodeTable<Code>& table, std::int64_t n_features) : table_(table), n_features_(n_features) {
        in_strips_ = sizeof(Code) == 1 && table.feature_stride == 1 && n_features >= kTransposeBlock;
    }

    // Selects the columns that `read` reads from now on. Samples that are not read keep kNoCode, which no plane matches.
    void select_columns(const std::int64_t* columns, std::int64_t n) {
        starts_.assign(columns, columns + n);
        word_of_column_.resize(std::size_t(n));
        std::int64_t width = 1;
        if (in_strips_) {
            width = kTransposeBlock;
            std::sort(starts_.begin(), starts_.end());
            std::size_t n_strips = 0;
            for (const std::int64_t column : starts_)
                if (n_strips == 0 || column >= starts_[n_strips - 1] + kTransposeBlock)
                    starts_[n_strips++] = std::min(column, n_features_ - kTransposeBlock);
            starts_.resize(n_strips);
        }
        for (std::int64_t f = 0; f < n; ++f) {
            std::int64_t strip = f;
            if (in_strips_) strip = std::upper_bound(starts_.begin(), starts_.end(), columns[f]) - starts_.begin() - 1;
            word_of_column_[std::size_t(f)] = strip * width + columns[f] - starts_[std::size_t(strip)];
        }
        words_.resize(starts_.size() * std::size_t(width));
        clear();
    }

    void clear() { std::fill(words_.begin(), words_.end(), Word()); }

    // The 64 samples of the f-th of these columns.
    const std::uint8_t* samples(std::int64_t f) const {
        return words_[std::size_t(word_of_column_[std::size_t(f)])].codes;
    }

    // Reads rows of the raw table as the samples first_sample, first_sample + 1, ... of the tile.
    void read(const std::int64_t* rows, std::int64_t n_rows, std::int64_t first_sample) {
        const std::int64_t step = table_.sample_stride;
        if (!in_strips_) {
            const bool is_contiguous = sizeof(Code) == 1 && step == 1 && consecutive(rows, n_rows);
            for (std::size_t f = 0; f < starts_.size(); ++f) {
                const Code* in = table_.column(starts_[f]);
                std::uint8_t* out = words_[f].codes + first_sample;
                if (is_contiguous)
                    std::memcpy(out, in + rows[0], std::size_t(n_rows));
                else
                    for (std::int64_t t = 0; t < n_rows; ++t) out[t] = to_byte(in[rows[t] * step]);
            }
            return;
        }
        const std::uint8_t* row[64];
        for (std::int64_t t = 0; t < n_rows; ++t)
            row[t] = reinterpret_cast<const std::uint8_t*>(table_.codes + rows[t] * step);
        // Rows behind these are most likely the next ones of the table; they may lie beyond its end.
        const auto row_ahead = [&](std::int64_t t, std::int64_t byte) {
            const std::int64_t last = std::min(t, n_rows - 1);
            return address_ahead(row[last], (t - last) * step + byte);
        };
        for (std::int64_t t = 0; t < n_rows; t += kTransposeBlock) {
            std::uint8_t* out = words_[0].codes + first_sample + t;
            const std::int64_t n = std::min<std::int64_t>(kTransposeBlock, n_rows - t);
            for (const std::int64_t start : starts_) {
                if (start % 64 < kTransposeBlock)
                    for (std::int64_t i = 0; i < n; ++i) __builtin_prefetch(row_ahead(t + kPrefetchRows + i, start));
                if (n == kTransposeBlock)
                    transpose_block([&](int i) { return row[t + i] + start; }, out, 64);
                else
                    for (std::int64_t c = 0; c < kTransposeBlock; ++c)
                        for (std::int64_t i = 0; i < n; ++i) out[c * 64 + i] = row[t + i][start + c];
                out += kTransposeBlock * 64;
            }
        }
    }

private:
    const CodeTable<Code>& table_;
    std::int64_t n_features_;
    bool in_strips_;
    std::vector<std::int64_t> starts_;          // the first column of each strip
    std::vector<std::int64_t> word_of_column_;  // the index into words_ of each selected column
    std::vector<Word> words_;
};

}  // namespace

// Makes one word of every plane of a group from the codes samples(lane). Returns the mask of the samples whose code is
// greater than the number of planes.
template <class Samples>
std::uint64_t PackedTable::write_masks(std::int64_t g, std::int64_t word, bool add, Samples&& samples) {
    static const Word no_codes;
    const Group& group = groups_[g];
    std::uint64_t* out = planes_.get() + group.planes + word * group.n_planes * kLanes;
    std::uint64_t beyond = 0;
    // The next word is fetched ahead: the groups, which are visited in turn, are more streams than the processor follows.
    for (int p = 0; p < group.n_planes; ++p)
        __builtin_prefetch(address_ahead(out, (group.n_planes + p) * kLanes * 8), 1);
    for (int lane = 0; lane < kLanes; ++lane)
        if (feature_at(g, lane) >= 0)
            beyond |= kernel_.plane_masks(samples(lane), group.n_planes, add, out + lane);
        else
            kernel_.plane_masks(no_codes.codes, group.n_planes, add, out + lane);
    return beyond;
}

namespace {

// Samples of one class that lie in one word of every plane.
struct ClassWord {
    std::int64_t rows[64];  // of the raw table
    std::int64_t n_rows;    // 0: none is left below the end
    std::int64_t word;      // of the class
    std::int64_t bit;       // of the first sample in this word
};

// The next samples of a class, of which n_packed are packed: up to the end of a word, the end of the class in the
// batch, or the first row at or beyond row_end, whichever comes first. order_start: where the class begins in the batch's
// order.
ClassWord next_word_of_class(const Batch& batch, std::int64_t class_index, std::int64_t order_start,
                             std::int64_t n_packed, std::int64_t row_end) {
    const std::int64_t sample = batch.n_before[class_index] + n_packed;
    ClassWord next;
    next.word = sample / 64;
    next.bit = sample % 64;
    next.n_rows = 0;
    const std::int64_t n_left = std::min<std::int64_t>(64 - next.bit, batch.class_sizes[class_index] - n_packed);
    while (next.n_rows < n_left) {
        const std::int64_t row = batch.row(order_start + n_packed + next.n_rows);
        if (row >= row_end) break;
        next.rows[next.n_rows++] = row;
    }
    return next;
}

}  // namespace

// Rows are packed in chunks for which the selected columns stay in the second-level cache; within a chunk, class by
// class. A chunk may end within a word of a class: the next chunk goes on in that word.
template <class Code>
void PackedTable::pack_groups(const CodeTable<Code>& table, const Batch& batch, std::int64_t first, std::int64_t last) {
    constexpr std::int64_t kMaxGroups = 64;  // groups whose tile and rows fit the second-level cache
    const std::int64_t block = table.feature_stride == 1 ? kMaxGroups : 1;  // groups may share the memory of a row
    const std::int64_t chunk = std::max<std::int64_t>(1 << 15, n_classes() * 512);
    Tile<Code> tile(table, n_features());
    std::vector<std::int64_t> n_packed(sizes_.size());
    std::vector<std::int64_t> order_start(sizes_.size());
    for (std::int64_t c = 1; c < n_classes(); ++c) order_start[c] = order_start[c - 1] + batch.class_sizes[c - 1];
    const std::int64_t n_rows = batch.rows_needed(order_start[n_classes() - 1] + batch.class_sizes[n_classes() - 1]);
    for (std::int64_t g0 = first; g0 < last; g0 += block) {
        const std::int64_t n_groups = std::min(block, last - g0);
        tile.select_columns(&features_by_arity_[g0 * kLanes], std::min(n_groups * kLanes, n_narrow_ - g0 * kLanes));
        std::fill(n_packed.begin(), n_packed.end(), 0);
        for (std::int64_t row_end = chunk; row_end < n_rows + chunk; row_end += chunk)
            for (std::int64_t c = 0; c < n_classes(); ++c)
                while (n_packed[c] < batch.class_sizes[c]) {
                    const ClassWord next = next_word_of_class(batch, c, order_start[c], n_packed[c], row_end);
                    if (next.n_rows == 0) break;
                    if (next.n_rows < 64) tile.clear();
                    tile.read(next.rows, next.n_rows, next.bit);
                    const std::uint64_t bits = ~std::uint64_t(0) >> (64 - next.n_rows) << next.bit;
                    std::uint64_t beyond = 0;
                    for (std::int64_t g = g0; g < g0 + n_groups; ++g)
                        beyond |= write_masks(g, word_start_[c] + next.word, next.bit > 0,
                                              [&](int lane) { return tile.samples((g - g0) * kLanes + lane); });
                    if (beyond & bits) refuse_code();
                    n_packed[c] += next.n_rows;
                }
    }
}

// The same for columns of bytes whose rows are in class order already: words are made where the codes lie.
void PackedTable::pack_columns(const std::uint8_t* codes, std::int64_t feature_stride, std::int64_t first,
                               std::int64_t last) {
    for (std::int64_t g = first; g < last; ++g) {
        std::uint64_t beyond = 0;
        std::int64_t class_start = 0;
        for (std::int64_t c = 0; c < n_classes(); ++c) {
            for (std::int64_t sample = 0; sample < sizes_[c]; sample += 64) {
                const std::int64_t n = std::min<std::int64_t>(64, sizes_[c] - sample);
                Word rest;  // of a class, filled up with codes of no plane
                const auto samples = [&](int lane) {
                    const std::uint8_t* word = codes + feature_at(g, lane) * feature_stride + class_start + sample;
                    if (n == 64) return word;
                    std::memcpy(rest.codes, word, std::size_t(n));
                    return static_cast<const std::uint8_t*>(rest.codes);
                };
                const std::uint64_t bits = ~std::uint64_t(0) >> (64 - n);
                beyond |= write_masks(g, word_start_[c] + sample / 64, false, samples) & bits;
            }
            class_start += sizes_[c];
        }
        if (beyond) refuse_code();
    }
}

// Eight columns of bytes side by side, in class order; a lane without a feature holds zeros.
template <class Code>
void PackedTable::pack_bytes(const CodeTable<Code>& table, const Batch& batch, std::int64_t first, std::int64_t last) {
    constexpr std::int64_t kRowsAtOnce = 256;  // rows of a raw table that stay in the second-level cache
    std::vector<std::uint8_t> greatest(std::size_t(std::max<std::int64_t>(last - first, 0) * kLanes), 0);
    std::int64_t class_start = 0;  // of the samples of a class among all of them
    std::int64_t batch_start = 0;  // and among those of the batch
    for (std::int64_t c = 0; c < n_classes(); ++c) {
        for (std::int64_t first_row = 0; first_row < batch.class_sizes[c]; first_row += kRowsAtOnce) {
            const std::int64_t n_rows = std::min(kRowsAtOnce, batch.class_sizes[c] - first_row);
            const std::int64_t out_start = class_start + batch.n_before[c] + first_row;
            for (std::int64_t g = first; g < last; ++g) {
                std::uint8_t* out = reinterpret_cast<std::uint8_t*>(planes_.get() + groups_[g].planes);
                copy_lanes(table, batch, batch_start + first_row, n_rows, features(g), out + out_start * kLanes);
                to_counter_bits(n_rows, out + out_start * kLanes, &greatest[(g - first) * kLanes]);
            }
        }
        class_start += sizes_[c];
        batch_start += batch.class_sizes[c];
    }
    for (std::int64_t g = first; g < last; ++g)
        for (int lane = 0; lane < kLanes; ++lane) {
            const std::int64_t feature = feature_at(g, lane);
            if (feature >= 0 && greatest[(g - first) * kLanes + lane] >= arities_[feature]) refuse_code();
        }
}

// Columns of 16-bit codes in class order.
template <class Code>
void PackedTable::copy_wide(const CodeTable<Code>& table, const Batch& batch, std::int64_t first, std::int64_t last) {
    for (std::int64_t g = first; g < last; ++g)
        for (int lane = 0; lane < kLanes; ++lane) {
            const std::int64_t feature = feature_at(g, lane);
            if (feature < 0) continue;
            const Code* in = table.column(feature);
            std::uint16_t* class_codes = wide_.get() + ((g - n_narrow_groups()) * kLanes + lane) * n_samples_;
            std::int64_t class_start = 0;  // in the batch
            std::int32_t greatest = 0;
            for (std::int64_t c = 0; c < n_classes(); ++c) {
                std::uint16_t* out = class_codes + batch.n_before[c];
                for (std::int64_t t = 0; t < batch.class_sizes[c]; ++t) {
                    out[t] = in[batch.row(class_start + t) * table.sample_stride];
                    greatest = std::max<std::int32_t>(greatest, out[t]);
                }
                class_codes += sizes_[c];
                class_start += batch.class_sizes[c];
            }
            if (greatest >= arities_[feature]) refuse_code();
        }
}

// Packs the groups of planes by the faster way that the table allows.
template <class Code>
void PackedTable::pack_planes(const CodeTable<Code>& table, const Batch& batch, std::int64_t first, std::int64_t last) {
    if constexpr (sizeof(Code) == 1) {
        std::vector<std::uint64_t> rows;
        if (table.sample_stride == 1 && rows_of_classes(batch, rows))
            return pack_by_class(table, batch, rows, first, last);
    }
    pack_groups(table, batch, first, last);
}

template <class Code>
void PackedTable::add(const CodeTable<Code>& table, const Batch& batch, std::int64_t first, std::int64_t last) {
    const std::int64_t last_group = std::min(last, n_narrow_groups());
    std::fill(ready_.begin() + first, ready_.begin() + last, 0);
    if (uses_counters_)
        pack_bytes(table, batch, first, last_group);
    else
        pack_planes(table, batch, first, last_group);
    copy_wide(table, batch, std::max(first, n_narrow_groups()), last);
}

void PackedTable::finish(std::int64_t first, std::int64_t last) {
    for (std::int64_t g = first; g < std::min(last, n_narrow_groups()) && !uses_counters_; ++g) {
        const Group& group = groups_[g];
        const std::int64_t row = std::int64_t(group.n_planes) * kLanes;
        std::uint32_t* margins = margins_.data() + group.margins;
        kernel_.plane_margins(planes_.get() + group.planes, row, layout(), margins);
        const std::uint32_t* totals = margins + n_classes() * row;
        for (int lane = 0; lane < kLanes; ++lane) {
            const std::int64_t feature = feature_at(g, lane);
            const int n_codes = feature < 0 ? 0 : arities_[feature];
            for (int code = n_codes; code < group.n_planes; ++code)  // which another feature of the group may have
                if (totals[code * kLanes + lane] > 0) refuse_code();
        }
    }
    std::fill(ready_.begin() + first, ready_.begin() + last, 1);
}

template <class Code>
void PackedTable::pack(const CodeTable<Code>& table, std::int64_t first, std::int64_t last) {
    const std::vector<std::int64_t> none(sizes_.size());
    const Batch batch{sizes_.data(), none.data(), order_.empty() ? nullptr : order_.data()};
    if constexpr (sizeof(Code) == 1) {
        if (!uses_counters_ && order_.empty() && table.sample_stride == 1) {
            std::fill(ready_.begin() + first, ready_.begin() + last, 0);
            pack_columns(table.codes, table.feature_stride, first, std::min(last, n_narrow_groups()));
            copy_wide(table, batch, std::max(first, n_narrow_groups()), last);
            return finish(first, last);
        }
    }
    add(table, batch, first, last);
    finish(first, last);
}

template void PackedTable::pack(const CodeTable<std::uint8_t>&, std::int64_t, std::int64_t);
template void PackedTable::pack(const CodeTable<std::uint16_t>&, std::int64_t, std::int64_t);
template void PackedTable::add(const CodeTable<std::uint8_t>&, const Batch&, std::int64_t, std::int64_t);
template void PackedTable::add(const CodeTable<std::uint16_t>&, const Batch&, std::int64_t, std::int64_t);
}  // namespace bitsieve
