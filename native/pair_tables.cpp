// The tables themselves of a pivot with some features, every cell at its place; see jobs.hpp.
#include "jobs.hpp"
#include "plane_cells.hpp"

namespace bitsieve {

namespace {

// Counts sample by sample: for features that are not planes.
void add_samples(const Packed& packed, const std::uint16_t* pivot, const std::uint16_t* codes, std::int64_t n_codes,
                 std::int64_t n_classes, std::int64_t* table) {
    std::int64_t first = 0;
    for (std::int64_t c = 0; c < packed.n_classes(); ++c) {
        const std::int64_t last = first + packed.class_size(c);
        std::int64_t* of_class = table + (n_classes == 1 ? 0 : c);
        for (std::int64_t t = first; t < last; ++t)
            ++of_class[((pivot ? pivot[t] : 0) * n_codes + codes[t]) * n_classes];
        first = last;
    }
}

}  // namespace

void pair_tables(const Packed& packed, std::int64_t pivot_feature, std::int64_t n_rows, const std::int64_t* columns,
                 const std::int64_t* n_codes, std::int64_t n, std::int64_t n_classes, std::int64_t* out) {
    PlaneCells cells(packed, pivot_feature);
    std::vector<std::uint16_t> pivot_scratch, scratch;
    const std::uint16_t* pivot_codes = nullptr;
    for (std::int64_t k = 0; k < n; out += n_rows * n_codes[k++] * n_classes) {
        const std::int64_t other = columns[k], width = n_codes[k], arity = packed.arity(other);
        if (!cells.hold(other)) {
            if (pivot_feature >= 0 && !pivot_codes) pivot_codes = packed.codes(pivot_feature, pivot_scratch);
            add_samples(packed, pivot_codes, packed.codes(other, scratch), width, n_classes, out);
            continue;
        }
        cells.each_row(other, [=](std::int64_t c, std::int64_t a, const std::uint64_t* cell) {
            std::int64_t* of_class = out + (n_classes == 1 ? 0 : c);
            for (std::int64_t b = 0; b < arity; ++b) of_class[(a * width + b) * n_classes] += std::int64_t(cell[b * kLanes]);
        });
    }
}

}  // namespace bitsieve
