// Spanning trees and their cross edges in Python.
#include "binding.hpp"

#include <cmath>

#include "cross_edges.hpp"

namespace bitsieve {
namespace {

// Points (dimension, point) are finite, distinct and in lexicographic order.
void require_points(const double* coordinates, std::int64_t dims, std::int64_t count, const char* otherwise) {
    for (std::int64_t i = 0; i < count; ++i) {
        bool ascends = i == 0, open = true;
        for (std::int64_t k = 0; k < dims; ++k) {
            const double *x = coordinates + k * count;
            require(std::isfinite(x[i]), otherwise);
            if (i == 0 || !open || x[i - 1] == x[i]) continue;
            ascends = x[i - 1] < x[i];
            open = false;
        }
        require(ascends, otherwise);
    }
}

// The edges of the tree of points[dimension, point], which are distinct and in lexicographic order.
nb::ndarray<nb::numpy, std::int64_t, nb::ndim<2>> tree_of(const std::string& kernel, Grid<const double> coordinates) {
    Points points;
    points.dims = int(coordinates.shape(0));
    points.count = std::int64_t(coordinates.shape(1));
    if (points.dims < 1 || points.count > kMostPoints) throw std::invalid_argument("too many points, or no dimension");
    require_points(coordinates.data(), points.dims, points.count,
                   "points must be finite, distinct and in lexicographic order");
    const TreeKernel& loops = tree_kernel(choose_kernel(kernel).name);
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
        starts.size() != ranks.shape(0) + 1 || std::int64_t(n) > kMostPoints)
        throw std::invalid_argument("points, weights, columns and results differ in length, or too many points");
    require_all_within(shared_sample, 0, std::int64_t(shared_ranks.size()), "shared_sample");
    require_all_within(last_sample, 0, std::int64_t(ranks.shape(1)), "last_sample");
    require_all_within(shared_ranks, 0, std::int64_t(shared_values.shape(1)), "shared_ranks");
    require_all_within(columns, 0, std::int64_t(ranks.shape(0)), "columns");
    require_points(shared_values.data(), std::int64_t(shared_values.shape(0)), std::int64_t(shared_values.shape(1)),
                   "shared_values must be finite, distinct and in lexicographic order");
    for (std::size_t c = 0; c < columns.size(); ++c) {
        const std::int64_t f = columns.data()[c], first = starts.data()[f], last = starts.data()[f + 1];
        require_within(first, 0, std::int64_t(values.size()) + 1, "starts");
        require_within(last, first, std::int64_t(values.size()) + 1, "starts");
        require_points(values.data() + first, 1, last - first, "the values of a column must be finite and ascend");
        for (std::size_t s = 0; s < ranks.shape(1); ++s)
            require_within(ranks.data()[f * std::int64_t(ranks.shape(1)) + std::int64_t(s)], 0, last - first, "ranks");
    }
    const Ranked shared{shared_ranks.data(), shared_values.data(), std::int64_t(shared_values.shape(1)),
                        int(shared_values.shape(0))};
    CrossEdges weigh(tree_kernel(choose_kernel(kernel).name), shared, to_vector(shared_sample), to_vector(last_sample), to_vector(in_first),
                     to_vector(in_second));
    const std::int64_t *wanted = columns.data(), *start = starts.data(), n_wanted = std::int64_t(columns.size());
    const std::int64_t n_samples = std::int64_t(ranks.shape(1));
    nb::gil_scoped_release unlocked;
    for (std::int64_t c = 0; c < n_wanted; ++c) {
        const std::int64_t f = wanted[c];
        out.data()[c] = weigh({ranks.data() + f * n_samples, values.data() + start[f], start[f + 1] - start[f], 1});
    }
}

}  // namespace

void bind_spanning_tree(nb::module_& m) {
    m.def("spanning_tree", &tree_of, "kernel"_a, "coordinates"_a);
    m.def("cross_edges", &fill_cross_edges, "kernel"_a, "shared_ranks"_a, "shared_values"_a, "shared_sample"_a,
          "last_sample"_a, "in_first"_a, "in_second"_a, "ranks"_a, "values"_a, "starts"_a, "columns"_a, "out"_a);
}

}  // namespace bitsieve
