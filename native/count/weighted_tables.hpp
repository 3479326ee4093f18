// Tables of weights: the sum of integer weights, one a sample, over the samples of every cell of a pivot with a column.
#pragma once

#include <cstdint>

#include "count/packed_table.hpp"

namespace bitsieve {

// Writes the tables of the pivot (-1: a constant) with `n` columns, one after the other: row after row, a row for each
// code of the pivot and a column for each code. `weights` are those of the samples in class order; 0 is allowed.
// `code_sums` are the sums of the weights of every code of the columns, one column after the other; null: not known.
//   how   features kept as bytes by CountingKernel::weighted_sums, eight at a time; others sample by sample. Where the
//         sums of the codes are known, a frequent code of the pivot is left out: its row is what the others leave
//   limit the weights of all samples together are below 2^63
//   test  tests/native/counting_trials.py; tests/counts/test_weighted.py
void weighted_tables(const PackedTable& packed, const std::uint64_t* weights, std::int64_t pivot,
                     const std::int64_t* columns, std::int64_t n, const std::int64_t* code_sums, std::int64_t* out);

}  // namespace bitsieve
