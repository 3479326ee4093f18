#include "mdl.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace bitsieve {

namespace {

using i128 = __int128;

// Some samples of one class.
struct Run {
    std::uint32_t label, count;
};

// Adjacent values between which no cut is tried: either one value, or several whose samples are all of one class.
struct Block {
    std::size_t end;  // one past its last run
    double cut;       // the candidate between this block and the next
};

double midpoint(double low, double high) {
    double middle = (low + high) / 2;
    if (std::isinf(middle)) middle = low / 2 + high / 2;
    return middle >= low && middle < high ? middle : low;
}

// One of the two sides of a moving cut: class counts, and the sums that give its entropy.
struct Side {
    std::vector<std::uint32_t> count;
    std::uint64_t n = 0, classes = 0;
    std::int64_t sum = 0;  // of the terms of its class counts

    explicit Side(std::size_t n_classes) : count(n_classes, 0) {}

    void add(Run run, const Terms& terms) {
        std::uint32_t& c = count[run.label];
        classes += c == 0;
        sum -= terms(c);
        c += run.count;
        sum += terms(c);
        n += run.count;
    }

    std::int64_t entropy(const Terms& terms) const { return terms(n) - sum; }  // n Ent(S) 2^shift

    void remove(Run run, const Terms& terms) {
        std::uint32_t& c = count[run.label];
        sum -= terms(c);
        c -= run.count;
        sum += terms(c);
        classes -= c == 0;
        n -= run.count;
    }
};

// n Ent(S) 2^shift of a set S, and what else the acceptance test asks of it.
struct Summary {
    std::uint64_t n, classes;
    std::int64_t entropy;

    Summary(const Side& side, const Terms& terms)
        : n(side.n), classes(side.classes), entropy(side.entropy(terms)) {}
};

struct Candidate {
    std::size_t block;  // the last one on the left
    Summary left, right;

    std::int64_t entropy() const { return left.entropy + right.entropy; }
};

constexpr int kGuard = 20;  // more fractional bits than the terms have, for quotients and logarithms
constexpr i128 kScale = i128(1) << kGuard;

// log2(3^k - 2) with `bits` fractional bits; beyond k = 40 it is k log2(3) to the last place of a double.
i128 log2_class_sets(std::uint64_t k, int bits) {
    if (k > 40) return i128((log2_q120(3) >> 40) * k) >> (80 - bits);
    std::uint64_t power = 1;
    for (std::uint64_t i = 0; i < k; ++i) power *= 3;
    return i128(log2_q120(power - 2) >> (120 - bits));
}

// k Ent(S), times 2^(shift + kGuard).
i128 weighted_entropy(const Summary& s) { return i128(s.entropy) * s.classes * kScale / s.n; }

bool is_accepted(const Summary& all, const Candidate& cut, i128 log2_others, i128 log2_sets) {
    const i128 gain = (all.entropy - cut.entropy()) * kScale;  // may be negative, by rounding
    const i128 price =
        log2_others + log2_sets - weighted_entropy(all) + weighted_entropy(cut.left) + weighted_entropy(cut.right);
    // Each term is off by half its last place: a gain that is greater by no more than all of these is a tie.
    const i128 rounding = (3 * all.classes + 4) * kScale;
    return gain > price + rounding;
}

}  // namespace

class MdlCutter::Search {
public:
    Search(std::size_t n_classes, const Terms& terms) : terms_(terms), left_(n_classes), right_(n_classes) {}

    const std::vector<double>& cuts(const double* values, const std::int32_t* classes, const std::int64_t* weights,
                                    std::size_t n) {
        clear();
        const auto samples = [weights](std::size_t i) { return weights ? std::uint32_t(weights[i]) : 1; };
        for (std::size_t i = 0, end; i < n; i = end) {
            bool pure = true;
            std::uint32_t size = samples(i);
            for (end = i + 1; end < n && values[end] == values[i]; ++end) {
                pure &= classes[end] == classes[i];
                size += samples(end);
            }
            if (pure) {
                add_pure(values[i], {std::uint32_t(classes[i]), size});
            } else {
                begin_block(values[i]);
                append_mixed(classes, i, end, samples);
                blocks_.back().end = runs_.size();
            }
        }
        return search();
    }

    const std::vector<double>& cuts_of_counts(double low, std::size_t n_values, const std::uint32_t* counts) {
        clear();
        const std::size_t n_classes = left_.count.size();
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
    void clear() {
        runs_.clear();
        blocks_.clear();
        found_.clear();
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
        open_.assign(1, {0, blocks_.size()});
        while (!open_.empty()) {
            const auto [first, last] = open_.back();
            open_.pop_back();
            if (last - first < 2) continue;
            const std::size_t cut = best_accepted(first, last);
            if (cut == last) continue;
            found_.push_back(blocks_[cut].cut);
            open_.emplace_back(first, cut + 1);
            open_.emplace_back(cut + 1, last);
        }
        std::sort(found_.begin(), found_.end());
        return found_;
    }

    // One run for each class among the samples of one value.
    template <class Samples>
    void append_mixed(const std::int32_t* classes, std::size_t begin, std::size_t end, const Samples& samples) {
        const std::size_t first = runs_.size();
        for (std::size_t i = begin; i < end; ++i) {
            std::uint32_t& count = left_.count[classes[i]];
            if (count == 0) runs_.push_back({std::uint32_t(classes[i]), 0});
            count += samples(i);
        }
        for (std::size_t r = first; r < runs_.size(); ++r) runs_[r].count = std::exchange(left_.count[runs_[r].label], 0);
    }

    std::size_t runs_before(std::size_t block) const { return block ? blocks_[block - 1].end : 0; }

    // The last block left of the accepted cut of an interval of blocks, or `last` if no cut is accepted.
    std::size_t best_accepted(std::size_t first, std::size_t last) {
        std::size_t run = runs_before(first);
        for (std::size_t r = run; r < blocks_[last - 1].end; ++r) right_.add(runs_[r], terms_);
        const Summary all(right_, terms_);
        const std::int64_t tie = std::int64_t((u128(all.n) << terms_.shift) / 1000000000000ULL) +
                                 std::int64_t(2 * (all.classes + 1));  // 1e-12 bits a sample, and the terms' rounding

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
        for (std::size_t r = runs_before(first); r < runs_before(last - 1); ++r) left_.count[runs_[r].label] = 0;
        left_.n = left_.classes = 0;
        left_.sum = 0;

        const std::int64_t least = candidates_.back().entropy();
        const auto best = std::find_if(candidates_.begin(), candidates_.end(),
                                       [&](const Candidate& c) { return c.entropy() <= least + tie; });
        return is_accepted(all, *best, log2_others(all.n), log2_sets(all.classes)) ? best->block : last;
    }

    // log2(n - 1) and log2(3^k - 2) in the units of the test; those of the first interval of a column come again with
    // every column.
    i128 log2_others(std::uint64_t n) {
        if (n != known_n_) {
            known_n_ = n;
            log2_others_ = i128(log2_q120(n - 1) >> (120 - terms_.shift - kGuard));
        }
        return log2_others_;
    }

    i128 log2_sets(std::uint64_t classes) {
        if (classes != known_classes_) {
            known_classes_ = classes;
            log2_sets_ = log2_class_sets(classes, terms_.shift + kGuard);
        }
        return log2_sets_;
    }

    Terms terms_;
    Side left_, right_;
    std::vector<Run> runs_;
    std::vector<Block> blocks_;
    std::vector<Candidate> candidates_;
    std::vector<std::pair<std::size_t, std::size_t>> open_;  // intervals of blocks
    std::vector<double> found_;
    double last_value_ = 0;
    bool last_pure_ = false;
    std::uint64_t known_n_ = 0, known_classes_ = 0;
    i128 log2_others_ = 0, log2_sets_ = 0;
};

MdlCutter::MdlCutter(std::size_t n_classes, const Terms& terms) : search_(new Search(n_classes, terms)) {}
MdlCutter::~MdlCutter() = default;

const std::vector<double>& MdlCutter::cuts(const double* values, const std::int32_t* classes, const std::int64_t* weights,
                                           std::size_t n) {
    return search_->cuts(values, classes, weights, n);
}

const std::vector<double>& MdlCutter::cuts_of_counts(double low, std::size_t n_values, const std::uint32_t* counts) {
    return search_->cuts_of_counts(low, n_values, counts);
}

}  // namespace bitsieve
