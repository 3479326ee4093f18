#include <stdexcept>

#include "count/kernels/kernel.hpp"

namespace bitsieve {

const std::vector<Kernel>& kernels() {
    static const std::vector<Kernel> list = {
#if defined(__x86_64__)
        kAvx512Kernel,
        kAvx2Kernel,
#endif
        kPortableKernel,
    };
    return list;
}

const Kernel& choose_kernel(const std::string& name) {
    std::string have;
    for (const Kernel& kernel : kernels()) {
        if (!kernel.available()) continue;
        if (name.empty() || name == kernel.name) return kernel;
        have += have.empty() ? kernel.name : std::string(", ") + kernel.name;
    }
    throw std::invalid_argument("kernel '" + name + "' is not available here; this machine has: " + have);
}

}  // namespace bitsieve
