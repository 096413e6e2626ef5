// The encoder of "Attention Is All You Need" (2017), small: norms after the residual sums, gelu as
// in BERT. The input are embedded tokens.

#include <cmath>

#include "hone/zoo/builder.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

constexpr int64_t kTransformerEncoderLayers = 4;
constexpr int64_t kTokens = 64;
constexpr int64_t kWidth = 128;
constexpr int64_t kHeads = 4;
constexpr int64_t kHidden = 4 * kWidth;
constexpr int64_t kHeadWidth = kWidth / kHeads;

// softmax(q k' / sqrt(head width)) v, per head.
Value* attention(NetworkBuilder& b, Value* x, const std::string& name) {
  const auto heads = [&](std::string_view which, const Ints& order) {
    const std::string part = str(name, ".", which);
    Value* y = b.project(x, kWidth, part);
    y = b.reshape(y, {1, kTokens, kHeads, kHeadWidth}, part + ".reshape");
    return b.transpose(y, order, part + ".transpose");
  };
  Value* q = heads("query", {0, 2, 1, 3});
  Value* k = heads("key", {0, 2, 3, 1});
  Value* v = heads("value", {0, 2, 1, 3});
  const float scale = 1 / std::sqrt(static_cast<float>(kHeadWidth));
  Value* scores = b.apply("mul", {b.apply("matmul", {q, k}, name + ".scores"), b.scalar(scale)},
                          name + ".scale");
  Value* y = b.apply("matmul", {b.softmax(scores, name + ".softmax"), v}, name + ".context");
  y = b.transpose(y, {0, 2, 1, 3}, name + ".transpose");
  y = b.reshape(y, {1, kTokens, kWidth}, name + ".reshape");
  return b.project(y, kWidth, name + ".output");
}

Value* feed_forward(NetworkBuilder& b, Value* x, const std::string& name) {
  x = b.apply("gelu", {b.project(x, kHidden, name + ".0")}, name + ".1");
  return b.project(x, kWidth, name + ".2");
}

Graph build_transformer_encoder(uint64_t seed) {
  NetworkBuilder b("transformer_encoder", seed);
  Value* x = b.input("input", {1, kTokens, kWidth});
  for (int64_t i = 0; i < kTransformerEncoderLayers; ++i) {
    const std::string name = str("layers.", i);
    x = b.apply("add", {x, attention(b, x, name + ".attention")}, name + ".add1");
    x = b.layer_norm(x, name + ".norm1");
    x = b.apply("add", {x, feed_forward(b, x, name + ".feed_forward")}, name + ".add2");
    x = b.layer_norm(x, name + ".norm2");
  }
  return b.finish(x, "output");
}

// Of one layer: four projections, two of the feed-forward part, two norms.
constexpr int64_t kParameters =
    4 * (kWidth * kWidth + kWidth) + 2 * kWidth * kHidden + kHidden + kWidth + 2 * 2 * kWidth;
// The projections per token, and the scores and the weighted sum per pair of tokens.
constexpr int64_t kMacs =
    kTokens * (4 * kWidth * kWidth + 2 * kWidth * kHidden) + 2 * kTokens * kTokens * kWidth;

}  // namespace

// Not published: the closed forms.
extern const NetworkDef network_transformer_encoder = {
    .name = "transformer_encoder",
    .summary = "Transformer encoder (2017): 4 layers, width 128, 4 heads, 64 tokens.",
    .published_parameters = static_cast<double>(kTransformerEncoderLayers * kParameters),
    .published_macs = static_cast<double>(kTransformerEncoderLayers * kMacs),
    .build = build_transformer_encoder,
};

}  // namespace hone
