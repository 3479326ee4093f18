#include "parzen.hpp"

#include "kernel.hpp"

namespace bitsieve {

const ParzenKernel& parzen_kernel(const std::string& name) {
    const std::string found = choose_kernel(name).name;  // refuses a set that this machine lacks
#if defined(__x86_64__)
    if (found == "avx512") return kAvx512Parzen;
    if (found == "avx2") return kAvx2Parzen;
#endif
    return kPortableParzen;
}

}  // namespace bitsieve
