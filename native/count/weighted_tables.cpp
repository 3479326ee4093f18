#include "count/weighted_tables.hpp"

#include <algorithm>
#include <vector>

namespace bitsieve {

namespace {

constexpr std::int64_t kMaxRowsInBuckets = 64;  // with more codes of the pivot, buckets of a chunk hold few samples

// The samples of a chunk, in buckets by the code of a pivot. Samples of weight 0 are left out, and those of one code.
class Buckets {
public:
    Buckets(const std::uint16_t* pivot, const std::uint64_t* weights, std::int64_t n_rows, std::int64_t row_left_out)
        : pivot_(pivot),
          weights_(weights),
          n_rows_(n_rows),
          row_left_out_(row_left_out),
          start_(std::size_t(n_rows) + 2),
          next_(std::size_t(n_rows) + 1),
          row_weights_(std::size_t(n_rows), 0) {}

    // Puts the samples [first, last) into the buckets.
    void fill(std::int64_t first, std::int64_t last) {
        std::fill(next_.begin(), next_.end(), 0);
        for (std::int64_t t = first; t < last; ++t) ++next_[bucket_of(t)];
        for (std::int64_t row = 0; row <= n_rows_; ++row) {
            start_[row + 1] = start_[row] + (next_[row] + kSamplesOfFour - 1) / kSamplesOfFour;
            next_[row] = start_[row] * kSamplesOfFour;
        }
        const std::int64_t n_fours = start_.back();
        sample_.assign(std::size_t(n_fours * kSamplesOfFour), std::uint32_t(first));
        weight_.assign(std::size_t(n_fours * kSamplesOfFour), 0);
        for (std::int64_t t = first; t < last; ++t) {
            const std::int64_t i = next_[bucket_of(t)]++;
            sample_[i] = std::uint32_t(t);
            weight_[i] = weights_[t];
        }
        add_up_subsets();
    }

    WeightedBuckets view() const {
        return {sample_.data(), weight_.data(), subset_sums_.data(), start_.data(), n_rows_};
    }
    // The weights of all samples of a code of the pivot that have been in a bucket.
    std::uint64_t row_weight(std::int64_t row) const { return row_weights_[row]; }

private:
    // The code of the pivot; one more bucket holds the samples that are left out.
    std::int64_t bucket_of(std::int64_t t) const {
        const bool is_left_out = (weights_[t] == 0) | (pivot_[t] == row_left_out_);
        return is_left_out ? n_rows_ : pivot_[t];
    }

    void add_up_subsets() {
        subset_sums_.resize(std::size_t(start_[n_rows_] * kSubsetsOfFour));
        for (std::int64_t row = 0; row < n_rows_; ++row)
            for (std::int64_t f = start_[row]; f < start_[row + 1]; ++f) {
                const std::uint64_t* w = &weight_[f * kSamplesOfFour];
                const std::uint64_t of_first_two[4] = {0, w[0], w[1], w[0] + w[1]};
                const std::uint64_t of_last_two[4] = {0, w[2], w[3], w[2] + w[3]};
                std::uint64_t* sums = &subset_sums_[f * kSubsetsOfFour];
                for (int s = 0; s < kSubsetsOfFour; ++s) sums[s] = of_first_two[s % 4] + of_last_two[s / 4];
                row_weights_[row] += sums[kSubsetsOfFour - 1];
            }
    }

    const std::uint16_t* pivot_;
    const std::uint64_t* weights_;
    std::int64_t n_rows_, row_left_out_;
    std::vector<std::int64_t> start_;  // of the fours of each bucket
    std::vector<std::int64_t> next_;   // where the next sample of each bucket goes
    std::vector<std::uint32_t> sample_;
    std::vector<std::uint64_t> weight_, subset_sums_;
    std::vector<std::uint64_t> row_weights_;
};

// A frequent code of a pivot: the most frequent one among the first samples.
std::int64_t frequent_code(const std::uint16_t* pivot, std::int64_t n_codes, std::int64_t n_samples) {
    std::vector<std::int64_t> count(std::size_t(n_codes), 0);
    for (std::int64_t t = 0; t < std::min(n_samples, kBucketChunk); ++t) ++count[pivot[t]];
    return std::max_element(count.begin(), count.end()) - count.begin();
}

// The table of one feature of a SIMD group from the sums of the kernel: the last code of the group has what remains of
// the weights of a row.
void write_table(const Buckets& buckets, const std::vector<std::uint64_t>& sums, std::int64_t n_group_codes, int lane,
                 std::int64_t n_rows, std::int64_t n_codes, std::int64_t* table) {
    for (std::int64_t row = 0; row < n_rows; ++row) {
        std::uint64_t remaining = buckets.row_weight(row);
        for (std::int64_t code = 0; code + 1 < n_group_codes; ++code) {
            const std::uint64_t sum = sums[(row * (n_group_codes - 1) + code) * kLanes + lane];
            remaining -= sum;
            if (code < n_codes) table[row * n_codes + code] = std::int64_t(sum);
        }
        if (n_codes == n_group_codes) table[row * n_codes + n_codes - 1] = std::int64_t(remaining);
    }
}

// One row of a table from the others, which it adds up with to the sums of the codes: without a sign, as the sums may be
// anything, and wrap.
void complete_row(const std::int64_t* code_sums, std::int64_t row, std::int64_t n_rows, std::int64_t n_codes,
                  std::int64_t* table) {
    for (std::int64_t code = 0; code < n_codes; ++code) {
        std::uint64_t remaining = std::uint64_t(code_sums[code]);
        for (std::int64_t other = 0; other < n_rows; ++other)
            if (other != row) remaining -= std::uint64_t(table[other * n_codes + code]);
        table[row * n_codes + code] = std::int64_t(remaining);
    }
}

void add_sample_by_sample(const std::uint16_t* pivot, const std::uint16_t* codes, const std::uint64_t* weights,
                          std::int64_t n_samples, std::int64_t n_codes, std::int64_t* table) {
    for (std::int64_t t = 0; t < n_samples; ++t) {
        std::int64_t& cell = table[pivot[t] * n_codes + codes[t]];
        cell =
            std::int64_t(std::uint64_t(cell) + weights[t]);  // without a sign, as the weights may be anything: it wraps
    }
}

}  // namespace

void weighted_tables(const PackedTable& packed, const std::uint64_t* weights, std::int64_t pivot,
                     const std::int64_t* columns, std::int64_t n, const std::int64_t* code_sums, std::int64_t* out) {
    const std::int64_t n_samples = packed.n_samples();
    const std::int64_t n_rows = pivot < 0 ? 1 : packed.arity(pivot);
    std::vector<std::uint16_t> pivot_scratch(pivot < 0 ? std::size_t(n_samples) : 0, 0);
    const std::uint16_t* pivot_codes = pivot < 0 ? pivot_scratch.data() : packed.codes(pivot, pivot_scratch);
    const std::int64_t row_left_out = code_sums == nullptr ? -1 : frequent_code(pivot_codes, n_rows, n_samples);

    std::vector<std::int64_t*> tables(std::size_t(n), nullptr);
    std::vector<const std::int64_t*> sums_of_codes(std::size_t(n), nullptr);
    std::vector<std::vector<std::uint64_t>> sums(std::size_t(packed.n_narrow_groups()));  // of the groups in use
    std::vector<ByteGroup> groups;
    std::vector<std::uint64_t*> sums_of_groups;
    const bool uses_buckets = packed.uses_counters() && n_rows <= kMaxRowsInBuckets;
    std::vector<std::uint16_t> scratch;
    for (std::int64_t k = 0; k < n; ++k) {
        const std::int64_t n_codes = packed.arity(columns[k]);
        tables[k] = out;
        out += n_rows * n_codes;
        sums_of_codes[k] = code_sums;
        if (code_sums != nullptr) code_sums += n_codes;
        if (!uses_buckets || packed.is_wide(columns[k])) {
            std::fill(tables[k], out, 0);
            add_sample_by_sample(pivot_codes, packed.codes(columns[k], scratch), weights, n_samples, n_codes,
                                 tables[k]);
            continue;
        }
        const std::int64_t simd_group = packed.simd_group_of(columns[k]);
        std::vector<std::uint64_t>& sums_of_group = sums[simd_group];
        if (!sums_of_group.empty()) continue;
        groups.push_back(packed.byte_group(simd_group));
        sums_of_group.assign(std::size_t(n_rows * groups.back().n_codes * kLanes), 0);
        sums_of_groups.push_back(sums_of_group.data());
    }
    if (groups.empty()) return;

    Buckets buckets(pivot_codes, weights, n_rows, row_left_out);
    for (std::int64_t first = 0; first < n_samples; first += kBucketChunk) {
        buckets.fill(first, std::min(first + kBucketChunk, n_samples));
        packed.kernel().weighted_sums(buckets.view(), groups.data(), int(groups.size()), sums_of_groups.data());
    }
    for (std::int64_t k = 0; k < n; ++k) {
        if (packed.is_wide(columns[k])) continue;
        const std::int64_t simd_group = packed.simd_group_of(columns[k]);
        const std::int64_t n_codes = packed.arity(columns[k]);
        write_table(buckets, sums[simd_group], packed.byte_group(simd_group).n_codes, packed.lane_of(columns[k]),
                    n_rows, n_codes, tables[k]);
        if (row_left_out >= 0) complete_row(sums_of_codes[k], row_left_out, n_rows, n_codes, tables[k]);
    }
}

}  // namespace bitsieve
