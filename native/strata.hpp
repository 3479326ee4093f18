// Conditioning on many features at once: samples in strata that agree on all of them.
//
// A stratum of one sample adds T[1] to every sum and nothing to any information, so only larger ones are kept, and
// the work falls as strata split. Samples are numbered in class order (see storage.hpp), so those of one class stand
// together inside a stratum.
#pragma once

#include <cstdint>
#include <vector>

#include "storage.hpp"

namespace bitsieve {

// The samples order[starts[s]], ..., order[starts[s + 1] - 1] agree on every feature refined by; ascending.
struct Strata {
    const std::uint32_t* order;
    const std::int64_t* starts;
    std::int64_t count;

    std::int64_t n_kept() const { return starts[count]; }
};

struct StrataVectors {
    std::vector<std::uint32_t> order;
    std::vector<std::int64_t> starts;
};

// The strata split by the codes of one more feature.
StrataVectors refine(const Packed&, const Strata&, std::int64_t feature);

// xz[feature] and xzc[feature]: the sums of T over the tables (stratum, code) and (stratum, code, class) of the
// features of the units listed.
void stratum_sums(const Packed&, const Terms&, const Strata&, const std::int64_t* units, std::int64_t n_units,
                  std::int64_t* xz, std::int64_t* xzc);

// The same of a constant: the sums over the strata, and over strata and classes.
void strata_alone(const Packed&, const Terms&, const Strata&, std::int64_t* z, std::int64_t* zc);

// Degrees of freedom of "feature and class are independent in every stratum": (codes - 1) (classes - 1), counting
// those that occur in the stratum, summed.
std::int64_t degrees_of_freedom(const Packed&, const Strata&, std::int64_t feature);

// out[b]: the sum over (stratum, code, class) after the codes were shuffled within every stratum, by random numbers
// that depend on seeds[b] alone.
void shuffled_sums(const Packed&, const Terms&, const Strata&, std::int64_t feature, const std::uint64_t* seeds,
                   std::int64_t n_seeds, std::int64_t* out);

}  // namespace bitsieve
