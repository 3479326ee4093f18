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
// The order of equal values makes no difference. Limits: n, the sum of the weights, <= 2^31, classes < 2^31. Scratch
// memory: O(n + classes).
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "count/fixed_point.hpp"

namespace bitsieve {

// Cuts columns, one after the other. A value on a cut goes left: the cut is the midpoint, or the lower value where
// rounding would reach the upper.
class MdlCutter {
public:
    MdlCutter(std::size_t n_classes, const Terms& terms);
    ~MdlCutter();

    // The accepted cuts, ascending. values[0..n) ascend and are finite; classes[i] in [0, n_classes) belongs to
    // values[i], and stands weights[i] >= 1 times (null: once).
    const std::vector<double>& cuts(const double* values, const std::int32_t* classes, const std::int64_t* weights,
                                    std::size_t n);

    // The same from counts[v * n_classes + c] of the values low, low + 1, ..., low + n_values - 1.
    const std::vector<double>& cuts_of_counts(double low, std::size_t n_values, const std::uint32_t* counts);

private:
    class SortedSearch;
    std::unique_ptr<SortedSearch> search_;
};

// The cuts of mdl.hpp for a long column, most of which is never sorted.
//
// The numbers are put into buckets (buckets.hpp), of which the classes are counted. The entropies of cuts at the ends
// of buckets are exact, those of cuts inside are bounded from below by the class counts. Only a bucket that may hold
// the best cut, and one that pays, is opened: its samples are put into smaller buckets, and few samples are sorted. The
// cuts are those that the search of all candidates finds, to the bit, whatever the values.
//
// Cost for n numbers: two or three passes, O(classes) for every bucket and level of cuts, and O(m log m) for m samples
// that are opened. Scratch memory: 18 bytes a row.

class UnsortedMdlCutter {
public:
    UnsortedMdlCutter(std::size_t n_classes, const Terms& terms);
    ~UnsortedMdlCutter();

    // Whether a column of n rows is long enough for this way to be the faster one.
    bool has_enough_rows(std::size_t n) const;

    // The accepted cuts, ascending, of finite values in any order, of which NaN take no part; classes[i] in [0,
    // n_classes) belongs to values[i], and stands weights[i] >= 1 times (null: once).
    const std::vector<double>& cuts(const double* values, const std::int32_t* classes, const std::int64_t* weights,
                                    std::size_t n);

private:
    class BucketSearch;
    std::unique_ptr<BucketSearch> search_;
};

// The two sides of a cut, and whether its gain of information pays for its description, in exact integers.

using i128 = __int128;

// Some samples of one class.
struct Run {
    std::uint32_t label, count;
};

// One of the two sides of a moving cut: class counts, and the sums that give its entropy.
struct Side {
    std::vector<std::uint32_t> counts;
    std::uint64_t n = 0, classes = 0;
    std::int64_t sum = 0;  // of the terms of its class counts

    explicit Side(std::size_t n_classes) : counts(n_classes, 0) {}

    void add(Run run, const Terms& terms) {
        std::uint32_t& count = counts[run.label];
        classes += count == 0;
        sum -= terms(count);
        count += run.count;
        sum += terms(count);
        n += run.count;
    }

    std::int64_t entropy(const Terms& terms) const { return terms(n) - sum; }  // n Ent(S) 2^shift

    void remove(Run run, const Terms& terms) {
        std::uint32_t& count = counts[run.label];
        sum -= terms(count);
        count -= run.count;
        sum += terms(count);
        classes -= count == 0;
        n -= run.count;
    }
};

// What the acceptance test asks of a set S of samples.
struct Summary {
    std::uint64_t n;        // samples
    std::uint64_t classes;  // that occur
    std::int64_t entropy;   // n Ent(S) 2^shift

    Summary(std::uint64_t n_samples, std::uint64_t n_classes, std::int64_t scaled_entropy)
        : n(n_samples), classes(n_classes), entropy(scaled_entropy) {}
    Summary(const Side& side, const Terms& terms) : Summary(side.n, side.classes, side.entropy(terms)) {}
};

constexpr int kGuard = 20;  // more fractional bits than the terms have, for quotients and logarithms
constexpr i128 kScale = i128(1) << kGuard;

// log2(3^k - 2) with `bits` fractional bits; beyond k = 40 it is k log2(3) to the last place of a double.
inline i128 log2_class_sets(std::uint64_t k, int bits) {
    if (k > 40) return i128((log2_q120(3) >> 40) * k) >> (80 - bits);
    std::uint64_t power = 1;
    for (std::uint64_t i = 0; i < k; ++i) power *= 3;
    return i128(log2_q120(power - 2) >> (120 - bits));
}

// k Ent(S), times 2^(shift + kGuard).
inline i128 weighted_entropy(const Summary& s) { return i128(s.entropy) * s.classes * kScale / s.n; }

// The acceptance test for the columns of a table.
class Acceptance {
public:
    explicit Acceptance(const Terms& terms) : terms_(terms) {}

    // Cuts whose entropies differ by no more are equal: 1e-12 bits a sample, and the terms' rounding.
    std::int64_t tie(std::uint64_t n, std::uint64_t classes) const {
        return std::int64_t((u128(n) << terms_.shift) / 1000000000000ULL) + std::int64_t(2 * (classes + 1));
    }

    // No cut of a greater entropy than this is accepted.
    std::int64_t max_entropy(const Summary& all) {
        return all.entropy -
               std::int64_t((log2_others(all.n) + log2_sets(all.classes) - weighted_entropy(all)) >> kGuard);
    }

    bool accepts(const Summary& all, const Summary& left, const Summary& right) {
        const i128 gain = (all.entropy - left.entropy - right.entropy) * kScale;  // may be negative, by rounding
        const i128 description_length = log2_others(all.n) + log2_sets(all.classes) - weighted_entropy(all) +
                                        weighted_entropy(left) + weighted_entropy(right);
        // Each term is off by half its last place: a gain that is greater by no more than all of these is a tie.
        const i128 rounding = (3 * all.classes + 4) * kScale;
        return gain > description_length + rounding;
    }

private:
    // log2(n - 1) and log2(3^k - 2) in the units of the test; those of the first interval of a column come again with
    // every column.
    i128 log2_others(std::uint64_t n) {
        if (n != cached_n_) {
            cached_n_ = n;
            log2_others_ = i128(log2_q120(n - 1) >> (120 - terms_.shift - kGuard));
        }
        return log2_others_;
    }

    i128 log2_sets(std::uint64_t classes) {
        if (classes != cached_classes_) {
            cached_classes_ = classes;
            log2_sets_ = log2_class_sets(classes, terms_.shift + kGuard);
        }
        return log2_sets_;
    }

    Terms terms_;
    std::uint64_t cached_n_ = 0, cached_classes_ = 0;
    i128 log2_others_ = 0, log2_sets_ = 0;
};

// The cut between two numbers: the midpoint, or the lower one where rounding would reach the upper.
inline double midpoint(double low, double high) {
    double middle = (low + high) / 2;
    if (std::isinf(middle)) middle = low / 2 + high / 2;
    return middle >= low && middle < high ? middle : low;
}

}  // namespace bitsieve
