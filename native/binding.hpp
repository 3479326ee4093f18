// What the files that know Python share: arrays in and out, without copies.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "fixed_point.hpp"
#include "storage.hpp"

namespace bitsieve {

namespace nb = nanobind;
using namespace nb::literals;

template <class T>
using Input = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T>
using Output = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Table = nb::ndarray<const T, nb::ndim<2>, nb::device::cpu>;
template <class T>
using Grid = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// A numpy array that owns the values of the vector.
template <class T>
inline nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(std::vector<T>&& values) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return {kept->data(), {kept->size()}, owner};
}

template <class T>
std::vector<T> to_vector(const Input<T>& array) {
    return std::vector<T>(array.data(), array.data() + array.size());
}

inline Terms terms_of(const Input<std::int64_t>& table, int shift) {
    if (table.size() < 2) throw std::invalid_argument("a table of terms holds T[0] and T[1] at least");
    return {table.data(), std::uint64_t(table.size()), shift};
}

void bind_packed(nb::class_<Packed>& packed);
void bind_partition(nb::module_& m, nb::class_<Packed>& packed);
void bind_variational(nb::module_& m);
void bind_spanning_tree(nb::module_& m);

}  // namespace bitsieve
