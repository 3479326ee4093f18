// Triples of columns by bit planes. The ANDs of the planes of one first column i with those of eight second columns j
// are planes, too: they are counted with the planes of eight third columns k as those of a pivot are, which gives the
// inner cells of 64 triples. The other cells of a table of three columns follow from the tables of its pairs. Included
// after pair_loop.inl.hpp. What triple_sums needs, its limits and its cost stand in counting_kernel.hpp.
//
// a, b and c are codes of i, j and k. A column has one code more than planes, its last one.

// How many planes the three columns have.
struct TriplePlanes {
    int i, j, k;

    int n_cells() const { return (i + 1) * (j + 1) * (k + 1); }                       // of the table of three columns
    std::int64_t ij_cells() const { return std::int64_t(i + 1) * (j + 1) * kLanes; }  // of the tables of a pair
    std::int64_t ik_cells() const { return std::int64_t(i + 1) * (k + 1) * kLanes; }
    std::int64_t jk_cells() const { return std::int64_t(j + 1) * (k + 1) * kLanes; }
};

// The tables of the pairs of one column i, one j and eight k, within one class.
struct PairCells {
    const std::uint64_t* ij;  // ij[(a * (codes of j) + b) * 8]: one lane of the tables of i with eight j
    const std::uint64_t* ik;  // ik[(a * (codes of k) + c) * 8 + lane]
    const std::uint64_t* jk;  // jk[(b * (codes of k) + c) * 8 + lane]
};

// The inner cells, in which no code is the last one, of the triples with the column j of one lane, within one class.
struct InnerCells {
    const std::uint64_t* counts;  // of all 64 triples, as count_class writes them
    TriplePlanes planes;
    int lane;

    inline __attribute__((always_inline)) U64x8 operator()(int a, int b, int c) const {
        const int plane_of_pivot = a * planes.j + b;
        return U64x8::load(counts + ((plane_of_pivot * kLanes + lane) * planes.k + c) * kLanes);
    }
};

// Writes the whole tables of one column i, one j and eight k:
//
//     cells[((a * (codes of j) + b) * (codes of k) + c) * 8 + lane].
//
// inner(a, b, c) gives an inner cell. Any other is what the inner ones leave of the table of a pair:
//
//     n(a, b, last) = n_ij(a, b) - sum over c < last of n(a, b, c)
//
// and likewise for the last b by n_ik, and for the last a by n_jk.
template <class Inner>
inline __attribute__((always_inline)) void derive_cells(TriplePlanes planes, const PairCells& pairs, const Inner& inner,
                                                        std::uint64_t* cells) {
    const int codes_k = planes.k + 1;
    const int cells_of_a = (planes.j + 1) * codes_k;
    const auto cell = [&](int a, int b, int c) { return cells + (a * cells_of_a + b * codes_k + c) * kLanes; };
    const auto write_last_b = [&](int a) {
        for (int c = 0; c < codes_k; ++c) {
            U64x8 rest = U64x8::load(pairs.ik + (a * codes_k + c) * kLanes);
            for (int b = 0; b < planes.j; ++b) rest = U64x8::subtract(rest, U64x8::load(cell(a, b, c)));
            rest.store(cell(a, planes.j, c));
        }
    };
    for (int a = 0; a < planes.i; ++a) {
        for (int b = 0; b < planes.j; ++b) {
            U64x8 rest = U64x8::broadcast(pairs.ij[(a * (planes.j + 1) + b) * kLanes]);
            for (int c = 0; c < planes.k; ++c) {
                const U64x8 count = inner(a, b, c);
                count.store(cell(a, b, c));
                rest = U64x8::subtract(rest, count);
            }
            rest.store(cell(a, b, planes.k));
        }
        write_last_b(a);
    }
    const int last_a = planes.i;
    for (int b = 0; b < planes.j; ++b)
        for (int c = 0; c < codes_k; ++c) {
            U64x8 rest = U64x8::load(pairs.jk + (b * codes_k + c) * kLanes);
            for (int a = 0; a < last_a; ++a) rest = U64x8::subtract(rest, U64x8::load(cell(a, b, c)));
            rest.store(cell(last_a, b, c));
        }
    write_last_b(last_a);
}

// Adds to sums[lane of k] the terms of the tables of one column i, the j of one lane and eight k, for two classes.
//
// The index of the counts of both classes is linear in them. So whole tables of indices are derived as tables of counts
// are, and one look-up serves the cells of both classes and the pooled one.
inline __attribute__((always_inline)) void add_terms_of_two_classes(const TripleView& triple, int lane,
                                                                    const InnerCells& class_0,
                                                                    const InnerCells& class_1, std::uint64_t* cells,
                                                                    std::int64_t* sums) {
    const TwoClassTerms& terms = triple.two_class_terms;
    const auto inner_index = [&](int a, int b, int c) {
        const U64x8 c0 = class_0(a, b, c);
        const U64x8 c1 = class_1(a, b, c);
        return U64x8::add(U64x8::add(c0, U64x8::shift_left(c1, TwoClassTerms::kExtraBits)),
                          U64x8::shift_left(c1, terms.bits));  // TwoClassTerms::index(c0, c1)
    };
    const PairCells index_pairs{triple.ij + lane, triple.ik, triple.jk[lane]};
    derive_cells(class_0.planes, index_pairs, inner_index, cells);
    const Terms look_up{terms.table, 0, 0};  // add_terms<true> asks for no limit and no shift
    add_terms<true>(sums, cells, class_0.planes.n_cells(), look_up);
}

// kFirst, kSecond, kThird: planes of the three columns where they are known when compiled; 0: any number.
template <int kFirst, int kSecond, int kThird>
void triple_sums_of(const TripleView& triple, const PlaneGroup& third, const ClassLayout& layout, const Terms& terms,
                    std::int64_t* sums) {
    const TriplePlanes planes{kFirst ? kFirst : triple.n_first, kSecond ? kSecond : triple.n_second,
                              kThird ? kThird : third.n_planes};
    const int n_cells = planes.n_cells();

    // The inner cells of all 64 triples in every class.
    const std::int64_t n_counts = std::int64_t(triple.products.n_planes) * kLanes * planes.k * kLanes;
    const Scratch<std::uint64_t> counts(n_counts * layout.n_classes);
    for (std::int64_t c = 0; c < layout.n_classes; ++c)
        count_class(triple.products, third, layout, c, counts.data + c * n_counts);
    const auto inner_cells = [&](std::int64_t class_index, int lane) {
        return InnerCells{counts.data + class_index * n_counts, planes, lane};
    };

    const Scratch<std::uint64_t> tables(2 * std::int64_t(n_cells) * kLanes);
    std::uint64_t* cells = tables.data;
    std::uint64_t* pooled = cells + n_cells * kLanes;
    for (int lane = 0; lane < kLanes; ++lane) {
        std::int64_t* lane_sums = sums + lane * kLanes;
        for (int k = 0; k < kLanes; ++k) lane_sums[k] = 0;
        if (triple.two_class_terms.table != nullptr) {
            add_terms_of_two_classes(triple, lane, inner_cells(0, lane), inner_cells(1, lane), cells, lane_sums);
            continue;
        }
        for (std::int64_t c = 0; c < layout.n_classes; ++c) {
            const PairCells pairs{triple.ij + c * planes.ij_cells() + lane, triple.ik + c * planes.ik_cells(),
                                  triple.jk[lane] + c * planes.jk_cells()};
            derive_cells(planes, pairs, inner_cells(c, lane), cells);
            add_terms<false>(lane_sums, cells, n_cells, terms);
            for (int i = 0; i < n_cells * kLanes; i += kLanes) {
                const U64x8 cell = U64x8::load(cells + i);
                (c == 0 ? cell : U64x8::add(U64x8::load(pooled + i), cell)).store(pooled + i);
            }
        }
        std::int64_t pooled_sums[kLanes] = {};
        add_terms<false>(pooled_sums, pooled, n_cells, terms);
        for (int k = 0; k < kLanes; ++k) lane_sums[k] -= pooled_sums[k];
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
