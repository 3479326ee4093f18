// Triples of columns by bit planes: the ANDs of the planes of a first column and eight second ones are a pivot of eight
// lanes, counted with the planes of eight third columns as pairs are. The other cells of a table of three columns
// follow from the tables of its pairs. Included after pair_loop.inl.hpp.
// What triple_sums needs, its limits and its cost stand in counting_kernel.hpp.

// The table of one second column and eight third ones, with every cell: cells[(a * columns + b) * thirds + c] of the
// codes of the first, the second and the third, given inner(a, b, c) where none is the last code of its column.
template <class Inner>
inline __attribute__((always_inline)) void derive_cells(int n_first, int n_second, int n_third, const std::uint64_t* ij,
                                                        const std::uint64_t* ik, const std::uint64_t* jk,
                                                        const Inner& inner, std::uint64_t* cells) {
    const int thirds = n_third + 1;
    const int row = (n_second + 1) * thirds;
    const auto cell = [&](int a, int b, int c) { return cells + (a * row + b * thirds + c) * kLanes; };
    const auto last_second = [&](int a) {
        for (int c = 0; c <= n_third; ++c) {
            U64x8 rest = U64x8::load(ik + (a * thirds + c) * kLanes);
            for (int b = 0; b < n_second; ++b) rest = U64x8::subtract(rest, U64x8::load(cell(a, b, c)));
            rest.store(cell(a, n_second, c));
        }
    };
    for (int a = 0; a < n_first; ++a) {
        for (int b = 0; b < n_second; ++b) {
            U64x8 rest = U64x8::broadcast(ij[(a * (n_second + 1) + b) * kLanes]);
            for (int c = 0; c < n_third; ++c) {
                const U64x8 count = inner(a, b, c);
                count.store(cell(a, b, c));
                rest = U64x8::subtract(rest, count);
            }
            rest.store(cell(a, b, n_third));
        }
        last_second(a);
    }
    for (int b = 0; b < n_second; ++b)
        for (int c = 0; c <= n_third; ++c) {
            U64x8 rest = U64x8::load(jk + (b * thirds + c) * kLanes);
            for (int a = 0; a < n_first; ++a) rest = U64x8::subtract(rest, U64x8::load(cell(a, b, c)));
            rest.store(cell(n_first, b, c));
        }
    last_second(n_first);
}

// kFirst, kSecond, kThird: planes of the three columns where they are known, 0: any.
template <int kFirst, int kSecond, int kThird>
void triple_sums_of(const TripleView& triple, const PlaneGroup& third, const ClassLayout& layout, const Terms& terms,
                    std::int64_t* sums) {
    const int n_first = kFirst ? kFirst : triple.n_first;
    const int n_second = kSecond ? kSecond : triple.n_second;
    const int n_third = kThird ? kThird : third.n_planes;
    const std::int64_t n_counts = std::int64_t(triple.products.n_planes) * kLanes * n_third * kLanes;
    const std::int64_t ij_cells = std::int64_t(n_first + 1) * (n_second + 1) * kLanes;
    const std::int64_t ik_cells = std::int64_t(n_first + 1) * (n_third + 1) * kLanes;
    const std::int64_t jk_cells = std::int64_t(n_second + 1) * (n_third + 1) * kLanes;
    const int n_cells = (n_first + 1) * (n_second + 1) * (n_third + 1);
    const Scratch<std::uint64_t> counts(n_counts * layout.n_classes);
    const Scratch<std::uint64_t> tables(2 * std::int64_t(n_cells) * kLanes);
    std::uint64_t* cells = tables.data;
    std::uint64_t* pooled = cells + n_cells * kLanes;
    for (std::int64_t c = 0; c < layout.n_classes; ++c)
        count_class(triple.products, third, layout, c, counts.data + c * n_counts);
    const auto inner_of = [&](const std::uint64_t* class_counts, int lane) {
        return [=](int a, int b, int c) {
            return U64x8::load(class_counts + (((a * n_second + b) * kLanes + lane) * n_third + c) * kLanes);
        };
    };
    for (int lane = 0; lane < kLanes; ++lane) {
        std::int64_t* sum = sums + lane * kLanes;
        for (int k = 0; k < kLanes; ++k) sum[k] = 0;
        const std::uint64_t* jk = triple.jk[lane];
        if (triple.two_class_terms.table != nullptr) {
            // The index of the counts of both classes is a sum: the cells hold it, and one look-up serves a cell.
            const auto first_class = inner_of(counts.data, lane);
            const auto second_class = inner_of(counts.data + n_counts, lane);
            const auto index = [&](int a, int b, int c) {
                const U64x8 c1 = second_class(a, b, c);
                return U64x8::add(U64x8::add(first_class(a, b, c), U64x8::shift_left(c1, TwoClassTerms::kExtraBits)),
                                  U64x8::shift_left(c1, triple.two_class_terms.bits));
            };
            derive_cells(n_first, n_second, n_third, triple.ij + lane, triple.ik, jk, index, cells);
            add_terms<true>(sum, cells, n_cells, {triple.two_class_terms.table, 0, 0});
            continue;
        }
        for (std::int64_t c = 0; c < layout.n_classes; ++c) {
            derive_cells(n_first, n_second, n_third, triple.ij + c * ij_cells + lane, triple.ik + c * ik_cells,
                         jk + c * jk_cells, inner_of(counts.data + c * n_counts, lane), cells);
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
