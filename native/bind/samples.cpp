// Differences between samples, sums of Gaussian kernels, and spanning trees in Python.
#include "bind/alias_check.hpp"

#include <algorithm>
#include <cmath>

#include "kernel_set.hpp"
#include "samples/differences.hpp"
#include "samples/infection.hpp"
#include "samples/parzen.hpp"
#include "samples/spanning_tree.hpp"

namespace bitsieve {

namespace {

using Tiles = NoConvertArray<const float, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
void fill_distances(const std::string& kernel, Tiles tiles, Input<std::int64_t> samples, Grid<float> out) {
    const DifferenceKernel& chosen = *kernel_set(kernel).differences;
    require(std::int64_t(tiles.shape(2)) == kTileSamples, "a tile holds 64 samples");
    const NumberTiles numbers{tiles.data(), std::int64_t(tiles.shape(0)), std::int64_t(tiles.shape(1))};
    require_all_within(samples, 0, numbers.n_tiles * kTileSamples, "samples");
    require(out.shape(0) == samples.size() && std::int64_t(out.shape(1)) == numbers.n_tiles * kTileSamples,
            "out has one row a sample, and a column for every place in the tiles");
    float* to = out.data();
    nb::gil_scoped_release unlocked;
    chosen.distances(numbers, samples.data(), std::int64_t(samples.size()), to);
}

// The nearest members of samples[rows[i]]; row rows[i] of `found` and `added` (of no columns: null) holds its
// distances.
void fill_nearest(const std::string& kernel, InputGrid<double> grid, InputGrid<float> found, InputGrid<double> added,
                  Input<std::int64_t> samples, Input<std::int64_t> rows, Input<std::int64_t> members, double tolerance,
                  Grid<std::int64_t> out) {
    const DifferenceKernel& chosen = *kernel_set(kernel).differences;
    const std::int64_t n_samples = std::int64_t(grid.shape(0));
    const std::int64_t n_columns = std::int64_t(grid.shape(1));
    const std::int64_t k = std::int64_t(out.shape(1));
    const std::int64_t n_found = std::int64_t(found.shape(1));
    const std::int64_t n_added = std::int64_t(added.shape(1));
    require_all_within(samples, 0, n_samples, "samples");
    require_all_within(rows, 0, std::int64_t(samples.size()), "rows");
    require_all_within(members, 0, n_samples, "members");
    for (std::size_t m = 1; m < members.size(); ++m)
        require(members.data()[m - 1] < members.data()[m], "members must ascend");
    require(found.shape(0) == samples.size() && added.shape(0) == samples.size(),
            "found and added have a row a sample");
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
                 n_added ? added.data() + row * n_added : nullptr, members.data(), std::int64_t(members.size()), k,
                 tolerance},
                to + std::int64_t(i) * k);
    }
}

void add_weighted(const std::string& kernel, InputGrid<double> numbers, Input<double> spans,
                  Input<std::int64_t> samples, InputGrid<std::int64_t> others, InputGrid<double> weights,
                  Output<double> out) {
    const DifferenceKernel& chosen = *kernel_set(kernel).differences;
    const std::int64_t n_samples = std::int64_t(numbers.shape(0));
    const std::int64_t n_columns = std::int64_t(numbers.shape(1));
    require_size(spans, n_columns, "spans");
    require_size(out, n_columns, "out");
    require_all_within(samples, 0, n_samples, "samples");
    require_all_within(others, 0, n_samples, "others");
    require(
        others.shape(0) == samples.size() && weights.shape(0) == samples.size() && weights.shape(1) == others.shape(1),
        "others and weights have a row a sample, and as many columns");
    const std::int64_t count = std::int64_t(others.shape(1));
    double* to = out.data();
    nb::gil_scoped_release unlocked;
    for (std::size_t i = 0; i < samples.size(); ++i)
        chosen.add_weighted(numbers.data(), spans.data(), n_columns, samples.data()[i],
                            others.data() + std::int64_t(i) * count, weights.data() + std::int64_t(i) * count, count,
                            to);
}

// Sums of Gaussian kernels.

void grid_log_sums(const std::string& kernel, Input<double> x, InputGrid<double> y, double unit, Input<double> slope,
                   Input<double> scale, std::int64_t max_nodes, Output<double> sums) {
    const ParzenKernel& chosen = *kernel_set(kernel).parzen;
    const auto count = std::int64_t(y.shape(0));
    if (x.size() == 0 || y.shape(1) != x.size() || slope.size() != y.shape(0) || scale.size() != y.shape(0) ||
        sums.size() != y.shape(0))
        throw std::invalid_argument("columns, slopes, scales and sums differ in length");
    const ParzenPairs pairs{x.data(), y.data(),     std::int64_t(x.size()), count,
                            unit,     slope.data(), scale.data(),           max_nodes};
    double* out = sums.data();
    nb::gil_scoped_release unlocked;
    chosen.grid_logs(pairs, out);
}

void joint_log_sums(const std::string& kernel, InputGrid<double> shared, InputGrid<double> own,
                    std::int64_t first_point, std::int64_t end_point, std::int64_t first_query, std::int64_t end_query,
                    Grid<double> logs) {
    const ParzenKernel& chosen = *kernel_set(kernel).parzen;
    const auto n_samples = std::int64_t(own.shape(1));
    const auto inside = [&](std::int64_t low, std::int64_t high) {
        return 0 <= low && low < high && high <= n_samples;
    };
    if (!inside(first_point, end_point) || !inside(first_query, end_query) ||
        (shared.shape(0) && shared.shape(1) != own.shape(1)) || logs.shape(0) != own.shape(0) ||
        logs.shape(1) != own.shape(1))
        throw std::invalid_argument("coordinates, samples and sums do not fit each other");
    const JointPoints points{shared.data(), std::int64_t(shared.shape(0)),
                             own.data(),    std::int64_t(own.shape(0)),
                             n_samples,     first_point,
                             end_point,     first_query,
                             end_query};
    double* out = logs.data();
    nb::gil_scoped_release unlocked;
    chosen.joint_logs(points, out);
}

// Infection and immunisation dynamics.

std::tuple<std::int64_t, double, bool> next_infection(Input<double> weights, Input<double> gains, double tolerance) {
    require(weights.size() > 0, "there is at least one weight");
    require_size(gains, std::int64_t(weights.size()), "gains");
    const InfectionStep step = infection_step(weights.data(), gains.data(), std::int64_t(weights.size()), tolerance);
    return {step.index, step.length, step.leaves};
}

void take_infection(Output<double> weights, Output<double> gains, std::int64_t item, double length, bool leaves,
                    Input<double> change) {
    const auto n = std::int64_t(weights.size());
    require_size(gains, n, "gains");
    require_size(change, n, "change");
    require_within(item, 0, n, "item");
    infect(weights.data(), gains.data(), n, {item, length, leaves}, change.data());
}

// Spanning trees and their cross edges.

constexpr double kMaxWidth = 1e150;  // of a dimension: sums of squares of differences stay finite

// Points (dimension, point) are finite, distinct and in lexicographic order, and no two are further apart than kMaxWidth
// in a dimension.
void require_points(const double* coordinates, std::int64_t dims, std::int64_t count, const char* otherwise) {
    for (std::int64_t k = 0; k < dims && count > 0; ++k) {
        const double* x = coordinates + k * count;
        require(std::all_of(x, x + count, [](double value) { return std::isfinite(value); }), otherwise);
        const auto [low, high] = std::minmax_element(x, x + count);
        require(*high / 2 - *low / 2 <= kMaxWidth / 2, otherwise);
    }
    for (std::int64_t i = 1; i < count; ++i) {
        std::int64_t k = 0;
        while (k < dims && coordinates[k * count + i - 1] == coordinates[k * count + i]) ++k;
        require(k < dims && coordinates[k * count + i - 1] < coordinates[k * count + i], otherwise);
    }
}

// The edges of the tree of points[dimension, point], which are distinct and in lexicographic order.
nb::ndarray<nb::numpy, std::int64_t, nb::ndim<2>> tree_of(const std::string& kernel, Grid<const double> coordinates) {
    Points points;
    points.dims = int(coordinates.shape(0));
    points.count = std::int64_t(coordinates.shape(1));
    if (points.dims < 1 || points.count > kMaxPoints) throw std::invalid_argument("too many points, or no dimension");
    require_points(coordinates.data(), points.dims, points.count,
                   "points must be finite, less than 1e150 apart, distinct and in lexicographic order");
    const TreeKernel& loops = *kernel_set(kernel).trees;
    points.coordinates.assign(coordinates.data(), coordinates.data() + coordinates.size());
    auto* edges = new std::vector<Edge>;
    nb::capsule owner(edges, [](void* p) noexcept { delete static_cast<std::vector<Edge>*>(p); });
    {
        nb::gil_scoped_release unlocked;
        spanning_tree(loops, points, *edges);
    }
    return {reinterpret_cast<std::int64_t*>(edges->data()), {edges->size(), 2}, owner};
}

// out[c] = the weight of the cross edges if the last coordinate is columns[c]; the values of column f are
// values[starts[f]], ..., values[starts[f + 1] - 1], its ranks the row f.
void fill_cross_edges(const std::string& kernel, Input<std::uint32_t> shared_ranks, Grid<const double> shared_values,
                      Input<std::int64_t> shared_sample, Input<std::int64_t> last_sample, Input<double> in_first,
                      Input<double> in_second, Grid<const std::uint32_t> ranks, Input<double> values,
                      Input<std::int64_t> starts, Input<std::int64_t> columns, Output<double> out) {
    const std::size_t n = shared_sample.size();
    if (last_sample.size() != n || in_first.size() != n || in_second.size() != n || out.size() != columns.size() ||
        starts.size() != ranks.shape(0) + 1 || std::int64_t(n) > kMaxPoints)
        throw std::invalid_argument("points, weights, columns and results differ in length, or too many points");
    require_all_within(shared_sample, 0, std::int64_t(shared_ranks.size()), "shared_sample");
    require_all_within(last_sample, 0, std::int64_t(ranks.shape(1)), "last_sample");
    require_all_within(shared_ranks, 0, std::int64_t(shared_values.shape(1)), "shared_ranks");
    require_all_within(columns, 0, std::int64_t(ranks.shape(0)), "columns");
    require_points(shared_values.data(), std::int64_t(shared_values.shape(0)), std::int64_t(shared_values.shape(1)),
                   "shared_values must be finite, less than 1e150 apart, distinct and in lexicographic order");
    for (std::size_t c = 0; c < columns.size(); ++c) {
        const std::int64_t f = columns.data()[c];
        const std::int64_t first = starts.data()[f];
        const std::int64_t last = starts.data()[f + 1];
        require_within(first, 0, std::int64_t(values.size()) + 1, "starts");
        require_within(last, first, std::int64_t(values.size()) + 1, "starts");
        require_points(values.data() + first, 1, last - first,
                       "the values of a column must be finite, less than 1e150 apart, and ascend");
        for (std::size_t s = 0; s < ranks.shape(1); ++s)
            require_within(ranks.data()[f * std::int64_t(ranks.shape(1)) + std::int64_t(s)], 0, last - first, "ranks");
    }
    const Ranked shared{shared_ranks.data(), shared_values.data(), std::int64_t(shared_values.shape(1)),
                        int(shared_values.shape(0))};
    CrossEdges weigh(*kernel_set(kernel).trees, shared, to_vector(shared_sample), to_vector(last_sample),
                     to_vector(in_first), to_vector(in_second));
    const std::int64_t* features = columns.data();
    const std::int64_t* start = starts.data();
    const std::int64_t n_features = std::int64_t(columns.size());
    const std::int64_t n_samples = std::int64_t(ranks.shape(1));
    nb::gil_scoped_release unlocked;
    for (std::int64_t c = 0; c < n_features; ++c) {
        const std::int64_t f = features[c];
        out.data()[c] = weigh({ranks.data() + f * n_samples, values.data() + start[f], start[f + 1] - start[f], 1});
    }
}

}  // namespace

void bind_samples(nb::module_& m) {
    m.def("difference_distances", with_alias_check(&fill_distances), "kernel"_a, "tiles"_a, "samples"_a, "out"_a);
    m.def("nearest_samples", with_alias_check(&fill_nearest), "kernel"_a, "grid"_a, "found"_a, "added"_a, "samples"_a,
          "rows"_a, "members"_a, "tolerance"_a, "out"_a);
    m.def("add_weighted_differences", with_alias_check(&add_weighted), "kernel"_a, "numbers"_a, "spans"_a, "samples"_a,
          "others"_a, "weights"_a, "out"_a);
    m.def("grid_log_sums", with_alias_check(&grid_log_sums));
    m.def("joint_log_sums", with_alias_check(&joint_log_sums));
    m.def("infection_step", &next_infection, "weights"_a, "gains"_a, "tolerance"_a);
    m.def("infect", with_alias_check(&take_infection), "weights"_a, "gains"_a, "item"_a, "length"_a, "leaves"_a,
          "change"_a);
    m.def("spanning_tree", &tree_of, "kernel"_a, "coordinates"_a);
    m.def("cross_edges", with_alias_check(&fill_cross_edges), "kernel"_a, "shared_ranks"_a, "shared_values"_a,
          "shared_sample"_a, "last_sample"_a, "in_first"_a, "in_second"_a, "ranks"_a, "values"_a, "starts"_a,
          "columns"_a, "out"_a);
}

}  // namespace bitsieve
