// The packed form of a table of codes: what every counting kernel reads.
//
// Samples are sorted by class. A feature of few codes becomes bit planes, one per code but the last, eight
// features of like arity to a group; a feature of many codes (a "wide" one) keeps its codes as a column of 16-bit
// numbers. Which of the two is cheaper is decided from the kernel's measured costs, once, by arity. Where the tally
// (tally.hpp) is cheaper for the table as a whole, the groups hold bytes instead of planes.
//
// A unit is eight features: first the groups of planes, then the wide columns in eights. Blocks of units are what
// the callers hand to threads.
//
// Limits: codes < 65536, samples <= 2^31, features <= 10^6 (checked by the caller).
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "kernel.hpp"

namespace bitsieve {

// How the features of few codes are kept, and so counted: as whatever costs least on the instruction set (the measured
// costs of its kernel decide), or as one form whatever it costs, which tests and measurements ask for. Features of more
// codes than a form can hold are columns of codes in each.
enum class Storage { cheapest, planes, counters, table };

// Storage by its name here; throws std::invalid_argument naming the choices.
Storage storage_named(const std::string& name);

// The raw table: codes[sample * sample_stride + feature * feature_stride], strides in elements.
template <class Code>
struct CodeTable {
    const Code* codes;
    std::int64_t sample_stride, feature_stride;
};

class Packed {
public:
    // class_sizes: samples of every class; order[t]: the row of the t-th sample after sorting by class (empty: as
    // they come).
    Packed(std::vector<std::int64_t> class_sizes, std::vector<std::uint32_t> order, std::vector<std::int32_t> arities,
           const Kernel& kernel, Storage storage);

    // Fills the units [first, last). Blocks are independent of each other.
    template <class Code>
    void pack(const CodeTable<Code>& table, std::int64_t first, std::int64_t last);

    std::int64_t n_samples() const { return n_samples_; }
    std::int64_t n_features() const { return std::int64_t(arities_.size()); }
    std::int64_t n_classes() const { return std::int64_t(sizes_.size()) - 1; }
    std::int64_t n_groups() const { return std::int64_t(groups_.size()); }
    std::int64_t n_units() const { return n_groups() + (n_wide() + kLanes - 1) / kLanes; }
    std::int64_t n_wide() const { return n_features() - n_narrow_; }
    std::int64_t n_words() const { return word_start_.back(); }  // of a plane
    std::int64_t bytes() const;

    // Features by slot: slots 8 g ... 8 g + 7 are the lanes of group g, then the wide columns in order; -1: none.
    const std::int64_t* features(std::int64_t unit) const { return at_.data() + unit * kLanes; }
    std::int64_t feature_at(std::int64_t unit, int lane) const { return features(unit)[lane]; }
    std::int64_t unit_of(std::int64_t feature) const { return place_[feature] / kLanes; }
    int lane_of(std::int64_t feature) const { return int(place_[feature] % kLanes); }
    bool is_wide(std::int64_t feature) const { return unit_of(feature) >= n_groups(); }
    std::int32_t arity(std::int64_t feature) const { return arities_[feature]; }

    // Whether groups hold the bytes of the tally instead of planes.
    bool tallied() const { return tallied_; }
    TallyGroup tally_group(std::int64_t unit) const;

    GroupView group(std::int64_t unit) const;
    Segments segments() const;
    std::int64_t class_size(std::int64_t c) const { return sizes_[c]; }

    // The codes of a feature in class order: a pointer into the storage, or decoded into `scratch`.
    const std::uint16_t* codes(std::int64_t feature, std::vector<std::uint16_t>& scratch) const;

    // One pivot's planes and margins, pulled out of its group.
    void pivot(std::int64_t feature, std::vector<std::uint64_t>& planes, std::vector<std::uint32_t>& margins) const;

    const Kernel& kernel() const { return kernel_; }

private:
    struct Group {
        int n_planes;
        std::int64_t planes, margins;  // offsets; of a tallied group, of its bytes in units of eight
    };
    struct Free {
        void operator()(void* p) const { std::free(p); }
    };

    template <class Code>
    void pack_bytes(const CodeTable<Code>& table, std::int64_t first, std::int64_t last);
    template <class Code>
    void pack_groups(const CodeTable<Code>& table, std::int64_t first, std::int64_t last);
    void write_masks(std::int64_t g0, std::int64_t n_groups, std::int64_t word, bool add, const std::uint8_t (*tile)[64]);

    const Kernel& kernel_;
    bool tallied_ = false;
    std::int64_t n_samples_ = 0, n_narrow_ = 0, plane_words_ = 0;
    std::vector<std::int64_t> sizes_;       // by class; last: all samples
    std::vector<std::int64_t> word_start_;  // by class; last: words of a plane
    std::vector<std::uint32_t> order_;
    std::vector<std::int32_t> arities_;
    std::vector<std::int64_t> slots_;  // feature of a slot
    std::vector<std::int64_t> at_;     // feature of a lane of a unit, -1: none
    std::vector<std::int64_t> place_;  // its inverse
    std::vector<Group> groups_;
    std::unique_ptr<std::uint64_t[], Free> planes_;
    std::vector<std::uint32_t> margins_;
    std::unique_ptr<std::uint16_t[], Free> wide_;
};

}  // namespace bitsieve
