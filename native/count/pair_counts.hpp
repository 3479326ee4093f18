// The contingency tables of one feature (the pivot) with some others.
#pragma once

#include <cstdint>

#include "count/packed_table.hpp"

namespace bitsieve {

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

}  // namespace bitsieve
