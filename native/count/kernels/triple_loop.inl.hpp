// Triples of columns by bit planes: the ANDs of the planes of a first column and eight second ones are a pivot of eight
// lanes, counted with the planes of eight third columns as pairs are. The other cells of a table of three columns
// follow from the tables of its pairs. Included after pair_loop.inl.hpp.
// What triple_sums needs, its limits and its cost stand in counting_kernel.hpp.

// The tables of the pairs of one column i, one j and eight k, within one class.
struct PairCells {
    const std::uint64_t* ij;  // ij[(a * (codes of j) + b) * 8]: one lane of the tables of i with eight j
    const std::uint64_t* ik;  // ik[(a * (codes of k) + c) * 8 + lane]
    const std::uint64_t* jk;  // jk[(b * (codes of k) + c) * 8 + lane]
};

// Writes the whole table of one column i of n_i planes, one j and eight k: cells[((a * (codes of j) + b) * (codes of k) +
// c) * 8 + lane]. A column has one code more than planes. inner(a, b, c) gives a cell in which no code is the last one; any other is what the table of a pair leaves:
//     n(a, b, last) = n_ij(a, b) - sum_c n(a, b, c),   and so for the last b by n_ik, for the last a by n_jk
template <class Inner>
inline __attribute__((always_inline)) void derive_cells(int n_i, int n_j, int n_k, const PairCells& pairs,
                                                        const Inner& inner, std::uint64_t* cells) {
    const int codes_k = n_k + 1;
    const int row = (n_j + 1) * codes_k;
    const auto cell = [&](int a, int b, int c) { return cells + (a * row + b * codes_k + c) * kLanes; };
    const auto write_last_b = [&](int a) {
        for (int c = 0; c <= n_k; ++c) {
            U64x8 rest = U64x8::load(pairs.ik + (a * codes_k + c) * kLanes);
            for (int b = 0; b < n_j; ++b) rest = U64x8::subtract(rest, U64x8::load(cell(a, b, c)));
            rest.store(cell(a, n_j, c));
        }
    };
    for (int a = 0; a < n_i; ++a) {
        for (int b = 0; b < n_j; ++b) {
            U64x8 rest = U64x8::broadcast(pairs.ij[(a * (n_j + 1) + b) * kLanes]);
            for (int c = 0; c < n_k; ++c) {
                const U64x8 count = inner(a, b, c);
                count.store(cell(a, b, c));
                rest = U64x8::subtract(rest, count);
            }
            rest.store(cell(a, b, n_k));
        }
        write_last_b(a);
    }
    for (int b = 0; b < n_j; ++b)
        for (int c = 0; c <= n_k; ++c) {
            U64x8 rest = U64x8::load(pairs.jk + (b * codes_k + c) * kLanes);
            for (int a = 0; a < n_i; ++a) rest = U64x8::subtract(rest, U64x8::load(cell(a, b, c)));
            rest.store(cell(n_i, b, c));
        }
    write_last_b(n_i);
}

// kFirst, kSecond, kThird: planes of the three columns where they are known when compiled; 0: any number.
template <int kFirst, int kSecond, int kThird>
void triple_sums_of(const TripleView& triple, const PlaneGroup& third, const ClassLayout& layout, const Terms& terms,
                    std::int64_t* sums) {
    const int n_i = kFirst ? kFirst : triple.n_first;
    const int n_j = kSecond ? kSecond : triple.n_second;
    const int n_k = kThird ? kThird : third.n_planes;
    const int n_cells = (n_i + 1) * (n_j + 1) * (n_k + 1);
    const std::int64_t ij_cells = std::int64_t(n_i + 1) * (n_j + 1) * kLanes;  // of one class
    const std::int64_t ik_cells = std::int64_t(n_i + 1) * (n_k + 1) * kLanes;
    const std::int64_t jk_cells = std::int64_t(n_j + 1) * (n_k + 1) * kLanes;

    // The inner cells of all 64 triples in every class.
    const std::int64_t n_counts = std::int64_t(triple.products.n_planes) * kLanes * n_k * kLanes;
    const Scratch<std::uint64_t> counts(n_counts * layout.n_classes);
    for (std::int64_t c = 0; c < layout.n_classes; ++c)
        count_class(triple.products, third, layout, c, counts.data + c * n_counts);
    const auto inner_cells = [&](std::int64_t class_index, int lane) {
        const std::uint64_t* class_counts = counts.data + class_index * n_counts;
        return [=](int a, int b, int c) {
            return U64x8::load(class_counts + (((a * n_j + b) * kLanes + lane) * n_k + c) * kLanes);
        };
    };

    const Scratch<std::uint64_t> tables(2 * std::int64_t(n_cells) * kLanes);
    std::uint64_t* cells = tables.data;
    std::uint64_t* pooled = cells + n_cells * kLanes;
    for (int lane = 0; lane < kLanes; ++lane) {
        std::int64_t* sum = sums + lane * kLanes;
        for (int k = 0; k < kLanes; ++k) sum[k] = 0;
        if (triple.two_class_terms.table != nullptr) {
            // The index of the counts of both classes is linear in them: whole tables of indices are derived as tables
            // of counts are, and one look-up serves the cell of both classes and the pooled one.
            const auto first_class = inner_cells(0, lane);
            const auto second_class = inner_cells(1, lane);
            const auto inner_index = [&](int a, int b, int c) {
                const U64x8 c1 = second_class(a, b, c);
                return U64x8::add(U64x8::add(first_class(a, b, c), U64x8::shift_left(c1, TwoClassTerms::kExtraBits)),
                                  U64x8::shift_left(c1, triple.two_class_terms.bits));
            };
            derive_cells(n_i, n_j, n_k, {triple.ij + lane, triple.ik, triple.jk[lane]}, inner_index, cells);
            add_terms<true>(sum, cells, n_cells, {triple.two_class_terms.table, 0, 0});
            continue;
        }
        for (std::int64_t c = 0; c < layout.n_classes; ++c) {
            const PairCells pairs{triple.ij + c * ij_cells + lane, triple.ik + c * ik_cells,
                                  triple.jk[lane] + c * jk_cells};
            derive_cells(n_i, n_j, n_k, pairs, inner_cells(c, lane), cells);
            add_terms<false>(sum, cells, n_cells, terms);
            for (int i = 0; i < n_cells * kLanes; i += kLanes) {
                const U64x8 cell = U64x8::load(cells + i);
                (c == 0 ? cell : U64x8::add(U64x8::load(pooled + i), cell)).store(pooled + i);
            }
        }
        std::int64_t pooled_terms[kLanes] = {};
        add_terms<false>(pooled_terms, pooled, n_cells, terms);
        for (int k = 0; k < kLanes; ++k) sum[k] -= pooled_terms[k];
    }
}

void triple_sums(const TripleView& triple, const PlaneGroup& third, const ClassLayout& layout, const Terms& terms,
                 std::int64_t* sums) {
    // Groups ascend in their planes, so the other orders of these numbers do not occur.
    switch (planes_key(triple.n_first, triple.n_second, third.n_planes)) {
        case planes_key(1, 1, 1): return triple_sums_of<1, 1, 1>(triple, third, layout, terms, sums);
        case planes_key(1, 1, 2): return triple_sums_of<1, 1, 2>(triple, third, layout, terms, sums);
        case planes_key(1, 2, 2): return triple_sums_of<1, 2, 2>(triple, third, layout, terms, sums);
        case planes_key(2, 2, 2): return triple_sums_of<2, 2, 2>(triple, third, layout, terms, sums);
        default: return triple_sums_of<0, 0, 0>(triple, third, layout, terms, sums);
    }
}
