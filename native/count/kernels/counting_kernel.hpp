// The interface of the counting kernels, one for each instruction set (kernel_set.hpp lists those compiled in).
//
// The loops are written once, in the .inl.hpp files; each file of an instruction set compiles them over its own U64x8,
// a vector of eight 64-bit lanes, between the marks of target.hpp.
#pragma once

#include <cstdint>

#include "count/fixed_point.hpp"

namespace bitsieve {

constexpr int kLanes = 8;  // features counted by one vector

// Where the classes lie: class c owns the words [word_start[c], word_start[c + 1]) of every plane, and class_size[c]
// samples; the rest of its last word is zero in every plane. class_size[n_classes] is the number of all samples.
struct ClassLayout {
    const std::int64_t* word_start;
    const std::int64_t* class_size;
    std::int64_t n_classes;
    std::int64_t n_samples;
};

// The strata of samples whose classes are combinations of stratum and class: those of stratum s are the classes
// [first_class[s], first_class[s + 1]).
struct StrataLayout {
    const std::int64_t* first_class;
    std::int64_t n_strata;
};

// The planes of eight features: planes[(word * n_planes + plane) * 8 + lane];
// margins[(class_index * n_planes + plane) * 8 + lane] counts the bits, class_index n_classes holding the totals.
struct PlaneGroup {
    const std::uint64_t* planes;
    const std::uint32_t* margins;
    int n_planes;
};

// One row of the table of a pivot and a feature of three codes, within one class: its three cells sum to `margin`,
// so terms[c0 + (c1 << shift)] = T[c0] + T[c1] + T[margin - c0 - c1] is the whole row in one look-up.
struct RowTable {
    const std::int64_t* terms;  // null where the table would be too large to pay
    int shift;
    std::int64_t margin;
};

// The planes of one pivot (lanes = 1) or of eight (lanes = 8: a group seen as pivots), laid out alike.
struct PivotPlanes {
    const std::uint64_t* planes;
    const std::uint32_t* margins;
    int n_planes;
    int lanes;
    const RowTable* row_tables;  // [class_index * (n_planes + 1) + row], for groups of one or two planes; or null
};

// Eight features of at most ten codes as bytes: rows[sample * 8 + lane] = 6 * code, samples in class order
// (see the packed counters below).
struct ByteGroup {
    const std::uint8_t* rows;
    int n_codes;
};

// One to eight features of a ByteGroup seen as pivots: rows[sample * 8 + p], p < lanes. Null rows: one constant.
struct BytePivots {
    const std::uint8_t* rows;
    int n_codes;
    int lanes;
};

constexpr int kQuadSamples = 4;
constexpr int kQuadSubsets = 1 << kQuadSamples;

// Weighted samples in buckets by the code of a pivot, in quads of four: quad q has the samples sample[4 * q + i] with
// the weights weight[4 * q + i], and subset_sums[16 * q + s] is the weight of those whose bit i is set in s. The bucket
// of code r has the quads [start[r], start[r + 1]); samples of weight 0 fill up the last one.
struct WeightedBuckets {
    const std::uint32_t* sample;
    const std::uint64_t* weight;
    const std::uint64_t* subset_sums;
    const std::int64_t* start;
    std::int64_t n_rows;  // codes of the pivot
};

// table[index(c0, c1)] = T[c0] + T[c1] - T[c0 + c1] for counts of two classes below 1 << bits; the table may be null.
// Its rows are a little longer than a power of two, so that the same columns of several rows do not share one set of
// the cache.
struct TwoClassTerms {
    static constexpr int kExtraBits = 5;

    const std::int64_t* table;
    int bits;

    std::uint64_t index(std::uint64_t c0, std::uint64_t c1) const { return c0 + (c1 << bits) + (c1 << kExtraBits); }
    std::uint64_t size() const { return index(0, std::uint64_t(1) << bits); }
};

// One first column i and the eight second columns j of a group, to be counted with third columns k.
struct TripleView {
    PivotPlanes products;  // of eight lanes: plane a * n_second + b is the AND of plane a of i and plane b of j
    int n_first;           // planes of i
    int n_second;          // planes of j
    // The tables of the pairs with every cell, as pair_cells writes them.
    const std::uint64_t* ij;          // i with eight j
    const std::uint64_t* ik;          // i with eight k
    const std::uint64_t* jk[kLanes];  // the j of each lane with eight k
    // Where its table is not null, the cells of ij, ik and jk hold index(c0, c1) of the counts of the two classes.
    TwoClassTerms two_class_terms;
};

struct CountingKernel {
    // pair_sums: entropy sums of one or eight pivots with the eight features of a group.
    //   out   pooled_sums[pivot * 8 + lane] = sum over cells of T[n_ab]; class_sums: the same per class, summed
    //         (null: skip)
    //   how   inner cells: popcount(plane_a & plane_b); last row and column: margins minus inner cells
    //   needs planes zero beyond the last sample of a class; margins ready (PackedTable::finish); T[0] = 0
    //   limit samples <= 2^31 (uint32 margins), planes <= 63; scratch 2 * pivots * planes_a * planes_b * 64 bytes
    //   cost  words * planes_a * planes_b * pair_word + classes * cells * pair_term (see Cost below)
    //   same  integers only: every instruction set, thread count and chunk size gives the same bits
    //   test  tests/native: every set against portable, portable against increments
    void (*pair_sums)(const PivotPlanes&, const PlaneGroup&, const ClassLayout&, const Terms&,
                      std::int64_t* pooled_sums, std::int64_t* class_sums);

    // strata_sums: entropy sums within strata of one pivot with the eight features of a group.
    //   out   stratum_sums[lane] = sum over strata and cells of T[n_abs]; class_sums[lane]: the same over the classes
    //         (null: skip)
    //   how   as pair_sums, the cells of the classes of a stratum added up
    //   needs, limit, same: as pair_sums; the pivot has one lane, and every class is in a stratum
    //   cost  words * planes_a * planes_b * pair_word + (strata + classes) * cells * pair_term
    //   test  tests/native/counting_trials.py; tests/counts/test_strata.py
    void (*strata_sums)(const PivotPlanes&, const PlaneGroup&, const ClassLayout&, const StrataLayout&, const Terms&,
                        std::int64_t* stratum_sums, std::int64_t* class_sums);

    // pair_cells: the tables of one pivot with the eight features of a group, class by class.
    //   out   cells[((class_index * rows + row) * columns + column) * 8 + lane]; rows are the codes of the pivot,
    //         columns the planes of the group and one more
    //   how, needs, limit, same: as pair_sums; scratch planes_a * planes_b * 64 bytes
    //   cost  words * planes_a * planes_b * pair_word
    //   test  tests/native/counting_trials.py; tests/counts/test_cells.py
    void (*pair_cells)(const PivotPlanes&, const PlaneGroup&, const ClassLayout&, std::uint64_t* cells);

    // triple_sums: entropy sums of one first column, eight second ones and eight third ones.
    //   out   sums[lane j * 8 + lane k] = sum of T over the tables within the classes, less that over the pooled table
    //   how   inner cells: popcount(product_ab & plane_c); the other cells follow from the tables of the pairs
    //   needs the tables of the pairs from pair_cells; products zero beyond the last sample of a class
    //   limit as pair_sums; scratch: the inner cells of 64 triples in every class, and two tables of eight
    //   cost  words * planes_a * planes_b * planes_c * pair_word, and a look-up for every cell of every class
    //   same  as pair_sums
    //   test  tests/native/tuples_test.cpp; tests/counts/test_tuples.py
    void (*triple_sums)(const TripleView&, const PlaneGroup& third, const ClassLayout&, const Terms&,
                        std::int64_t* sums);

    // counter_sums: the sums of pair_sums for features kept as bytes, by packed counters (see below).
    //   out   pooled_sums[(group * lanes of pivots + pivot) * 8 + lane]; class_sums alike (null: skip)
    //   how   samples in buckets by the pivot's code; the sum of 1 << (6 code) over a bucket is a row of the table
    //   needs bytes 6 * code in class order, code < n_codes; T[0] = 0
    //   limit codes <= 10, samples <= 2^31; scratch lanes * groups * (2 * codes * codes + 2 * codes) * 64 bytes on the
    //         heap of the calling thread: 2 MB for eight pivots and sixteen groups of ten codes
    //   cost  samples * counter_sample + classes * rows * counter_row
    //   same  as pair_sums
    //   test  tests/native: every set against portable, and against the sums by planes and by increments
    void (*counter_sums)(const BytePivots&, const ByteGroup* groups, int n_groups, const ClassLayout&, const Terms&,
                         std::int64_t* pooled_sums, std::int64_t* class_sums);

    // weighted_sums: adds the weights of samples to the cells of one pivot with the features of groups kept as bytes.
    //   out   sums[group][(row * columns + column) * 8 + lane]; columns are the codes of the group but the last
    //   how   a quad of samples at once: in every lane the subset of them that has the code of a column is found, and
    //         the weight of the subset is looked up; or each weight is added where the code is that of the column
    //   needs bytes 6 * code; the weights of all samples together are below 2^64
    //   cost  samples * columns / 8 vector additions and comparisons, or half as much
    //   same  integers only: every instruction set and order of the samples gives the same bits
    //   test  tests/native: every set against portable, portable against sums over the samples
    void (*weighted_sums)(const WeightedBuckets&, const ByteGroup* groups, int n_groups, std::uint64_t* const* sums);

    // tile_values: the numbers made of the sums of pairs, a < n_rows, b < 8.
    //   out   out[a * 8 + b] = (pooled_sign * pooled_sums[a * 8 + b] + class_sign * class_sums[a * 8 + b] + first[a]
    //         + second[b]) / one_bit; the signs are -1, 0 or 1
    //   same  one rounding, by the division: every instruction set gives the same bits
    //   test  tests/native: every set against portable
    void (*tile_values)(int n_rows, const std::int64_t* pooled_sums, int pooled_sign, const std::int64_t* class_sums,
                        int class_sign, const std::int64_t* first, const std::int64_t* second, double one_bit,
                        double* out);

    // plane_masks: the bits of 64 codes in every plane of a lane.
    //   out   out[plane * 8] has bit t set where codes[t] == plane; `add`: keep the bits it has. Returns the mask of
    //         the codes greater than n_planes
    //   needs 64 readable codes
    //   test  tests/native: tables packed by every set are alike
    std::uint64_t (*plane_masks)(const std::uint8_t* codes, int n_planes, bool add, std::uint64_t* out);

    // append_bits: the bits of n words that are set in `selected`, drawn together and appended.
    //   out   bits go to out[i] behind its first `n_filled` bits, those that do not fit to out[n + i]. Returns how many
    //         bits of a word were selected
    //   needs n_filled < 64; null where the instruction set does not draw bits together
    //   test  tests/native: tables packed by every set are alike
    int (*append_bits)(const std::uint64_t* words, std::int64_t n, std::uint64_t selected, int n_filled,
                       std::uint64_t* out);

    // plane_margins: the number of samples of every code and class.
    //   out   margins[class_index * row + i] = bits of planes[word * row + i] within the class; last row: their totals
    //   limit samples <= 2^31; scratch row * 8 bytes
    //   test  tests/native: every set against portable
    void (*plane_margins)(const std::uint64_t* planes, std::int64_t row, const ClassLayout&, std::uint32_t* margins);

    // Nanoseconds, measured by benchmarks/kernel_costs.py: packed_table.cpp chooses the storage of a feature by them.
    struct Cost {
        double pair_word;       // by planes: one word of one cell of one pair
        double pair_term;       // by planes: the entropy term of one cell of one pair
        double counter_sample;  // by packed counters: one sample of one pair
        double counter_row;     // by packed counters: one row of the table of one pair, with its entropy terms
    };
    Cost cost;
};

namespace portable {
extern const CountingKernel kCounting;
}
#if defined(__x86_64__)
namespace avx2 {
extern const CountingKernel kCounting;
}
namespace avx512 {
extern const CountingKernel kCounting;
}
#endif

// Counting pairs of features of at most ten codes by packed counters: ten counters of six bits in a 64-bit word.
//
// A sample of code b adds the word 1 << (6 b). Within a class the samples are put into buckets by the code of the
// pivot. The sum of the words of a bucket is a row of the contingency table: it counts all codes of the other feature
// at once, and a vector does so for eight features. A counter holds 63 samples at most; then the word is flushed, and
// its counts are carried to counters of 64 bits. The work grows with the number of samples, while that of bit planes
// grows with the product of the two arities and, for the entropy terms, with the number of classes.

constexpr int kCounterBits = 6;
constexpr int kCountersPerWord = 10;  // one for each of the codes 0 .. 9
static_assert(kCounterBits * kCountersPerWord <= 64, "the counters of all codes fit a word");
static_assert((kCountersPerWord - 1) * kCounterBits < 256, "a byte holds 6 * code");
constexpr std::int64_t kCounterMax = (1 << kCounterBits) - 1;  // samples that a counter holds
constexpr std::int64_t kBucketChunk = 2048;                    // samples put into buckets at once: 16 KiB of codes

// The mask of every other counter. Each then has twelve bits, its own and those of its neighbour.
constexpr std::uint64_t kEvenCounters = 0x003f03f03f03f03fULL;
constexpr std::int64_t kMaxClassesHeld = 64;  // classes whose counters are added up before they are flushed
static_assert(kMaxClassesHeld * kCounterMax < 4096, "64 classes fit the twelve-bit packed counters");

// A bucket has room for a whole chunk, as all its samples may have one code.
constexpr std::int64_t kBucketPadding = 96;  // 32 for rounding down, 64 so that buckets share no set of the cache
constexpr std::int64_t kBucketCapacity = kBucketChunk + kBucketPadding;
static_assert(kBucketCapacity <= 65536, "sample numbers of a chunk are uint16");

}  // namespace bitsieve
