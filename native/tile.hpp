// Codes read from a raw table, to be made bits of planes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "storage.hpp"
#include "transpose.hpp"

namespace bitsieve {

constexpr std::int64_t kAhead = 16;  // rows that are fetched before they are read
constexpr std::uint8_t kNone = 255;  // matches no plane

// A code as a byte; what is too large for any plane stays so.
template <class Code>
inline std::uint8_t to_byte(Code code) {
    return sizeof(Code) == 1 ? std::uint8_t(code) : std::uint8_t(std::min<Code>(code, kNone));
}

// The codes of 64 samples.
struct alignas(64) Word {
    std::uint8_t codes[64];
    Word() { std::memset(codes, kNone, sizeof codes); }
};

// Whether the numbers are k, k + 1, ...
inline bool consecutive(const std::int64_t* numbers, std::int64_t n) {
    for (std::int64_t i = 1; i < n; ++i)
        if (numbers[i] != numbers[0] + i) return false;
    return true;
}

// Where the codes of some columns are read to: 64 samples of a column side by side, columns as they come or, where those
// of a row lie together, in strips of neighbours that are transposed at once.
template <class Code>
class Tile {
public:
    Tile(const CodeTable<Code>& table, std::int64_t n_features) : table_(table), n_features_(n_features) {
        in_strips_ = sizeof(Code) == 1 && table.feature_stride == 1 && n_features >= kBlock;
    }

    // The columns that are read from now on. What is not read of them matches no plane.
    void take(const std::int64_t* columns, std::int64_t n) {
        starts_.assign(columns, columns + n);
        place_.resize(std::size_t(n));
        std::int64_t width = 1;
        if (in_strips_) {
            width = kBlock;
            std::sort(starts_.begin(), starts_.end());
            std::size_t n_strips = 0;
            for (const std::int64_t column : starts_)
                if (n_strips == 0 || column >= starts_[n_strips - 1] + kBlock)
                    starts_[n_strips++] = std::min(column, n_features_ - kBlock);
            starts_.resize(n_strips);
        }
        for (std::int64_t f = 0; f < n; ++f) {
            std::int64_t strip = f;
            if (in_strips_) strip = std::upper_bound(starts_.begin(), starts_.end(), columns[f]) - starts_.begin() - 1;
            place_[std::size_t(f)] = strip * width + columns[f] - starts_[std::size_t(strip)];
        }
        words_.resize(starts_.size() * std::size_t(width));
        clear();
    }

    void clear() { std::fill(words_.begin(), words_.end(), Word()); }

    // The 64 samples of the f-th of these columns.
    const std::uint8_t* samples(std::int64_t f) const { return words_[std::size_t(place_[std::size_t(f)])].codes; }

    // Reads some rows as the samples from `at` on.
    void read(const std::int64_t* rows, std::int64_t n_rows, std::int64_t at) {
        const std::int64_t step = table_.sample_stride;
        if (!in_strips_) {
            const bool together = sizeof(Code) == 1 && step == 1 && consecutive(rows, n_rows);
            for (std::size_t f = 0; f < starts_.size(); ++f) {
                const Code* in = table_.column(starts_[f]);
                std::uint8_t* out = words_[f].codes + at;
                if (together)
                    std::memcpy(out, in + rows[0], std::size_t(n_rows));
                else
                    for (std::int64_t t = 0; t < n_rows; ++t) out[t] = to_byte(in[rows[t] * step]);
            }
            return;
        }
        const std::uint8_t* row[64 + kAhead];
        for (std::int64_t t = 0; t < n_rows; ++t) row[t] = reinterpret_cast<const std::uint8_t*>(table_.codes + rows[t] * step);
        for (std::int64_t t = n_rows; t < n_rows + kAhead; ++t) row[t] = row[t - 1] + step;  // the next rows, most likely
        for (std::int64_t t = 0; t < n_rows; t += kBlock) {
            std::uint8_t* out = words_[0].codes + at + t;
            const std::int64_t n = std::min<std::int64_t>(kBlock, n_rows - t);
            for (const std::int64_t start : starts_) {
                if (start % 64 < kBlock)
                    for (std::int64_t i = 0; i < n; ++i) __builtin_prefetch(row[t + kAhead + i] + start);
                if (n == kBlock)
                    transpose_block([&](int i) { return row[t + i] + start; }, out, 64);
                else
                    for (std::int64_t c = 0; c < kBlock; ++c)
                        for (std::int64_t i = 0; i < n; ++i) out[c * 64 + i] = row[t + i][start + c];
                out += kBlock * 64;
            }
        }
    }

private:
    const CodeTable<Code>& table_;
    std::int64_t n_features_;
    bool in_strips_;
    std::vector<std::int64_t> starts_, place_;  // the first column of a strip; the word of a column
    std::vector<Word> words_;
};

}  // namespace bitsieve
