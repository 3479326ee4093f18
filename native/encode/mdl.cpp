#include "encode/mdl.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace bitsieve {

namespace {

// Adjacent values between which no cut is tried: either one value, or several whose samples are all of one class.
struct Block {
    std::size_t end;  // one past its last run
    double cut;       // the candidate between this block and the next
};

struct Candidate {
    std::size_t block;  // the last one on the left
    Summary left, right;

    std::int64_t entropy() const { return left.entropy + right.entropy; }
};

}  // namespace

class MdlCutter::SortedSearch {
public:
    SortedSearch(std::size_t n_classes, const Terms& terms)
        : terms_(terms), acceptance_(terms), left_(n_classes), right_(n_classes) {}

    const std::vector<double>& cuts(const double* values, const std::int32_t* classes, const std::int64_t* weights,
                                    std::size_t n) {
        clear();
        if (weights == nullptr && all_differ(values, n)) return cuts_of_distinct(values, classes, n);
        const auto weight_of = [weights](std::size_t i) { return weights ? std::uint32_t(weights[i]) : 1; };
        for (std::size_t i = 0, end; i < n; i = end) {
            bool pure = true;
            std::uint32_t size = weight_of(i);
            for (end = i + 1; end < n && values[end] == values[i]; ++end) {
                pure &= classes[end] == classes[i];
                size += weight_of(end);
            }
            if (pure) {
                add_pure(values[i], {std::uint32_t(classes[i]), size});
            } else {
                begin_block(values[i]);
                append_mixed(classes, i, end, weight_of);
                blocks_.back().end = runs_.size();
            }
        }
        return search();
    }

    // Numbers that all differ, each one sample: runs are told apart without a branch.
    const std::vector<double>& cuts_of_distinct(const double* values, const std::int32_t* classes, std::size_t n) {
        first_of_run_.resize(n + 1);
        std::size_t n_runs = 0;
        for (std::size_t i = 0; i < n; ++i) {
            first_of_run_[n_runs] = std::uint32_t(i);
            n_runs += i == 0 || classes[i] != classes[i - 1];
        }
        first_of_run_[n_runs] = std::uint32_t(n);
        runs_.resize(n_runs);
        blocks_.resize(n_runs);
        for (std::size_t r = 0; r < n_runs; ++r) {
            const std::uint32_t first = first_of_run_[r];
            const std::uint32_t end = first_of_run_[r + 1];
            runs_[r] = {std::uint32_t(classes[first]), end - first};
            blocks_[r] = {r + 1, end < n ? midpoint(values[end - 1], values[end]) : 0.0};
        }
        return search();
    }

    const std::vector<double>& cuts_of_counts(double low, std::size_t n_values, const std::uint32_t* counts) {
        clear();
        const std::size_t n_classes = left_.counts.size();
        for (std::size_t v = 0; v < n_values; ++v, counts += n_classes) {
            std::size_t present = 0;
            Run run{0, 0};
            for (std::size_t c = 0; c < n_classes; ++c)
                if (counts[c]) {
                    run = {std::uint32_t(c), counts[c]};
                    ++present;
                }
            if (!present) continue;
            if (present == 1) {
                add_pure(low + double(v), run);
                continue;
            }
            begin_block(low + double(v));
            for (std::size_t c = 0; c < n_classes; ++c)
                if (counts[c]) runs_.push_back({std::uint32_t(c), counts[c]});
            blocks_.back().end = runs_.size();
        }
        return search();
    }

private:
    static bool all_differ(const double* values, std::size_t n) {
        bool any_equal = false;
        for (std::size_t i = 1; i < n; ++i) any_equal |= values[i - 1] == values[i];
        return !any_equal;
    }

    void clear() {
        runs_.clear();
        blocks_.clear();
        cuts_.clear();
        last_pure_ = false;
    }

    // The samples of the next value, which are all of one class: they join those of the last one if of the same class.
    void add_pure(double value, Run run) {
        if (last_pure_ && runs_.back().label == run.label) {
            runs_.back().count += run.count;
            last_value_ = value;
            return;
        }
        begin_block(value);
        runs_.push_back(run);
        blocks_.back().end = runs_.size();
        last_pure_ = true;
    }

    void begin_block(double value) {
        if (!blocks_.empty()) blocks_.back().cut = midpoint(last_value_, value);
        blocks_.push_back({});
        last_value_ = value;
        last_pure_ = false;
    }

    const std::vector<double>& search() {
        intervals_.assign(1, {0, blocks_.size()});
        while (!intervals_.empty()) {
            const auto [first, last] = intervals_.back();
            intervals_.pop_back();
            if (last - first < 2) continue;
            const std::size_t cut = best_accepted(first, last);
            if (cut == last) continue;
            cuts_.push_back(blocks_[cut].cut);
            intervals_.emplace_back(first, cut + 1);
            intervals_.emplace_back(cut + 1, last);
        }
        std::sort(cuts_.begin(), cuts_.end());
        return cuts_;
    }

    // One run for each class among the samples of one value.
    template <class WeightOf>
    void append_mixed(const std::int32_t* classes, std::size_t begin, std::size_t end, const WeightOf& weight_of) {
        const std::size_t first = runs_.size();
        for (std::size_t i = begin; i < end; ++i) {
            std::uint32_t& count = left_.counts[classes[i]];
            if (count == 0) runs_.push_back({std::uint32_t(classes[i]), 0});
            count += weight_of(i);
        }
        for (std::size_t r = first; r < runs_.size(); ++r)
            runs_[r].count = std::exchange(left_.counts[runs_[r].label], 0);
    }

    std::size_t runs_before(std::size_t block) const { return block ? blocks_[block - 1].end : 0; }

    // The last block left of the accepted cut of an interval of blocks, or `last` if no cut is accepted.
    std::size_t best_accepted(std::size_t first, std::size_t last) {
        std::size_t run = runs_before(first);
        for (std::size_t r = run; r < blocks_[last - 1].end; ++r) right_.add(runs_[r], terms_);
        const Summary all(right_, terms_);
        const std::int64_t tie = acceptance_.tie(all.n, all.classes);

        candidates_.clear();  // ever smaller entropies; the first that ties with the last is the answer
        std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
        for (std::size_t block = first; block + 1 < last; ++block) {
            for (; run < blocks_[block].end; ++run) {
                left_.add(runs_[run], terms_);
                right_.remove(runs_[run], terms_);
            }
            const std::int64_t entropy = left_.entropy(terms_) + right_.entropy(terms_);
            if (entropy >= smallest) continue;
            if (!candidates_.empty() && entropy + tie < smallest) candidates_.clear();
            smallest = entropy;
            candidates_.push_back({block, Summary(left_, terms_), Summary(right_, terms_)});
        }
        for (; run < blocks_[last - 1].end; ++run) right_.remove(runs_[run], terms_);
        for (std::size_t r = runs_before(first); r < runs_before(last - 1); ++r) left_.counts[runs_[r].label] = 0;
        left_.n = left_.classes = 0;
        left_.sum = 0;

        const std::int64_t least = candidates_.back().entropy();
        const auto best = std::find_if(candidates_.begin(), candidates_.end(),
                                       [&](const Candidate& c) { return c.entropy() <= least + tie; });
        return acceptance_.accepts(all, best->left, best->right) ? best->block : last;
    }

    Terms terms_;
    Acceptance acceptance_;
    Side left_, right_;
    std::vector<Run> runs_;
    std::vector<std::uint32_t> first_of_run_;
    std::vector<Block> blocks_;
    std::vector<Candidate> candidates_;
    std::vector<std::pair<std::size_t, std::size_t>> intervals_;  // intervals of blocks
    std::vector<double> cuts_;
    double last_value_ = 0;
    bool last_pure_ = false;
};

MdlCutter::MdlCutter(std::size_t n_classes, const Terms& terms) : search_(new SortedSearch(n_classes, terms)) {}
MdlCutter::~MdlCutter() = default;

const std::vector<double>& MdlCutter::cuts(const double* values, const std::int32_t* classes,
                                           const std::int64_t* weights, std::size_t n) {
    return search_->cuts(values, classes, weights, n);
}

const std::vector<double>& MdlCutter::cuts_of_counts(double low, std::size_t n_values, const std::uint32_t* counts) {
    return search_->cuts_of_counts(low, n_values, counts);
}

}  // namespace bitsieve
