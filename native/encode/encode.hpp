// Columns of numbers to codes: what they hold, their distinct whole numbers, and the codes by categories or by cuts.
//
// Every function reads its columns once, in tiles; `distinct` alone may read a column again, until it has met every
// whole number between the smallest and the largest. Limits: codes < 65536, rows <= 2^31.
#pragma once

#include <string>
#include <type_traits>

#include "encode/number_columns.hpp"

namespace bitsieve {

constexpr std::int64_t kMaxTableSpan = 1 << 16;  // whole numbers that span at most so many are coded by a table

template <class T>
constexpr bool kFloats = std::is_floating_point_v<T>;

constexpr double kInt64End = 9223372036854775808.0;  // 2^63, one more than the largest int64

// Whether a number is not whole, or beyond int64.
inline bool is_fraction(double v) {
    const bool fits_int64 = v >= -kInt64End && v < kInt64End;
    return !fits_int64 || double(std::int64_t(v)) != v;
}

// What a column holds.
enum ContentFlag : std::uint8_t {
    kHasNumbers = 1,  // at least one value that is not missing
    kHasMissing = 2,  // NaN
    kHasInfinite = 4,
    kHasFractions = 8,  // or whole numbers beyond int64
};

// The smallest and the largest number of every column (low > high where all are missing), and what it holds. T is the
// type of the table, double for float. Fractions are looked for only if `find_fractions`.
template <class T>
struct Extent {
    std::vector<std::uint8_t> content_flags;
    std::vector<T> low, high;
};

template <class T>
struct WidenFloat {
    using type = T;
};
template <>
struct WidenFloat<float> {
    using type = double;
};

template <class T>
Extent<typename WidenFloat<T>::type> extent(const Columns& table, bool find_fractions);

// Numbers as bytes. fits[j]: whether all numbers of column j are whole and lie in 0 .. 255; they are then written from
// out[j * out_stride] on, else the bytes there have no meaning. Columns side by side in rows are read in groups, and
// fits[j] is false for a whole group if one column of it does not fit.
template <class T>
void as_bytes(const Columns& table, std::uint8_t* out, std::int64_t out_stride, std::uint8_t* fits);

// The sorted distinct numbers of every column; those of column j must be whole and lie in low[j] .. high[j]. Those of a
// small span are found by a table, others by sorting.
template <class T>
Ragged<typename WidenFloat<T>::type> distinct(const Columns& table, const typename WidenFloat<T>::type* low,
                                              const typename WidenFloat<T>::type* high);

// The categories of every column, sorted whole numbers; those of column j end before numbers[ends[j]]. Unsigned ones are
// given by their bits.
struct Categories {
    const std::int64_t* numbers;
    const std::int64_t* ends;
    bool are_unsigned;
};

// The index of every number among the categories of its column, found by a table where they span kMaxTableSpan at most,
// else by search. NaN has the code missing_code[j]. complete[j]: whether every number of column j is among the
// categories; if not, its codes have no meaning. Column j is written from out[out_column[j] * n_rows] on.
template <class T, class Code>
void code_categories(const Columns& table, const Categories& categories, const std::int64_t* missing_code,
                     const std::int64_t* out_column, Code* out, std::uint8_t* complete);

// The codes of columns whose values are given as indices into a dictionary, each column into its own: those of column j
// are the entries from begin = ends[j - 1] to ends[j].
//   rank    rank[begin + index] is the rank of a dictionary's value among its sorted distinct ones; -1: missing
//   out     the codes of column j from out[j * n_rows] on: the rank among the values that occur in the column; -1 for
//           what is missing and for a negative index
//   occurs  occurs[begin + rank]: whether a value occurs
// Throws std::invalid_argument where an index is beyond the dictionary.
template <class T>
void code_dictionaries(const Columns& indices, const std::int32_t* rank, const std::int64_t* ends, std::int32_t* out,
                       std::uint8_t* occurs);

// below, not_above: for n numbers how many cuts lie below each, or not above it, and missing_code for NaN.
//   how   every cut is compared with several numbers at once; with more than max_cuts a search is quicker
//   needs ascending cuts; room for n codes
//   limit cuts < 2^16
//   cost  n * n_cuts comparisons
//   same  comparisons alone: every set gives the same codes
//   test  tests/native/cuts_test.cpp: every set against a search
struct CutCounter {
    using Count = void(const double* values, std::int64_t n, const double* cuts, std::int64_t n_cuts,
                       std::int64_t missing_code, std::uint16_t* codes);
    Count* below;
    Count* not_above;
    std::int64_t max_cuts;  // with more cuts the search of code_by_cuts.cpp is quicker, as measured for the set
};

namespace portable {
extern const CutCounter kCuts;
}
#if defined(__x86_64__)
namespace avx2 {
extern const CutCounter kCuts;
}
#endif

// The code of a number: how many cuts of its column lie below it (left), or not above it. The cuts of column j ascend and
// end before cuts[ends[j]]. NaN has the code missing_code[j]. Column j is written from out[out_column[j] * n_rows] on.
template <class T, class Code>
void code_by_cuts(const CutCounter& counter, const Columns& table, const double* cuts, const std::int64_t* ends,
                  bool left, const std::int64_t* missing_code, const std::int64_t* out_column, Code* out);

}  // namespace bitsieve
