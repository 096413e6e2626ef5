#include "hone/zoo/transformer.h"

#include <cmath>

namespace hone {

Value* self_attention(NetworkBuilder& b, Value* x, int64_t heads, Value* mask,
                      const std::string& name) {
  const int64_t width = NetworkBuilder::shape(x).back();
  const int64_t head_width = width / heads;
  const auto per_head = [&](std::string_view which, const Ints& order) {
    const std::string part = str(name, ".", which);
    Value* y = b.project(x, width, part);
    y = b.reshape(y, {0, -1, heads, head_width}, part + ".reshape");
    return b.transpose(y, order, part + ".transpose");
  };
  Value* q = per_head("query", {0, 2, 1, 3});
  Value* k = per_head("key", {0, 2, 3, 1});
  Value* v = per_head("value", {0, 2, 1, 3});
  const float scale = 1 / std::sqrt(static_cast<float>(head_width));
  Value* scores = b.apply("mul", {b.apply("matmul", {q, k}, name + ".scores"), b.scalar(scale)},
                          name + ".scale");
  if (mask != nullptr) scores = b.apply("add", {scores, mask}, name + ".mask");
  Value* y = b.apply("matmul", {b.softmax(scores, name + ".softmax"), v}, name + ".context");
  y = b.transpose(y, {0, 2, 1, 3}, name + ".transpose");
  return b.project(b.reshape(y, {0, -1, width}, name + ".reshape"), width, name + ".output");
}

Value* feed_forward(NetworkBuilder& b, Value* x, int64_t hidden, const std::string& name) {
  const int64_t width = NetworkBuilder::shape(x).back();
  x = b.apply("gelu", {b.project(x, hidden, name + ".0")}, name + ".1");
  return b.project(x, width, name + ".2");
}

}  // namespace hone
