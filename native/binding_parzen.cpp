// Sums of Gaussian kernels in Python.
#include "binding.hpp"

#include "parzen.hpp"

namespace bitsieve {

namespace {

using Rows = InputGrid<double>;

void grid_log_sums(const std::string& kernel, Input<double> x, Rows y, double unit, Input<double> slope,
                   Input<double> scale, std::int64_t most_nodes, Output<double> sums) {
    const ParzenKernel& chosen = parzen_kernel(kernel);
    const auto count = std::int64_t(y.shape(0));
    if (x.size() == 0 || y.shape(1) != x.size() || slope.size() != y.shape(0) || scale.size() != y.shape(0) ||
        sums.size() != y.shape(0))
        throw std::invalid_argument("columns, slopes, scales and sums differ in length");
    const Pairs pairs{x.data(), y.data(), std::int64_t(x.size()), count, unit, slope.data(), scale.data(), most_nodes};
    double* out = sums.data();
    nb::gil_scoped_release unlocked;
    chosen.grid_logs(pairs, out);
}

void joint_log_sums(const std::string& kernel, Rows shared, Rows own, std::int64_t first, std::int64_t last,
                    std::int64_t from, std::int64_t to, Grid<double> logs) {
    const ParzenKernel& chosen = parzen_kernel(kernel);
    const auto n_samples = std::int64_t(own.shape(1));
    const auto inside = [&](std::int64_t low, std::int64_t high) { return 0 <= low && low < high && high <= n_samples; };
    if (!inside(first, last) || !inside(from, to) || (shared.shape(0) && shared.shape(1) != own.shape(1)) ||
        logs.shape(0) != own.shape(0) || logs.shape(1) != own.shape(1))
        throw std::invalid_argument("coordinates, samples and sums do not fit each other");
    const JointPoints points{shared.data(),          std::int64_t(shared.shape(0)), own.data(), std::int64_t(own.shape(0)),
                             n_samples,              first,                         last,       from,
                             to};
    double* out = logs.data();
    nb::gil_scoped_release unlocked;
    chosen.joint_logs(points, out);
}

}  // namespace

void bind_parzen(nb::module_& m) {
    m.def("grid_log_sums", &grid_log_sums);
    m.def("joint_log_sums", &joint_log_sums);
}

}  // namespace bitsieve
