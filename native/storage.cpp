#include "storage.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <numeric>
#include <stdexcept>

#include "columns.hpp"
#include "tally.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace bitsieve {

namespace {

constexpr int kMaxArity = 64;         // of a feature stored as planes (kMaxPlanes of the loops + 1)
constexpr double kTableSampleNs = 0.6;  // one sample of one pair by the table-increment kernel
constexpr double kTableCellNs = 1.0;    // clearing and reading one cell of its table

constexpr double kTallySamples = 8192;  // below, what the tally sets up is not worth it

constexpr std::size_t kHugePage = 2 << 20;

// Large arrays are asked for in huge pages where the system has them: planes are streamed through.
template <class T>
T* allocate(std::int64_t n) {
    const std::size_t bytes = std::size_t(n) * sizeof(T) + 1;
    const std::size_t alignment = bytes >= 2 * kHugePage ? kHugePage : 64;
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    void* p = std::aligned_alloc(alignment, rounded);
    if (p == nullptr) throw std::bad_alloc();
#if defined(__linux__)
    if (alignment == kHugePage) madvise(p, rounded, MADV_HUGEPAGE);
#endif
    return static_cast<T*>(p);
}

// The largest arity whose pairs are cheaper by planes than by increments.
int plane_arity(const Kernel& kernel, double n_samples, double n_words, double n_classes) {
    int best = 1;
    for (int m = 2; m <= kMaxArity; ++m) {
        const double cells = double(m) * m, inner = double(m - 1) * (m - 1);
        const double planes = n_words * inner * kernel.word_cell_ns + n_classes * cells * kernel.flush_cell_ns;
        const double table = n_samples * kTableSampleNs + std::min(n_classes * cells, 2 * n_samples) * kTableCellNs;
        if (planes > table) break;
        best = m;
    }
    return best;
}

// Whether the features of at most ten codes are together cheaper by the tally than by planes, up to `limit` codes, and by
// increments beyond. Features of one table are much alike, so each is weighed with its like.
bool tally_pays(const Kernel& kernel, const std::vector<std::int32_t>& arities, int limit, double n_samples, double n_words,
                double n_classes) {
    if (n_samples < kTallySamples) return false;
    double now = 0, tally = 0;
    for (const std::int32_t m : arities) {
        if (m > kFields) continue;
        const double cells = double(m) * m, inner = double(m - 1) * (m - 1);
        now += m <= limit ? n_words * inner * kernel.word_cell_ns + n_classes * cells * kernel.flush_cell_ns
                          : n_samples * kTableSampleNs + std::min(n_classes * cells, 2 * n_samples) * kTableCellNs;
        tally += n_samples * kernel.tally_sample_ns + n_classes * m * kernel.tally_row_ns;
    }
    return tally < now;
}

}  // namespace

Storage storage_named(const std::string& name) {
    if (name == "cheapest") return Storage::cheapest;
    if (name == "planes") return Storage::planes;
    if (name == "counters") return Storage::counters;
    if (name == "table") return Storage::table;
    throw std::invalid_argument("storage '" + name + "' is not cheapest, planes, counters or table");
}

Packed::Packed(std::vector<std::int64_t> class_sizes, std::vector<std::uint32_t> order,
               std::vector<std::int32_t> arities, const Kernel& kernel, Storage storage)
    : kernel_(kernel), sizes_(std::move(class_sizes)), order_(std::move(order)), arities_(std::move(arities)) {
    word_start_.push_back(0);
    for (const std::int64_t size : sizes_) {
        n_samples_ += size;
        word_start_.push_back(word_start_.back() + (size + 63) / 64);
    }
    const double n_samples = double(n_samples_), n_words_ = double(n_words()), n_classes_ = double(sizes_.size());
    int limit = storage == Storage::table    ? 0
                : storage == Storage::planes ? kMaxArity
                                             : plane_arity(kernel, n_samples, n_words_, n_classes_);
    tallied_ = storage == Storage::counters ||
               (storage == Storage::cheapest && tally_pays(kernel, arities_, limit, n_samples, n_words_, n_classes_));
    if (tallied_) limit = kFields;
    sizes_.push_back(n_samples_);

    slots_.resize(arities_.size());
    std::iota(slots_.begin(), slots_.end(), 0);
    std::stable_sort(slots_.begin(), slots_.end(),
                     [this](std::int64_t a, std::int64_t b) { return arities_[a] < arities_[b]; });
    while (n_narrow_ < n_features() && arities_[slots_[n_narrow_]] <= limit) ++n_narrow_;
    place_.resize(arities_.size());
    const std::int64_t gap = (kLanes - n_narrow_ % kLanes) % kLanes;  // the last group may have empty lanes
    for (std::int64_t s = 0; s < n_features(); ++s) place_[slots_[s]] = s < n_narrow_ ? s : s + gap;
    at_.assign(std::size_t(n_features() + gap + kLanes) / kLanes * kLanes, -1);
    for (std::int64_t f = 0; f < n_features(); ++f) at_[place_[f]] = f;

    std::int64_t margins = 0;
    for (std::int64_t s = 0; s < n_narrow_; s += kLanes) {
        const int n_planes = arities_[slots_[std::min(s + kLanes, n_narrow_) - 1]] - 1;
        if (tallied_) {
            groups_.push_back({n_planes, plane_words_, 0});
            plane_words_ += n_samples_;
            continue;
        }
        groups_.push_back({n_planes, plane_words_, margins});
        plane_words_ += n_words() * n_planes * kLanes;
        margins += std::int64_t(sizes_.size()) * n_planes * kLanes;
    }
    planes_.reset(allocate<std::uint64_t>(plane_words_));
    margins_.assign(margins, 0);
    wide_.reset(allocate<std::uint16_t>(n_wide() * n_samples_));
}

std::int64_t Packed::bytes() const {
    return plane_words_ * 8 + std::int64_t(margins_.size()) * 4 + n_wide() * n_samples_ * 2;
}

GroupView Packed::group(std::int64_t unit) const {
    const Group& g = groups_[unit];
    return {planes_.get() + g.planes, margins_.data() + g.margins, g.n_planes};
}

TallyGroup Packed::tally_group(std::int64_t unit) const {
    const Group& g = groups_[unit];
    return {reinterpret_cast<const std::uint8_t*>(planes_.get() + g.planes), g.n_planes + 1};
}

Segments Packed::segments() const { return {word_start_.data(), sizes_.data(), n_classes(), n_samples_}; }

namespace {

// Whether the numbers are k, k + 1, ...
bool consecutive(const std::int64_t* numbers, std::int64_t n) {
    for (std::int64_t i = 1; i < n; ++i)
        if (numbers[i] != numbers[0] + i) return false;
    return true;
}

// out[64 f + t] = codes[row[t] + column[f]].
template <class Code>
void read_tile(const Code* codes, const std::int64_t* row, std::int64_t n_rows, const std::int64_t* column,
               std::int64_t n_columns, bool by_rows, std::uint8_t* out) {
    constexpr bool kBytes = sizeof(Code) == 1 && kLittleEndian;
    if (!by_rows) {
        const bool together = sizeof(Code) == 1 && consecutive(row, n_rows);
        for (std::int64_t f = 0; f < n_columns; ++f) {
            const Code* in = codes + column[f];
            if (together)
                std::memcpy(out + 64 * f, in + row[0], std::size_t(n_rows));
            else
                for (std::int64_t t = 0; t < n_rows; ++t) out[64 * f + t] = std::uint8_t(in[row[t]]);
        }
        return;
    }
    const std::int64_t whole_rows = kBytes ? n_rows / 8 * 8 : 0;
    for (std::int64_t f = 0; f < n_columns; f += 8) {
        const std::int64_t width = std::min<std::int64_t>(8, n_columns - f);
        const bool together = width == 8 && consecutive(column + f, 8);
        std::int64_t t = 0;
        for (; together && t < whole_rows; t += 8) {
            std::uint64_t words[8];
            for (int i = 0; i < 8; ++i) std::memcpy(&words[i], codes + row[t + i] + column[f], 8);
            transpose_8x8(words);
            for (int i = 0; i < 8; ++i) std::memcpy(out + 64 * (f + i) + t, &words[i], 8);
        }
        for (; t < n_rows; ++t)
            for (std::int64_t c = f; c < f + width; ++c) out[64 * c + t] = std::uint8_t(codes[row[t] + column[c]]);
    }
}

}  // namespace

// Rows are taken in chunks that keep the columns at hand in the second-level cache; within a chunk, class by class.
// A chunk may end within a word of a class: the next one goes on in that word.
template <class Code>
void Packed::pack_groups(const CodeTable<Code>& table, std::int64_t first, std::int64_t last) {
    constexpr std::uint8_t kNone = 255;  // matches no plane
    constexpr std::int64_t kMostGroups = 8;
    const bool by_rows = table.feature_stride == 1;           // then eight groups share the cache lines of a row
    const std::int64_t block = by_rows ? kMostGroups : 1;
    const std::int64_t chunk = std::max<std::int64_t>(1 << 15, n_classes() * 512);
    alignas(64) std::uint8_t tile[kMostGroups * kLanes][64];  // [feature][sample]
    std::int64_t column[kMostGroups * kLanes];
    std::vector<std::int64_t> cursor(sizes_.size()), start(sizes_.size());
    for (std::int64_t c = 1; c < n_classes(); ++c) start[c] = start[c - 1] + sizes_[c - 1];
    for (std::int64_t g0 = first; g0 < last; g0 += block) {
        const std::int64_t n_groups = std::min(block, last - g0);
        const std::int64_t n_columns = std::min(n_groups * kLanes, n_narrow_ - g0 * kLanes);
        for (std::int64_t f = 0; f < n_columns; ++f) column[f] = slots_[g0 * kLanes + f] * table.feature_stride;
        std::memset(tile, kNone, sizeof tile);
        std::fill(cursor.begin(), cursor.end(), 0);
        for (std::int64_t chunk_end = chunk; chunk_end < n_samples_ + chunk; chunk_end += chunk)
            for (std::int64_t c = 0; c < n_classes(); ++c)
                while (cursor[c] < sizes_[c]) {
                    const std::int64_t at = cursor[c] % 64, most = std::min<std::int64_t>(64 - at, sizes_[c] - cursor[c]);
                    std::int64_t row[64], n = 0;
                    for (; n < most; ++n) {
                        const std::int64_t t = start[c] + cursor[c] + n;
                        row[n] = order_.empty() ? t : std::int64_t(order_[t]);
                        if (row[n] >= chunk_end) break;
                        row[n] *= table.sample_stride;
                    }
                    if (n == 0) break;
                    if (n < 64) std::memset(tile, kNone, std::size_t(n_groups * kLanes) * sizeof tile[0]);
                    read_tile(table.codes, row, n, column, n_columns, by_rows, &tile[0][at]);
                    write_masks(g0, n_groups, word_start_[c] + cursor[c] / 64, at > 0, tile);
                    cursor[c] += n;
                }
    }
}

void Packed::write_masks(std::int64_t g0, std::int64_t n_groups, std::int64_t word, bool add,
                         const std::uint8_t (*tile)[64]) {
    for (std::int64_t g = 0; g < n_groups; ++g) {
        const Group& group = groups_[g0 + g];
        std::uint64_t* out = planes_.get() + group.planes + word * group.n_planes * kLanes;
        for (int lane = 0; lane < kLanes; ++lane)
            kernel_.plane_masks(tile[g * kLanes + lane], group.n_planes, add, out + lane);
    }
}

// Eight columns side by side, in class order; a lane without a feature holds zeros.
template <class Code>
void Packed::pack_bytes(const CodeTable<Code>& table, std::int64_t first, std::int64_t last) {
    for (std::int64_t g = first; g < last; ++g) {
        std::uint8_t* out = reinterpret_cast<std::uint8_t*>(planes_.get() + groups_[g].planes);
        const Code* in[kLanes];
        for (int lane = 0; lane < kLanes; ++lane) {
            const std::int64_t feature = feature_at(g, lane);
            in[lane] = feature < 0 ? nullptr : table.codes + feature * table.feature_stride;
        }
        for (std::int64_t t = 0; t < n_samples_; ++t, out += kLanes) {
            const std::int64_t row = (order_.empty() ? t : std::int64_t(order_[t])) * table.sample_stride;
            for (int lane = 0; lane < kLanes; ++lane)
                out[lane] = in[lane] == nullptr ? 0 : std::uint8_t(in[lane][row] * kFieldBits);
        }
    }
}

template <class Code>
void Packed::pack(const CodeTable<Code>& table, std::int64_t first, std::int64_t last) {
    const std::int64_t last_group = std::min(last, n_groups());
    if (tallied_)
        pack_bytes(table, first, last_group);
    else
        pack_groups(table, first, last_group);
    for (std::int64_t g = first; g < last_group && !tallied_; ++g) {
        const Group& group = groups_[g];
        const std::int64_t row = std::int64_t(group.n_planes) * kLanes;
        std::uint32_t* margins = margins_.data() + group.margins;
        kernel_.plane_margins(planes_.get() + group.planes, row, segments(), margins);
    }
    for (std::int64_t u = std::max(first, n_groups()); u < last; ++u)
        for (int lane = 0; lane < kLanes; ++lane) {
            const std::int64_t feature = feature_at(u, lane);
            if (feature < 0) continue;
            const Code* in = table.codes + feature * table.feature_stride;
            std::uint16_t* out = wide_.get() + ((u - n_groups()) * kLanes + lane) * n_samples_;
            for (std::int64_t t = 0; t < n_samples_; ++t)
                out[t] = in[(order_.empty() ? t : std::int64_t(order_[t])) * table.sample_stride];
        }
}

template void Packed::pack(const CodeTable<std::uint8_t>&, std::int64_t, std::int64_t);
template void Packed::pack(const CodeTable<std::uint16_t>&, std::int64_t, std::int64_t);

const std::uint16_t* Packed::codes(std::int64_t feature, std::vector<std::uint16_t>& scratch) const {
    const std::int64_t unit = unit_of(feature);
    const int lane = lane_of(feature);
    if (unit >= n_groups()) return wide_.get() + ((unit - n_groups()) * kLanes + lane) * n_samples_;
    const Group& group = groups_[unit];
    if (tallied_) {
        const std::uint8_t* rows = tally_group(unit).rows + lane;
        scratch.resize(std::size_t(n_samples_));
        for (std::int64_t t = 0; t < n_samples_; ++t) scratch[t] = std::uint16_t(rows[t * kLanes] / kFieldBits);
        return scratch.data();
    }
    scratch.assign(std::size_t(n_samples_), std::uint16_t(arities_[feature] - 1));
    std::uint16_t* out = scratch.data();
    for (std::int64_t c = 0; c < n_classes(); out += sizes_[c++])
        for (std::int64_t w = word_start_[c]; w < word_start_[c + 1]; ++w)
            for (int p = 0; p + 1 < arities_[feature]; ++p)
                for (std::uint64_t bits = planes_[group.planes + (w * group.n_planes + p) * kLanes + lane]; bits;
                     bits &= bits - 1)
                    out[(w - word_start_[c]) * 64 + __builtin_ctzll(bits)] = std::uint16_t(p);
    return scratch.data();
}

void Packed::pivot(std::int64_t feature, std::vector<std::uint64_t>& planes,
                   std::vector<std::uint32_t>& margins) const {
    const Group& group = groups_[unit_of(feature)];
    const int lane = lane_of(feature), n_planes = arities_[feature] - 1;
    planes.resize(std::size_t(n_words() * n_planes));
    margins.resize(sizes_.size() * std::size_t(n_planes));
    for (std::int64_t w = 0; w < n_words(); ++w)
        for (int p = 0; p < n_planes; ++p)
            planes[w * n_planes + p] = planes_[group.planes + (w * group.n_planes + p) * kLanes + lane];
    for (std::int64_t s = 0; s <= n_classes(); ++s)
        for (int p = 0; p < n_planes; ++p)
            margins[s * n_planes + p] = margins_[group.margins + (s * group.n_planes + p) * kLanes + lane];
}

}  // namespace bitsieve
