// The packed table in Python: packing, rows, matrices and tables of counts; partitions of the samples, and minima over
// pivots.
#include "bind/alias_check.hpp"

#include <algorithm>

#include "count/lazy_minima.hpp"
#include "count/pair_counts.hpp"
#include "count/pair_matrix.hpp"
#include "count/partition.hpp"
#include "count/weighted_tables.hpp"
#include "kernel_set.hpp"

namespace bitsieve {

namespace {

void construct(PackedTable* self, Input<std::int64_t> class_sizes, Input<std::uint32_t> order,
               Input<std::int32_t> arities, const std::string& kernel, const std::string& storage,
               bool caller_provides_memory) {
    const CountingKernel& chosen = *kernel_set(kernel).counting;
    const Storage storage_form = storage_named(storage);
    nb::gil_scoped_release unlocked;
    new (self) PackedTable(to_vector(class_sizes), to_vector(order), to_vector(arities), chosen, storage_form,
                           caller_provides_memory);
}

PairFormula formula_of(const PackedTable& packed, int pooled_sign, int class_sign, const Input<std::int64_t>& row,
                       const Input<std::int64_t>& column, double one_bit, bool symmetric) {
    require_within(pooled_sign, -1, 2, "pooled_sign");
    require_within(class_sign, -1, 2, "class_sign");
    require_size(row, packed.n_features(), "row");
    require_size(column, packed.n_features(), "column");
    return {pooled_sign, class_sign, row.data(), column.data(), one_bit, symmetric};
}

void require_positions(const PackedTable& packed, const Input<std::int64_t>& position, std::int64_t size) {
    require_size(position, packed.n_features(), "position");
    require_all_within(position, -1, size, "position");
}

void require_blocks(const PackedTable& packed, std::int64_t first, std::int64_t last) {
    require_within(first, 0, packed.n_simd_groups() + 1, "first");
    require_within(last, first, packed.n_simd_groups() + 1, "last");
    require(packed.has_storage(), "the table has no storage yet: use some");
}

void use(PackedTable& packed, Output<std::uint64_t> planes, Output<std::uint16_t> wide) {
    require(std::int64_t(planes.size()) >= packed.plane_words(), "planes are shorter than plane_words");
    require(std::int64_t(wide.size()) >= packed.wide_codes(), "wide is shorter than wide_codes");
    packed.use(planes.data(), wide.data());
}

// The arrays of a Batch.
struct BatchArrays {
    Input<std::uint32_t> order;
    Input<std::int64_t> class_sizes;
    Input<std::int64_t> n_before;
};

template <class Code>
void add_table(PackedTable& packed, const CodeTable<Code>& table, std::int64_t n_rows, std::int64_t n_columns,
               const BatchArrays& arrays, std::int64_t first, std::int64_t last) {
    const nb::gil_scoped_release unlocked;  // every thread checks the order of all rows
    require_blocks(packed, first, last);
    require(n_columns == packed.n_features(), "codes need a column for every feature");
    require_size(arrays.class_sizes, packed.n_classes(), "sizes");
    require_size(arrays.n_before, packed.n_classes(), "n_before");
    std::int64_t n_samples = 0;
    for (std::int64_t c = 0; c < packed.n_classes(); ++c) {
        const std::int64_t class_size = arrays.class_sizes.data()[c];
        require_within(class_size, 0, packed.class_size(c) + 1, "sizes");
        require_within(arrays.n_before.data()[c], 0, packed.class_size(c) - class_size + 1, "n_before");
        n_samples += class_size;
    }
    require_size(arrays.order, n_samples, "order");
    require_all_within(arrays.order, 0, n_rows, "order");
    const Batch batch{arrays.class_sizes.data(), arrays.n_before.data(), arrays.order.data()};
    packed.add(table, batch, first, last);
}

template <class Code>
void add(PackedTable& packed, Table<Code> codes, Input<std::uint32_t> order, Input<std::int64_t> sizes,
         Input<std::int64_t> n_before, std::int64_t first, std::int64_t last) {
    const CodeTable<Code> table{codes.data(), codes.stride(0), codes.stride(1)};
    add_table(packed, table, std::int64_t(codes.shape(0)), std::int64_t(codes.shape(1)), {order, sizes, n_before},
              first, last);
}

void add_columns(PackedTable& packed, const std::vector<Input<std::uint8_t>>& codes, Input<std::uint32_t> order,
                 Input<std::int64_t> sizes, Input<std::int64_t> n_before, std::int64_t first, std::int64_t last) {
    std::vector<const std::uint8_t*> columns;
    const std::size_t n_rows = codes.empty() ? 0 : codes[0].size();
    for (const Input<std::uint8_t>& column : codes) {
        require_size(column, std::int64_t(n_rows), "a column of codes");
        columns.push_back(column.data());
    }
    const CodeTable<std::uint8_t> table{nullptr, 1, 0, columns.data()};
    add_table(packed, table, std::int64_t(n_rows), std::int64_t(codes.size()), {order, sizes, n_before}, first, last);
}

void check(const PackedTable& packed, std::int64_t first, std::int64_t last) {
    require_blocks(packed, first, last);
    nb::gil_scoped_release unlocked;
    packed.check(first, last);
}

void finish(PackedTable& packed, std::int64_t first, std::int64_t last) {
    require_blocks(packed, first, last);
    nb::gil_scoped_release unlocked;
    packed.finish(first, last);
}

template <class Code>
void pack(PackedTable& packed, Table<Code> codes, std::int64_t first, std::int64_t last) {
    require_blocks(packed, first, last);
    require(std::int64_t(codes.shape(0)) >= packed.rows_needed(), "codes have fewer rows than there are samples");
    require(std::int64_t(codes.shape(1)) == packed.n_features(), "codes need a column for every feature");
    const CodeTable<Code> table{codes.data(), codes.stride(0), codes.stride(1)};
    nb::gil_scoped_release unlocked;
    packed.pack(table, first, last);
}

void fill_row(const PackedTable& packed, const Input<std::int64_t>& table, int shift, std::int64_t pivot,
              Input<std::int64_t> groups, Output<std::int64_t> pooled_sums,
              std::optional<Output<std::int64_t>> class_sums) {
    const Terms terms = terms_of(table, shift);
    require_pivot(packed, pivot);
    require_groups(packed, groups);
    require_size(pooled_sums, packed.n_features(), "pooled_sums");
    if (class_sums) require_size(*class_sums, packed.n_features(), "class_sums");
    const std::int64_t* group_numbers = groups.data();
    const std::int64_t n_groups = std::int64_t(groups.size());
    std::int64_t* pooled_out = pooled_sums.data();
    std::int64_t* class_out = class_sums ? class_sums->data() : nullptr;
    nb::gil_scoped_release unlocked;
    row_sums(packed, terms, pivot, group_numbers, n_groups, pooled_out, class_out);
}

// The classes of stratum s are first_class[s] .. first_class[s + 1] - 1, at least one, and every class is in a stratum.
void require_strata(const PackedTable& packed, const Input<std::int64_t>& first_class) {
    const std::size_t n = first_class.size();
    const std::int64_t* first = first_class.data();
    require(n > 0 && first[0] == 0 && first[n - 1] == packed.n_classes(), "strata must hold all classes");
    for (std::size_t s = 1; s < n; ++s) require(first[s] > first[s - 1], "first_class must ascend");
}

void fill_row_within_strata(const PackedTable& packed, const Input<std::int64_t>& table, int shift,
                            Input<std::int64_t> first_class, std::int64_t pivot, Input<std::int64_t> groups,
                            Output<std::int64_t> stratum_sums, std::optional<Output<std::int64_t>> class_sums) {
    const Terms terms = terms_of(table, shift);
    require(packed.all_planes(), "sums within strata need a table of planes");
    require_strata(packed, first_class);
    require_pivot(packed, pivot);
    require_groups(packed, groups);
    require_size(stratum_sums, packed.n_features(), "stratum_sums");
    if (class_sums) require_size(*class_sums, packed.n_features(), "class_sums");
    const StrataLayout strata{first_class.data(), std::int64_t(first_class.size()) - 1};
    const std::int64_t* group_numbers = groups.data();
    const std::int64_t n_groups = std::int64_t(groups.size());
    std::int64_t* stratum_out = stratum_sums.data();
    std::int64_t* class_out = class_sums ? class_sums->data() : nullptr;
    nb::gil_scoped_release unlocked;
    row_sums_within_strata(packed, terms, strata, pivot, group_numbers, n_groups, stratum_out, class_out);
}

template <class Real>
void fill_matrix(const PackedTable& packed, const Input<std::int64_t>& table, int shift, int pooled_sign,
                 int class_sign, Input<std::int64_t> row, Input<std::int64_t> column, double one_bit, bool symmetric,
                 const std::vector<std::int64_t>& block, Input<std::int64_t> position, Grid<Real> out) {
    const Terms terms = terms_of(table, shift);
    const PairFormula formula = formula_of(packed, pooled_sign, class_sign, row, column, one_bit, symmetric);
    require(block.size() == 4, "a block is the first and last simd_group of its rows, and of its columns");
    for (const int side : {0, 2}) {
        require_within(block[side], 0, packed.n_simd_groups() + 1, "block");
        require_within(block[side + 1], block[side], packed.n_simd_groups() + 1, "block");
        require(packed.ready(block[side], block[side + 1]), "a feature has not been packed");
    }
    require(out.shape(0) == out.shape(1), "out must be square");
    require_positions(packed, position, std::int64_t(out.shape(0)));
    const Matrix<Real> matrix{out.data(), std::int64_t(out.shape(0)), position.data()};
    nb::gil_scoped_release unlocked;
    matrix_block(packed, terms, formula, block[0], block[1], block[2], block[3], matrix);
}

// Rows of counts, one a column; see pair_counts.hpp.
void fill_pair_cells(const PackedTable& packed, std::int64_t pivot, Input<std::int64_t> columns,
                     Grid<std::int64_t> pooled_cells, std::optional<Grid<std::int64_t>> class_cells) {
    const std::int64_t n = std::int64_t(columns.size());
    if (std::int64_t(pooled_cells.shape(0)) != n || (class_cells && std::int64_t(class_cells->shape(0)) != n))
        throw std::invalid_argument("one row a column is needed");
    require_pivot(packed, pivot);
    require_features(packed, columns, "columns");
    const std::int64_t rows = pivot < 0 ? 1 : packed.arity(pivot);
    const std::int64_t max_cells = std::max(packed.n_samples(), kPlaneCells);
    for (std::int64_t k = 0; k < n; ++k) {
        const std::int64_t cells = rows * packed.arity(columns.data()[k]);
        require(std::int64_t(pooled_cells.shape(1)) >= std::min(cells, max_cells),
                "the rows of pooled_cells are too short");
        require(!class_cells ||
                    std::int64_t(class_cells->shape(1)) >= std::min(cells * packed.n_classes(), packed.n_samples()),
                "the rows of class_cells are too short");
    }
    const std::int64_t* features = columns.data();
    const std::int64_t pooled_width = std::int64_t(pooled_cells.shape(1));
    const std::int64_t class_width = class_cells ? std::int64_t(class_cells->shape(1)) : 0;
    std::int64_t* pooled_out = pooled_cells.data();
    std::int64_t* class_out = class_cells ? class_cells->data() : nullptr;
    nb::gil_scoped_release unlocked;
    pair_cells(packed, pivot, features, n, pooled_width, pooled_out, class_width, class_out);
}

// Tables with every cell at its place; see pair_counts.hpp.
void fill_pair_tables(const PackedTable& packed, std::int64_t pivot, std::int64_t n_rows, Input<std::int64_t> columns,
                      Input<std::int64_t> n_codes, std::int64_t n_classes, Output<std::int64_t> out) {
    require_pivot(packed, pivot);
    require_features(packed, columns, "columns");
    require_size(n_codes, std::int64_t(columns.size()), "n_codes");
    constexpr std::int64_t kEndOfCodes = (std::int64_t(1) << 16) + 1;
    require_within(n_rows, pivot < 0 ? 1 : packed.arity(pivot), kEndOfCodes, "n_rows");
    require(n_classes == 1 || (n_classes >= packed.n_classes() && n_classes <= kMaxSamples), "n_classes are too few");
    std::int64_t cells = 0;
    for (std::size_t k = 0; k < columns.size(); ++k) {
        require_within(n_codes.data()[k], packed.arity(columns.data()[k]), kEndOfCodes, "n_codes");
        const std::int64_t table = n_rows * n_codes.data()[k];
        require(n_classes <= (std::int64_t(1) << 48) / table, "a table has too many cells");
        cells += table * n_classes;
        require(cells <= std::int64_t(out.size()), "out is too short");
    }
    require_size(out, cells, "out");
    const std::int64_t* features = columns.data();
    const std::int64_t* codes = n_codes.data();
    const std::int64_t n = std::int64_t(columns.size());
    std::int64_t* tables = out.data();
    nb::gil_scoped_release unlocked;
    pair_tables(packed, pivot, n_rows, features, codes, n, n_classes, tables);
}

// Tables of weights; see weighted_tables.hpp.
void fill_weighted_tables(const PackedTable& packed, Input<std::uint64_t> weights, std::int64_t pivot,
                          Input<std::int64_t> columns, std::optional<Input<std::int64_t>> code_sums,
                          Output<std::int64_t> out) {
    require_size(weights, packed.n_samples(), "weights");
    require_pivot(packed, pivot);
    require_features(packed, columns, "columns");
    const std::int64_t n_rows = pivot < 0 ? 1 : packed.arity(pivot);
    std::int64_t n_codes = 0;
    for (std::size_t k = 0; k < columns.size(); ++k) n_codes += packed.arity(columns.data()[k]);
    if (code_sums) require_size(*code_sums, n_codes, "code_sums");
    require_size(out, n_rows * n_codes, "out");
    const std::int64_t* sums = code_sums ? code_sums->data() : nullptr;
    nb::gil_scoped_release unlocked;
    weighted_tables(packed, weights.data(), pivot, columns.data(), std::int64_t(columns.size()), sums, out.data());
}

template <class Real>
void fill_rows(const PackedTable& packed, const Input<std::int64_t>& table, int shift, int pooled_sign, int class_sign,
               Input<std::int64_t> row, Input<std::int64_t> column, double one_bit, bool symmetric,
               Input<std::int64_t> pivots, Input<std::int64_t> groups, Input<std::int64_t> position, Grid<Real> out) {
    const Terms terms = terms_of(table, shift);
    const PairFormula formula = formula_of(packed, pooled_sign, class_sign, row, column, one_bit, symmetric);
    require(out.shape(0) == pivots.size(), "one row a pivot is needed");
    require_features(packed, pivots, "pivots");
    require_groups(packed, groups);
    require_positions(packed, position, std::int64_t(out.shape(1)));
    const MatrixRows<Real> rows{out.data(), std::int64_t(out.shape(1)), position.data()};
    const std::int64_t n_pivots = std::int64_t(pivots.size());
    const std::int64_t n_groups = std::int64_t(groups.size());
    nb::gil_scoped_release unlocked;
    matrix_rows(packed, terms, formula, pivots.data(), n_pivots, groups.data(), n_groups, rows);
}

void fill_codes(const PackedTable& packed, std::int64_t feature, Output<std::uint16_t> out) {
    require_feature(packed, feature, "feature");
    require_size(out, packed.n_samples(), "out");
    std::uint16_t* to = out.data();
    nb::gil_scoped_release unlocked;
    std::vector<std::uint16_t> scratch;
    const std::uint16_t* codes = packed.codes(feature, scratch);
    std::copy(codes, codes + packed.n_samples(), to);
}

nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>> simd_groups(const PackedTable& packed) {
    std::vector<std::int64_t> groups(std::size_t(packed.n_features()));
    for (std::size_t f = 0; f < groups.size(); ++f) groups[f] = packed.simd_group_of(std::int64_t(f));
    return to_numpy(std::move(groups));
}

// Partitions of the samples.

Partition partition_of(const PackedTable& packed, const Input<std::uint32_t>& order,
                       const Input<std::int64_t>& starts) {
    require(packed.ready(0, packed.n_simd_groups()), "a feature has not been packed");
    require(starts.size() >= 1 && starts.data()[0] == 0, "starts begin with 0");
    require(starts.data()[starts.size() - 1] == std::int64_t(order.size()), "starts end with the size of order");
    for (std::size_t z = 0; z + 1 < starts.size(); ++z) {
        const std::int64_t first = starts.data()[z];
        const std::int64_t last = starts.data()[z + 1];
        require(first <= last && last <= std::int64_t(order.size()), "starts must ascend");
        for (std::int64_t t = first; t < last; ++t)
            require(order.data()[t] < packed.n_samples() && (t == first || order.data()[t - 1] < order.data()[t]),
                    "order holds samples, ascending within a part");
    }
    return {order.data(), starts.data(), std::int64_t(starts.size()) - 1};
}

auto refine_partition(const PackedTable& packed, Input<std::uint32_t> order, Input<std::int64_t> starts,
                      std::int64_t feature) {
    const Partition partition = partition_of(packed, order, starts);
    require_feature(packed, feature, "feature");
    PartitionVectors split;
    {
        nb::gil_scoped_release unlocked;
        split = refine(packed, partition, feature);
    }
    return std::make_tuple(to_numpy(std::move(split.order)), to_numpy(std::move(split.starts)));
}

void fill_partition_sums(const PackedTable& packed, Input<std::int64_t> table, int shift, Input<std::uint32_t> order,
                         Input<std::int64_t> starts, Input<std::int64_t> groups, Output<std::int64_t> pooled_sums,
                         Output<std::int64_t> class_sums) {
    const Terms terms = terms_of(table, shift);
    const Partition partition = partition_of(packed, order, starts);
    require_groups(packed, groups);
    require_size(pooled_sums, packed.n_features(), "pooled_sums");
    require_size(class_sums, packed.n_features(), "class_sums");
    const std::int64_t* group_numbers = groups.data();
    const std::int64_t n_groups = std::int64_t(groups.size());
    std::int64_t* pooled_out = pooled_sums.data();
    std::int64_t* class_out = class_sums.data();
    nb::gil_scoped_release unlocked;
    partition_sums(packed, terms, partition, group_numbers, n_groups, pooled_out, class_out);
}

auto marginals_of(const PackedTable& packed, Input<std::int64_t> table, int shift, Input<std::uint32_t> order,
                  Input<std::int64_t> starts) {
    std::int64_t pooled_sum = 0;
    std::int64_t class_sum = 0;
    partition_marginals(packed, terms_of(table, shift), partition_of(packed, order, starts), &pooled_sum, &class_sum);
    return std::make_tuple(pooled_sum, class_sum);
}

std::int64_t freedom(const PackedTable& packed, Input<std::uint32_t> order, Input<std::int64_t> starts,
                     std::int64_t feature) {
    require_feature(packed, feature, "feature");
    return degrees_of_freedom(packed, partition_of(packed, order, starts), feature);
}

auto arranged(const PackedTable& packed, Input<std::uint32_t> order, Input<std::int64_t> starts, std::int64_t feature) {
    const Partition partition = partition_of(packed, order, starts);
    require_feature(packed, feature, "feature");
    std::vector<std::uint16_t> codes;
    ClassRuns runs;
    {
        nb::gil_scoped_release unlocked;
        runs = arrange(packed, partition, feature, codes);
    }
    return std::make_tuple(to_numpy(std::move(codes)), to_numpy(std::move(runs.run_ends)),
                           to_numpy(std::move(runs.part_ends)));
}

// The ends of runs, or of parts: they ascend from 1 or more, and the last one is n, or there are none and n is 0.
void require_ends(const Input<std::int64_t>& ends, std::int64_t n, const char* name) {
    std::int64_t last_end = 0;
    for (std::size_t i = 0; i < ends.size(); ++i) {
        const std::int64_t end = ends.data()[i];
        require_within(end, last_end + 1, n + 1, name);
        last_end = end;
    }
    require_within(last_end, n, n + 1, name);
}

void fill_shuffled_sums(Input<std::int64_t> table, int shift, Input<std::uint16_t> codes, Input<std::int64_t> run_ends,
                        Input<std::int64_t> part_ends, Input<std::uint64_t> seeds, Output<std::int64_t> out) {
    const Terms terms = terms_of(table, shift);
    require_ends(run_ends, std::int64_t(codes.size()), "run_ends");
    require_ends(part_ends, std::int64_t(run_ends.size()), "part_ends");
    require_size(out, std::int64_t(seeds.size()), "out");
    const std::uint16_t* first_code = codes.data();
    const std::int64_t* first_run_end = run_ends.data();
    const std::int64_t* first_part_end = part_ends.data();
    const std::uint64_t* first_seed = seeds.data();
    const std::int64_t n_codes = std::int64_t(codes.size());
    const std::int64_t n_parts = std::int64_t(part_ends.size());
    const std::int64_t n_seeds = std::int64_t(seeds.size());
    std::int64_t* sums = out.data();
    nb::gil_scoped_release unlocked;
    shuffled_sums(terms, first_code, n_codes, first_run_end, first_part_end, n_parts, first_seed, n_seeds, sums);
}

// Minima over pivots.

// Counts of codes, checked; see lazy_minima.hpp. Empty starts: numbers are not corrected for chance.
CodeCounts code_counts_of(const Input<std::int64_t>& starts, const Input<std::int64_t>& index,
                          std::int64_t n_features) {
    std::int64_t n_distinct = 0;
    if (starts.size() > 0) {
        require_size(starts, n_features + 1, "code_starts");
        require(starts.data()[0] == 0, "code_starts begin with 0");
        for (std::size_t f = 1; f < starts.size(); ++f)
            require(starts.data()[f - 1] <= starts.data()[f], "code_starts must ascend");
        require_size(index, starts.data()[n_features], "code_index");
        require_all_within(index, 0, kMaxSamples + 1, "code_index");
        if (index.size() > 0) n_distinct = *std::max_element(index.data(), index.data() + index.size()) + 1;
    }
    return {to_vector(starts), to_vector(index), n_distinct};
}

void construct_minima(LazyMinima* self, const PackedTable& packed, Input<std::int64_t> table, int shift,
                      Input<double> start, int n_smallest, Input<std::int64_t> code_starts,
                      Input<std::int64_t> code_index, double one_bit, double tie) {
    terms_of(table, shift);  // checks them
    require(packed.ready(0, packed.n_simd_groups()), "a feature has not been packed");
    require(!packed.uses_counters() && packed.n_wide() == 0, "all features must be kept as planes");
    require_size(start, packed.n_features(), "start");
    require_within(n_smallest, 1, 3, "n_smallest");
    require(one_bit > 0 && tie >= 0, "one_bit must be above 0, and tie 0 or more");
    CodeCounts code_counts = code_counts_of(code_starts, code_index, packed.n_features());
    nb::gil_scoped_release unlocked;
    new (self)
        LazyMinima(packed, to_vector(table), shift, to_vector(start), n_smallest, std::move(code_counts), one_bit, tie);
}

void add_pivot(LazyMinima& self, std::int64_t feature, std::int64_t sum, double bits,
               Input<std::int64_t> chance_of_count, std::int64_t chance) {
    require_within(feature, 0, self.n_features(), "feature");
    if (chance_of_count.size() > 0) {
        require(!self.code_counts().starts.empty(), "the counts of the codes are needed to correct for chance");
        require_size(chance_of_count, self.code_counts().n_distinct, "chance_of_count");
    }
    nb::gil_scoped_release unlocked;
    self.add(feature, {sum, bits, to_vector(chance_of_count), chance});
}

void largest(LazyMinima& self, Input<bool> candidates, std::int64_t first, std::int64_t last,
             Output<double> best_so_far) {
    require_size(best_so_far, 1, "best_so_far");
    require_size(candidates, self.n_features(), "candidates");
    require_within(first, 0, self.n_simd_groups() + 1, "first");
    require_within(last, first, self.n_simd_groups() + 1, "last");
    nb::gil_scoped_release unlocked;
    self.largest(candidates.data(), first, last, best_so_far.data());
}

auto first_at(const LazyMinima& self, Input<bool> candidates, double largest) {
    require_size(candidates, self.n_features(), "candidates");
    double score = 0.0;
    const std::int64_t feature = self.first_at(candidates.data(), largest, score);
    require(feature >= 0, "no candidate has a score so large");
    return std::make_tuple(feature, score);
}

}  // namespace

void bind_packed(nb::module_& m) {
    nb::class_<PackedTable>(m, "PackedTable")
        .def("__init__", &construct, "class_sizes"_a, "order"_a, "arities"_a, "kernel"_a, "storage"_a,
             "caller_provides_memory"_a = false)
        .def("use", with_alias_check(&use), "planes"_a, "wide"_a, nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
             "Keeps the table in these arrays.")
        .def("add", &add<std::uint8_t>, "codes"_a, "order"_a, "sizes"_a, "n_before"_a, "first"_a, "last"_a)
        .def("add", &add<std::uint16_t>, "codes"_a, "order"_a, "sizes"_a, "n_before"_a, "first"_a, "last"_a)
        .def("add", &add_columns, "codes"_a, "order"_a, "sizes"_a, "n_before"_a, "first"_a, "last"_a)
        .def("check", &check, "first"_a, "last"_a, "Refuses storage that holds no packed table.")
        .def("finish", &finish, "first"_a, "last"_a)
        .def_prop_ro("plane_words", &PackedTable::plane_words)
        .def_prop_ro("wide_codes", &PackedTable::wide_codes)
        .def("pack", &pack<std::uint8_t>, "codes"_a, "first"_a, "last"_a)
        .def("pack", &pack<std::uint16_t>, "codes"_a, "first"_a, "last"_a)
        .def("row_sums", with_alias_check(&fill_row), "table"_a, "shift"_a, "pivot"_a, "groups"_a, "pooled_sums"_a,
             "class_sums"_a.none())
        .def("matrix_block", with_alias_check(&fill_matrix<double>))
        .def("matrix_block", with_alias_check(&fill_matrix<float>))
        .def("pair_cells", with_alias_check(&fill_pair_cells), "pivot"_a, "columns"_a, "pooled_sums"_a,
             "class_sums"_a.none())
        .def("pair_tables", with_alias_check(&fill_pair_tables), "pivot"_a, "n_rows"_a, "columns"_a, "n_codes"_a,
             "n_classes"_a, "out"_a)
        .def("weighted_tables", with_alias_check(&fill_weighted_tables), "weights"_a, "pivot"_a, "columns"_a,
             "code_sums"_a.none(), "out"_a)
        .def("matrix_rows", with_alias_check(&fill_rows<double>))
        .def("matrix_rows", with_alias_check(&fill_rows<float>))
        .def("codes", with_alias_check(&fill_codes), "feature"_a, "out"_a, "The codes of a feature in class order.")
        .def(
            "gathered",
            [](const PackedTable& self, Input<std::int64_t> features) {
                require(features.size() > 0, "no features are given");
                require_features(self, features, "features");
                nb::gil_scoped_release unlocked;
                return self.gathered(to_vector(features));
            },
            "features"_a, "The same samples with some features only.")
        .def("simd_groups", &simd_groups, "The SIMD group of every feature.")
        .def_prop_ro("n_simd_groups", &PackedTable::n_simd_groups)
        .def_prop_ro("all_planes", &PackedTable::all_planes, "Whether all features are kept as bit planes.")
        .def_prop_ro("uses_counters", &PackedTable::uses_counters,
                     "Whether features of few codes are counted by packed counters.")
        .def_prop_ro("nbytes", &PackedTable::bytes)
        .def("refine", &refine_partition, "order"_a, "starts"_a, "feature"_a)
        .def("partition_sums", with_alias_check(&fill_partition_sums), "table"_a, "shift"_a, "order"_a, "starts"_a,
             "groups"_a, "pooled_sums"_a, "class_sums"_a)
        .def("partition_marginals", &marginals_of, "table"_a, "shift"_a, "order"_a, "starts"_a)
        .def("degrees_of_freedom", &freedom, "order"_a, "starts"_a, "feature"_a)
        .def("arrange", &arranged, "order"_a, "starts"_a, "feature"_a);
    m.def("shuffled_sums", with_alias_check(&fill_shuffled_sums), "table"_a, "shift"_a, "codes"_a, "run_ends"_a,
          "part_ends"_a, "seeds"_a, "out"_a);
    nb::class_<LazyMinima>(m, "LazyMinima")
        .def("__init__", &construct_minima, "packed"_a, "table"_a, "shift"_a, "start"_a, "n_smallest"_a,
             "code_starts"_a, "code_index"_a, "one_bit"_a, "tie"_a, nb::keep_alive<1, 2>())
        .def("add", &add_pivot, "feature"_a, "sum"_a, "bits"_a, "chance_of_count"_a, "chance"_a)
        .def("largest", with_alias_check(&largest), "candidates"_a, "first"_a, "last"_a, "best_so_far"_a)
        .def("first_at", &first_at, "candidates"_a, "largest"_a);
    m.def("row_sums_within_strata", with_alias_check(&fill_row_within_strata), "packed"_a, "table"_a, "shift"_a,
          "first_class"_a, "pivot"_a, "groups"_a, "stratum_sums"_a, "class_sums"_a.none(),
          "The sums of a pivot with all features within strata; the features must be bit planes.");
}

}  // namespace bitsieve
