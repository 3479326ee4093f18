// The interface of the counting kernels, one for each instruction set, and the list of those compiled in.
//
// The loops are written once, in the .inc files; each file of an instruction set compiles them over its own vector of
// eight 64-bit lanes. The baseline of the compiler is never raised: the functions of a set carry their target
// themselves and are called only where the machine has it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "count/fixed_point.hpp"

namespace bitsieve {

constexpr int kLanes = 8;  // features counted by one vector

// Where the classes lie: class c owns the words [word_start[c], word_start[c + 1]) of every plane, and
// size[c] samples; the rest of its last word is zero in every plane.
struct ClassLayout {
    const std::int64_t* word_start;
    const std::int64_t* size;
    std::int64_t count;
    std::int64_t n_samples;
};

// The planes of eight features: planes[(word * n_planes + plane) * 8 + lane];
// margins[(segment * n_planes + plane) * 8 + lane] counts the bits, segment `count` holding the totals.
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
    const RowTable* row_tables;  // [segment * (n_planes + 1) + row], for groups of one or two planes; or null
};

// Eight features of at most ten codes as bytes: rows[sample * 8 + lane] = 6 * code, samples in class order
// (see the packed counters below).
struct ByteGroup {
    const std::uint8_t* rows;
    int n_codes;
};

// One to eight of them seen as pivots: rows[sample * 8 + p], p < lanes. Null rows: one constant.
struct BytePivots {
    const std::uint8_t* rows;
    int n_codes;
    int lanes;
};

// T[c0] + T[c1] - T[c0 + c1] at place(c0, c1), for counts of two classes below 1 << bits; or null. The rows are a
// little longer than a power of two, so that the same columns of several are not in one set of the cache.
struct TwoClassTerms {
    static constexpr int kExtraBits = 5;

    const std::int64_t* table;
    int bits;

    std::uint64_t place(std::uint64_t c0, std::uint64_t c1) const { return c0 + (c1 << bits) + (c1 << kExtraBits); }
    std::uint64_t size() const { return place(0, std::uint64_t(1) << bits); }
};

// One first column i and the eight second columns j of a group, to be counted with third columns k.
struct TripleView {
    PivotPlanes products;   // of eight lanes: plane a * n_second + b is the AND of plane a of i and plane b of j
    int n_first, n_second;  // planes of i and of j
    // Whole tables of the pairs, as pair_cells writes them: ij of eight j, ik of eight k, and jk of each lane j.
    const std::uint64_t *ij, *ik, *jk[kLanes];
    TwoClassTerms both;  // where it is not null, the tables hold place(c0, c1) of the counts of the two classes
};

struct Kernel {
    const char* name;
    bool (*available)();

    // pooled_sums[lane of pivot * 8 + lane] = sum of T over the table of the pair, pooled over the classes;
    // class_sums the same over the tables within each class, summed (null: not wanted).
    void (*pair_sums)(const PivotPlanes&, const PlaneGroup&, const ClassLayout&, const Terms&,
                      std::int64_t* pooled_sums, std::int64_t* class_sums);

    // cells[((segment * rows + row) * columns + column) * 8 + lane] = counts of the pair within the class, for a pivot
    // of one lane; the rows are the codes of the pivot, the columns the planes of the group and one more.
    void (*pair_cells)(const PivotPlanes&, const PlaneGroup&, const ClassLayout&, std::uint64_t* cells);

    // sums[lane j * 8 + lane k] = sum of T over the tables of three columns within the classes, less that over the
    // pooled one.
    void (*triple_sums)(const TripleView&, const PlaneGroup& third, const ClassLayout&, const Terms&,
                        std::int64_t* sums);

    // The same sums of features kept as bytes, by packed counters:
    // pooled_sums[(group * lanes of pivots + pivot) * 8 + lane], class_sums alike.
    void (*counter_sums)(const BytePivots&, const ByteGroup* groups, int n_groups, const ClassLayout&, const Terms&,
                         std::int64_t* pooled_sums, std::int64_t* class_sums);

    // out[a * 8 + b] = (pooled_sign * pooled_sums[a * 8 + b] + class_sign * class_sums[a * 8 + b] + first[a] +
    // second[b]) / one_bit for a < n_rows, b < 8; the signs are -1, 0 or 1.
    void (*tile_values)(int n_rows, const std::int64_t* pooled_sums, int pooled_sign, const std::int64_t* class_sums,
                        int class_sign, const std::int64_t* first, const std::int64_t* second, double one_bit,
                        double* out);

    // Bit masks of 64 codes: out[plane * 8] has bit t set where codes[t] == plane; `add`: keep the bits it has. Returns
    // the mask of the codes greater than n_planes.
    std::uint64_t (*plane_masks)(const std::uint8_t* codes, int n_planes, bool add, std::uint64_t* out);

    // Appends the bits of each of n words that are set in `kept`, drawn together, to out[i], whose first `at` bits are
    // there, and what does not fit to out[n + i]. Returns how many bits of a word were kept. Null where the instruction
    // set does not draw bits together.
    int (*append_bits)(const std::uint64_t* words, std::int64_t n, std::uint64_t kept, int at, std::uint64_t* out);

    // margins[segment * row + i] = bits of planes[word * row + i] within the segment; the last row: their totals.
    void (*plane_margins)(const std::uint64_t* planes, std::int64_t row, const ClassLayout&, std::uint32_t* margins);

    // Costs in nanoseconds, measured by benchmarks/kernel_costs.py, from which the storage of a feature is chosen (see
    // packed_table.cpp):
    double word_cell_ns;       // by planes: one word of one cell of one pair
    double term_cell_ns;       // and the entropy term of one cell of one pair
    double counter_sample_ns;  // by packed counters: one sample of one pair
    double counter_row_ns;     // and one row of its table, with the entropy terms
};

// Fastest first; the portable one is always there and always last.
const std::vector<Kernel>& kernels();

// The fastest the machine has, or the one called `name`; throws std::invalid_argument naming the choices.
const Kernel& choose_kernel(const std::string& name);

extern const Kernel kPortableKernel;
#if defined(__x86_64__)
extern const Kernel kAvx2Kernel;
extern const Kernel kAvx512Kernel;
#endif

// Counting pairs of features of at most ten codes by packed counters: ten counters of six bits in a 64-bit word.
//
// A sample of code b adds the word 1 << (6 b). Within a class the samples are put into buckets by the code of the
// pivot. The sum of the words of a bucket is a row of the contingency table: it counts all codes of the other feature
// at once, and a vector does so for eight features. A counter holds 63 samples at most; then the word is flushed, and
// its counts are carried to counters of 64 bits. The work grows with the number of samples, while that of bit planes
// grows with the product of the two arities and, for the entropy terms, with the number of classes.

constexpr int kCounterBits = 6;
constexpr int kCountersPerWord = 10;  // counters of a word: codes 0 .. 9
static_assert(kCounterBits * kCountersPerWord <= 64, "the counters of all codes fit a word");
constexpr std::int64_t kCounterMax = 63;     // samples that a counter holds
constexpr std::int64_t kBucketChunk = 2048;  // samples put into buckets at once: 16 KiB of a group's codes
constexpr std::uint64_t kEvenCounters = 0x003f03f03f03f03fULL;  // every other counter, with room for 64 words' worth

}  // namespace bitsieve
