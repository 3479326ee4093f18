// Counting pairs by incrementing the cells of their contingency table: for features of many codes.
//
// Small tables are incremented directly. For large ones (up to 65536 x 65536 codes) samples are visited in the order of the
// pivot's codes, so that memory for one row of the table is enough.
#pragma once

#include <cstdint>
#include <vector>

#include "storage.hpp"

namespace bitsieve {

// The codes of one feature in class order, and what the walk needs of them.
class TablePivot {
public:
    // feature -1: a constant, whose pair sums are the marginal sums of the other feature.
    TablePivot(const Packed& packed, std::int64_t feature);

    // Sum of T over the table with `other` pooled over the classes, and over the tables within them (null: skip).
    void sums(std::int64_t other, const Terms& terms, std::int64_t* xy, std::int64_t* xyc);

    // The counts of the cells that are not empty, in any order: of the table pooled over the classes, and of those within
    // them (null: skip). Room for as many as the table has cells, or samples if they are fewer.
    void cells(std::int64_t other, std::int64_t* xy, std::int64_t* xyc);

private:
    // pooled(count) and within(count) for every cell of the two tables, or some of the empty ones left out.
    template <class Pooled, class Within>
    void visit(std::int64_t other, bool within_classes, const Pooled& pooled, const Within& within);
    template <class Pooled>
    void small_table(const std::uint16_t* codes, std::int64_t n_codes, const Pooled& pooled);
    template <class Pooled, class Within>
    void small_tables(const std::uint16_t* codes, std::int64_t n_codes, const Pooled& pooled, const Within& within);
    template <class Take>
    void walk(const std::uint16_t* codes, const std::vector<std::uint32_t>& order, std::int64_t first,
              std::int64_t last, const Take& take);
    void sort_samples();

    const Packed& packed_;
    std::int64_t arity_;
    std::vector<std::uint16_t> scratch_, other_scratch_;
    const std::uint16_t* codes_;
    std::vector<std::uint32_t> table_, pooled_, by_code_, by_class_and_code_;
};

}  // namespace bitsieve
