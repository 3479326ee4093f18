#include "encode/buckets.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "encode/sorting.hpp"

namespace bitsieve {

namespace {

constexpr std::size_t kMaxBuckets = 4096;
static_assert(kMaxBuckets < 65536, "buckets are numbered by 16 bits");
constexpr std::size_t kMinBuckets = 32;             // fewer are not worth while for a column
constexpr std::size_t kSamplesOfColumnBucket = 64;  // in a bucket of the column, on average
constexpr std::size_t kSamplesOfSplitBucket = 32;   // in a bucket of one that is opened
constexpr std::size_t kMaxSortedSamples = 48;       // of a bucket that is sorted when it is opened
constexpr std::size_t kMaxCounts = std::size_t(1) << 17;

// The least and the greatest of value(0), ..., value(n - 1), of which NaN take no part; none: the first is greater.
template <class Value>
std::pair<double, double> extremes(std::size_t n, const Value& value) {
    constexpr std::size_t kAccumulators = 8;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    double low[kAccumulators];
    double high[kAccumulators];
    std::fill_n(low, kAccumulators, kInfinity);
    std::fill_n(high, kAccumulators, -kInfinity);
    const std::size_t n_in_steps = n / kAccumulators * kAccumulators;
    for (std::size_t i = 0; i < n_in_steps; i += kAccumulators)
        for (std::size_t l = 0; l < kAccumulators; ++l) {
            low[l] = value(i + l) < low[l] ? value(i + l) : low[l];
            high[l] = value(i + l) > high[l] ? value(i + l) : high[l];
        }
    for (std::size_t i = n_in_steps; i < n; ++i) {
        low[0] = value(i) < low[0] ? value(i) : low[0];
        high[0] = value(i) > high[0] ? value(i) : high[0];
    }
    return {*std::min_element(low, low + kAccumulators), *std::max_element(high, high + kAccumulators)};
}

void sort_by_value(Sample* samples, std::size_t n) {
    const auto less = [](const Sample& a, const Sample& b) { return a.value < b.value; };
    if (n > kMaxSortedSamples)
        std::sort(samples, samples + n, less);
    else
        insertion_sort(samples, samples + n, less);
}

}  // namespace

// No more buckets than the counts of their classes are worth.
std::size_t BucketedColumn::n_buckets_for(std::size_t n, std::size_t samples_of_bucket) const {
    return std::min({n / samples_of_bucket, kMaxBuckets, 4 * n / n_classes_, kMaxCounts / n_classes_});
}

bool BucketedColumn::has_enough_rows(std::size_t n) const {
    return n_buckets_for(n, kSamplesOfColumnBucket) >= kMinBuckets;
}

bool BucketedColumn::begin(const double* values, const std::int32_t* classes, const std::int64_t* weights,
                           std::size_t n) {
    values_ = values;
    classes_ = classes;
    weights_ = weights;
    n_ = n;
    samples_.clear();
    const auto [low, high] = extremes(n, [values](std::size_t i) { return values[i]; });
    if (!(low < high)) return false;
    has_least_bucket_ = separate_least(low);
    const double least = has_least_bucket_ ? extremes(n_, [this](std::size_t i) { return values_[i]; }).first : low;
    count(
        n_, high - least, std::max<std::size_t>(1, n_buckets_for(n_, kSamplesOfColumnBucket)),
        [this, least](std::size_t i) { return values_[i] - least; },
        [this](std::size_t i) { return std::size_t(classes_[i]); }, [this](std::size_t i) { return weight(i); },
        depths_[0]);
    remove_empty(has_least_bucket_, depths_[0]);
    if (has_least_bucket_) {
        Buckets& column = depths_[0];
        column.start = 0;
        column.ends.insert(column.ends.begin(), 1);
        column.counts.insert(column.counts.begin(), split_off_.begin(), split_off_.end());
        least_value_ = low;
    }
    return true;
}

// If most rows hold the least number: goes on with the others, and leaves the class counts of those rows in split_off_.
bool BucketedColumn::separate_least(double low) {
    std::size_t n_least = 0;
    for (std::size_t i = 0; i < n_; ++i) n_least += values_[i] == low;
    if (n_least <= n_ / 2) return false;
    const std::size_t n_others = n_ - n_least;
    others_.values.resize(n_others + 1);
    others_.classes.resize(n_others + 1);
    others_.weights.resize(weights_ ? n_others + 1 : 0);
    split_off_.assign(n_classes_, 0);
    for (std::size_t i = 0, to = 0; i < n_; ++i) {  // without a branch: the last place takes what is not kept
        const bool least = values_[i] == low;
        others_.values[to] = values_[i];
        others_.classes[to] = classes_[i];
        if (weights_) others_.weights[to] = weights_[i];
        split_off_[std::size_t(classes_[i])] += least ? weight(i) : 0;
        to += !least;
    }
    n_ = n_others;
    values_ = others_.values.data();
    classes_ = others_.classes.data();
    if (weights_) weights_ = others_.weights.data();
    return true;
}

// Puts n samples into buckets of one width by position(i), from 0 to `reach`, and counts their classes. The bucket never
// falls as the position rises; that of NaN is one more.
template <class Position, class Label, class Weight>
void BucketedColumn::count(std::size_t n, double reach, std::size_t n_buckets, const Position& position,
                           const Label& label, const Weight& weight, Buckets& out) {
    const double scale = double(n_buckets) / reach;
    const double last = double(n_buckets - 1);
    bucket_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        const double exact = position(i);
        const double scaled = exact * scale;
        const std::int32_t bucket = std::int32_t(scaled < last ? scaled : last);  // the last one where scaled is NaN
        bucket_[i] = std::uint16_t(exact == exact ? bucket : std::int32_t(n_buckets));
    }
    out.counts.assign((n_buckets + 1) * n_classes_, 0);
    for (std::size_t i = 0; i < n; ++i) out.counts[bucket_[i] * n_classes_ + label(i)] += weight(i);
    next_index_.assign(n_buckets + 1, 0);
    if (weights_ == nullptr)
        for (std::size_t b = 0; b <= n_buckets; ++b)
            next_index_[b] = std::accumulate(&out.counts[b * n_classes_], &out.counts[b * n_classes_] + n_classes_, 0U);
    else
        for (std::size_t i = 0; i < n; ++i) ++next_index_[bucket_[i]];
}

// Turns next_index_ from the number of samples of each bucket into the index of its first one. Removes the buckets that
// are empty, and that of NaN.
void BucketedColumn::remove_empty(std::uint32_t start, Buckets& out) {
    out.start = start;
    out.ends.clear();
    for (std::size_t b = 0; b < next_index_.size(); ++b) {
        const std::uint32_t size = std::exchange(next_index_[b], start);
        start += size;
        if (size == 0 || b + 1 == next_index_.size()) continue;
        std::copy_n(&out.counts[b * n_classes_], n_classes_, &out.counts[out.ends.size() * n_classes_]);
        out.ends.push_back(start);
    }
    out.counts.resize(out.ends.size() * n_classes_);
}

void BucketedColumn::order_column() {
    samples_.resize(n_ + has_least_bucket_);
    if (has_least_bucket_) samples_[0] = {least_value_ + 0.0, 0, 1};
    for (std::size_t i = 0; i < n_; ++i)
        samples_[next_index_[bucket_[i]]++] = {values_[i] + 0.0, std::uint32_t(classes_[i]),
                                               weight(i)};  // no negative zero
}

// Splits samples that lie together into buckets of a depth: of one width in the values, or, at every second depth, in
// their keys (sorting.hpp), nearly their logarithms. Few distributions are concentrated in both.
void BucketedColumn::split(std::uint32_t start, std::size_t n, double low, double high, int depth) {
    Sample* const samples = &samples_[start];
    Buckets& out = depths_[std::size_t(depth)];
    const std::size_t n_buckets = n_buckets_for(n, kSamplesOfSplitBucket);
    const auto label = [samples](std::size_t i) { return std::size_t(samples[i].label); };
    const auto weight = [samples](std::size_t i) { return samples[i].weight; };
    if (depth % 2 == 1) {
        count(n, high - low, n_buckets, [=](std::size_t i) { return samples[i].value - low; }, label, weight, out);
    } else {
        const std::uint64_t least = key_of(low);
        const auto position = [=](std::size_t i) { return double(key_of(samples[i].value) - least); };
        count(n, double(key_of(high) - least), n_buckets, position, label, weight, out);
    }
    remove_empty(start, out);
    spare_.assign(samples, samples + n);
    for (std::size_t i = 0; i < n; ++i) samples_[next_index_[bucket_[i]]++] = spare_[i];
}

BucketedColumn::Opened BucketedColumn::open(int depth, std::size_t b) {
    if (samples_.empty()) order_column();
    const std::uint32_t start = at(depth).start_of(b);
    const std::uint32_t end = at(depth).ends[b];
    Sample* const samples = &samples_[start];
    const std::size_t n = end - start;
    if (n > kMaxSortedSamples) {
        const auto [low, high] = extremes(n, [samples](std::size_t i) { return samples[i].value; });
        if (low == high) return {samples, samples + n};
        if (depth < kDeepest && n_buckets_for(n, kSamplesOfSplitBucket) > 1) {
            split(start, n, low, high, depth + 1);
            return {nullptr, nullptr};
        }
    }
    sort_by_value(samples, n);
    return {samples, samples + n};
}

void BucketedColumn::truncate(std::size_t n) {
    depths_[0].ends.resize(n);
    depths_[0].counts.resize(n * n_classes_);
}

std::size_t BucketedColumn::divide(std::size_t b, double cut) {
    Buckets& column = depths_[0];
    const auto first = samples_.begin() + column.start_of(b);
    const auto last = samples_.begin() + column.ends[b];
    const auto middle = std::partition(first, last, [cut](const Sample& sample) { return sample.value <= cut; });
    if (middle == first) return b;
    split_off_.assign(n_classes_, 0);
    for (auto sample = first; sample < middle; ++sample) split_off_[sample->label] += sample->weight;
    for (std::size_t c = 0; c < n_classes_; ++c) column.counts[b * n_classes_ + c] -= split_off_[c];
    column.ends.insert(column.ends.begin() + std::ptrdiff_t(b), std::uint32_t(middle - samples_.begin()));
    column.counts.insert(column.counts.begin() + std::ptrdiff_t(b * n_classes_), split_off_.begin(), split_off_.end());
    return b + 1;
}

}  // namespace bitsieve
