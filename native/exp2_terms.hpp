// Coefficients of 2^x = 2^k (1 + r P(r)), k being the nearest integer to x and r = x - k in [-1/2, 1/2]. P interpolates
// (2^r - 1) / r in the Chebyshev nodes; the relative error is 4e-14, and 0 where x is an integer.
#pragma once

namespace bitsieve {

constexpr double kExp2Terms[9] = {0x1.62e42fefa39efp-1,  0x1.ebfbdff823cedp-3,  0x1.c6b08d7047e52p-5,
                                  0x1.3b2ab7181b757p-7,  0x1.5d87fe86fe94fp-10, 0x1.4308ac85aa619p-13,
                                  0x1.ffcb951571ee6p-17, 0x1.63d136368c2c2p-20, 0x1.b63880e40fdeep-24};
constexpr double kToInteger = 0x1.8p52;  // added to a double, it leaves the nearest integer in the low bits

// The same in float32, with a relative error of 2e-7.
constexpr float kExp2TermsFloat32[5] = {0x1.62e43p-1f, 0x1.ebfa4cp-3f, 0x1.c6afeep-5f, 0x1.3cbf6p-7f, 0x1.5ec866p-10f};
constexpr float kToIntegerFloat32 = 0x1.8p23f;

}  // namespace bitsieve
