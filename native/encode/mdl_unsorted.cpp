#include "encode/mdl.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include "encode/buckets.hpp"

namespace bitsieve {

class UnsortedMdlCutter::BucketSearch {
public:
    BucketSearch(std::size_t n_classes, const Terms& terms)
        : terms_(terms),
          acceptance_(terms),
          n_classes_(n_classes),
          column_(n_classes),
          total_(n_classes),
          left_(n_classes) {}

    bool has_enough_rows(std::size_t n) const { return column_.has_enough_rows(n); }

    const std::vector<double>& cuts(const double* values, const std::int32_t* classes, const std::int64_t* weights,
                                    std::size_t n) {
        cuts_.clear();
        if (!column_.begin(values, classes, weights, n)) return cuts_;
        intervals_.assign(1, {0, column_.at(0).size()});
        while (!intervals_.empty()) {
            const auto [first, last] = intervals_.back();
            intervals_.pop_back();
            column_.truncate(last);  // the buckets behind have their cuts
            const std::size_t middle = cut(first);
            if (middle == first) continue;
            intervals_.emplace_back(first, middle);
            intervals_.emplace_back(middle, column_.at(0).size());
        }
        std::sort(cuts_.begin(), cuts_.end());
        return cuts_;
    }

private:
    // A lower bound of the entropy of a cut in a bucket or at its ends, and the sums of both sides at its start.
    struct Bound {
        std::int64_t min_entropy, left_sum, right_sum;
        std::uint64_t n_left;
    };

    // A cut, and the bucket of the column that its upper value lies in.
    struct Candidate {
        std::int64_t entropy;
        double cut;
        std::size_t bucket;
    };

    // Cuts the buckets of the column from `first` on: the first right of the cut, or `first` if none is accepted.
    std::size_t cut(std::size_t first) {
        std::fill(total_.begin(), total_.end(), 0);
        for (std::size_t b = first; b < column_.at(0).size(); ++b) add(column_.counts(0, b), total_);
        const Summary all = summary(total_);
        if (all.n < 2) return first;
        n_total_ = all.n;
        tie_ = acceptance_.tie(all.n, all.classes);
        max_entropy_ = acceptance_.max_entropy(all);
        least_entropy_ = all.entropy;
        candidates_.clear();
        std::fill(left_.begin(), left_.end(), 0);
        n_left_ = 0;
        left_sum_ = 0;
        right_sum_ = terms_(all.n) - all.entropy;
        has_previous_value_ = false;
        search_buckets(0, first);
        if (candidates_.empty() || candidates_.back().entropy > max_entropy_) return first;

        const std::int64_t max_tied_entropy = candidates_.back().entropy + tie_;
        const Candidate best =
            *std::find_if(candidates_.begin(), candidates_.end(),
                          [max_tied_entropy](const Candidate& c) { return c.entropy <= max_tied_entropy; });
        const std::size_t middle = column_.divide(best.bucket, best.cut);
        std::fill(left_.begin(), left_.end(), 0);
        for (std::size_t b = first; b < middle; ++b) add(column_.counts(0, b), left_);
        const Summary left = summary(left_);
        for (std::size_t c = 0; c < n_classes_; ++c) left_[c] = total_[c] - left_[c];
        if (!acceptance_.accepts(all, left, summary(left_))) return first;
        cuts_.push_back(best.cut);
        return middle;
    }

    void add(const std::uint32_t* counts, std::vector<std::uint32_t>& to) const {
        for (std::size_t c = 0; c < n_classes_; ++c) to[c] += counts[c];
    }

    Summary summary(const std::vector<std::uint32_t>& counts) const {
        const std::uint64_t n = std::accumulate(counts.begin(), counts.end(), std::uint64_t(0));
        std::uint64_t classes = 0;
        std::int64_t sum = 0;
        for (std::uint32_t count : counts) {
            sum += terms_(count);
            classes += count > 0;
        }
        return {n, classes, terms_(n) - sum};
    }

    // Of the cut between the samples on the left and those on the right.
    std::int64_t entropy() const { return terms_(n_left_) - left_sum_ + terms_(n_total_ - n_left_) - right_sum_; }

    // A bucket of a greater bound need not be opened: there is a better cut elsewhere, or none can be accepted. The
    // least entropy known may be that of a place that is no candidate, between samples of one class: some candidate has
    // less.
    std::int64_t limit() const { return least_entropy_ < max_entropy_ ? least_entropy_ + tie_ : max_entropy_; }

    // Moves the buckets of a depth from the right to the left, and searches those that may hold the best cut.
    void search_buckets(int depth, std::size_t first) {
        const Buckets& buckets = column_.at(depth);
        std::vector<Bound>& bounds = bounds_[std::size_t(depth)];
        std::vector<std::uint32_t>& left = left_at_start_[std::size_t(depth)];
        left = left_;
        bounds.resize(buckets.size());
        for (std::size_t b = first; b < buckets.size(); ++b) {
            bounds[b] = {0, left_sum_, right_sum_, n_left_};
            bounds[b].min_entropy = move_bucket(column_.counts(depth, b));
            least_entropy_ = std::min(least_entropy_, entropy());
        }
        left_.swap(left);
        for (std::size_t b = first; b < buckets.size(); ++b) {
            if (depth == 0) bucket_ = b;
            if (bounds[b].min_entropy > limit()) {
                add(column_.counts(depth, b), left_);
                has_previous_value_ = false;
                continue;
            }
            left_sum_ = bounds[b].left_sum;
            right_sum_ = bounds[b].right_sum;
            n_left_ = bounds[b].n_left;
            const auto [sample, last] = column_.open(depth, b);
            if (sample == nullptr)
                search_buckets(depth + 1, 0);
            else if (sample->value == last[-1].value)
                search_value(sample->value, column_.counts(depth, b));
            else
                search_samples(sample, last);
        }
    }

    void search_samples(const Sample* sample, const Sample* last) {
        while (sample < last) {
            bool pure = true;
            const Sample* end = sample + 1;
            for (; end < last && end->value == sample->value; ++end) pure &= end->label == sample->label;
            next_value(sample->value, pure ? std::int64_t(sample->label) : kMixed);
            for (; sample < end; ++sample) move(sample->label, sample->weight);
        }
    }

    // Samples of one value.
    void search_value(double value, const std::uint32_t* counts) {
        std::int64_t label = kMixed;
        std::int64_t classes = 0;
        for (std::size_t c = 0; c < n_classes_; ++c)
            if (counts[c] && ++classes == 1) label = std::int64_t(c);
        next_value(value, classes == 1 ? label : kMixed);
        for (std::size_t c = 0; c < n_classes_; ++c)
            if (counts[c]) move(c, counts[c]);
    }

    // The samples of a value, all of one class or mixed, are about to move: offers the cut before them, unless the
    // value before is not known, or all samples of both are of one same class.
    void next_value(double value, std::int64_t label) {
        if (has_previous_value_ && (label == kMixed || label != previous_label_)) {
            const std::int64_t entropy_of_cut = entropy();
            const std::int64_t before = candidates_.empty() ? kNoEntropy : candidates_.back().entropy;
            least_entropy_ = std::min(least_entropy_, entropy_of_cut);
            if (entropy_of_cut < before) {  // ever smaller entropies; the first that ties with the last is the answer
                if (!candidates_.empty() && entropy_of_cut + tie_ < before) candidates_.clear();
                candidates_.push_back({entropy_of_cut, midpoint(previous_value_, value), bucket_});
            }
        }
        has_previous_value_ = true;
        previous_value_ = value;
        previous_label_ = label;
    }

    // Moves a bucket, and gives a lower bound of the entropies of all cuts inside and at its ends.
    //
    // With l_c samples of class c on the left, l in all, r_c and r on the right, the entropy is
    //     A(l) - sum_c h_c(l_c),   A(l) = T[l] + T[r],   h_c(l_c) = T[l_c] + T[r_c],
    // A and h_c convex. A lies above its tangent in the middle of the bucket, and h_c below its chord over the bucket;
    // what is left is linear in every l_c, so that it is least where each is at one of its ends.
    std::int64_t move_bucket(const std::uint32_t* counts) {
        const std::int64_t size = std::accumulate(counts, counts + n_classes_, std::int64_t(0));
        const std::uint64_t middle = n_left_ + std::uint64_t(size / 2);
        const std::uint64_t n_right = n_total_ - middle;
        const std::int64_t level = terms_(middle) + terms_(n_right);
        const std::int64_t slope = terms_(middle + 1) + terms_(n_right - 1) - level;
        std::int64_t bound = level - slope * (size / 2) - left_sum_ - right_sum_;
        for (std::size_t c = 0; c < n_classes_; ++c)
            if (counts[c]) bound += std::min<std::int64_t>(0, slope * counts[c] - move(c, counts[c]));
        return bound - 4 * (size + std::int64_t(n_classes_) + 4);  // more than the rounding of the terms
    }

    // Moves samples of one class; what is added to both sums.
    std::int64_t move(std::size_t c, std::uint32_t count) {
        const std::uint32_t left = left_[c];
        const std::uint32_t right = total_[c] - left;
        const std::int64_t to_left = terms_(left + count) - terms_(left);
        const std::int64_t to_right = terms_(right - count) - terms_(right);
        left_[c] += count;
        n_left_ += count;
        left_sum_ += to_left;
        right_sum_ += to_right;
        return to_left + to_right;
    }

    static constexpr std::int64_t kNoEntropy = std::numeric_limits<std::int64_t>::max();
    static constexpr std::int64_t kMixed = -1;

    Terms terms_;
    Acceptance acceptance_;
    std::size_t n_classes_;
    BucketedColumn column_;
    std::array<std::vector<Bound>, kDeepest + 1> bounds_;
    std::array<std::vector<std::uint32_t>, kDeepest + 1> left_at_start_;  // class counts on the left
    std::vector<std::uint32_t> total_, left_;  // class counts of the interval, and on the left
    std::uint64_t n_total_ = 0, n_left_ = 0;
    std::int64_t left_sum_ = 0, right_sum_ = 0;  // of the terms of the class counts
    std::int64_t tie_ = 0, max_entropy_ = 0, least_entropy_ = 0;
    std::vector<Candidate> candidates_;
    std::size_t bucket_ = 0;                                      // of the column, that is looked at
    bool has_previous_value_ = false;                             // whether the value before is, and then
    double previous_value_ = 0;                                   // the value,
    std::int64_t previous_label_ = kMixed;                        // and its class
    std::vector<std::pair<std::size_t, std::size_t>> intervals_;  // of buckets of the column
    std::vector<double> cuts_;
};

UnsortedMdlCutter::UnsortedMdlCutter(std::size_t n_classes, const Terms& terms)
    : search_(new BucketSearch(n_classes, terms)) {}
UnsortedMdlCutter::~UnsortedMdlCutter() = default;

bool UnsortedMdlCutter::has_enough_rows(std::size_t n) const { return search_->has_enough_rows(n); }

const std::vector<double>& UnsortedMdlCutter::cuts(const double* values, const std::int32_t* classes,
                                                   const std::int64_t* weights, std::size_t n) {
    return search_->cuts(values, classes, weights, n);
}

}  // namespace bitsieve
