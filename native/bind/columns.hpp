// What the bindings of dense and of sparse columns share.
#pragma once

#include "bind/binding.hpp"
#include "encode/number_columns.hpp"

namespace bitsieve {

template <class T>
auto as_arrays(Ragged<T>&& ragged) {
    return std::make_tuple(to_numpy(std::move(ragged.values)), to_numpy(std::move(ragged.ends)));
}

// Frequency weights of the rows, or null.
inline const std::int64_t* checked_weights(const std::optional<Input<std::int64_t>>& weights, std::int64_t n_rows) {
    if (!weights) return nullptr;
    require_size(*weights, n_rows, "weights");
    require_all_within(*weights, 1, kMaxSamples + 1, "weights");
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < weights->size() && sum <= kMaxSamples; ++i) sum += weights->data()[i];
    require(sum <= kMaxSamples, "the weights may sum to 2^31 at most");
    return weights->data();
}

}  // namespace bitsieve
