// The jobs that Python hands to threads, block by block: a row of sums of pairs, a block or some rows of a matrix of
// numbers of pairs, and the counts of one feature (the pivot) with some others.
#pragma once

#include <cstdint>

#include "storage.hpp"

namespace bitsieve {

// xy[feature] and xyc[feature] (null: not wanted) of the pivot with every feature of the SIMD groups listed.
// pivot -1 is a constant: the sums are then those of each feature alone, and of each feature with the class.
void row_sums(const Packed&, const Terms&, std::int64_t pivot, const std::int64_t* groups, std::int64_t n_groups,
              std::int64_t* xy, std::int64_t* xyc);

// The number made of the sums of a pair (i, j):
//     value(i, j) = (xy_sign * xy + xyc_sign * xyc + row[i] + column[j]) / one_bit,
// or, if symmetric, the mean of value(i, j) and value(j, i): exact integers until they become floats here.
struct PairForm {
    int xy_sign, xyc_sign;  // -1, 0 or 1
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
void matrix_block(const Packed&, const Terms&, const PairForm&, std::int64_t i0, std::int64_t i1, std::int64_t j0,
                  std::int64_t j1, const Matrix<Real>& out);

// The counts of the pivot (-1: a constant) with each of n columns: row k of xy, `xy_width` numbers, gets those of the table
// with columns[k] pooled over the classes, and row k of xyc those within the classes (null: not wanted), in any order.
// Empty cells may be left out. The rows hold zeros before and are wide enough for every cell or, where there are more
// cells, for every sample and for kPlaneCells. Columns of one SIMD group that follow each other are counted at once.
constexpr std::int64_t kPlaneCells = 64 * 64;  // of the pooled table of two features stored as planes, at most

void pair_cells(const Packed&, std::int64_t pivot, const std::int64_t* columns, std::int64_t n, std::int64_t xy_width,
                std::int64_t* xy, std::int64_t xyc_width, std::int64_t* xyc);

// The tables of the pivot (-1: a constant) with each of n columns, one after the other, every cell at its place: the table
// with columns[k] has n_rows x n_codes[k] x n_classes cells, in the order of the pivot's code, the column's code and the
// class, and gets the counts added. The numbers of codes and classes may be larger than those of this table of codes, which
// may be a portion of the samples; n_classes 1 pools the classes. Columns of one SIMD group that follow each other are
// counted at once.
void pair_tables(const Packed&, std::int64_t pivot, std::int64_t n_rows, const std::int64_t* columns,
                 const std::int64_t* n_codes, std::int64_t n, std::int64_t n_classes, std::int64_t* out);

// Rows of numbers of pairs, one for each pivot, `size` numbers long; places as in a Matrix.
template <class Real>
struct Rows {
    Real* values;
    std::int64_t size;
    const std::int64_t* place;
};

// Writes value(pivots[a], j) into row a for every feature j of the SIMD groups listed: the very numbers of matrix_block.
template <class Real>
void matrix_rows(const Packed&, const Terms&, const PairForm&, const std::int64_t* pivots, std::int64_t n_pivots,
                 const std::int64_t* groups, std::int64_t n_groups, const Rows<Real>& out);

}  // namespace bitsieve
