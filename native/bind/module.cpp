// The Python module. The files of this folder alone know Python: arrays in, arrays out, the GIL released around every
// kernel.
#include "bind/binding.hpp"
#include "kernel_set.hpp"

namespace bitsieve {
namespace {

nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>> make_term_table(std::uint64_t n, std::uint64_t limit) {
    require(n >= 1 && n <= std::uint64_t(kMaxSamples), "n_samples must lie between 1 and 2^31");
    require(limit <= n + 1 && limit <= std::uint64_t(kMaxTabled), "limit may be n_samples + 1 and 2^24 at most");
    std::vector<std::int64_t> table;
    {
        nb::gil_scoped_release unlocked;
        table = term_table(n, limit);
    }
    return to_numpy(std::move(table));
}

std::int64_t sum_terms(Input<std::int64_t> counts, Input<std::int64_t> table, int shift) {
    const Terms terms = terms_of(table, shift);
    const std::int64_t* c = counts.data();
    const std::int64_t* end = c + counts.size();
    nb::gil_scoped_release unlocked;
    std::uint64_t sum = 0;  // without a sign, as the table may hold anything: it wraps
    for (; c != end; ++c) {
        if (*c < 0 || *c > kMaxSamples) throw std::invalid_argument("a count must lie between 0 and 2^31");
        sum += std::uint64_t(terms(std::uint64_t(*c)));
    }
    return std::int64_t(sum);
}

std::vector<std::string> kernel_names() {
    std::vector<std::string> names;
    for (const KernelSet& set : kernel_sets())
        if (set.is_available()) names.push_back(set.name);
    return names;
}

}  // namespace

NB_MODULE(_native, m) {
    m.doc() = "Leaf kernels of bitsieve: single-threaded, on blocks, the GIL released.";
    m.def(
        "term_shift",
        [](std::uint64_t n_samples) {
            require(n_samples >= 1 && n_samples <= std::uint64_t(kMaxSamples), "n_samples must lie between 1 and 2^31");
            return term_shift(n_samples);
        },
        "n_samples"_a);
    m.def("term_table", &make_term_table, "n_samples"_a, "limit"_a);
    m.def("sum_terms", &sum_terms, "counts"_a, "table"_a, "shift"_a);
    m.def("kernel_names", &kernel_names, "Kernels this machine can run, fastest first.");
    bind_dense_columns(m);
    bind_dependence(m);
    bind_monotone(m);
    bind_packed(m);
    bind_samples(m);
    bind_sparse(m);
    bind_sparse_columns(m);
    bind_tuples(m);
    bind_variational(m);
}

}  // namespace bitsieve
