// Spanning trees in plain C++: any machine, and a reference for the other sets.
#include <algorithm>
#include <cstring>
#include <limits>

#include "samples/spanning_tree.hpp"

namespace bitsieve {
namespace portable {
namespace {

// Two doubles, and all bits or none of each: what compilers for every machine keep in a register.
typedef double Pair __attribute__((vector_size(16)));
typedef std::int64_t PairMask __attribute__((vector_size(16)));

struct Mask {
    PairMask part[4];

    unsigned bits() const {
        unsigned out = 0;
        for (int i = 0; i < 8; ++i) out |= unsigned(part[i / 2][i % 2] & 1) << i;
        return out;
    }
    static Mask any(Mask a, const Mask& b) {
        for (int i = 0; i < 4; ++i) a.part[i] |= b.part[i];
        return a;
    }
    static Mask both(Mask a, const Mask& b) {
        for (int i = 0; i < 4; ++i) a.part[i] &= b.part[i];
        return a;
    }
};

struct F64x8 {
    Pair part[4];

    static F64x8 load(const double* p) {
        F64x8 v;
        std::memcpy(v.part, p, sizeof v.part);
        return v;
    }
    static F64x8 broadcast(double x) {
        F64x8 v;
        for (Pair& p : v.part) p = Pair{x, x};
        return v;
    }
    void store(double* p) const { std::memcpy(p, part, sizeof part); }
    static F64x8 add(F64x8 a, const F64x8& b) {
        for (int i = 0; i < 4; ++i) a.part[i] += b.part[i];
        return a;
    }
    static F64x8 subtract(F64x8 a, const F64x8& b) {
        for (int i = 0; i < 4; ++i) a.part[i] -= b.part[i];
        return a;
    }
    static F64x8 multiply(F64x8 a, const F64x8& b) {
        for (int i = 0; i < 4; ++i) a.part[i] *= b.part[i];
        return a;
    }
    static F64x8 min(F64x8 a, const F64x8& b) {
        for (int i = 0; i < 4; ++i) a.part[i] = b.part[i] < a.part[i] ? b.part[i] : a.part[i];
        return a;
    }
    static F64x8 max(F64x8 a, const F64x8& b) {
        for (int i = 0; i < 4; ++i) a.part[i] = b.part[i] > a.part[i] ? b.part[i] : a.part[i];
        return a;
    }
    static Mask less(const F64x8& a, const F64x8& b) {
        return {{a.part[0] < b.part[0], a.part[1] < b.part[1], a.part[2] < b.part[2], a.part[3] < b.part[3]}};
    }
    static Mask less_equal(const F64x8& a, const F64x8& b) {
        return {{a.part[0] <= b.part[0], a.part[1] <= b.part[1], a.part[2] <= b.part[2], a.part[3] <= b.part[3]}};
    }
    static Mask equal(const F64x8& a, const F64x8& b) {
        return {{a.part[0] == b.part[0], a.part[1] == b.part[1], a.part[2] == b.part[2], a.part[3] == b.part[3]}};
    }
    static F64x8 select(const Mask& m, F64x8 a, const F64x8& b) {
        for (int i = 0; i < 4; ++i) a.part[i] = m.part[i] ? a.part[i] : b.part[i];
        return a;
    }
    double least() const {
        const Pair two = min_of(min_of(part[0], part[1]), min_of(part[2], part[3]));
        return two[1] < two[0] ? two[1] : two[0];
    }
    double greatest() const {
        double out = part[0][0];
        for (int i = 1; i < 8; ++i) out = part[i / 2][i % 2] > out ? part[i / 2][i % 2] : out;
        return out;
    }

private:
    static Pair min_of(Pair a, Pair b) { return b < a ? b : a; }
};

#include "samples/spanning_tree_loop.inl.hpp"

constexpr TreeKernel make_kernel() {
    TreeKernel kernel{};
    kernel.plane = prim<2>;
    kernel.space = prim<0>;
    return kernel;
}

}  // namespace

const TreeKernel kTrees = make_kernel();

}  // namespace portable
}  // namespace bitsieve
