// The only file that knows Python: arrays in, arrays out, the GIL released around every kernel.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <stdexcept>

#include "fixed_point.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace bitsieve {
namespace {

template <class T>
using Input = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// A numpy array that owns the values of the vector.
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(std::vector<T>&& values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return {kept->data(), {kept->size()}, owner};
}

Terms terms_of(const Input<std::int64_t>& table, int shift) {
    return {table.data(), std::uint64_t(table.size()), shift};
}

nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>> make_term_table(std::uint64_t n, std::uint64_t limit) {
    std::vector<std::int64_t> table;
    {
        nb::gil_scoped_release unlocked;
        table = term_table(n, limit);
    }
    return to_numpy(std::move(table));
}

std::int64_t sum_terms(Input<std::int64_t> counts, Input<std::int64_t> table, int shift) {
    const Terms terms = terms_of(table, shift);
    const std::int64_t *c = counts.data(), *end = c + counts.size();
    nb::gil_scoped_release unlocked;
    std::int64_t sum = 0;
    for (; c != end; ++c) sum += terms(std::uint64_t(*c));
    return sum;
}

}  // namespace

NB_MODULE(_native, m) {
    m.doc() = "Leaf kernels of bitsieve: single-threaded, on blocks, the GIL released.";
    m.def("term_shift", &term_shift, "n_samples"_a);
    m.def("term_table", &make_term_table, "n_samples"_a, "limit"_a);
    m.def("sum_terms", &sum_terms, "counts"_a, "table"_a, "shift"_a);
}

}  // namespace bitsieve
