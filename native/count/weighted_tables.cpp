#include "count/weighted_tables.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

namespace bitsieve {

namespace {

constexpr std::int64_t kMaxRowsInBuckets = 64;  // with more codes of the pivot, buckets of a chunk hold few samples

// The samples of weight above 0, in buckets by the code of a pivot.
class Buckets {
public:
    Buckets(const std::uint16_t* pivot, std::int64_t n_rows, const std::uint64_t* weights, std::int64_t n_samples)
        : n_rows_(n_rows), row_weights_(std::size_t(n_rows), 0) {
        sample_.reserve(std::size_t(n_samples));
        weight_.reserve(std::size_t(n_samples));
        start_.push_back(0);
        std::vector<std::int64_t> next(std::size_t(n_rows) + 1);  // where the next sample of each code goes
        for (std::int64_t first = 0; first < n_samples; first += kBucketChunk) {
            const std::int64_t last = std::min(first + kBucketChunk, n_samples);
            std::fill(next.begin(), next.end(), 0);
            for (std::int64_t t = first; t < last; ++t)
                if (weights[t] > 0) ++next[pivot[t] + 1];
            next[0] = start_.back();
            for (std::int64_t row = 0; row < n_rows; ++row) {
                next[row + 1] += next[row];
                start_.push_back(next[row + 1]);
            }
            sample_.resize(std::size_t(start_.back()));
            weight_.resize(std::size_t(start_.back()));
            for (std::int64_t t = first; t < last; ++t) {
                if (weights[t] == 0) continue;
                const std::int64_t i = next[pivot[t]]++;
                sample_[i] = std::uint32_t(t);
                weight_[i] = weights[t];
                row_weights_[pivot[t]] += weights[t];
            }
        }
    }

    WeightedBuckets view() const {
        return {sample_.data(), weight_.data(), start_.data(), (std::int64_t(start_.size()) - 1) / n_rows_, n_rows_};
    }
    // The weights of all samples of a code of the pivot.
    std::uint64_t row_weight(std::int64_t row) const { return row_weights_[row]; }

private:
    std::int64_t n_rows_;
    std::vector<std::uint32_t> sample_;
    std::vector<std::uint64_t> weight_;
    std::vector<std::int64_t> start_;
    std::vector<std::uint64_t> row_weights_;
};

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
                     const std::int64_t* columns, std::int64_t n, std::int64_t* out) {
    const std::int64_t n_samples = packed.n_samples();
    const std::int64_t n_rows = pivot < 0 ? 1 : packed.arity(pivot);
    std::vector<std::uint16_t> pivot_scratch(pivot < 0 ? std::size_t(n_samples) : 0, 0);
    const std::uint16_t* pivot_codes = pivot < 0 ? pivot_scratch.data() : packed.codes(pivot, pivot_scratch);

    std::vector<std::int64_t*> tables(std::size_t(n), nullptr);
    for (std::int64_t k = 0; k < n; ++k) {
        tables[k] = out;
        out += n_rows * packed.arity(columns[k]);
    }
    std::vector<std::int64_t> by_group(std::size_t(n), 0);  // the columns of one SIMD group come together
    std::iota(by_group.begin(), by_group.end(), 0);
    std::stable_sort(by_group.begin(), by_group.end(), [&](std::int64_t a, std::int64_t b) {
        return packed.simd_group_of(columns[a]) < packed.simd_group_of(columns[b]);
    });

    std::optional<Buckets> buckets;  // none: all columns are counted sample by sample
    if (packed.uses_counters() && n_rows <= kMaxRowsInBuckets) buckets.emplace(pivot_codes, n_rows, weights, n_samples);
    std::vector<std::uint64_t> sums;
    std::vector<std::uint16_t> scratch;
    std::int64_t summed_group = -1;
    for (const std::int64_t k : by_group) {
        const std::int64_t column = columns[k];
        const std::int64_t n_codes = packed.arity(column);
        if (!buckets || packed.is_wide(column)) {
            std::fill(tables[k], tables[k] + n_rows * n_codes, 0);
            add_sample_by_sample(pivot_codes, packed.codes(column, scratch), weights, n_samples, n_codes, tables[k]);
            continue;
        }
        const std::int64_t simd_group = packed.simd_group_of(column);
        const ByteGroup group = packed.byte_group(simd_group);
        if (simd_group != summed_group) {
            sums.resize(std::size_t(n_rows * (group.n_codes - 1) * kLanes));
            packed.kernel().weighted_sums(buckets->view(), group, sums.data());
            summed_group = simd_group;
        }
        write_table(*buckets, sums, group.n_codes, packed.lane_of(column), n_rows, n_codes, tables[k]);
    }
}

}  // namespace bitsieve
