// What products by libraries have in common: which are worth a try, and a variant for each way.
#pragma once

#include <limits>

#include "hone/targets/cuda/product.h"

namespace hone::cuda {

// Below, what a kernel loses that cannot begin while the one before it ends is more than it gains.
inline bool is_large(const ProductShape& shape) {
  constexpr int64_t kLeastOperations = 1'000'000'000;
  return 2 * shape.batches * shape.rows * shape.columns * shape.depth >= kLeastOperations;
}

inline bool is_relu(const Activation& activation) {
  return activation.kind == Activation::Kind::Clamp && activation.low == 0 &&
         activation.high == std::numeric_limits<float>::infinity();
}

// Libraries have these two.
inline bool is_relu_or_identity(const Activation& activation) {
  constexpr float kAll = std::numeric_limits<float>::infinity();
  return is_relu(activation) || (activation.kind == Activation::Kind::Clamp &&
                                 activation.low == -kAll && activation.high == kAll);
}

// The library's likeliest ways, as it orders them.
template <class Work>
std::vector<Variant> library_variants(std::string_view library, Work work, size_t ways,
                                      const ProductOperands& operands, StepBuilder& builder) {
  std::vector<Slot> arguments = product_arguments(operands);
  arguments.push_back(builder.scratch(kLibraryScratchBytes + kLibraryScratchAlignment));
  std::vector<Variant> variants;
  for (; work.rank < ways; ++work.rank) {
    std::string name = str(library, " ", work.rank + 1);
    Launch launch{.kernel = {"product " + name, "", ""},
                  .arguments = arguments,
                  .library = LibraryCall{work}};
    variants.push_back({std::move(name), {std::move(launch)}});
  }
  return variants;
}

}  // namespace hone::cuda
