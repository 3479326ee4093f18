// The Python module. The files of this folder alone know Python: arrays in, arrays out, the GIL released around every
// kernel.
#include "bind/alias_check.hpp"
#include "count/expected_terms.hpp"
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

void fill_expected_terms(Input<std::int64_t> table, int shift, std::int64_t n_samples, Input<std::int64_t> first,
                         Input<std::int64_t> second, Grid<std::int64_t> out) {
    const Terms terms = terms_of(table, shift);
    require_within(n_samples, 1, kMaxSamples + 1, "n_samples");
    require_all_within(first, 0, n_samples + 1, "first");
    require_all_within(second, 0, n_samples + 1, "second");
    require(out.shape(0) == first.size() && out.shape(1) == second.size(), "out must have a row for each of first");
    nb::gil_scoped_release unlocked;
    expected_terms(terms, n_samples, first.data(), std::int64_t(first.size()), second.data(),
                   std::int64_t(second.size()), out.data());
}

void construct_expected_sums(ExpectedSums* self, Input<std::int64_t> table, int shift, std::int64_t n_samples,
                             Input<std::int64_t> nodes, InputGrid<std::int64_t> stencil, InputGrid<double> weights,
                             Input<bool> is_node, std::int64_t max_rows) {
    terms_of(table, shift);  // checks them
    require_within(n_samples, 1, kMaxSamples + 1, "n_samples");
    require_all_within(nodes, 0, n_samples + 1, "nodes");
    require_all_within(stencil, 0, std::int64_t(nodes.size()), "stencil");
    require(stencil.shape(0) == 4 && stencil.shape(1) == is_node.size(), "stencil needs four nodes for every count");
    require(weights.shape(0) == 4 && weights.shape(1) == is_node.size(), "weights are those of four nodes");
    NodeInterpolation interpolation{to_vector(nodes),
                                    std::vector<std::int64_t>(stencil.data(), stencil.data() + stencil.size()),
                                    std::vector<double>(weights.data(), weights.data() + weights.size()),
                                    std::vector<bool>(is_node.data(), is_node.data() + is_node.size())};
    new (self) ExpectedSums(to_vector(table), shift, n_samples, std::move(interpolation), max_rows);
}

void fill_expected_sums(const std::vector<ExpectedSums*>& by_stratum, Input<std::int64_t> counts,
                        Input<std::int64_t> starts, Output<std::int64_t> out) {
    require_size(starts, std::int64_t(by_stratum.size()) + 1, "starts");
    std::int64_t n_sums = 0;
    for (std::size_t s = 0; s < by_stratum.size(); ++s) {
        require(by_stratum[s] != nullptr, "a stratum is None");
        require_within(starts.data()[s], 0, starts.data()[s + 1] + 1, "starts");
        require_within(starts.data()[s + 1], 0, std::int64_t(counts.size()) + 1, "starts");
        for (std::int64_t k = starts.data()[s]; k < starts.data()[s + 1]; ++k)
            require_within(counts.data()[k], 0, by_stratum[s]->n_samples() + 1, "counts");
        n_sums += by_stratum[s]->n_counts();
    }
    require_size(out, n_sums, "out");
    nb::gil_scoped_release unlocked;
    std::int64_t* sums = out.data();
    for (std::size_t s = 0; s < by_stratum.size(); ++s) {
        const std::int64_t first = starts.data()[s];
        by_stratum[s]->sums(counts.data() + first, starts.data()[s + 1] - first, sums);
        sums += by_stratum[s]->n_counts();
    }
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
#ifdef NDEBUG
    // Objects that a daemon thread holds are alive when Python ends. That is no mistake in a reference count, and a user
    // would see fifty lines about it.
    nb::set_leak_warnings(false);
#endif
    m.def(
        "term_shift",
        [](std::uint64_t n_samples) {
            require(n_samples >= 1 && n_samples <= std::uint64_t(kMaxSamples), "n_samples must lie between 1 and 2^31");
            return term_shift(n_samples);
        },
        "n_samples"_a);
    m.def("term_table", &make_term_table, "n_samples"_a, "limit"_a);
    m.def("sum_terms", &sum_terms, "counts"_a, "table"_a, "shift"_a);
    m.def("expected_terms", with_alias_check(&fill_expected_terms), "table"_a, "shift"_a, "n_samples"_a, "first"_a,
          "second"_a, "out"_a, "The expected entropy term of cells of these margins under shuffles.");
    nb::class_<ExpectedSums>(m, "ExpectedSums")
        .def("__init__", &construct_expected_sums, "table"_a, "shift"_a, "n_samples"_a, "nodes"_a, "stencil"_a,
             "weights"_a, "is_node"_a, "max_rows"_a);
    m.def("expected_sums", with_alias_check(&fill_expected_sums), "by_stratum"_a, "counts"_a, "starts"_a, "out"_a,
          "The sums of expected terms over the counts of every stratum, with each of the counts of its ExpectedSums.");
    m.def("kernel_names", &kernel_names, "Kernels this machine can run, fastest first.");
    bind_dense_columns(m);
    bind_dependence(m);
    bind_independence(m);
    bind_monotone(m);
    bind_packed(m);
    bind_samples(m);
    bind_sparse(m);
    bind_sparse_columns(m);
    bind_tuples(m);
    bind_variational(m);
}

}  // namespace bitsieve
