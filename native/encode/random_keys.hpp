// Random keys in [0, 1), the same as those of numpy.random.default_rng(seed).random(): a generator costs some 0.1 us here,
// and 20 us there.
//
// The seed is hashed to a state of 128 bits (SeedSequence of numpy), from which PCG64 draws numbers of 64 bits: M. O'Neill,
// "PCG: A family of simple fast space-efficient statistically good algorithms for random number generation", 2014.
#pragma once

#include <cstdint>

namespace bitsieve {

class RandomKeys {
public:
    explicit RandomKeys(std::uint64_t seed);

    // The next key, a multiple of 2^-53.
    double next() {
        step();
        const std::uint64_t folded = std::uint64_t(state_ >> 64) ^ std::uint64_t(state_);
        const unsigned rotation = unsigned(state_ >> 122);
        const std::uint64_t number = (folded >> rotation) | (folded << ((64 - rotation) % 64));
        return double(number >> 11) * 0x1p-53;
    }

private:
    using u128 = unsigned __int128;

    static constexpr u128 kMultiplier = (u128(0x2360ED051FC65DA4) << 64) | 0x4385DF649FCCF645;

    void step() { state_ = state_ * kMultiplier + increment_; }

    u128 state_, increment_;
};

}  // namespace bitsieve
