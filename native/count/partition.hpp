// Conditioning on many features at once: the samples, divided into parts by the joint value of all of them.
//
// A part of one sample adds T[1] to every sum and carries no information, so only larger ones are kept, and the work
// falls as parts split. Samples are numbered in class order (see packed_table.hpp), so those of one class stand
// together inside a part.
#pragma once

#include <cstdint>
#include <vector>

#include "count/packed_table.hpp"

namespace bitsieve {

// The samples order[starts[z]], ..., order[starts[z + 1] - 1] agree on every conditioning feature; ascending.
struct Partition {
    const std::uint32_t* order;
    const std::int64_t* starts;
    std::int64_t n_parts;

    std::int64_t n_listed() const { return starts[n_parts]; }  // samples in parts of two or more
};

struct PartitionVectors {
    std::vector<std::uint32_t> order;
    std::vector<std::int64_t> starts;
};

// The runs of the samples of one class in one part, in the order of the partition.
struct ClassRuns {
    std::vector<std::int64_t> run_ends;   // among the samples
    std::vector<std::int64_t> part_ends;  // among the runs
};

// The partition refined by codes below n_codes, of all samples.
PartitionVectors refine(const std::uint16_t* codes, std::int64_t n_codes, const Partition&);

// The partition refined by the codes of one more feature.
PartitionVectors refine(const PackedTable&, const Partition&, std::int64_t feature);

// pooled_sums[feature] and class_sums[feature]: the sums of T over the tables (part, code) and (part, code, class) of
// the features of the SIMD groups listed.
void partition_sums(const PackedTable&, const Terms&, const Partition&, const std::int64_t* groups,
                    std::int64_t n_groups, std::int64_t* pooled_sums, std::int64_t* class_sums);

// The same of a constant: the sums over the parts, and over parts and classes.
void partition_marginals(const PackedTable&, const Terms&, const Partition&, std::int64_t* pooled_sum,
                         std::int64_t* class_sum);

// Degrees of freedom of "feature and class are independent in every part": (codes - 1) (classes - 1), counting those
// that occur in the part, summed.
std::int64_t degrees_of_freedom(const PackedTable&, const Partition&, std::int64_t feature);

// The codes of a feature part by part, within a part class by class, within a class ascending, and where these runs
// end: an order that the table (part, code, class) alone decides.
ClassRuns arrange(const PackedTable&, const Partition&, std::int64_t feature, std::vector<std::uint16_t>& codes);

// out[b]: the sum of T over (part, code, class) after the arranged codes were shuffled within every part, by random
// numbers that depend on seeds[b] alone.
void shuffled_sums(const Terms&, const std::uint16_t* codes, std::int64_t n, const std::int64_t* run_ends,
                   const std::int64_t* part_ends, std::int64_t n_parts, const std::uint64_t* seeds,
                   std::int64_t n_seeds, std::int64_t* out);

}  // namespace bitsieve
