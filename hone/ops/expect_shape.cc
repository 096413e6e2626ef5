#include "hone/ops/expect_shape.h"

namespace hone {

Status expect_shape(const InferContext& in, size_t input, const Shape& expected) {
  if (!in.has(input) || !in.type(input).ranked) return Done{};
  const Shape& shape = in.type(input).shape;
  bool fits = shape.size() == expected.size();
  for (size_t i = 0; fits && i < shape.size(); ++i) {
    fits = shape[i] == expected[i] || shape[i] == kUnknown || expected[i] == kUnknown;
  }
  if (fits) return Done{};
  return bad_input(in.op().inputs[input].name, " is of shape ", text_of(shape), ", expected ",
                   text_of(expected));
}

}  // namespace hone
