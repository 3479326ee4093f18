// The kernels of one instruction set, for all that is counted, coded and summed; the list of those compiled in.
#pragma once

#include <string>
#include <vector>

#include "count/kernels/counting_kernel.hpp"
#include "encode/encode.hpp"
#include "samples/differences.hpp"
#include "samples/parzen.hpp"
#include "samples/spanning_tree.hpp"
#include "samples/variational.hpp"

namespace bitsieve {

struct KernelSet {
    const char* name;
    bool (*is_available)();  // whether this machine has the instruction set
    const CountingKernel* counting;
    const CutCounter* cuts;
    const DifferenceKernel* differences;
    const TreeKernel* trees;
    const VariationalKernel* variational;
    const ParzenKernel* parzen;
};

// Fastest first; the portable one is always there and always last.
const std::vector<KernelSet>& kernel_sets();

// The fastest that the machine has, or the one called `name`; throws std::invalid_argument naming the choices.
const KernelSet& kernel_set(const std::string& name);

}  // namespace bitsieve
