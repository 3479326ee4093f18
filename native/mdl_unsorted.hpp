// The cuts of mdl.hpp for a long column, most of which is never sorted.
//
// The numbers are put into buckets (buckets.hpp), of which the classes are counted. The entropies of cuts at the ends of buckets
// are exact, those of cuts inside are bounded from below by the class counts. Only a bucket that may hold the best cut, and one
// that pays, is opened: its samples are put into smaller buckets, and few samples are sorted. The cuts are those that the search
// of all candidates finds, to the bit, whatever the values.
//
// Cost for n numbers: two or three passes, O(classes) for every bucket and level of cuts, and O(m log m) for m samples that
// are opened. Scratch memory: 18 bytes a row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "fixed_point.hpp"

namespace bitsieve {

class UnsortedMdlCutter {
public:
    UnsortedMdlCutter(std::size_t n_classes, const Terms& terms);
    ~UnsortedMdlCutter();

    // Whether a column of n rows is long enough for this way to be the faster one.
    bool suits(std::size_t n) const;

    // The accepted cuts, ascending, of finite values in any order, of which NaN take no part; classes[i] in [0, n_classes)
    // belongs to values[i], and stands weights[i] >= 1 times (null: once).
    const std::vector<double>& cuts(const double* values, const std::int32_t* classes, const std::int64_t* weights,
                                    std::size_t n);

private:
    class Search;
    std::unique_ptr<Search> search_;
};

}  // namespace bitsieve
