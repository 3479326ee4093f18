// The loops of variational.hpp, compiled once per instruction set. The including file defines F64x8, eight doubles,
// F32x8, eight floats, and Index, eight table indices; a loop over Vector stands for both F64x8 and F32x8.
// Vector::FullRegister is Vector, or as many classes of floats as fill a register of the set, Vector::kClasses.
// Vector::Lookup1Reg, Lookup2Reg, Lookup3Reg and LookupGather look up eight table cells, in tables of at most
// Vector::kCells[0], [1], [2] and any number of cells.

inline Index indices(const Codes& codes, std::int64_t t) {
    return codes.is_16_bit ? Index::load(static_cast<const std::uint16_t*>(codes.first) + t)
                           : Index::load(static_cast<const std::uint8_t*>(codes.first) + t);
}

// log2 of a product of many sums: mantissas multiplied and exponents added, lane by lane. The sums that were too small
// enter by their logarithms.
struct Product {
    double mantissa[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    std::int64_t exponent[8] = {};
    double log_of_small = 0.0;

    double log2() const {
        double product = 1.0;
        std::int64_t sum = 0;
        for (int i = 0; i < 8; ++i) {
            product *= mantissa[i];  // each in [1, 2)
            sum += exponent[i];
        }
        return double(sum) + log2_of(product) + log_of_small;
    }
};

// Blocks of samples whose weights fit `bytes`; few enough that a product of so many mantissas is finite.
template <class Vector>
std::int64_t tile_blocks(const Weighted<typename Vector::Real>& w, std::int64_t bytes) {
    const std::int64_t max_blocks = sizeof(typename Vector::Real) == 8 ? 512 : 64;
    return std::clamp<std::int64_t>(bytes / (w.n_classes * 8 * std::int64_t(sizeof(typename Vector::Real))), 8,
                                    max_blocks);
}

// The initial sums of a block: 1 in the lanes beyond the last sample, which have no weight, else 0.
template <class Vector>
Vector first_sum(const Weighted<typename Vector::Real>& w, std::int64_t block) {
    if (block + 1 < w.n_blocks()) return Vector::broadcast(0);
    double lanes[8];
    for (int i = 0; i < 8; ++i) lanes[i] = block * 8 + i < w.n_samples ? 0.0 : 1.0;
    return Vector::narrow(lanes);
}

// Sums too small to trust are replaced by 1, and their logarithms, computed anew from those of the likelihoods, are
// added to `log_of_small`.
template <class Vector, class LogLikelihood>
Vector without_small(const Vector& sums, const Weighted<typename Vector::Real>& w, std::int64_t block,
                     double& log_of_small, const LogLikelihood& log_likelihood) {
    double lanes[8];
    sums.widen(lanes);
    for (int lane = 0; lane < 8; ++lane) {
        if (!(lanes[lane] < kTinySum)) continue;
        lanes[lane] = 1.0;
        double greatest = -HUGE_VAL;
        for (std::int64_t c = 0; c < w.n_classes; ++c)
            greatest = std::max(greatest, w.log_weight(block, c, lane) + log_likelihood(c, lane));
        double sum = 0.0;
        for (std::int64_t c = 0; c < w.n_classes; ++c)
            sum += bitsieve::exp2_of(w.log_weight(block, c, lane) + log_likelihood(c, lane) - greatest);
        log_of_small += greatest + log2_of(sum);
    }
    return Vector::narrow(lanes);
}

// Calls `step(FullRegister{}, c, has_weight)` for the classes c to c + Vector::kClasses - 1, and `step(Vector{}, c,
// has_weight)` for a single one left over at the end. Unless all are asked for, classes that have weight in no lane are
// skipped. A class without weight that is taken together with another adds 0 to a sum, which changes no bit.
template <class Vector, class Step>
inline __attribute__((always_inline)) void for_classes(std::int64_t n_classes, const std::int32_t* active,
                                                       const std::int32_t* end, bool all, const Step& step) {
    std::int64_t c = 0;
    if (end - active == n_classes) {
        for (; c + Vector::kClasses <= n_classes; c += Vector::kClasses) step(typename Vector::FullRegister{}, c, true);
        if constexpr (Vector::kClasses > 1)
            if (c < n_classes) step(Vector{}, c, true);
        return;
    }
    for (; all ? c < n_classes : active != end; c += Vector::kClasses) {
        if (!all) c = *active / Vector::kClasses * Vector::kClasses;
        const bool has_weight = active != end && *active < c + Vector::kClasses;
        if constexpr (Vector::kClasses == 1)
            step(typename Vector::FullRegister{}, c, has_weight);
        else
            c + Vector::kClasses <= n_classes ? step(typename Vector::FullRegister{}, c, has_weight)
                                              : step(Vector{}, c, has_weight);
        while (active != end && *active < c + Vector::kClasses) ++active;
    }
}

// The sums of the naive decomposition; see variational.hpp. The including file defines kCandidatesAtOnce: so many
// candidates share what is read of the weights, and their chains of sums run in parallel.

// One candidate of the naive decomposition: where its codes and its table are, and its product.
template <class Real>
struct NaiveCandidate {
    Codes codes;
    const Real* table;
    std::int64_t stride;
    Product* product;
};

// A tile of blocks for kCount candidates whose tables are of one size: the weights are read, and the classes that have
// weight are gone through, once for all of them.
template <class Vector, class Lookup, int kCount>
void naive_tile(const Weighted<typename Vector::Real>& w, std::int64_t first, std::int64_t last,
                const NaiveCandidate<typename Vector::Real>* candidate) {
    Vector mantissa[kCount];
    typename Vector::Exponents exponents[kCount];
    for (int i = 0; i < kCount; ++i) mantissa[i] = Vector::narrow(candidate[i].product->mantissa);
    const std::int64_t stride = candidate[0].stride;
    for (std::int64_t b = first; b < last; ++b) {
        Lookup lookup[kCount];
        Vector sum[kCount];
        for (int i = 0; i < kCount; ++i) {
            lookup[i] = Lookup(indices(candidate[i].codes, 8 * b), stride);
            sum[i] = first_sum<Vector>(w, b);
        }
        const auto* weights = w.weights + b * w.n_classes * 8;
        const std::int32_t* active = w.active + w.start[b];
        const std::int32_t* const end = w.active + w.start[b + 1];
        for_classes<Vector>(w.n_classes, active, end, false, [&](auto wide, std::int64_t c, bool) {
            using Wide = decltype(wide);
            const Wide weight = Wide::load(weights + 8 * c);
            for (int i = 0; i < kCount; ++i)
                sum[i] = Wide::multiply(weight, lookup[i].template in<Wide>(candidate[i].table + c * stride))
                             .added_to(sum[i]);
        });
        for (int i = 0; i < kCount; ++i) {
            if (sum[i].any_below(kTinySum))
                sum[i] = without_small(sum[i], w, b, candidate[i].product->log_of_small, [&](std::int64_t c, int lane) {
                    return log2_of(double(candidate[i].table[c * stride + candidate[i].codes[8 * b + lane]]));
                });
            mantissa[i] = exponents[i].split(sum[i], mantissa[i]);
        }
    }
    for (int i = 0; i < kCount; ++i)
        exponents[i]
            .finish(mantissa[i], last - first, candidate[i].product->exponent)
            .widen(candidate[i].product->mantissa);
}

template <class Vector, int kCount>
void naive_by(const Weighted<typename Vector::Real>& w, std::int64_t first, std::int64_t last,
              const NaiveCandidate<typename Vector::Real>* candidate) {
    const std::int64_t stride = candidate[0].stride;
    const auto tile = stride == Vector::kCells[0]   ? naive_tile<Vector, typename Vector::Lookup1Reg, kCount>
                      : stride == Vector::kCells[1] ? naive_tile<Vector, typename Vector::Lookup2Reg, kCount>
                      : stride == Vector::kCells[2] ? naive_tile<Vector, typename Vector::Lookup3Reg, kCount>
                                                    : naive_tile<Vector, typename Vector::LookupGather, kCount>;
    tile(w, first, last, candidate);
}

template <class Vector>
void naive(const Weighted<typename Vector::Real>& w, const CodeColumns& columns,
           const Tables<typename Vector::Real>& tables, const Candidates& candidates) {
    using Real = typename Vector::Real;
    std::vector<Product> products{std::size_t(candidates.count)};
    std::vector<NaiveCandidate<Real>> candidate(std::size_t(candidates.count));
    for (std::int64_t i = 0; i < candidates.count; ++i) {
        const std::int64_t f = candidates.features[i];
        candidate[i] = {columns.column(f), tables.cells + tables.offset[f], table_stride<Real>(columns.arities[f]),
                        &products[i]};
    }
    const std::int64_t step = tile_blocks<Vector>(w, 20 << 10);
    for (std::int64_t b = 0; b < w.n_blocks(); b += step)
        for (std::int64_t i = 0; i < candidates.count;) {
            const std::int64_t end = std::min(b + step, w.n_blocks());
            bool together = i + kCandidatesAtOnce <= candidates.count;
            for (std::int64_t j = 1; together && j < kCandidatesAtOnce; ++j)
                together = candidate[i + j].stride == candidate[i].stride;
            (together ? naive_by<Vector, kCandidatesAtOnce> : naive_by<Vector, 1>)(w, b, end, &candidate[i]);
            i += together ? kCandidatesAtOnce : 1;
        }
    for (std::int64_t i = 0; i < candidates.count; ++i) candidates.sums[i] = products[i].log2();
}

// A pending feature of a candidate: where its codes and its table are.
template <class Real>
struct Pending {
    Codes codes;
    const Real* table;
    std::int64_t stride;
};

// An array of vector registers, whose alignment is more than that of an allocation.
template <class T>
class Registers {
public:
    explicit Registers(std::size_t count) : bytes_((count + 1) * sizeof(T)) {
        void* start = bytes_.data();
        std::size_t space = bytes_.size();
        first_ = static_cast<T*>(std::align(alignof(T), count * sizeof(T), start, space));
    }
    T& operator[](std::size_t i) { return first_[i]; }

private:
    std::vector<unsigned char> bytes_;
    T* first_;
};

template <class Vector, class Lookup>
void pairwise_tile(const Weighted<typename Vector::Real>& w, std::int64_t first, std::int64_t last, const Codes& codes,
                   std::int64_t arity, const std::vector<Pending<typename Vector::Real>>& pending,
                   const PairwiseState<typename Vector::Real>& pairs, typename Vector::Real* values, Product& product) {
    using Real = typename Vector::Real;
    constexpr std::int64_t kPrefetchBytes = 1024;
    constexpr std::int64_t kLineClasses = 8 / sizeof(Real);
    const bool has_state = values != nullptr;
    const bool store = has_state && pairs.store;
    Vector mantissa = Vector::narrow(product.mantissa);
    typename Vector::Exponents exponents;
    Registers<Lookup> lookups(pending.size());
    const Pending<Real>* const pending_tables = pending.data();
    const std::size_t n_pending = pending.size();
    const Real exponent = pairs.exponent;
    for (std::int64_t b = first; b < last; ++b) {
        if (n_pending > 0) {
            const Index code = indices(codes, 8 * b);
            for (std::size_t p = 0; p < n_pending; ++p)
                lookups[p] = Lookup(indices(pending_tables[p].codes, 8 * b).times_plus(int(arity), code),
                                    pending_tables[p].stride);
        }
        Vector sum = first_sum<Vector>(w, b);
        const Real* weights = w.weights + b * w.n_classes * 8;
        Real* state = has_state ? values + b * w.n_classes * 8 : nullptr;
        const std::int32_t* active = w.active + w.start[b];
        const std::int32_t* const end = w.active + w.start[b + 1];
        // The state of a candidate lies in main memory, in runs too short for the hardware to follow: fetched ahead.
        if (has_state)
            for (std::int64_t c = 0; c < w.n_classes; c += kLineClasses)
                __builtin_prefetch(address_ahead(state + 8 * c, kPrefetchBytes));
        // The classes with weight; all of them where the state must go on.
        for_classes<Vector>(w.n_classes, active, end, store, [&](auto wide, std::int64_t c, bool has_weight) {
            using Wide = decltype(wide);
            Wide s = has_state ? Wide::load(state + 8 * c) : Wide::broadcast(0);
            for (std::size_t p = 0; p < n_pending; ++p)
                s = Wide::add(s, lookups[p].template in<Wide>(pending_tables[p].table + c * pending_tables[p].stride));
            if (store) s.store(state + 8 * c);
            if (!has_weight) return;
            const Wide likelihood = power_of_two(Wide::multiply(s, Wide::broadcast(exponent)));
            sum = Wide::multiply(Wide::load(weights + 8 * c), likelihood).added_to(sum);
        });
        if (sum.any_below(Real(kTinySum)))
            sum = without_small(sum, w, b, product.log_of_small, [&](std::int64_t c, int lane) {
                Real s = has_state ? state[8 * c + lane] : Real(0);
                if (!store)
                    for (const auto& p : pending) {
                        const std::int64_t cell = std::int64_t(p.codes[8 * b + lane]) * arity + codes[8 * b + lane];
                        s += p.table[c * p.stride + cell];
                    }
                return double(s * exponent);
            });
        mantissa = exponents.split(sum, mantissa);
    }
    exponents.finish(mantissa, last - first, product.exponent).widen(product.mantissa);
}

template <class Vector>
void pairwise(const Weighted<typename Vector::Real>& w, const CodeColumns& columns,
              const PairwiseState<typename Vector::Real>& pairs, const Candidates& candidates) {
    using Real = typename Vector::Real;
    std::vector<Product> products{std::size_t(candidates.count)};
    std::vector<Pending<Real>> pending;
    const std::int64_t step = tile_blocks<Vector>(w, 96 << 10);
    for (std::int64_t b = 0; b < w.n_blocks(); b += step)
        for (std::int64_t i = 0; i < candidates.count; ++i) {
            const std::int64_t f = candidates.features[i];
            const std::int64_t last = std::min(b + step, w.n_blocks());
            std::int64_t widest = 0;
            std::int64_t narrowest = INT64_MAX;
            pending.clear();
            for (const Tables<Real>& t : pairs.pending) {
                const std::int64_t cells = std::int64_t(columns.arities[t.chosen]) * columns.arities[f];
                const std::int64_t stride = table_stride<Real>(cells);
                pending.push_back({columns.column(t.chosen), t.cells + t.offset[f], stride});
                widest = std::max(widest, stride);
                narrowest = std::min(narrowest, stride);
            }
            const auto by = widest != narrowest           ? pairwise_tile<Vector, typename Vector::LookupGather>
                            : widest == Vector::kCells[0] ? pairwise_tile<Vector, typename Vector::Lookup1Reg>
                            : widest == Vector::kCells[1] ? pairwise_tile<Vector, typename Vector::Lookup2Reg>
                            : widest == Vector::kCells[2] ? pairwise_tile<Vector, typename Vector::Lookup3Reg>
                                                          : pairwise_tile<Vector, typename Vector::LookupGather>;
            Real* const values = pairs.values ? pairs.values + f * pairs.row : nullptr;
            by(w, b, last, columns.column(f), columns.arities[f], pending, pairs, values, products[i]);
        }
    for (std::int64_t i = 0; i < candidates.count; ++i) candidates.sums[i] = products[i].log2();
}

// counts[key] += how many of n keys are `key`, for key < n_keys: one pass of comparisons a key, kKeysAtOnce at once.
// The room behind the keys, to a whole number of those, holds kNoKey. A byte counts 255 steps at most.
void count_keys(const std::uint8_t* keys, std::int64_t n, int n_keys, std::int32_t* counts) {
    static_assert(kKeysAtOnce <= kKeyRoom, "the room behind the keys holds a whole block");
    static_assert(255 * kKeysAtOnce < 65536, "the bytes of a block add up to 16 bits");
    using Bytes = std::uint8_t __attribute__((vector_size(kKeysAtOnce)));
    constexpr std::uint64_t kEvenBytes = 0x00ff00ff00ff00ffULL;
    for (int key = 0; key < n_keys; ++key)
        for (std::int64_t first = 0; first < n; first += 255 * kKeysAtOnce) {
            const std::int64_t end = std::min<std::int64_t>(first + 255 * kKeysAtOnce, n);
            Bytes matches{};
            for (std::int64_t t = first; t < end; t += kKeysAtOnce) {
                Bytes block;
                std::memcpy(&block, keys + t, sizeof block);
                matches -= Bytes(block == std::uint8_t(key));
            }
            std::uint64_t words[kKeysAtOnce / 8];
            std::uint64_t pairs = 0;
            std::memcpy(words, &matches, sizeof words);
            for (const std::uint64_t word : words) pairs += (word & kEvenBytes) + ((word >> 8) & kEvenBytes);
            counts[key] += std::int32_t((pairs * 0x0001000100010001ULL) >> 48);
        }
}
