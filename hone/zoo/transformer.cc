#include "hone/zoo/transformer.h"

#include <cmath>

namespace hone {

Value* attend(NetworkBuilder& b, Value* query, Value* key, Value* value, int64_t heads, Value* mask,
              const std::string& name) {
  const int64_t width = NetworkBuilder::shape(query).back();
  const int64_t head_width = width / heads;
  const auto per_head = [&](Value* x, std::string_view which, const Ints& order) {
    const std::string part = str(name, ".", which);
    x = b.reshape(x, {0, -1, heads, head_width}, part + ".reshape");
    return b.transpose(x, order, part + ".transpose");
  };
  Value* q = per_head(query, "query", {0, 2, 1, 3});
  Value* k = per_head(key, "key", {0, 2, 3, 1});
  Value* v = per_head(value, "value", {0, 2, 1, 3});
  const float scale = 1 / std::sqrt(static_cast<float>(head_width));
  Value* scores = b.apply("mul", {b.apply("matmul", {q, k}, name + ".scores"), b.scalar(scale)},
                          name + ".scale");
  if (mask != nullptr) scores = b.apply("add", {scores, mask}, name + ".mask");
  Value* y = b.apply("matmul", {b.softmax(scores, name + ".softmax"), v}, name + ".context");
  y = b.transpose(y, {0, 2, 1, 3}, name + ".transpose");
  return b.reshape(y, {0, -1, width}, name + ".reshape");
}

Value* self_attention(NetworkBuilder& b, Value* x, int64_t heads, Value* mask,
                      const std::string& name) {
  const int64_t width = NetworkBuilder::shape(x).back();
  const auto projected = [&](std::string_view which) {
    return b.project(x, width, str(name, ".", which));
  };
  Value* query = projected("query");
  Value* key = projected("key");
  Value* value = projected("value");
  return b.project(attend(b, query, key, value, heads, mask, name), width, name + ".output");
}

Value* token_numbers(NetworkBuilder& b, Value* ids) {
  const auto integer = [&](const std::string& name, int64_t value) {
    return b.constant("positions." + name, Tensor::of<int64_t>({}, {value}));
  };
  Value* extents = b.apply("shape", {ids}, "positions.shape");
  Value* tokens = b.apply("gather", {extents, integer("axis", 1)}, "positions.tokens");
  return b.apply("range", {integer("begin", 0), tokens, integer("step", 1)}, "positions");
}

Value* token_mask(NetworkBuilder& b, Value* ids) {
  Value* zero = b.constant("mask.padding", Tensor::of<int64_t>({}, {0}));
  Value* x = b.apply("equal", {ids, zero}, "mask.equal");
  x = b.apply("cast", {x}, "mask.cast", {{"to", DType::F32}});
  x = b.apply("mul", {x, b.scalar(-10000)}, "mask.mul");
  return b.apply("unsqueeze", {x, b.constant("mask.axes", Tensor::of_ints({1, 2}))}, "mask");
}

Value* feed_forward(NetworkBuilder& b, Value* x, int64_t hidden, const std::string& name) {
  const int64_t width = NetworkBuilder::shape(x).back();
  x = b.apply("gelu", {b.project(x, hidden, name + ".0")}, name + ".1");
  return b.project(x, width, name + ".2");
}

}  // namespace hone
