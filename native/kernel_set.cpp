#include "kernel_set.hpp"

#include <stdexcept>

#include "count/kernels/target.hpp"

namespace bitsieve {

namespace {

KernelSet portable_set() {
    KernelSet set{};
    set.name = "portable";
    set.is_available = [] { return true; };
    set.counting = &portable::kCounting;
    set.cuts = &portable::kCuts;
    set.differences = &portable::kDifferences;
    set.trees = &portable::kTrees;
    set.variational = &portable::kVariational;
    set.parzen = &portable::kParzen;
    return set;
}

#if defined(__x86_64__)

KernelSet avx2_set() {
    KernelSet set{};
    set.name = "avx2";
    set.is_available = has_avx2;
    set.counting = &avx2::kCounting;
    set.cuts = &avx2::kCuts;
    set.differences = &avx2::kDifferences;
    set.trees = &avx2::kTrees;
    set.variational = &avx2::kVariational;
    set.parzen = &avx2::kParzen;
    return set;
}

KernelSet avx512_set() {
    KernelSet set{};
    set.name = "avx512";
    set.is_available = [] { return has_avx512() && has_avx2(); };  // the cuts are those of AVX2
    set.counting = &avx512::kCounting;
    set.cuts = &avx2::kCuts;  // AVX-512 compares no more numbers in the same time
    set.differences = &avx512::kDifferences;
    set.trees = &avx512::kTrees;
    set.variational = &avx512::kVariational;
    set.parzen = &avx512::kParzen;
    return set;
}

#endif

}  // namespace

const std::vector<KernelSet>& kernel_sets() {
    static const std::vector<KernelSet> sets = {
#if defined(__x86_64__)
        avx512_set(),
        avx2_set(),
#endif
        portable_set(),
    };
    return sets;
}

const KernelSet& kernel_set(const std::string& name) {
    std::string available;
    for (const KernelSet& set : kernel_sets()) {
        if (!set.is_available()) continue;
        if (name.empty() || name == set.name) return set;
        if (!available.empty()) available += ", ";
        available += set.name;
    }
    throw std::invalid_argument("kernel '" + name + "' is not available here; this machine has: " + available);
}

}  // namespace bitsieve
