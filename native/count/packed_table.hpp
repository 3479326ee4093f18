// The packed form of a table of codes, which every counting kernel reads.
//
// Samples are sorted by class. A feature of few codes is narrow: it becomes bit planes, one for each code but the last.
// A feature of many codes is wide: it stays a column of 16-bit codes. Which form costs less follows from the measured
// costs of the kernel, by arity. Where packed counters (see counting_kernel.hpp) cost less for the whole table, narrow
// features become bytes instead of planes.
//
// A SIMD group is eight features, one to a lane of a vector: first the narrow features, eight of like arity together,
// then the wide ones. Callers hand blocks of SIMD groups to threads.
//
// Limits: codes < 65536, samples <= 2^31, features <= 10^6 (checked by the caller).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "count/aligned.hpp"
#include "count/kernels/counting_kernel.hpp"

namespace bitsieve {

// How the features of few codes are kept, and so counted: as whatever costs least on the instruction set (the measured
// costs of its kernel decide), or as one form whatever it costs, which tests and measurements ask for. Features of more
// codes than a form can hold are columns of codes in each.
enum class Storage { cheapest, planes, counters, table };

// Storage by its name here; throws std::invalid_argument naming the choices.
Storage storage_named(const std::string& name);

// The raw table: codes[sample * sample_stride + feature * feature_stride], strides in elements; or, where there are
// columns, columns[feature][sample], and both strides are 1 and 0.
template <class Code>
struct CodeTable {
    const Code* codes;
    std::int64_t sample_stride, feature_stride;
    const Code* const* columns = nullptr;

    const Code* column(std::int64_t feature) const {
        return columns != nullptr ? columns[feature] : codes + feature * feature_stride;
    }
};

// Rows of a raw table that are packed together.
struct Batch {
    const std::int64_t* class_sizes;  // samples of every class in this batch
    const std::int64_t* n_before;     // samples of every class in the batches before
    const std::uint32_t* order;       // the rows class by class; null: the rows of the table are in this order already

    std::int64_t row(std::int64_t t) const { return order == nullptr ? t : std::int64_t(order[t]); }

    // The rows that a raw table must have at least: an order may leave some of them out, or repeat them.
    std::int64_t rows_needed(std::int64_t n_samples) const {
        if (order == nullptr || n_samples == 0) return n_samples;
        return std::int64_t(*std::max_element(order, order + n_samples)) + 1;
    }
};

constexpr std::uint8_t kNoCode = 255;  // as a byte: matches no plane

[[noreturn]] void refuse_code();

class PackedTable {
public:
    // class_sizes: samples of every class; order[t]: the row of the t-th sample after sorting by class (empty: as
    // they come). With `caller_provides_memory` no memory is taken for the table: `use` tells where it is stored.
    PackedTable(std::vector<std::int64_t> class_sizes, std::vector<std::uint32_t> order,
                std::vector<std::int32_t> arities, const CountingKernel& kernel, Storage storage,
                bool caller_provides_memory = false);

    // Keeps the table in memory of the caller, plane_words() and wide_codes() long, zeros or what another table of the
    // same layout left there.
    void use(std::uint64_t* planes, std::uint16_t* wide);
    std::int64_t plane_words() const { return plane_words_; }
    std::int64_t wide_codes() const { return n_wide() * n_samples_; }
    bool has_storage() const { return planes_ != nullptr && wide_ != nullptr; }
    const std::uint64_t* planes() const { return planes_.get(); }
    const std::uint16_t* wide() const { return wide_.get(); }

    // Fills the SIMD groups [first, last). Blocks are independent of each other. Throws std::invalid_argument where a
    // code is not below the arity of its feature; the groups are then not ready to be counted.
    template <class Code>
    void pack(const CodeTable<Code>& table, std::int64_t first, std::int64_t last);

    // Fills the SIMD groups [first, last) in batches of rows: `add` for each batch, then `finish`, which counts the
    // codes.
    template <class Code>
    void add(const CodeTable<Code>& table, const Batch& batch, std::int64_t first, std::int64_t last);
    void finish(std::int64_t first, std::int64_t last);

    // A packed table of the same samples with these features only, in this order and in the form they have here. They
    // must all be ready.
    PackedTable gathered(const std::vector<std::int64_t>& features) const;

    // Looks at storage that was filled before: throws std::invalid_argument where it is that of no packed table.
    void check(std::int64_t first, std::int64_t last) const;

    // The rows that a raw table must have at least.
    std::int64_t rows_needed() const { return rows_needed_; }

    // Whether the SIMD groups [first, last) have been filled.
    bool ready(std::int64_t first, std::int64_t last) const;

    std::int64_t n_samples() const { return n_samples_; }
    std::int64_t n_features() const { return std::int64_t(arities_.size()); }
    std::int64_t n_classes() const { return std::int64_t(sizes_.size()) - 1; }
    std::int64_t n_narrow_groups() const { return std::int64_t(groups_.size()); }
    std::int64_t n_simd_groups() const { return n_narrow_groups() + (n_wide() + kLanes - 1) / kLanes; }
    std::int64_t n_wide() const { return n_features() - n_narrow_; }
    std::int64_t n_words() const { return word_start_.back(); }  // of a plane
    std::int64_t bytes() const;

    // The eight features of a SIMD group; -1: no feature in this lane.
    const std::int64_t* features(std::int64_t simd_group) const {
        return feature_at_lane_.data() + simd_group * kLanes;
    }
    std::int64_t feature_at(std::int64_t simd_group, int lane) const { return features(simd_group)[lane]; }
    std::int64_t simd_group_of(std::int64_t feature) const { return lane_index_[feature] / kLanes; }
    int lane_of(std::int64_t feature) const { return int(lane_index_[feature] % kLanes); }
    bool is_wide(std::int64_t feature) const { return simd_group_of(feature) >= n_narrow_groups(); }
    std::int32_t arity(std::int64_t feature) const { return arities_[feature]; }

    // Whether the narrow features are kept as bytes, for packed counters, instead of planes.
    bool uses_counters() const { return uses_counters_; }
    bool all_planes() const { return !uses_counters_ && n_wide() == 0; }
    ByteGroup byte_group(std::int64_t simd_group) const;

    PlaneGroup group(std::int64_t simd_group) const;
    ClassLayout layout() const;
    std::int64_t class_size(std::int64_t c) const { return sizes_[c]; }

    // The codes of a feature in class order: a pointer into the storage, or decoded into `scratch`.
    const std::uint16_t* codes(std::int64_t feature, std::vector<std::uint16_t>& scratch) const;

    // The planes and margins of one feature, taken out of its SIMD group: once for all threads that ask for them
    // together.
    struct PivotStorage {
        std::mutex filling;
        std::unique_ptr<std::uint64_t[]> planes;
        std::vector<std::uint32_t> margins;
    };
    std::shared_ptr<const PivotStorage> pivot(std::int64_t feature) const;

    const CountingKernel& kernel() const { return kernel_; }

private:
    PackedTable(std::vector<std::int64_t> class_sizes, std::vector<std::int32_t> arities, const CountingKernel& kernel,
                int max_narrow_arity, bool uses_counters);
    void place_classes();
    void place_features(bool caller_provides_memory);

    struct Group {
        int n_planes;
        std::int64_t planes, margins;  // offsets; `planes` of a group kept as bytes counts eights of bytes
    };
    struct Free {
        bool owned;
        Free() : owned(true) {}
        explicit Free(bool owns) : owned(owns) {}
        void operator()(void* p) const {
            if (owned) free_aligned(p);
        }
    };

    template <class Code>
    void pack_bytes(const CodeTable<Code>& table, const Batch& batch, std::int64_t first, std::int64_t last);
    template <class Code>
    void pack_planes(const CodeTable<Code>& table, const Batch& batch, std::int64_t first, std::int64_t last);
    template <class Code>
    void pack_groups(const CodeTable<Code>& table, const Batch& batch, std::int64_t first, std::int64_t last);
    template <class Code>
    void copy_wide(const CodeTable<Code>& table, const Batch& batch, std::int64_t first, std::int64_t last);
    // Whether the rows of a batch, each of them once, ascend within their classes; the bits of those of class c are
    // then rows[c * words + row / 64].
    bool rows_of_classes(const Batch& batch, std::vector<std::uint64_t>& rows) const;
    void pack_by_class(const CodeTable<std::uint8_t>& table, const Batch& batch, const std::vector<std::uint64_t>& rows,
                       std::int64_t first, std::int64_t last);
    void pack_columns(const std::uint8_t* codes, std::int64_t feature_stride, std::int64_t first, std::int64_t last);
    // Fill the SIMD group g of a gathered table: feature f of it is features[f] of another table.
    void gather_planes(const PackedTable& from, const std::vector<std::int64_t>& features, std::int64_t g);
    void gather_bytes(const PackedTable& from, const std::vector<std::int64_t>& features, std::int64_t g);
    void gather_wide(const PackedTable& from, const std::vector<std::int64_t>& features, std::int64_t g);
    template <class Samples>
    std::uint64_t write_masks(std::int64_t g, std::int64_t word, bool add, Samples&& samples);

    const CountingKernel& kernel_;
    bool uses_counters_ = false;
    int max_narrow_arity_ = 0;  // features of more codes are wide
    std::int64_t rows_needed_ = 0, n_samples_ = 0, n_narrow_ = 0, plane_words_ = 0;
    std::vector<std::int64_t> sizes_;       // by class; last: all samples
    std::vector<std::int64_t> word_start_;  // by class; last: words of a plane
    std::vector<std::uint32_t> order_;
    std::vector<std::int32_t> arities_;
    std::vector<std::int64_t> features_by_arity_;  // all features, by rising arity
    std::vector<std::int64_t> feature_at_lane_;    // [simd_group * kLanes + lane]: the feature there, -1: none
    std::vector<std::int64_t> lane_index_;  // [feature]: simd_group * kLanes + lane, the inverse of feature_at_lane_
    std::vector<Group> groups_;
    std::vector<char> ready_;  // by SIMD group: whether it has been filled
    std::unique_ptr<std::uint64_t[], Free> planes_;
    std::vector<std::uint32_t> margins_;
    std::unique_ptr<std::uint16_t[], Free> wide_;
    // The pivot that was taken out last, shared by all threads that count with it.
    struct LatestPivot {
        std::mutex mutex;
        std::int64_t feature = -1;
        std::weak_ptr<PivotStorage> storage;
    };
    std::unique_ptr<LatestPivot> latest_pivot_ = std::make_unique<LatestPivot>();
};

}  // namespace bitsieve
