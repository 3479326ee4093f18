#include "count/packed_table.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "count/kernels/counting_kernel.hpp"
#include "count/kernels/scratch.hpp"

namespace bitsieve {

namespace {

constexpr std::int64_t kMaxSamples = std::int64_t(1) << 31;
constexpr std::int32_t kMaxCodes = 1 << 16;
constexpr int kMaxArity = 64;  // of a feature stored as planes
static_assert(kMaxArity == kMaxPlanes + 1, "the last code of a feature has no plane");
// Nanoseconds, by benchmarks/kernel_costs.py as those of the kernels (counting_kernel.hpp).
constexpr double kTableSampleNs = 0.6;  // one sample of one pair by increments
constexpr double kTableCellNs = 1.0;    // clearing and reading one cell of its table

// Fewer samples do not repay what packed counters set up: buckets, counters, and the table of pair terms.
constexpr double kMinCounterSamples = 8192;

constexpr std::size_t kHugePage = 2 << 20;

// Large arrays are asked for in huge pages where the system has them: planes are streamed through.
template <class T>
T* allocate(std::int64_t n) {
    const std::size_t bytes = std::size_t(n) * sizeof(T) + 1;
    const std::size_t alignment = bytes >= 2 * kHugePage ? kHugePage : 64;
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    void* p = aligned_memory(alignment, rounded);
#if defined(__linux__)
    if (alignment == kHugePage) madvise(p, rounded, MADV_HUGEPAGE);
#endif
    return static_cast<T*>(p);
}

// bytes[b][i] is 255 where bit i of b is set, else 0.
struct ByteMasks {
    std::uint8_t bytes[256][8];
};

constexpr ByteMasks make_byte_masks() {
    ByteMasks masks{};
    for (int b = 0; b < 256; ++b)
        for (int i = 0; i < 8; ++i) masks.bytes[b][i] = std::uint8_t((b >> i & 1) * 255);
    return masks;
}

constexpr ByteMasks kByteMasks = make_byte_masks();

// The codes of n <= 64 samples from a word of every plane of their feature, planes[p * kLanes]: p where the bit of the
// sample is set in plane p, and n_planes where it is set in none.
void write_codes(const std::uint64_t* planes, int n_planes, std::int64_t n, std::uint16_t* out) {
    constexpr std::uint64_t kEveryByte = 0x0101010101010101ULL;
    std::uint64_t codes[8];  // eight bytes each: the codes of eight samples
    std::fill(codes, codes + 8, std::uint64_t(n_planes) * kEveryByte);
    for (int p = 0; p < n_planes; ++p) {
        const std::uint64_t bits = planes[p * kLanes];
        for (int i = 0; i < 8; ++i) {
            std::uint64_t mask;
            std::memcpy(&mask, kByteMasks.bytes[bits >> (8 * i) & 255], sizeof mask);
            codes[i] ^= (codes[i] ^ std::uint64_t(p) * kEveryByte) & mask;
        }
    }
    std::uint8_t bytes[64];
    std::memcpy(bytes, codes, sizeof bytes);
    for (std::int64_t t = 0; t < n; ++t) out[t] = bytes[t];
}

// Copies one word of the planes of a feature to a group with n_out planes. There the last code of the feature may have
// a plane, too: it gets those of the `samples` that are in no other plane. Planes beyond are empty.
void copy_word(const std::uint64_t* in, int n_in, std::uint64_t samples, std::uint64_t* out, int n_out) {
    std::uint64_t rest = samples;
    for (int p = 0; p < n_in; ++p) {
        out[p * kLanes] = in[p * kLanes];
        rest &= ~in[p * kLanes];
    }
    for (int p = n_in; p < n_out; ++p) {
        out[p * kLanes] = rest;
        rest = 0;
    }
}

// What the choice of a storage depends on.
struct Shape {
    double n_samples, n_words, n_classes;

    // Nanoseconds of a pair of features of so many codes, by planes and by increments of the cells of a table.
    double planes_ns(const CountingKernel& kernel, int n_codes) const {
        const double cells = double(n_codes) * n_codes;
        const double inner_cells = double(n_codes - 1) * (n_codes - 1);
        return n_words * inner_cells * kernel.cost.pair_word + n_classes * cells * kernel.cost.pair_term;
    }
    double table_ns(int n_codes) const {
        const double cells = double(n_codes) * n_codes;
        return n_samples * kTableSampleNs + std::min(n_classes * cells, 2 * n_samples) * kTableCellNs;
    }
    double counters_ns(const CountingKernel& kernel, int n_codes) const {
        return n_samples * kernel.cost.counter_sample + n_classes * n_codes * kernel.cost.counter_row;
    }
};

// The largest arity whose pairs are cheaper by planes than by increments.
int plane_arity(const CountingKernel& kernel, const Shape& shape) {
    int best = 1;
    for (int n_codes = 2; n_codes <= kMaxArity; ++n_codes) {
        if (shape.planes_ns(kernel, n_codes) > shape.table_ns(n_codes)) break;
        best = n_codes;
    }
    return best;
}

// Whether the features of at most ten codes together cost less by packed counters than by planes (up to
// `max_plane_arity` codes) and increments (beyond). Each feature is compared as if paired with one of its own arity, as
// features of a table are alike.
bool counters_pay(const CountingKernel& kernel, const std::vector<std::int32_t>& arities, int max_plane_arity,
                  const Shape& shape) {
    if (shape.n_samples < kMinCounterSamples) return false;
    double otherwise = 0;
    double counters = 0;
    for (const std::int32_t n_codes : arities) {
        if (n_codes > kCountersPerWord) continue;
        otherwise += n_codes <= max_plane_arity ? shape.planes_ns(kernel, n_codes) : shape.table_ns(n_codes);
        counters += shape.counters_ns(kernel, n_codes);
    }
    return counters < otherwise;
}

}  // namespace

Storage storage_named(const std::string& name) {
    if (name == "cheapest") return Storage::cheapest;
    if (name == "planes") return Storage::planes;
    if (name == "counters") return Storage::counters;
    if (name == "table") return Storage::table;
    throw std::invalid_argument("storage '" + name + "' is not cheapest, planes, counters or table");
}

PackedTable::PackedTable(std::vector<std::int64_t> class_sizes, std::vector<std::uint32_t> order,
                         std::vector<std::int32_t> arities, const CountingKernel& kernel, Storage storage,
                         bool caller_provides_memory)
    : kernel_(kernel), sizes_(std::move(class_sizes)), order_(std::move(order)), arities_(std::move(arities)) {
    place_classes();
    const Shape shape{double(n_samples_), double(n_words()), double(n_classes())};
    switch (storage) {
        case Storage::table: max_narrow_arity_ = 0; break;
        case Storage::planes: max_narrow_arity_ = kMaxArity; break;
        default: max_narrow_arity_ = plane_arity(kernel, shape);
    }
    uses_counters_ = storage == Storage::counters ||
                     (storage == Storage::cheapest && counters_pay(kernel, arities_, max_narrow_arity_, shape));
    if (uses_counters_) max_narrow_arity_ = kCountersPerWord;
    place_features(caller_provides_memory);
}

PackedTable::PackedTable(std::vector<std::int64_t> class_sizes, std::vector<std::int32_t> arities,
                         const CountingKernel& kernel, int max_narrow_arity, bool uses_counters)
    : kernel_(kernel),
      uses_counters_(uses_counters),
      max_narrow_arity_(max_narrow_arity),
      sizes_(std::move(class_sizes)),
      arities_(std::move(arities)) {
    place_classes();
    place_features(false);
}

// Checks the class sizes, the arities and the order, and finds where the classes lie.
void PackedTable::place_classes() {
    word_start_.push_back(0);
    for (const std::int64_t size : sizes_) {
        if (size < 0 || size > kMaxSamples - n_samples_)
            throw std::invalid_argument("class sizes must sum to 1 to 2^31");
        n_samples_ += size;
        word_start_.push_back(word_start_.back() + (size + 63) / 64);
    }
    if (n_samples_ == 0) throw std::invalid_argument("class sizes must sum to 1 to 2^31");
    for (const std::int32_t arity : arities_)
        if (arity < 1 || arity > kMaxCodes) throw std::invalid_argument("an arity must lie between 1 and 65536");
    if (!order_.empty() && std::int64_t(order_.size()) != n_samples_)
        throw std::invalid_argument("order holds a row for every sample, or nothing");
    rows_needed_ = order_.empty() ? n_samples_ : std::int64_t(*std::max_element(order_.begin(), order_.end())) + 1;
    sizes_.push_back(n_samples_);
}

// Gives every feature its lane and, unless the caller provides it, the groups their memory.
void PackedTable::place_features(bool caller_provides_memory) {
    features_by_arity_.resize(arities_.size());
    std::iota(features_by_arity_.begin(), features_by_arity_.end(), 0);
    std::stable_sort(features_by_arity_.begin(), features_by_arity_.end(),
                     [this](std::int64_t a, std::int64_t b) { return arities_[a] < arities_[b]; });
    while (n_narrow_ < n_features() && arities_[features_by_arity_[n_narrow_]] <= max_narrow_arity_) ++n_narrow_;
    lane_index_.resize(arities_.size());
    const std::int64_t gap = (kLanes - n_narrow_ % kLanes) % kLanes;  // the last group may have empty lanes
    for (std::int64_t s = 0; s < n_features(); ++s) lane_index_[features_by_arity_[s]] = s < n_narrow_ ? s : s + gap;
    feature_at_lane_.assign(std::size_t(n_features() + gap + kLanes) / kLanes * kLanes, -1);
    for (std::int64_t f = 0; f < n_features(); ++f) feature_at_lane_[lane_index_[f]] = f;

    std::int64_t margins = 0;
    for (std::int64_t s = 0; s < n_narrow_; s += kLanes) {
        const int n_planes = arities_[features_by_arity_[std::min(s + kLanes, n_narrow_) - 1]] - 1;
        if (uses_counters_) {
            groups_.push_back({n_planes, plane_words_, 0});
            plane_words_ += n_samples_;
            continue;
        }
        groups_.push_back({n_planes, plane_words_, margins});
        plane_words_ += n_words() * n_planes * kLanes;
        margins += std::int64_t(sizes_.size()) * n_planes * kLanes;
    }
    margins_.assign(margins, 0);
    ready_.assign(std::size_t(n_simd_groups()), false);
    if (caller_provides_memory) return;
    planes_.reset(allocate<std::uint64_t>(plane_words_));
    wide_.reset(allocate<std::uint16_t>(n_wide() * n_samples_));
}

void PackedTable::use(std::uint64_t* planes, std::uint16_t* wide) {
    planes_ = {planes, Free{false}};
    wide_ = {wide, Free{false}};
    std::fill(ready_.begin(), ready_.end(), 0);
}

bool PackedTable::ready(std::int64_t first, std::int64_t last) const {
    return std::all_of(ready_.begin() + first, ready_.begin() + last, [](char simd_group) { return simd_group != 0; });
}

std::int64_t PackedTable::bytes() const {
    return plane_words_ * 8 + std::int64_t(margins_.size()) * 4 + n_wide() * n_samples_ * 2;
}

PlaneGroup PackedTable::group(std::int64_t simd_group) const {
    const Group& g = groups_[simd_group];
    return {planes_.get() + g.planes, margins_.data() + g.margins, g.n_planes};
}

ByteGroup PackedTable::byte_group(std::int64_t simd_group) const {
    const Group& g = groups_[simd_group];
    return {reinterpret_cast<const std::uint8_t*>(planes_.get() + g.planes), g.n_planes + 1};
}

ClassLayout PackedTable::layout() const { return {word_start_.data(), sizes_.data(), n_classes(), n_samples_}; }

// Features taken out of a packed table: as codes, as a pivot, or as a packed table of their own; see packed_table.hpp.

const std::uint16_t* PackedTable::codes(std::int64_t feature, std::vector<std::uint16_t>& scratch) const {
    const std::int64_t simd_group = simd_group_of(feature);
    const int lane = lane_of(feature);
    if (simd_group >= n_narrow_groups())
        return wide_.get() + ((simd_group - n_narrow_groups()) * kLanes + lane) * n_samples_;
    const Group& group = groups_[simd_group];
    if (uses_counters_) {
        const std::uint8_t* rows = byte_group(simd_group).rows + lane;
        scratch.resize(std::size_t(n_samples_));
        for (std::int64_t t = 0; t < n_samples_; ++t) scratch[t] = std::uint16_t(rows[t * kLanes] / kCounterBits);
        return scratch.data();
    }
    scratch.resize(std::size_t(n_samples_));
    std::uint16_t* class_codes = scratch.data();
    const std::uint64_t* planes = planes_.get() + group.planes + lane;
    for (std::int64_t c = 0; c < n_classes(); ++c) {
        for (std::int64_t w = word_start_[c]; w < word_start_[c + 1]; ++w) {
            const std::int64_t first = (w - word_start_[c]) * 64;
            const std::int64_t n = std::min<std::int64_t>(64, sizes_[c] - first);
            write_codes(planes + w * group.n_planes * kLanes, arities_[feature] - 1, n, class_codes + first);
        }
        class_codes += sizes_[c];
    }
    return scratch.data();
}

std::shared_ptr<const PackedTable::PivotStorage> PackedTable::pivot(std::int64_t feature) const {
    std::shared_ptr<PivotStorage> storage;
    {
        const std::lock_guard<std::mutex> lock(latest_pivot_->mutex);
        if (latest_pivot_->feature == feature) storage = latest_pivot_->storage.lock();
        if (!storage) {
            storage = std::make_shared<PivotStorage>();
            latest_pivot_->feature = feature;
            latest_pivot_->storage = storage;
        }
    }
    const std::lock_guard<std::mutex> lock(storage->filling);
    if (storage->planes) return storage;
    const Group& group = groups_[simd_group_of(feature)];
    const int lane = lane_of(feature);
    const int n_planes = arities_[feature] - 1;
    storage->margins.resize(sizes_.size() * std::size_t(n_planes));
    for (std::int64_t s = 0; s <= n_classes(); ++s)
        for (int p = 0; p < n_planes; ++p)
            storage->margins[s * n_planes + p] = margins_[group.margins + (s * group.n_planes + p) * kLanes + lane];
    storage->planes.reset(new std::uint64_t[std::size_t(n_words() * n_planes)]);
    for (std::int64_t w = 0; w < n_words(); ++w)
        for (int p = 0; p < n_planes; ++p)
            storage->planes[w * n_planes + p] = planes_[group.planes + (w * group.n_planes + p) * kLanes + lane];
    return storage;
}

// Fills a group of planes, all lanes of some words before the next words.
void PackedTable::gather_planes(const PackedTable& from, const std::vector<std::int64_t>& features, std::int64_t g) {
    constexpr std::int64_t kWordsAtOnce = 64;  // whose planes stay in the first-level cache, or the second
    const Group& group = groups_[g];
    const std::int64_t out_stride = std::int64_t(group.n_planes) * kLanes;
    std::uint64_t* planes = planes_.get() + group.planes;
    for (std::int64_t c = 0; c < n_classes(); ++c)
        for (std::int64_t first = word_start_[c]; first < word_start_[c + 1]; first += kWordsAtOnce) {
            const std::int64_t last = std::min(first + kWordsAtOnce, word_start_[c + 1]);
            for (int lane = 0; lane < kLanes; ++lane) {
                const std::int64_t index = feature_at(g, lane);
                if (index < 0) {
                    for (std::int64_t w = first; w < last; ++w)
                        copy_word(nullptr, 0, 0, planes + w * out_stride + lane, group.n_planes);
                    continue;
                }
                const std::int64_t feature = features[std::size_t(index)];
                const Group& other = from.groups_[from.simd_group_of(feature)];
                const std::int64_t in_stride = std::int64_t(other.n_planes) * kLanes;
                const std::uint64_t* in = from.planes_.get() + other.planes + from.lane_of(feature);
                for (std::int64_t w = first; w < last; ++w) {
                    const std::int64_t n = std::min<std::int64_t>(64, sizes_[c] - (w - word_start_[c]) * 64);
                    const std::uint64_t samples = ~std::uint64_t(0) >> (64 - n);
                    copy_word(in + w * in_stride, from.arities_[feature] - 1, samples, planes + w * out_stride + lane,
                              group.n_planes);
                }
            }
        }
    kernel_.plane_margins(planes, out_stride, layout(), margins_.data() + group.margins);
}

// Fills a group that is kept as bytes.
void PackedTable::gather_bytes(const PackedTable& from, const std::vector<std::int64_t>& features, std::int64_t g) {
    const std::uint8_t no_code = 0;
    const std::uint8_t* in[kLanes];
    std::int64_t stride[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) {
        const std::int64_t index = feature_at(g, lane);
        if (index < 0) {
            in[lane] = &no_code;
            stride[lane] = 0;
            continue;
        }
        const std::int64_t feature = features[std::size_t(index)];
        in[lane] = from.byte_group(from.simd_group_of(feature)).rows + from.lane_of(feature);
        stride[lane] = kLanes;
    }
    std::uint8_t* out = reinterpret_cast<std::uint8_t*>(planes_.get() + groups_[g].planes);
    for (std::int64_t t = 0; t < n_samples_; ++t)
        for (int lane = 0; lane < kLanes; ++lane) out[t * kLanes + lane] = in[lane][t * stride[lane]];
}

// Fills a group of columns of codes.
void PackedTable::gather_wide(const PackedTable& from, const std::vector<std::int64_t>& features, std::int64_t g) {
    std::vector<std::uint16_t> unused;  // wide codes are not decoded
    for (int lane = 0; lane < kLanes; ++lane) {
        const std::int64_t index = feature_at(g, lane);
        if (index < 0) continue;
        std::uint16_t* out = wide_.get() + ((g - n_narrow_groups()) * kLanes + lane) * n_samples_;
        std::copy_n(from.codes(features[std::size_t(index)], unused), n_samples_, out);
    }
}

PackedTable PackedTable::gathered(const std::vector<std::int64_t>& features) const {
    std::vector<std::int32_t> arities;
    arities.reserve(features.size());
    for (const std::int64_t feature : features) arities.push_back(arities_[feature]);
    PackedTable out({sizes_.begin(), sizes_.end() - 1}, std::move(arities), kernel_, max_narrow_arity_, uses_counters_);
    for (std::int64_t g = 0; g < out.n_narrow_groups(); ++g)
        uses_counters_ ? out.gather_bytes(*this, features, g) : out.gather_planes(*this, features, g);
    for (std::int64_t g = out.n_narrow_groups(); g < out.n_simd_groups(); ++g) out.gather_wide(*this, features, g);
    std::fill(out.ready_.begin(), out.ready_.end(), 1);
    return out;
}

}  // namespace bitsieve
