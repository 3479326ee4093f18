#include "count/partition.hpp"

#include <algorithm>

namespace bitsieve {

namespace {

// Counts of codes, emptied by visiting the cells that were touched, or all where those are fewer.
class Counter {
public:
    explicit Counter(std::int64_t n_codes) : cells_(std::size_t(n_codes)) {}

    void add(std::uint16_t code) { ++cells_[code]; }

    // The sum of T over the cells; `touched` visits every code that was added since the last time.
    template <class Codes>
    std::int64_t take(const Terms& terms, std::int64_t n_added, const Codes& touched) {
        std::int64_t sum = 0;
        const auto finish = [&](std::uint32_t& cell) {
            if (cell == 0) return;
            sum += terms(cell);
            cell = 0;
        };
        if (n_added < std::int64_t(cells_.size()))
            for (std::int64_t t = 0; t < n_added; ++t) finish(cells_[touched(t)]);
        else
            for (auto& cell : cells_) finish(cell);
        return sum;
    }

    template <class Codes>
    std::int64_t distinct(std::int64_t n_added, const Codes& touched) {
        std::int64_t n = 0;
        for (std::int64_t t = 0; t < n_added; ++t) {
            n += cells_[touched(t)] != 0;
            cells_[touched(t)] = 0;
        }
        return n;
    }

private:
    std::vector<std::uint32_t> cells_;
};

// Where the classes end among samples in class order.
class ClassEnds {
public:
    explicit ClassEnds(const PackedTable& packed) {
        std::int64_t end = 0;
        for (std::int64_t c = 0; c < packed.n_classes(); ++c) ends_.push_back(end += packed.class_size(c));
    }

    // The end of the run of one class that begins at t, in order[t .. last).
    std::int64_t run_end(const std::uint32_t* order, std::int64_t t, std::int64_t last) const {
        const auto end = std::upper_bound(ends_.begin(), ends_.end(), std::int64_t(order[t]));
        return std::lower_bound(order + t, order + last, *end) - order;
    }

private:
    std::vector<std::int64_t> ends_;
};

// Found once, used by every feature.
Runs class_runs(const PackedTable& packed, const Partition& partition) {
    const ClassEnds classes(packed);
    Runs runs;
    for (std::int64_t z = 0; z < partition.n_parts; ++z) {
        for (std::int64_t t = partition.starts[z]; t < partition.starts[z + 1];)
            runs.ends.push_back(t = classes.run_end(partition.order, t, partition.starts[z + 1]));
        runs.part_ends.push_back(std::int64_t(runs.ends.size()));
    }
    return runs;
}

std::int64_t left_out(const PackedTable& packed, const Partition& partition, const Terms& terms) {
    return terms(1) * (packed.n_samples() - partition.n_kept());
}

// xorshift128+ seeded by splitmix64: 64 random bits at a time.
class Random {
public:
    explicit Random(std::uint64_t seed) : a_(mixed(seed)), b_(mixed(seed)) {}

    // In 0 .. n - 1, n < 2^32: the high half of a product; no number is favoured by more than n / 2^32 of its chance.
    std::uint32_t below(std::uint32_t n) { return std::uint32_t((next() >> 32) * n >> 32); }

private:
    static std::uint64_t mixed(std::uint64_t& state) {
        std::uint64_t z = state += 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        return z ^ z >> 31;
    }
    std::uint64_t next() {
        std::uint64_t a = a_;
        const std::uint64_t b = b_;
        a_ = b;
        a ^= a << 23;
        b_ = a ^ b ^ a >> 18 ^ b >> 5;
        return b_ + b;
    }

    std::uint64_t a_, b_;
};

}  // namespace

PartitionVectors refine(const std::uint16_t* codes, std::int64_t n_codes, const Partition& partition) {
    std::vector<std::int64_t> at(static_cast<std::size_t>(n_codes));
    std::vector<std::uint16_t> present;
    PartitionVectors out;
    out.starts.push_back(0);
    for (std::int64_t z = 0; z < partition.n_parts; ++z) {
        const std::uint32_t* first = partition.order + partition.starts[z];
        const std::uint32_t* last = partition.order + partition.starts[z + 1];
        present.clear();
        for (auto t = first; t != last; ++t)
            if (at[codes[*t]]++ == 0) present.push_back(codes[*t]);
        std::sort(present.begin(), present.end());
        for (const auto code : present) {  // at: how many, then where the next one goes (-1: left out)
            const std::int64_t n = at[code];
            const std::int64_t start = out.starts.back();
            at[code] = n < 2 ? -1 : start;
            if (n >= 2) out.starts.push_back(start + n);
        }
        out.order.resize(std::size_t(out.starts.back()));
        for (auto t = first; t != last; ++t)
            if (at[codes[*t]] >= 0) out.order[std::size_t(at[codes[*t]]++)] = *t;
        for (const auto code : present) at[code] = 0;
    }
    return out;
}

PartitionVectors refine(const PackedTable& packed, const Partition& partition, std::int64_t feature) {
    std::vector<std::uint16_t> scratch;
    return refine(packed.codes(feature, scratch), packed.arity(feature), partition);
}

void partition_sums(const PackedTable& packed, const Terms& terms, const Partition& partition,
                    const std::int64_t* groups, std::int64_t n_groups, std::int64_t* pooled_sums,
                    std::int64_t* class_sums) {
    const Runs runs = class_runs(packed, partition);
    const std::int64_t rest = left_out(packed, partition, terms);
    const std::uint32_t* order = partition.order;
    std::vector<std::uint16_t> scratch;
    std::vector<std::uint16_t> sorted(std::size_t(partition.n_kept()));
    for (std::int64_t g = 0; g < n_groups; ++g) {
        const std::int64_t* features = packed.features(groups[g]);
        for (int lane = 0; lane < kLanes && features[lane] >= 0; ++lane) {
            const std::int64_t feature = features[lane];
            const std::uint16_t* codes = packed.codes(feature, scratch);
            for (std::size_t t = 0; t < sorted.size(); ++t) sorted[t] = codes[order[t]];
            Counter class_counter(packed.arity(feature));
            Counter pooled_counter(packed.arity(feature));
            std::int64_t pooled_sum = rest;
            std::int64_t class_sum = rest;
            std::int64_t t = 0;
            std::int64_t r = 0;
            for (std::int64_t z = 0; z < partition.n_parts; ++z) {
                const std::int64_t first = t;
                for (; r < runs.part_ends[z]; ++r) {
                    const std::int64_t run = t;
                    for (; t < runs.ends[r]; ++t) {
                        class_counter.add(sorted[t]);
                        pooled_counter.add(sorted[t]);
                    }
                    class_sum += class_counter.take(terms, t - run, [&](std::int64_t i) { return sorted[run + i]; });
                }
                pooled_sum += pooled_counter.take(terms, t - first, [&](std::int64_t i) { return sorted[first + i]; });
            }
            pooled_sums[feature] = pooled_sum;
            class_sums[feature] = class_sum;
        }
    }
}

void partition_marginals(const PackedTable& packed, const Terms& terms, const Partition& partition,
                         std::int64_t* pooled_sum, std::int64_t* class_sum) {
    const std::int64_t* starts = partition.starts;
    *pooled_sum = *class_sum = left_out(packed, partition, terms);
    for (std::int64_t part = 0; part < partition.n_parts; ++part)
        *pooled_sum += terms(std::uint64_t(starts[part + 1] - starts[part]));
    std::int64_t begin = 0;
    for (const auto end : class_runs(packed, partition).ends) {
        *class_sum += terms(std::uint64_t(end - begin));
        begin = end;
    }
}

std::int64_t degrees_of_freedom(const PackedTable& packed, const Partition& partition, std::int64_t feature) {
    const Runs runs = class_runs(packed, partition);
    std::vector<std::uint16_t> scratch;
    const std::uint16_t* codes = packed.codes(feature, scratch);
    Counter counter(packed.arity(feature));
    std::int64_t sum = 0;
    for (std::int64_t z = 0; z < partition.n_parts; ++z) {
        const std::int64_t n_classes = runs.part_ends[z] - (z ? runs.part_ends[z - 1] : 0);
        if (n_classes < 2) continue;
        const std::int64_t first = partition.starts[z];
        const std::int64_t n = partition.starts[z + 1] - first;
        const auto code = [&](std::int64_t i) { return codes[partition.order[first + i]]; };
        for (std::int64_t i = 0; i < n; ++i) counter.add(code(i));
        sum += (counter.distinct(n, code) - 1) * (n_classes - 1);
    }
    return sum;
}

Runs arrange(const PackedTable& packed, const Partition& partition, std::int64_t feature,
             std::vector<std::uint16_t>& arranged) {
    Runs runs = class_runs(packed, partition);
    std::vector<std::uint16_t> scratch;
    const std::uint16_t* codes = packed.codes(feature, scratch);
    arranged.resize(std::size_t(partition.n_kept()));
    for (std::size_t t = 0; t < arranged.size(); ++t) arranged[t] = codes[partition.order[t]];
    auto begin = arranged.begin();
    for (const auto end : runs.ends) {
        std::sort(begin, arranged.begin() + end);
        begin = arranged.begin() + end;
    }
    return runs;
}

void shuffled_sums(const Terms& terms, const std::uint16_t* codes, std::int64_t n, const std::int64_t* run_ends,
                   const std::int64_t* part_ends, std::int64_t n_parts, const std::uint64_t* seeds,
                   std::int64_t n_seeds, std::int64_t* out) {
    const std::int64_t n_codes = n ? 1 + *std::max_element(codes, codes + n) : 0;
    std::vector<std::uint16_t> drawn;
    Counter class_counter(n_codes);
    for (std::int64_t b = 0; b < n_seeds; ++b) {
        drawn.assign(codes, codes + n);  // afresh, so that a draw depends on its seed alone
        Random random(seeds[b]);
        std::int64_t sum = 0;
        std::int64_t t = 0;
        std::int64_t r = 0;
        for (std::int64_t z = 0; z < n_parts; ++z) {
            const std::int64_t last = run_ends[part_ends[z] - 1];
            for (; r < part_ends[z]; ++r) {
                const std::int64_t run = t;
                for (; t < run_ends[r]; ++t) {  // Fisher and Yates: each place draws from those not yet placed
                    std::swap(drawn[t], drawn[t + random.below(std::uint32_t(last - t))]);
                    class_counter.add(drawn[t]);
                }
                sum += class_counter.take(terms, t - run, [&](std::int64_t i) { return drawn[run + i]; });
            }
        }
        out[b] = sum;
    }
}

}  // namespace bitsieve
