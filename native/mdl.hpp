// Cuts of one numeric column by the minimum description length principle (Fayyad & Irani, IJCAI 1993).
//
// Candidates are the boundary points: midpoints between adjacent distinct values, but for those where all samples
// of both values are of one same class. The best cut of an interval has the least class-information entropy;
// among cuts equal within 1e-12 the smallest. It is accepted if, strictly,
//     n Gain > log2(n - 1) + log2(3^k - 2) - [k Ent(S) - k1 Ent(S1) - k2 Ent(S2)],
// and then both sides are cut in turn.
//
// Entropies are the integers  n Ent(S) 2^shift = T[n] - sum_c T[n_c]  of fixed_point.hpp, updated sample by sample,
// so one scan of an interval costs its samples, whatever the number of classes, and no libm takes part in a decision.
// The order of equal values makes no difference. Limits: n, the sum of the weights, <= 2^31, classes < 2^31. Scratch memory: O(n + classes).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "fixed_point.hpp"

namespace bitsieve {

// Cuts columns, one after the other. A value on a cut goes left: the cut is the midpoint, or the lower value where rounding
// would reach the upper.
class MdlCutter {
public:
    MdlCutter(std::size_t n_classes, const Terms& terms);
    ~MdlCutter();

    // The accepted cuts, ascending. values[0..n) ascend and are finite; classes[i] in [0, n_classes) belongs to values[i],
    // and stands weights[i] >= 1 times (null: once).
    const std::vector<double>& cuts(const double* values, const std::int32_t* classes, const std::int64_t* weights,
                                    std::size_t n);

    // The same from counts[v * n_classes + c] of the values low, low + 1, ..., low + n_values - 1.
    const std::vector<double>& cuts_of_counts(double low, std::size_t n_values, const std::uint32_t* counts);

private:
    class Search;
    std::unique_ptr<Search> search_;
};

}  // namespace bitsieve
