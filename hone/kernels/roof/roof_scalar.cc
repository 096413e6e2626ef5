// Plain C++: the roof of a CPU whose instructions have no loop of their own, and a check of the
// others.
#include "hone/kernels/roof/roof_loop.h"
#include "hone/kernels/roof/roof_variants.h"

namespace hone {
namespace {

template <class E, class Sum>
struct Scalar {
  using Element = E;
  using Operand = E;
  using Vec = Sum;
  static constexpr Element kOne = 1;
  static constexpr size_t kRows = 4;
  static constexpr bool kFreshOperand = true;

  static Vec load_sum(const int32_t* x) { return static_cast<Vec>(*x); }
  static Operand load(const Element* x) { return *x; }
  static Vec add(Vec sum, Operand a, Operand b) { return sum + Vec{a} * Vec{b}; }
  static double total(Vec sum) { return static_cast<double>(sum); }
};

}  // namespace

double roof_fp32_scalar(size_t rounds) {
  return roof_loop<Scalar<float, float>>(rounds);
}

double roof_int8_scalar(size_t rounds) {
  // Sums without a sign: a long run may count past their end.
  return roof_loop<Scalar<uint8_t, uint32_t>>(rounds);
}

}  // namespace hone
