// The loop of every compute roof, over an instruction given as a type:
//   Vec, load_sum(const int32_t*)  a vector of sums, all bits zero at first
//   Operand, Element, kOne         what is multiplied, and how its elements write one
//   kRows, kFreshOperand           as in RoofOp
//   load(const Element*), add(sum, a, b), total(sum)
// Included in sources of different instruction sets; the types are local to each, so the loops are.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hone/kernels/unroll.h"

namespace hone {

// What most instructions have in common.
template <class E>
struct RoofOp {
  using Element = E;
  static constexpr Element kOne = 1;
  // Rows of four sums in registers: as many as the instruction's pipes times its latency, which
  // takes 20 sums for BFMMLA (16: 3/4 of the rate).
  static constexpr size_t kRows = 6;
  // Load an operand for every product, not for every round: where a product is several
  // instructions, a compiler would share them.
  static constexpr bool kFreshOperand = false;
};

template <class Op>
double roof_loop(size_t rounds) {
  using Element = typename Op::Element;
  constexpr size_t kColumns = 4;
  constexpr size_t kBytes = 64;  // Of the widest vector.
  alignas(kBytes) Element ones[2][kBytes / sizeof(Element)];
  for (auto& operand : ones) {
    for (Element& element : operand) element = Op::kOne;
  }
  alignas(kBytes) int32_t zeros[Op::kRows][kColumns][kBytes / sizeof(int32_t)] = {};
  // The compiler must take what it loads for unknown, or it would make constants of it.
  const auto forget = [&] { asm volatile("" : : "r"(ones), "r"(zeros) : "memory"); };

  forget();
  typename Op::Vec sums[Op::kRows][kColumns];
  HONE_UNROLL
  for (size_t r = 0; r < Op::kRows; ++r) {
    HONE_UNROLL
    for (size_t c = 0; c < kColumns; ++c) sums[r][c] = Op::load_sum(zeros[r][c]);
  }
  for (size_t round = 0; round < rounds; ++round) {
    forget();
    const typename Op::Operand a = Op::load(ones[0]);
    typename Op::Operand b = Op::load(ones[1]);
    HONE_UNROLL
    for (size_t r = 0; r < Op::kRows; ++r) {
      HONE_UNROLL
      for (size_t c = 0; c < kColumns; ++c) {
        if constexpr (Op::kFreshOperand) {
          forget();
          b = Op::load(ones[1]);
        }
        sums[r][c] = Op::add(sums[r][c], a, b);
      }
    }
  }
  double total = 0;
  HONE_UNROLL
  for (size_t r = 0; r < Op::kRows; ++r) {
    HONE_UNROLL
    for (size_t c = 0; c < kColumns; ++c) total += Op::total(sums[r][c]);
  }
  return total;
}

}  // namespace hone
