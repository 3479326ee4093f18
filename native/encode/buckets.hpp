// The samples of a long column by buckets of ascending numbers, which are opened one by one; see mdl.hpp.
//
// Depth 0 holds the buckets of the whole column. A bucket that is opened is split into the buckets of the next depth,
// or, where it has few samples or one value, sorted. Samples are put in the order of the buckets when the first is
// opened. Where most rows hold the least number, such as the zero of counts, it is a bucket of its own, and one sample
// stands for all of them. Limits: rows <= 2^31. Scratch memory: 2 bytes a row, and 16 more once a bucket was opened.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bitsieve {

constexpr int kDeepest = 6;  // buckets inside so many others are sorted

struct Sample {
    double value;
    std::uint32_t label, weight;
};

// Adjacent buckets, none of them empty: where the samples of each end, and how many there are of each class.
struct Buckets {
    std::uint32_t start = 0;  // of the first one
    std::vector<std::uint32_t> ends, counts;

    std::size_t size() const { return ends.size(); }
    std::uint32_t start_of(std::size_t b) const { return b ? ends[b - 1] : start; }
};

class BucketedColumn {
public:
    explicit BucketedColumn(std::size_t n_classes) : n_classes_(n_classes) {}

    // Whether there are enough rows for some buckets.
    bool has_enough_rows(std::size_t n) const;

    // Begins with a column: numbers, NaN for none, a class for each, and the weight of each (null: 1). False, and
    // no buckets, where there are no two different numbers.
    bool begin(const double* values, const std::int32_t* classes, const std::int64_t* weights, std::size_t n);

    const Buckets& at(int depth) const { return depths_[std::size_t(depth)]; }
    const std::uint32_t* counts(int depth, std::size_t b) const { return &at(depth).counts[b * n_classes_]; }

    // Ascending samples; none where the bucket was split instead.
    struct Opened {
        const Sample *first, *last;
    };
    Opened open(int depth, std::size_t b);

    // Keeps the first n buckets of the column.
    void truncate(std::size_t n);

    // Divides bucket b of the column, which was opened, at a cut; the first bucket right of it.
    std::size_t divide(std::size_t b, double cut);

private:
    bool separate_least(double low);
    std::size_t n_buckets_for(std::size_t n, std::size_t samples_of_bucket) const;
    std::uint32_t weight(std::size_t row) const { return weights_ ? std::uint32_t(weights_[row]) : 1; }
    template <class Position, class Label, class Weight>
    void count(std::size_t n, double reach, std::size_t n_buckets, const Position& position, const Label& label,
               const Weight& weight, Buckets& out);
    void remove_empty(std::uint32_t start, Buckets& out);
    void order_column();
    void split(std::uint32_t start, std::size_t n, double low, double high, int depth);

    std::size_t n_classes_, n_ = 0;
    const double* values_ = nullptr;
    const std::int32_t* classes_ = nullptr;
    const std::int64_t* weights_ = nullptr;
    struct OtherRows {  // that hold another number than the least, or none
        std::vector<double> values;
        std::vector<std::int32_t> classes;
        std::vector<std::int64_t> weights;
    } others_;
    bool has_least_bucket_ = false;
    double least_value_ = 0;
    std::array<Buckets, kDeepest + 1> depths_;
    std::vector<Sample> samples_, spare_;
    std::vector<std::uint16_t> bucket_;      // of what was split last
    std::vector<std::uint32_t> next_index_;  // of the first sample of each of these buckets
    std::vector<std::uint32_t> split_off_;   // class counts of the samples that were split off last
};

}  // namespace bitsieve
