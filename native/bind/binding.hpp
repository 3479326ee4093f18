// What the binding files share: arrays passed from and to Python without copies, and the checks of arguments.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "count/fixed_point.hpp"
#include "count/packed_table.hpp"

namespace bitsieve {

namespace nb = nanobind;
using namespace nb::literals;

// Arrays are taken as they are, or refused: what is written to a converted copy would be lost, and a conversion of what
// is read would take time and memory that nobody sees. Those whose numbers are not aligned are refused, too.
template <class... Of>
struct NoConvertArray : nb::ndarray<Of...> {
    using Base = nb::ndarray<Of...>;
    using Base::Base;
    NoConvertArray(Base array) : Base(std::move(array)) {}
};

template <class T>
using Input = NoConvertArray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Int32Array = Input<std::int32_t>;
template <class T>
using InputGrid = NoConvertArray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Table = NoConvertArray<const T, nb::ndim<2>, nb::device::cpu>;  // with any strides
template <class T>
using ByColumn = NoConvertArray<T, nb::ndim<2>, nb::f_contig, nb::device::cpu>;
template <class T>
using Output = NoConvertArray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Grid = NoConvertArray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

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

constexpr std::int64_t kMaxSamples = std::int64_t(1) << 31;
constexpr std::int64_t kMaxCodes = 1 << 16;
constexpr std::int64_t kMaxTabled = std::int64_t(1) << 24;  // values of a table made here
constexpr std::int64_t kMaxClasses = std::int64_t(1) << 26;
constexpr int kMaxShift = 60;

// The checks throw std::invalid_argument, a ValueError in Python.
inline void require(bool holds, const char* otherwise) {
    if (!holds) throw std::invalid_argument(otherwise);
}

// low <= value < end
inline void require_within(std::int64_t value, std::int64_t low, std::int64_t end, const char* name) {
    if (value < low || value >= end)
        throw std::invalid_argument(std::string(name) + " is " + std::to_string(value) + ": from " +
                                    std::to_string(low) + " to " + std::to_string(end - 1) + " is allowed");
}

template <class Array>
void require_size(const Array& array, std::int64_t size, const char* name) {
    if (std::int64_t(array.size()) != size)
        throw std::invalid_argument(std::string(name) + " holds " + std::to_string(array.size()) +
                                    " values: " + std::to_string(size) + " are needed");
}

// low <= value < end for every value of an array of integers.
template <class Array>
void require_all_within(const Array& array, std::int64_t low, std::int64_t end, const char* name) {
    const auto* values = array.data();
    bool all = true;  // no early exit, so that compilers vectorize the loop
    for (std::size_t i = 0; i < array.size(); ++i)
        all &= std::int64_t(values[i]) >= low && std::int64_t(values[i]) < end;
    for (std::size_t i = 0; i < array.size() && !all; ++i) require_within(std::int64_t(values[i]), low, end, name);
}

inline Terms terms_of(const Input<std::int64_t>& table, int shift) {
    require(table.size() >= 2, "a table of terms holds T[0] and T[1] at least");
    require_within(shift, 0, kMaxShift + 1, "shift");
    return {table.data(), std::uint64_t(table.size()), shift};
}

// Features and SIMD groups are in range and packed; pivot -1 is a constant.
inline void require_feature(const PackedTable& packed, std::int64_t feature, const char* name) {
    require_within(feature, 0, packed.n_features(), name);
    const std::int64_t group = packed.simd_group_of(feature);
    require(packed.ready(group, group + 1), "a feature has not been packed");
}

inline void require_features(const PackedTable& packed, const Input<std::int64_t>& features, const char* name) {
    for (std::size_t i = 0; i < features.size(); ++i) require_feature(packed, features.data()[i], name);
}

inline void require_pivot(const PackedTable& packed, std::int64_t pivot) {
    if (pivot != -1) require_feature(packed, pivot, "pivot");
}

inline void require_groups(const PackedTable& packed, const Input<std::int64_t>& groups) {
    require_all_within(groups, 0, packed.n_simd_groups(), "groups");
    for (std::size_t i = 0; i < groups.size(); ++i)
        require(packed.ready(groups.data()[i], groups.data()[i] + 1), "a feature has not been packed");
}

void bind_dense_columns(nb::module_& m);
void bind_dependence(nb::module_& m);
void bind_independence(nb::module_& m);
void bind_monotone(nb::module_& m);
void bind_packed(nb::module_& m);
void bind_samples(nb::module_& m);
void bind_sparse(nb::module_& m);
void bind_sparse_columns(nb::module_& m);
void bind_tuples(nb::module_& m);
void bind_variational(nb::module_& m);

}  // namespace bitsieve

template <class... Of>
struct nanobind::detail::type_caster<bitsieve::NoConvertArray<Of...>> {
    using Base = typename bitsieve::NoConvertArray<Of...>::Base;
    using Array = bitsieve::NoConvertArray<Of...>;
    NB_TYPE_CASTER(Array, make_caster<Base>::Name)

    bool from_python(handle source, std::uint8_t flags, cleanup_list* cleanup) noexcept {
        make_caster<Base> array;
        if (!array.from_python(source, flags & ~std::uint8_t(cast_flags::convert), cleanup)) return false;
        // C++ may take any address for a multiple of the size of its type, and compilers build on it.
        const Base& checked = array.value;
        if (reinterpret_cast<std::uintptr_t>(checked.data()) % checked.itemsize() != 0) return false;
        value = Array(std::move(array.value));
        return true;
    }
};
