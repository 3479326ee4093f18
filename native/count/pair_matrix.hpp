// Sums of pairs of features, and matrices of numbers made of them: what Python hands to threads, block by block.
#pragma once

#include <cstdint>

#include "count/packed_table.hpp"

namespace bitsieve {

// pooled_sums[feature] and class_sums[feature] (null: not wanted) of the pivot with every feature of the SIMD groups
// listed. pivot -1 is a constant: the sums are then those of each feature alone, and of each feature with the class.
void row_sums(const PackedTable&, const Terms&, std::int64_t pivot, const std::int64_t* groups, std::int64_t n_groups,
              std::int64_t* pooled_sums, std::int64_t* class_sums);

// The same within strata, of which the classes of the table are the classes: stratum_sums[feature] is the sum over the
// tables within the strata. All features of the table are planes.
void row_sums_within_strata(const PackedTable&, const Terms&, const StrataLayout&, std::int64_t pivot,
                            const std::int64_t* groups, std::int64_t n_groups, std::int64_t* stratum_sums,
                            std::int64_t* class_sums);

// The number made of the sums of a pair (i, j):
//     value(i, j) = (pooled_sign * pooled_sums + class_sign * class_sums + row[i] + column[j]) / one_bit,
// or, if symmetric, the mean of value(i, j) and value(j, i): exact integers until they become floats here.
struct PairFormula {
    int pooled_sign, class_sign;  // -1, 0 or 1
    const std::int64_t *row, *column;
    double one_bit;  // of an entropy in fixed point
    bool symmetric;
};

// A square matrix of numbers of pairs. Feature f has the row and the column position[f]; -1: it is left out.
template <class Real>
struct Matrix {
    Real* values;
    std::int64_t size;
    const std::int64_t* position;
};

// Writes value(i, j) and its mirror image value(j, i) for every pair of features of the groups [i0, i1) x [j0, j1)
// with SIMD group j >= SIMD group i.
template <class Real>
void matrix_block(const PackedTable&, const Terms&, const PairFormula&, std::int64_t i0, std::int64_t i1,
                  std::int64_t j0, std::int64_t j1, const Matrix<Real>& out);

// Rows of numbers of pairs, one for each pivot, `size` numbers long; positions as in a Matrix.
template <class Real>
struct MatrixRows {
    Real* values;
    std::int64_t size;
    const std::int64_t* position;
};

// Writes value(pivots[a], j) into row a for every feature j of the SIMD groups listed: the very numbers of
// matrix_block.
template <class Real>
void matrix_rows(const PackedTable&, const Terms&, const PairFormula&, const std::int64_t* pivots,
                 std::int64_t n_pivots, const std::int64_t* groups, std::int64_t n_groups, const MatrixRows<Real>& out);

}  // namespace bitsieve
