// The jobs that Python hands to threads, block by block: a row of sums of pairs, a block or some rows of a matrix of
// numbers of pairs, and the counts of one feature (the pivot) with some others.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "count/packed_table.hpp"
#include "count/pivot_counter.hpp"

namespace bitsieve {

// pooled_sums[feature] and class_sums[feature] (null: not wanted) of the pivot with every feature of the SIMD groups
// listed. pivot -1 is a constant: the sums are then those of each feature alone, and of each feature with the class.
void row_sums(const PackedTable&, const Terms&, std::int64_t pivot, const std::int64_t* groups, std::int64_t n_groups,
              std::int64_t* pooled_sums, std::int64_t* class_sums);

// The number made of the sums of a pair (i, j):
//     value(i, j) = (pooled_sign * pooled_sums + class_sign * class_sums + row[i] + column[j]) / one_bit,
// or, if symmetric, the mean of value(i, j) and value(j, i): exact integers until they become floats here.
struct PairForm {
    int pooled_sign, class_sign;  // -1, 0 or 1
    const std::int64_t *row, *column;
    double one_bit;  // of an entropy in fixed point
    bool symmetric;
};

// A square matrix of numbers of pairs; features stand at place[feature], those at -1 are left out.
template <class Real>
struct Matrix {
    Real* values;
    std::int64_t size;
    const std::int64_t* place;
};

// Writes value(i, j) and its mirror image value(j, i) for every pair of features of the groups [i0, i1) x [j0, j1)
// with SIMD group j >= SIMD group i.
template <class Real>
void matrix_block(const PackedTable&, const Terms&, const PairForm&, std::int64_t i0, std::int64_t i1, std::int64_t j0,
                  std::int64_t j1, const Matrix<Real>& out);

// The counts of the pivot (-1: a constant) with each of n columns: row k of pooled_cells, `pooled_width` numbers, gets
// those of the table with columns[k] pooled over the classes, and row k of class_cells those within the classes (null:
// not wanted), in any order. Empty cells may be left out. The rows hold zeros before and are wide enough for every cell
// or, where there are more cells, for every sample and for kPlaneCells. Columns of one SIMD group that follow each
// other are counted at once.
constexpr std::int64_t kPlaneCells = 64 * 64;  // of the pooled table of two features stored as planes, at most

void pair_cells(const PackedTable&, std::int64_t pivot, const std::int64_t* columns, std::int64_t n,
                std::int64_t pooled_width, std::int64_t* pooled_cells, std::int64_t class_width,
                std::int64_t* class_cells);

// The tables of the pivot (-1: a constant) with each of n columns, one after the other, every cell at its place: the
// table with columns[k] has n_rows x n_codes[k] x n_classes cells, in the order of the pivot's code, the column's code
// and the class, and gets the counts added. The numbers of codes and classes may be larger than those of this table of
// codes, which may be a portion of the samples; n_classes 1 pools the classes. Columns of one SIMD group that follow
// each other are counted at once.
void pair_tables(const PackedTable&, std::int64_t pivot, std::int64_t n_rows, const std::int64_t* columns,
                 const std::int64_t* n_codes, std::int64_t n, std::int64_t n_classes, std::int64_t* out);

// MatrixRows of numbers of pairs, one for each pivot, `size` numbers long; places as in a Matrix.
template <class Real>
struct MatrixRows {
    Real* values;
    std::int64_t size;
    const std::int64_t* place;
};

// Writes value(pivots[a], j) into row a for every feature j of the SIMD groups listed: the very numbers of
// matrix_block.
template <class Real>
void matrix_rows(const PackedTable&, const Terms&, const PairForm&, const std::int64_t* pivots, std::int64_t n_pivots,
                 const std::int64_t* groups, std::int64_t n_groups, const MatrixRows<Real>& out);

// The smallest number of every feature over pivots that are added one at a time, and the feature where it is largest:
// the core of forward selection by minima, such as CMIM.
//
// The number of feature i with pivot s is  within - pooled + offset_s  for the sums of the pair, so a minimum is an
// integer. LazyMinima only fall: one that lacks some pivots bounds the true one from above. Fleuret's lazy rule
// follows: SIMD groups are brought up to date from the highest bound down, one pivot at a time, until no bound left can
// reach the highest minimum. Which ones are depends on the groups asked for together; what is found does not.
//
// Limits: all features are kept as planes. ArgumentExtents: the planes of the pivots, and 16 bytes a feature.

class LazyMinima {
public:
    // `start` bounds the minimum of every feature, such as by what it is without a pivot. LazyMinima within `tie` of
    // each other count as equal, once divided by `one_bit`.
    LazyMinima(const PackedTable& packed, std::vector<std::int64_t> table, int shift, std::vector<std::int64_t> start,
               double one_bit, double tie);
    LazyMinima(const LazyMinima&) = delete;  // the terms point into its own table
    LazyMinima& operator=(const LazyMinima&) = delete;

    std::int64_t n_features() const { return packed_.n_features(); }
    std::int64_t n_simd_groups() const { return packed_.n_simd_groups(); }

    // Adds a pivot, in which every minimum then lies behind.
    void add(std::int64_t feature, std::int64_t offset);

    // Raises `best_so_far` to the largest minimum of the candidates in the SIMD groups [first, last), those within a
    // tie of it up to date. Groups that do not overlap may be asked for at once, with one `best_so_far`: what does not
    // reach what others have found is left behind.
    void largest(const bool* candidates, std::int64_t first, std::int64_t last, std::int64_t* best_so_far);

    // The first candidate that is up to date with a minimum within a tie of `largest`, and that minimum; -1: none.
    std::int64_t first_at(const bool* candidates, std::int64_t largest, std::int64_t& minimum) const;

private:
    struct Bound {
        std::int64_t sum, simd_group;
    };

    bool reaches(std::int64_t sum, std::int64_t mark) const {
        return double(sum) / one_bit_ >= double(mark) / one_bit_ - tie_;
    }
    Bound bound(const bool* candidates, std::int64_t simd_group) const;
    void advance(std::int64_t simd_group);

    const PackedTable& packed_;
    const std::vector<std::int64_t> table_;
    const Terms terms_;
    const double one_bit_, tie_;
    std::deque<PivotCounter> pivots_;
    std::vector<std::int64_t> offsets_;
    std::vector<std::int64_t> depth_;   // by SIMD group: pivots seen so far
    std::vector<std::int64_t> lowest_;  // by place in the SIMD groups: the minimum over them
};

}  // namespace bitsieve
