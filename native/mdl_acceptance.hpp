// The two sides of a cut, and whether its gain of information pays for its description, in exact integers.
#pragma once

#include <cstdint>
#include <vector>

#include "fixed_point.hpp"

namespace bitsieve {

using i128 = __int128;

// Some samples of one class.
struct Run {
    std::uint32_t label, count;
};

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
inline i128 log2_class_sets(std::uint64_t k, int bits) {
    if (k > 40) return i128((log2_q120(3) >> 40) * k) >> (80 - bits);
    std::uint64_t power = 1;
    for (std::uint64_t i = 0; i < k; ++i) power *= 3;
    return i128(log2_q120(power - 2) >> (120 - bits));
}

// k Ent(S), times 2^(shift + kGuard).
inline i128 weighted_entropy(const Summary& s) { return i128(s.entropy) * s.classes * kScale / s.n; }

inline bool is_accepted(const Summary& all, const Candidate& cut, i128 log2_others, i128 log2_sets) {
    const i128 gain = (all.entropy - cut.entropy()) * kScale;  // may be negative, by rounding
    const i128 price =
        log2_others + log2_sets - weighted_entropy(all) + weighted_entropy(cut.left) + weighted_entropy(cut.right);
    // Each term is off by half its last place: a gain that is greater by no more than all of these is a tie.
    const i128 rounding = (3 * all.classes + 4) * kScale;
    return gain > price + rounding;
}

}  // namespace bitsieve
