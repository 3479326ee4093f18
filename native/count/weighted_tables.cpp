#include "count/weighted_tables.hpp"

#include <algorithm>
#include <vector>

namespace bitsieve {

namespace {

constexpr std::int64_t kMaxRowsInBuckets = 64;  // with more codes of the pivot, the buckets of a chunk hold few samples

// The samples of a chunk, in buckets by the code of a pivot: a bucket for each row of the tables. One more bucket, the
// last, has the samples of weight 0 and those of a code that is omitted; the kernel does not see it.
class Buckets {
public:
    // `omitted_code` is -1 where no code is omitted.
    Buckets(const std::uint16_t* pivot, const std::uint64_t* weights, std::int64_t n_rows, std::int64_t omitted_code)
        : pivot_(pivot),
          weights_(weights),
          n_rows_(n_rows),
          omitted_code_(omitted_code),
          size_(std::size_t(n_rows) + 1),
          start_(std::size_t(n_rows) + 2),
          next_(std::size_t(n_rows) + 1),
          row_weights_(std::size_t(n_rows), 0) {}

    // Puts the samples [first, last) into the buckets.
    void fill(std::int64_t first, std::int64_t last) {
        std::fill(size_.begin(), size_.end(), 0);
        for (std::int64_t t = first; t < last; ++t) ++size_[bucket_of(t)];
        for (std::int64_t bucket = 0; bucket <= n_rows_; ++bucket) {
            const std::int64_t n_quads = (size_[bucket] + kQuadSamples - 1) / kQuadSamples;
            start_[bucket + 1] = start_[bucket] + n_quads;
            next_[bucket] = start_[bucket] * kQuadSamples;
        }
        const std::size_t n_places = std::size_t(start_.back() * kQuadSamples);
        sample_.assign(n_places, std::uint32_t(first));  // what fills up a quad: any sample, with weight 0
        weight_.assign(n_places, 0);
        for (std::int64_t t = first; t < last; ++t) {
            const std::int64_t place = next_[bucket_of(t)]++;
            sample_[place] = std::uint32_t(t);
            weight_[place] = weights_[t];
        }
        add_up_subsets();
    }

    WeightedBuckets view() const {
        return {sample_.data(), weight_.data(), subset_sums_.data(), start_.data(), n_rows_};
    }
    // The weight of all samples that have been in the bucket of a row, chunk after chunk.
    std::uint64_t row_weight(std::int64_t row) const { return row_weights_[row]; }

private:
    std::int64_t bucket_of(std::int64_t t) const {
        const bool is_omitted = (weights_[t] == 0) | (pivot_[t] == omitted_code_);
        return is_omitted ? n_rows_ : pivot_[t];
    }

    // The weights of the subsets of every quad, and those of the rows.
    void add_up_subsets() {
        subset_sums_.resize(std::size_t(start_[n_rows_] * kQuadSubsets));
        for (std::int64_t row = 0; row < n_rows_; ++row)
            for (std::int64_t quad = start_[row]; quad < start_[row + 1]; ++quad) {
                const std::uint64_t* w = &weight_[quad * kQuadSamples];
                const std::uint64_t first_two[4] = {0, w[0], w[1], w[0] + w[1]};  // by the lower two bits of a subset
                const std::uint64_t last_two[4] = {0, w[2], w[3], w[2] + w[3]};   // by its upper two bits
                std::uint64_t* sums = &subset_sums_[quad * kQuadSubsets];
                for (int s = 0; s < kQuadSubsets; ++s) sums[s] = first_two[s % 4] + last_two[s / 4];
                row_weights_[row] += sums[kQuadSubsets - 1];
            }
    }

    const std::uint16_t* pivot_;
    const std::uint64_t* weights_;
    std::int64_t n_rows_, omitted_code_;
    std::vector<std::int64_t> size_;   // samples of each bucket
    std::vector<std::int64_t> start_;  // the first quad of each bucket
    std::vector<std::int64_t> next_;   // the place of the next sample of each bucket
    std::vector<std::uint32_t> sample_;
    std::vector<std::uint64_t> weight_, subset_sums_;
    std::vector<std::uint64_t> row_weights_;
};

// The most frequent code of a pivot among its first samples.
std::int64_t frequent_code(const std::uint16_t* pivot, std::int64_t n_codes, std::int64_t n_samples) {
    std::vector<std::int64_t> count(std::size_t(n_codes), 0);
    for (std::int64_t t = 0; t < std::min(n_samples, kBucketChunk); ++t) ++count[pivot[t]];
    return std::max_element(count.begin(), count.end()) - count.begin();
}

// A table of the result.
struct WeightedTable {
    std::int64_t column;
    std::int64_t n_codes;           // of the column
    const std::int64_t* code_sums;  // the weights of its codes; null: not known
    std::int64_t* cells;            // row after row, a row for each code of the pivot
};

// Writes a table from the sums of the kernel, those of all codes of the SIMD group but the last. The last one has what
// remains of the weight of a row.
void write_table(const Buckets& buckets, const std::vector<std::uint64_t>& sums, std::int64_t n_group_codes, int lane,
                 std::int64_t n_rows, const WeightedTable& table) {
    for (std::int64_t row = 0; row < n_rows; ++row) {
        std::int64_t* cells_of_row = table.cells + row * table.n_codes;
        std::uint64_t remaining = buckets.row_weight(row);
        for (std::int64_t code = 0; code + 1 < n_group_codes; ++code) {
            const std::uint64_t sum = sums[(row * (n_group_codes - 1) + code) * kLanes + lane];
            remaining -= sum;
            if (code < table.n_codes) cells_of_row[code] = std::int64_t(sum);
        }
        if (table.n_codes == n_group_codes) cells_of_row[table.n_codes - 1] = std::int64_t(remaining);
    }
}

// Writes one row of a table: what the other rows leave of the sums of the codes. Sums of any numbers are allowed:
// unsigned ones wrap, where signed ones would be undefined.
void complete_row(std::int64_t row, std::int64_t n_rows, const WeightedTable& table) {
    for (std::int64_t code = 0; code < table.n_codes; ++code) {
        std::uint64_t remaining = std::uint64_t(table.code_sums[code]);
        for (std::int64_t other = 0; other < n_rows; ++other)
            if (other != row) remaining -= std::uint64_t(table.cells[other * table.n_codes + code]);
        table.cells[row * table.n_codes + code] = std::int64_t(remaining);
    }
}

// Weights of any size are allowed: unsigned sums wrap, where signed ones would be undefined.
void add_sample_by_sample(const std::uint16_t* pivot, const std::uint16_t* codes, const std::uint64_t* weights,
                          std::int64_t n_samples, std::int64_t n_rows, const WeightedTable& table) {
    std::fill(table.cells, table.cells + n_rows * table.n_codes, 0);
    for (std::int64_t t = 0; t < n_samples; ++t) {
        std::int64_t& cell = table.cells[pivot[t] * table.n_codes + codes[t]];
        cell = std::int64_t(std::uint64_t(cell) + weights[t]);
    }
}

// The sums of the SIMD groups that have a column of some tables, as CountingKernel::weighted_sums takes them.
struct GroupSums {
    std::vector<std::vector<std::uint64_t>> by_group;  // by SIMD group; empty where no table needs it
    std::vector<ByteGroup> groups;                     // those in use
    std::vector<std::uint64_t*> sums;                  // of each group in use

    GroupSums(const PackedTable& packed, std::int64_t n_rows, const std::vector<WeightedTable>& tables)
        : by_group(std::size_t(packed.n_narrow_groups())) {
        for (const WeightedTable& table : tables) {
            const std::int64_t simd_group = packed.simd_group_of(table.column);
            std::vector<std::uint64_t>& group_sums = by_group[simd_group];
            if (!group_sums.empty()) continue;
            groups.push_back(packed.byte_group(simd_group));
            group_sums.assign(std::size_t(n_rows * groups.back().n_codes * kLanes), 0);
            sums.push_back(group_sums.data());
        }
    }
};

// The tables of columns that are kept as bytes, eight columns at a time.
void add_in_buckets(const PackedTable& packed, const std::uint16_t* pivot, const std::uint64_t* weights,
                    std::int64_t n_rows, const std::vector<WeightedTable>& tables) {
    const GroupSums group_sums(packed, n_rows, tables);
    const std::int64_t n_samples = packed.n_samples();
    const bool knows_code_sums = tables.front().code_sums != nullptr;
    const std::int64_t omitted_code = knows_code_sums ? frequent_code(pivot, n_rows, n_samples) : -1;
    Buckets buckets(pivot, weights, n_rows, omitted_code);
    for (std::int64_t first = 0; first < n_samples; first += kBucketChunk) {
        buckets.fill(first, std::min(first + kBucketChunk, n_samples));
        packed.kernel().weighted_sums(buckets.view(), group_sums.groups.data(), int(group_sums.groups.size()),
                                      group_sums.sums.data());
    }
    for (const WeightedTable& table : tables) {
        const std::int64_t simd_group = packed.simd_group_of(table.column);
        write_table(buckets, group_sums.by_group[simd_group], packed.byte_group(simd_group).n_codes,
                    packed.lane_of(table.column), n_rows, table);
        if (knows_code_sums) complete_row(omitted_code, n_rows, table);
    }
}

}  // namespace

void weighted_tables(const PackedTable& packed, const std::uint64_t* weights, std::int64_t pivot,
                     const std::int64_t* columns, std::int64_t n, const std::int64_t* code_sums, std::int64_t* out) {
    const std::int64_t n_samples = packed.n_samples();
    const std::int64_t n_rows = pivot < 0 ? 1 : packed.arity(pivot);
    std::vector<std::uint16_t> pivot_scratch(pivot < 0 ? std::size_t(n_samples) : 0, 0);
    const std::uint16_t* pivot_codes = pivot < 0 ? pivot_scratch.data() : packed.codes(pivot, pivot_scratch);

    const bool uses_buckets = packed.uses_counters() && n_rows <= kMaxRowsInBuckets;
    std::vector<WeightedTable> tables_in_buckets;
    std::vector<std::uint16_t> scratch;
    for (std::int64_t k = 0; k < n; ++k) {
        const WeightedTable table = {columns[k], packed.arity(columns[k]), code_sums, out};
        if (uses_buckets && !packed.is_wide(table.column))
            tables_in_buckets.push_back(table);
        else
            add_sample_by_sample(pivot_codes, packed.codes(table.column, scratch), weights, n_samples, n_rows, table);
        out += n_rows * table.n_codes;
        if (code_sums != nullptr) code_sums += table.n_codes;
    }
    if (!tables_in_buckets.empty()) add_in_buckets(packed, pivot_codes, weights, n_rows, tables_in_buckets);
}

}  // namespace bitsieve
