// Columns of numbers to codes: what they hold, their distinct whole numbers, and the codes by categories or by cuts.
//
// Every function reads its columns once, in tiles; a second pass over the values is made by `distinct` only, and only
// as far as it takes to meet every number of a column's span. Limits: codes < 65536, rows <= 2^31.
#pragma once

#include <string>
#include <type_traits>

#include "encode/number_columns.hpp"

namespace bitsieve {

constexpr std::int64_t kDenseSpan = 1 << 16;  // whole numbers spread over no more than this are coded by a table

template <class T>
constexpr bool kFloats = std::is_floating_point_v<T>;

constexpr double kInt64 = 9223372036854775808.0;  // 2^63

// Whether a number is not whole, or beyond int64.
inline bool is_fraction(double v) { return !(v >= -kInt64 && v < kInt64) || double(std::int64_t(v)) != v; }

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

// Numbers as bytes: column j is written to out[j * out_stride] where all of them are whole and lie in 0 .. 255, and
// fits[j] says so; else its bytes have no meaning. Some neighbours of columns side by side in rows fit together or not
// at all.
template <class T>
void as_bytes(const Columns& table, std::uint8_t* out, std::int64_t out_stride, std::uint8_t* fits);

// The sorted distinct numbers, which are whole and lie in low[j] .. high[j], of every column: those of a small span by
// a table, others by sorting.
template <class T>
Ragged<typename WidenFloat<T>::type> distinct(const Columns& table, const typename WidenFloat<T>::type* low,
                                              const typename WidenFloat<T>::type* high);

// The sorted whole numbers of every column, those of column j ending at ends[j]. Unsigned ones are given by their bits.
struct Categories {
    const std::int64_t* numbers;
    const std::int64_t* ends;
    bool are_unsigned;
};

// The place of every number among the categories of its column: by a table where their span is kDenseSpan at most, else
// by search. NaN takes missing_code[j]. found[j]: whether every number of column j is among the categories; if not, its
// codes have no meaning. Column j is written to out[place[j] * n_rows].
template <class T, class Code>
void code_categories(const Columns& table, const Categories& categories, const std::int64_t* missing_code,
                     const std::int64_t* place, Code* out, std::uint8_t* found);

// The values of every column by their places in a dictionary, as codes in the order of these values: rank[begin +
// place] is the place of a value of column j among the sorted distinct ones (-1: missing), begin = ends[j - 1], and a
// code is its rank among those that occur, -1 for what is missing or has a negative place. occurs[begin + rank]:
// whether a value occurs. Column j is written to out[j * n_rows]. Throws std::invalid_argument where a place is beyond
// the dictionary.
template <class T>
void code_dictionaries(const Columns& places, const std::int32_t* rank, const std::int64_t* ends, std::int32_t* out,
                       std::uint8_t* occurs);

// below, not_above: for n numbers how many cuts lie below each, or not above it, and missing_code for NaN.
//   how   every cut is compared with several numbers at once; with more than max_cuts a search is quicker
//   needs ascending cuts; codes has n places
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

// The number of cuts of its column that lie below a number (side left) or not above it. Cuts ascend.
template <class T, class Code>
void code_by_cuts(const CutCounter& counter, const Columns& table, const double* cuts, const std::int64_t* ends,
                  bool left, const std::int64_t* missing_code, const std::int64_t* place, Code* out);

}  // namespace bitsieve
