// Products on the kernels that the cpu target runs on, bit for bit what command.h defines.
#pragma once

#include <vector>

#include "hone/base/aligned.h"
#include "hone/sim/command.h"
#include "hone/sim/scratch.h"

namespace hone::sim {

// Weights and constants of a product as its kernel wants them.
class PackedProduct {
 public:
  // `weights` is weight_bytes() long; with `keep` a copy of it stays for `holds`.
  PackedProduct(const Product& product, const std::byte* weights, bool keep);

  // Whether it was packed from these bytes.
  bool holds(const std::byte* weights) const;

  // For a product that differs from the packed one in the places of its operands only; dense ones
  // may have other extents and another window of as many taps. `input` and `output` are where the
  // views start.
  void run(const Product& product, const std::byte* input, std::byte* output,
           Scratch& scratch) const;

 private:
  template <class A>
  void pack_dense(const Product& product, const std::byte* weights);
  template <class A>
  void pack_depthwise(const Product& product, const std::byte* weights);
  template <class A>
  void run_dense(const Product& product, const A* x, A* y, Scratch& scratch) const;
  template <class A>
  void run_depthwise(const Product& product, const A* x, A* y, Scratch& scratch) const;
  template <class A>
  void run_wide_depthwise(const Product& product, const A* x, A* y) const;

  std::vector<std::byte> kept_;
  AlignedArray<std::byte> panels_;
  size_t copies_ = 1;  // Sets of weights that the kernel adds up, when one byte is too narrow.
  std::vector<std::byte> padding_;  // What taps outside of the image read.
  // Depthwise weights that no byte holds, and their constants. Empty otherwise.
  std::vector<int16_t> wide_;
  std::vector<int32_t> constants_;
};

// What a packed product is good for: equal keys, equal packing.
std::vector<int64_t> packing_key(const Product& product);

}  // namespace hone::sim
