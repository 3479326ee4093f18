#include "mdl.hpp"

#include <algorithm>
#include <cmath>
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
        : n(side.n), classes(side.classes), entropy(terms(side.n) - side.sum) {}
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

bool accepted(const Summary& all, const Candidate& cut, int shift) {
    const int bits = shift + kGuard;  // at most 80
    const i128 gain = (all.entropy - cut.entropy()) * kScale;  // may be negative, by rounding
    const i128 price = i128(log2_q120(all.n - 1) >> (120 - bits)) + log2_class_sets(all.classes, bits) -
                       weighted_entropy(all) + weighted_entropy(cut.left) + weighted_entropy(cut.right);
    // Each term is off by half its last place: a gain that is greater by no more than all of these is a tie.
    const i128 rounding = (3 * all.classes + 4) * kScale;
    return gain > price + rounding;
}

class Column {
   public:
    Column(const double* values, const std::int32_t* classes, const std::int64_t* weights, std::size_t n,
           std::size_t n_classes, const Terms& terms)
        : terms_(terms), left_(n_classes), right_(n_classes) {
        compress(values, classes, weights, n);
    }

    std::vector<double> cuts() {
        std::vector<double> found;
        std::vector<std::pair<std::size_t, std::size_t>> open{{0, blocks_.size()}};  // intervals of blocks
        while (!open.empty()) {
            const auto [first, last] = open.back();
            open.pop_back();
            if (last - first < 2) continue;
            const std::size_t cut = best_accepted(first, last);
            if (cut == last) continue;
            found.push_back(blocks_[cut].cut);
            open.emplace_back(first, cut + 1);
            open.emplace_back(cut + 1, last);
        }
        std::sort(found.begin(), found.end());
        return found;
    }

   private:
    void compress(const double* values, const std::int32_t* classes, const std::int64_t* weights, std::size_t n) {
        bool last_pure = false;
        const auto samples = [weights](std::size_t i) { return weights ? std::uint32_t(weights[i]) : 1; };
        for (std::size_t i = 0, end; i < n; i = end) {
            bool pure = true;
            std::uint32_t size = samples(i);
            for (end = i + 1; end < n && values[end] == values[i]; ++end) {
                pure &= classes[end] == classes[i];
                size += samples(end);
            }
            const std::uint32_t label = std::uint32_t(classes[i]);
            if (pure && last_pure && runs_.back().label == label) {
                runs_.back().count += size;
            } else {
                if (!blocks_.empty()) blocks_.back().cut = midpoint(values[i - 1], values[i]);
                if (pure) {
                    runs_.push_back({label, size});
                } else {
                    append_mixed(classes, i, end, samples);
                }
                blocks_.push_back({});
            }
            blocks_.back().end = runs_.size();
            last_pure = pure;
        }
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
        for (std::size_t block = first; block + 1 < last; ++block) {
            for (; run < blocks_[block].end; ++run) {
                left_.add(runs_[run], terms_);
                right_.remove(runs_[run], terms_);
            }
            const Candidate now{block, Summary(left_, terms_), Summary(right_, terms_)};
            if (!candidates_.empty()) {
                if (now.entropy() >= candidates_.back().entropy()) continue;
                if (now.entropy() + tie < candidates_.back().entropy()) candidates_.clear();
            }
            candidates_.push_back(now);
        }
        for (; run < blocks_[last - 1].end; ++run) right_.remove(runs_[run], terms_);
        for (std::size_t r = runs_before(first); r < runs_before(last - 1); ++r) left_.count[runs_[r].label] = 0;
        left_.n = left_.classes = 0;
        left_.sum = 0;

        const std::int64_t least = candidates_.back().entropy();
        const auto best = std::find_if(candidates_.begin(), candidates_.end(),
                                       [&](const Candidate& c) { return c.entropy() <= least + tie; });
        return accepted(all, *best, terms_.shift) ? best->block : last;
    }

    const Terms& terms_;
    Side left_, right_;
    std::vector<Run> runs_;
    std::vector<Block> blocks_;
    std::vector<Candidate> candidates_;
};

}  // namespace

std::vector<double> mdl_cuts(const double* values, const std::int32_t* classes, const std::int64_t* weights, std::size_t n,
                             std::size_t n_classes, const Terms& terms) {
    return Column(values, classes, weights, n, n_classes, terms).cuts();
}

}  // namespace bitsieve
