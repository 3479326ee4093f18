// Differences between samples in Python.
#include "binding.hpp"

#include <algorithm>

#include "differences.hpp"

namespace bitsieve {
namespace {

using Tiles = AsGiven<const float, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
template <class T>
using Rows = InputGrid<T>;

void fill_distances(const std::string& kernel, Tiles tiles, Input<std::int64_t> samples, Grid<float> out) {
    const DifferenceKernel& chosen = difference_kernel(kernel);
    require(std::int64_t(tiles.shape(2)) == kTileSamples, "a tile holds 64 samples");
    const NumberTiles numbers{tiles.data(), std::int64_t(tiles.shape(0)), std::int64_t(tiles.shape(1))};
    require_all_within(samples, 0, numbers.n_tiles * kTileSamples, "samples");
    require(out.shape(0) == samples.size() && std::int64_t(out.shape(1)) == numbers.n_tiles * kTileSamples,
            "out has one row a sample, and a column for every place in the tiles");
    float* to = out.data();
    nb::gil_scoped_release unlocked;
    chosen.distances(numbers, samples.data(), std::int64_t(samples.size()), to);
}

// The nearest members of samples[rows[i]]; row rows[i] of `found` and `added` (of no columns: null) holds its distances.
void fill_nearest(const std::string& kernel, Rows<double> grid, Rows<float> found, Rows<double> added,
                  Input<std::int64_t> samples, Input<std::int64_t> rows, Input<std::int64_t> members, double tolerance,
                  Grid<std::int64_t> out) {
    const DifferenceKernel& chosen = difference_kernel(kernel);
    const std::int64_t n_samples = std::int64_t(grid.shape(0)), n_columns = std::int64_t(grid.shape(1));
    const std::int64_t k = std::int64_t(out.shape(1)), n_found = std::int64_t(found.shape(1));
    const std::int64_t n_added = std::int64_t(added.shape(1));
    require_all_within(samples, 0, n_samples, "samples");
    require_all_within(rows, 0, std::int64_t(samples.size()), "rows");
    require_all_within(members, 0, n_samples, "members");
    for (std::size_t m = 1; m < members.size(); ++m)
        require(members.data()[m - 1] < members.data()[m], "members must ascend");
    require(found.shape(0) == samples.size() && added.shape(0) == samples.size(), "found and added have a row a sample");
    require(n_found >= n_samples || (n_found == 0 && n_columns == 0), "found has a column for every sample");
    require(n_added == n_samples || n_added == 0, "added has a column for every sample, or none");
    require(out.shape(0) == rows.size(), "out has one row for each of rows");
    require(k >= 1 && k < std::int64_t(members.size()) + 1, "at least one neighbour is sought, at most all members");
    require(tolerance >= 0 && tolerance < 1e300, "the tolerance is a finite number of 0 or more");
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::int64_t* end = members.data() + members.size();
        const bool itself = std::binary_search(members.data(), end, samples.data()[rows.data()[i]]);
        require(k + itself <= std::int64_t(members.size()), "there are fewer members than neighbours sought");
    }
    std::int64_t* to = out.data();
    nb::gil_scoped_release unlocked;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::int64_t row = rows.data()[i];
        nearest(chosen,
                {grid.data(), n_columns, samples.data()[row], n_found ? found.data() + row * n_found : nullptr,
                 n_added ? added.data() + row * n_added : nullptr, members.data(), std::int64_t(members.size()), k, tolerance},
                to + std::int64_t(i) * k);
    }
}

void add_weighted(const std::string& kernel, Rows<double> numbers, Input<double> spans, Input<std::int64_t> samples,
                  Rows<std::int64_t> others, Rows<double> weights, Output<double> out) {
    const DifferenceKernel& chosen = difference_kernel(kernel);
    const std::int64_t n_samples = std::int64_t(numbers.shape(0)), n_columns = std::int64_t(numbers.shape(1));
    require_size(spans, n_columns, "spans");
    require_size(out, n_columns, "out");
    require_all_within(samples, 0, n_samples, "samples");
    require_all_within(others, 0, n_samples, "others");
    require(others.shape(0) == samples.size() && weights.shape(0) == samples.size() && weights.shape(1) == others.shape(1),
            "others and weights have a row a sample, and as many columns");
    const std::int64_t count = std::int64_t(others.shape(1));
    double* to = out.data();
    nb::gil_scoped_release unlocked;
    for (std::size_t i = 0; i < samples.size(); ++i)
        chosen.add_weighted(numbers.data(), spans.data(), n_columns, samples.data()[i],
                            others.data() + std::int64_t(i) * count, weights.data() + std::int64_t(i) * count, count, to);
}

}  // namespace

void bind_differences(nb::module_& m) {
    m.def("difference_distances", &fill_distances, "kernel"_a, "tiles"_a, "samples"_a, "out"_a);
    m.def("nearest_samples", &fill_nearest, "kernel"_a, "grid"_a, "found"_a, "added"_a, "samples"_a, "rows"_a, "members"_a,
          "tolerance"_a, "out"_a);
    m.def("add_weighted_differences", &add_weighted, "kernel"_a, "numbers"_a, "spans"_a, "samples"_a, "others"_a,
          "weights"_a, "out"_a);
}

}  // namespace bitsieve
