// Tests of independence within strata in Python.
#include "bind/binding.hpp"

#include "count/independence.hpp"

namespace bitsieve {

namespace {

void construct_variables(CodedVariables* self, InputGrid<std::uint16_t> codes, Input<std::int64_t> n_codes) {
    const std::int64_t n_samples = std::int64_t(codes.shape(1));
    require(codes.shape(0) >= 1, "no variables are given");
    require_within(n_samples, 1, kMaxSamples + 1, "n_samples");
    require(n_codes.size() == codes.shape(0), "n_codes must have a number for each variable");
    require_all_within(n_codes, 1, kMaxCodes + 1, "n_codes");
    for (std::size_t v = 0; v < n_codes.size(); ++v) {
        const std::uint16_t* first = codes.data() + std::int64_t(v) * n_samples;
        require(*std::max_element(first, first + n_samples) < n_codes.data()[v], "a code is not below n_codes");
    }
    new (self) CodedVariables{codes.data(), n_samples, to_vector(n_codes)};
}

void construct_strata(Strata* self, const CodedVariables& variables) {
    nb::gil_scoped_release unlocked;
    new (self) Strata(variables.n_samples);
}

Strata refine_strata(const CodedVariables& variables, std::int64_t variable, const Strata& strata) {
    require_within(variable, 0, variables.n_variables(), "variable");
    require(strata.n_samples() == variables.n_samples, "the strata are of other samples");
    nb::gil_scoped_release unlocked;
    return strata.refined(variables.codes(variable), variables.n_codes[std::size_t(variable)]);
}

void construct_grouped(VariableInStrata* self, const CodedVariables& variables, std::int64_t variable,
                       const Strata& strata) {
    require_within(variable, 0, variables.n_variables(), "variable");
    require(strata.n_samples() == variables.n_samples, "the strata are of other samples");
    nb::gil_scoped_release unlocked;
    new (self) VariableInStrata(variables, variable, strata);
}

void construct_sums(IndependenceCounter* self, Input<std::int64_t> table, int shift) {
    terms_of(table, shift);  // refuses a table that is too short
    new (self) IndependenceCounter(to_vector(table), shift);
}

// Six arrays with a number for each test: the fields of IndependenceSums, the excess as a float.
auto to_arrays(const std::vector<IndependenceSums>& tests) {
    std::vector<std::int64_t> information;
    std::vector<std::int64_t> degrees_of_freedom;
    std::vector<double> expected_excess;
    std::vector<double> pearson;
    std::vector<double> least_expected;
    std::vector<std::int64_t> n_strata;
    for (const IndependenceSums& sums : tests) {
        information.push_back(sums.information);
        degrees_of_freedom.push_back(sums.degrees_of_freedom);
        expected_excess.push_back(double(sums.expected_excess) / kExcessUnit);
        pearson.push_back(sums.pearson);
        least_expected.push_back(sums.least_expected);
        n_strata.push_back(sums.n_strata);
    }
    return std::make_tuple(to_numpy(std::move(information)), to_numpy(std::move(degrees_of_freedom)),
                           to_numpy(std::move(expected_excess)), to_numpy(std::move(pearson)),
                           to_numpy(std::move(least_expected)), to_numpy(std::move(n_strata)));
}

auto sums_of_variables(IndependenceCounter& self, const VariableInStrata& grouped, const CodedVariables& variables,
                       Input<std::int64_t> others, bool expected_excess, bool pearson) {
    require_all_within(others, 0, variables.n_variables(), "others");
    require(grouped.n_samples() == variables.n_samples && grouped.max_codes() >= variables.max_codes(),
            "the variable was grouped among other variables");
    std::vector<IndependenceSums> tests;
    {
        nb::gil_scoped_release unlocked;
        tests = self.of_variables(grouped, variables, others.data(), std::int64_t(others.size()),
                                  {expected_excess, pearson});
    }
    return to_arrays(tests);
}

auto sums_of_table(IndependenceCounter& self, Input<std::int64_t> cells, Input<std::int64_t> counts,
                   std::int64_t n_rows, std::int64_t n_columns, bool expected_excess, bool pearson) {
    require_within(n_rows, 1, kMaxCodes + 1, "n_rows");
    require_within(n_columns, 1, kMaxClasses, "n_columns");
    require_size(counts, std::int64_t(cells.size()), "counts");
    require_all_within(counts, 1, kMaxSamples + 1, "counts");
    std::int64_t n_samples = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        require(cells.data()[i] >= 0 && (i == 0 || cells.data()[i - 1] < cells.data()[i]), "cells must ascend");
        n_samples += counts.data()[i];
        require(n_samples <= kMaxSamples, "a table has at most 2^31 samples");
    }
    std::vector<IndependenceSums> tests;
    {
        nb::gil_scoped_release unlocked;
        tests.push_back(self.of_table(cells.data(), counts.data(), std::int64_t(cells.size()), n_rows, n_columns,
                                      {expected_excess, pearson}));
    }
    return to_arrays(tests);
}

}  // namespace

void bind_independence(nb::module_& m) {
    nb::class_<CodedVariables>(m, "CodedVariables")
        .def("__init__", &construct_variables, "codes"_a, "n_codes"_a, nb::keep_alive<1, 2>())
        .def("refined", &refine_strata, "variable"_a, "strata"_a, "The strata, divided by a variable.");
    nb::class_<Strata>(m, "Strata")
        .def("__init__", &construct_strata, "variables"_a, "All samples of the variables, in one stratum.")
        .def_prop_ro("n_listed", [](const Strata& self) { return self.partition().n_listed(); });
    nb::class_<VariableInStrata>(m, "VariableInStrata")
        .def("__init__", &construct_grouped, "variables"_a, "variable"_a, "strata"_a);
    nb::class_<IndependenceCounter>(m, "IndependenceCounter")
        .def("__init__", &construct_sums, "table"_a, "shift"_a)
        .def("of_variables", &sums_of_variables, "grouped"_a, "variables"_a, "others"_a, "expected_excess"_a,
             "pearson"_a)
        .def("of_table", &sums_of_table, "cells"_a, "counts"_a, "n_rows"_a, "n_columns"_a, "expected_excess"_a,
             "pearson"_a);
}

}  // namespace bitsieve
