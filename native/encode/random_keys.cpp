#include "encode/random_keys.hpp"

#include <array>
#include <cstddef>

namespace bitsieve {
namespace {

constexpr std::size_t kPoolWords = 4;

// A hash of 32-bit words whose constant moves on from word to word.
class WordHash {
public:
    WordHash(std::uint32_t constant, std::uint32_t multiplier) : constant_(constant), multiplier_(multiplier) {}

    std::uint32_t operator()(std::uint32_t word) {
        word ^= constant_;
        constant_ *= multiplier_;
        word *= constant_;
        return word ^ (word >> 16);
    }

private:
    std::uint32_t constant_, multiplier_;
};

std::uint32_t mixed(std::uint32_t word, std::uint32_t other) {
    const std::uint32_t sum = 0xCA01F9DD * word - 0x4973F715 * other;
    return sum ^ (sum >> 16);
}

std::array<std::uint32_t, kPoolWords> pool_of(std::uint64_t seed) {
    WordHash hash(0x43B0D7E5, 0x931E8875);
    std::array<std::uint32_t, kPoolWords> pool = {std::uint32_t(seed), std::uint32_t(seed >> 32), 0, 0};
    for (std::uint32_t& word : pool) word = hash(word);
    for (std::size_t source = 0; source < kPoolWords; ++source)
        for (std::size_t target = 0; target < kPoolWords; ++target)
            if (source != target) pool[target] = mixed(pool[target], hash(pool[source]));
    return pool;
}

}  // namespace

RandomKeys::RandomKeys(std::uint64_t seed) {
    const std::array<std::uint32_t, kPoolWords> pool = pool_of(seed);
    WordHash hash(0x8B51F9DD, 0x58F38DED);
    std::array<std::uint64_t, 4> words{};
    for (std::size_t half = 0; half < 2 * words.size(); ++half)
        words[half / 2] |= std::uint64_t(hash(pool[half % kPoolWords])) << (32 * (half % 2));
    increment_ = ((u128(words[2]) << 64 | words[3]) << 1) | 1;
    state_ = increment_ + (u128(words[0]) << 64 | words[1]);
    step();
}

}  // namespace bitsieve
