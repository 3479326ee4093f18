// Spanning trees and their cross edges in Python.
#include "binding.hpp"
#include "cross_edges.hpp"

namespace bitsieve {
namespace {

// The edges of the tree of points[dimension, point], which are distinct and in lexicographic order.
nb::ndarray<nb::numpy, std::int64_t, nb::ndim<2>> tree_of(const std::string& kernel, Grid<const double> coordinates) {
    Points points;
    points.dims = int(coordinates.shape(0));
    points.count = std::int64_t(coordinates.shape(1));
    if (points.dims < 1 || points.count > kMostPoints) throw std::invalid_argument("too many points, or no dimension");
    points.coordinates.assign(coordinates.data(), coordinates.data() + coordinates.size());
    auto* edges = new std::vector<Edge>;
    nb::capsule owner(edges, [](void* p) noexcept { delete static_cast<std::vector<Edge>*>(p); });
    {
        nb::gil_scoped_release unlocked;
        spanning_tree(tree_kernel(kernel), points, *edges);
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
    const Ranked shared{shared_ranks.data(), shared_values.data(), std::int64_t(shared_values.shape(1)),
                        int(shared_values.shape(0))};
    CrossEdges weigh(tree_kernel(kernel), shared, to_vector(shared_sample), to_vector(last_sample), to_vector(in_first),
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
    m.def("spanning_tree", &tree_of, "kernel"_a, "coordinates"_a.noconvert());
    m.def("cross_edges", &fill_cross_edges, "kernel"_a, "shared_ranks"_a.noconvert(), "shared_values"_a.noconvert(),
          "shared_sample"_a.noconvert(), "last_sample"_a.noconvert(), "in_first"_a.noconvert(),
          "in_second"_a.noconvert(), "ranks"_a.noconvert(), "values"_a.noconvert(), "starts"_a.noconvert(),
          "columns"_a.noconvert(), "out"_a.noconvert());
}

}  // namespace bitsieve
