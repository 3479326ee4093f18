#include "count/partition.hpp"

#include <algorithm>
#include <utility>

namespace bitsieve {

namespace {

// How many samples have each code; all 0 again after each result.
class CodeCounter {
public:
    explicit CodeCounter(std::int64_t n_codes) : count_(std::size_t(n_codes)) {}

    void add(std::uint16_t code) { ++count_[code]; }

    // The sum of T over the counts; codes[0 .. n) are those that were added.
    std::int64_t sum_and_clear(const Terms& terms, const std::uint16_t* codes, std::int64_t n) {
        std::int64_t sum = 0;
        const auto add_and_clear = [&](std::uint32_t& count) {
            if (count == 0) return;
            sum += terms(count);
            count = 0;
        };
        if (n < std::int64_t(count_.size()))  // fewer samples than codes: visit the codes that occur
            for (std::int64_t t = 0; t < n; ++t) add_and_clear(count_[codes[t]]);
        else
            for (auto& count : count_) add_and_clear(count);
        return sum;
    }

    // The number of different codes; codes[0 .. n) are those that were added.
    std::int64_t count_distinct_and_clear(const std::uint16_t* codes, std::int64_t n) {
        std::int64_t n_distinct = 0;
        for (std::int64_t t = 0; t < n; ++t) {
            n_distinct += count_[codes[t]] != 0;
            count_[codes[t]] = 0;
        }
        return n_distinct;
    }

private:
    std::vector<std::uint32_t> count_;
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

ClassRuns class_runs(const PackedTable& packed, const Partition& partition) {
    const ClassEnds classes(packed);
    ClassRuns runs;
    for (std::int64_t z = 0; z < partition.n_parts; ++z) {
        std::int64_t t = partition.starts[z];
        while (t < partition.starts[z + 1]) {
            t = classes.run_end(partition.order, t, partition.starts[z + 1]);
            runs.run_ends.push_back(t);
        }
        runs.part_ends.push_back(std::int64_t(runs.run_ends.size()));
    }
    return runs;
}

// What the parts of one sample, which are not listed, add to every sum.
std::int64_t sum_of_single_samples(const PackedTable& packed, const Partition& partition, const Terms& terms) {
    return terms(1) * (packed.n_samples() - partition.n_listed());
}

// The codes of the listed samples, in the order of the partition.
void gather(const std::uint16_t* codes, const Partition& partition, std::vector<std::uint16_t>& out) {
    out.resize(std::size_t(partition.n_listed()));
    for (std::size_t t = 0; t < out.size(); ++t) out[t] = codes[partition.order[t]];
}

// The sums of T over the tables (part, code) and (part, code, class) of one feature.
struct TableSums {
    std::int64_t pooled = 0;
    std::int64_t by_class = 0;
};

// `codes` are those of the listed samples, in the order of the partition.
TableSums sums_of_runs(const std::vector<std::uint16_t>& codes, std::int64_t n_codes, const ClassRuns& runs,
                       const Terms& terms) {
    CodeCounter class_counter(n_codes);
    CodeCounter pooled_counter(n_codes);
    TableSums sums;
    std::int64_t part_start = 0;
    std::int64_t run_start = 0;
    std::int64_t run = 0;
    for (const std::int64_t part_end : runs.part_ends) {
        for (; run < part_end; ++run) {
            const std::int64_t run_end = runs.run_ends[run];
            for (std::int64_t t = run_start; t < run_end; ++t) {
                class_counter.add(codes[t]);
                pooled_counter.add(codes[t]);
            }
            sums.by_class += class_counter.sum_and_clear(terms, &codes[run_start], run_end - run_start);
            run_start = run_end;
        }
        sums.pooled += pooled_counter.sum_and_clear(terms, &codes[part_start], run_start - part_start);
        part_start = run_start;
    }
    return sums;
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
    constexpr std::int64_t kNotListed = -1;
    std::vector<std::int64_t> count(std::size_t(n_codes), 0);  // by code; zeros between parts
    std::vector<std::int64_t> next(std::size_t(n_codes), 0);   // by code: where its next sample goes
    std::vector<std::uint16_t> present;                        // the codes that occur in a part, ascending
    PartitionVectors out;
    out.starts.push_back(0);
    for (std::int64_t z = 0; z < partition.n_parts; ++z) {
        const std::uint32_t* first = partition.order + partition.starts[z];
        const std::uint32_t* last = partition.order + partition.starts[z + 1];
        present.clear();
        for (auto t = first; t != last; ++t)
            if (count[codes[*t]]++ == 0) present.push_back(codes[*t]);
        std::sort(present.begin(), present.end());
        for (const auto code : present) {
            const std::int64_t n = std::exchange(count[code], 0);
            const std::int64_t start = out.starts.back();
            next[code] = n < 2 ? kNotListed : start;
            if (n >= 2) out.starts.push_back(start + n);
        }
        out.order.resize(std::size_t(out.starts.back()));
        for (auto t = first; t != last; ++t)
            if (next[codes[*t]] != kNotListed) out.order[std::size_t(next[codes[*t]]++)] = *t;
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
    const ClassRuns runs = class_runs(packed, partition);
    const std::int64_t single_samples = sum_of_single_samples(packed, partition, terms);
    std::vector<std::uint16_t> scratch;
    std::vector<std::uint16_t> codes;
    for (std::int64_t g = 0; g < n_groups; ++g) {
        const std::int64_t* features = packed.features(groups[g]);
        for (int lane = 0; lane < kLanes && features[lane] >= 0; ++lane) {
            const std::int64_t feature = features[lane];
            gather(packed.codes(feature, scratch), partition, codes);
            const TableSums sums = sums_of_runs(codes, packed.arity(feature), runs, terms);
            pooled_sums[feature] = single_samples + sums.pooled;
            class_sums[feature] = single_samples + sums.by_class;
        }
    }
}

void partition_marginals(const PackedTable& packed, const Terms& terms, const Partition& partition,
                         std::int64_t* pooled_sum, std::int64_t* class_sum) {
    const std::int64_t* starts = partition.starts;
    *pooled_sum = *class_sum = sum_of_single_samples(packed, partition, terms);
    for (std::int64_t part = 0; part < partition.n_parts; ++part)
        *pooled_sum += terms(std::uint64_t(starts[part + 1] - starts[part]));
    std::int64_t begin = 0;
    for (const auto end : class_runs(packed, partition).run_ends) {
        *class_sum += terms(std::uint64_t(end - begin));
        begin = end;
    }
}

std::int64_t degrees_of_freedom(const PackedTable& packed, const Partition& partition, std::int64_t feature) {
    const ClassRuns runs = class_runs(packed, partition);
    std::vector<std::uint16_t> scratch;
    std::vector<std::uint16_t> codes;
    gather(packed.codes(feature, scratch), partition, codes);
    CodeCounter counter(packed.arity(feature));
    std::int64_t sum = 0;
    for (std::int64_t z = 0; z < partition.n_parts; ++z) {
        const std::int64_t n_classes = runs.part_ends[z] - (z ? runs.part_ends[z - 1] : 0);
        if (n_classes < 2) continue;
        const std::uint16_t* codes_of_part = &codes[std::size_t(partition.starts[z])];
        const std::int64_t n = partition.starts[z + 1] - partition.starts[z];
        for (std::int64_t i = 0; i < n; ++i) counter.add(codes_of_part[i]);
        sum += (counter.count_distinct_and_clear(codes_of_part, n) - 1) * (n_classes - 1);
    }
    return sum;
}

ClassRuns arrange(const PackedTable& packed, const Partition& partition, std::int64_t feature,
                  std::vector<std::uint16_t>& codes) {
    ClassRuns runs = class_runs(packed, partition);
    std::vector<std::uint16_t> scratch;
    gather(packed.codes(feature, scratch), partition, codes);
    auto begin = codes.begin();
    for (const auto end : runs.run_ends) {
        std::sort(begin, codes.begin() + end);
        begin = codes.begin() + end;
    }
    return runs;
}

void shuffled_sums(const Terms& terms, const std::uint16_t* codes, std::int64_t n, const std::int64_t* run_ends,
                   const std::int64_t* part_ends, std::int64_t n_parts, const std::uint64_t* seeds,
                   std::int64_t n_seeds, std::int64_t* out) {
    const std::int64_t n_codes = n ? 1 + *std::max_element(codes, codes + n) : 0;
    std::vector<std::uint16_t> shuffled;
    CodeCounter counter(n_codes);
    for (std::int64_t b = 0; b < n_seeds; ++b) {
        shuffled.assign(codes, codes + n);  // afresh, so that a shuffle depends on its seed alone
        Random random(seeds[b]);
        std::int64_t sum = 0;
        std::int64_t run_start = 0;
        std::int64_t run = 0;
        for (std::int64_t z = 0; z < n_parts; ++z) {
            const std::int64_t last = run_ends[part_ends[z] - 1];
            for (; run < part_ends[z]; ++run) {
                for (std::int64_t t = run_start; t < run_ends[run];
                     ++t) {  // Fisher and Yates: from those not yet drawn
                    std::swap(shuffled[t], shuffled[t + random.below(std::uint32_t(last - t))]);
                    counter.add(shuffled[t]);
                }
                sum += counter.sum_and_clear(terms, &shuffled[run_start], run_ends[run] - run_start);
                run_start = run_ends[run];
            }
        }
        out[b] = sum;
    }
}

}  // namespace bitsieve
