// How far two tensors are apart.
#pragma once

#include <string>

#include "hone/tensor/tensor.h"

namespace hone {

struct Difference {
  bool comparable = false;  // Same element type and shape; otherwise `what` says how they differ.
  int64_t elements = 0;
  int64_t different = 0;     // Elements that are not equal; NaN equals NaN.
  double max_abs = 0;        // Of the stored values; infinite where one side is NaN.
  double max_magnitude = 0;  // The largest |expected|.
  double sqnr_db = 0;        // 10 log10(sum expected^2 / sum error^2); infinite when equal.
  double cosine = 1;
  std::string what;

  bool equal() const { return comparable && different == 0; }
};

Difference compare(const Tensor& actual, const Tensor& expected);

// Every element within absolute + relative * |expected|; NaN equals NaN, infinities themselves. The
// rule of NumPy's allclose. Not for strings.
bool all_close(const Tensor& actual, const Tensor& expected, double relative, double absolute);

}  // namespace hone
