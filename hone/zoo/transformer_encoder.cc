// The encoder of "Attention Is All You Need" (2017), small: norms after the residual sums, gelu as
// in BERT. The input are embedded tokens.

#include "hone/zoo/transformer.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

constexpr int64_t kTransformerEncoderLayers = 4;
constexpr int64_t kTokens = 64;
constexpr int64_t kWidth = 128;
constexpr int64_t kHeads = 4;
constexpr int64_t kHidden = 4 * kWidth;

Graph build_transformer_encoder(uint64_t seed) {
  NetworkBuilder b("transformer_encoder", seed);
  Value* x = b.input("input", {1, kTokens, kWidth});
  for (int64_t i = 0; i < kTransformerEncoderLayers; ++i) {
    const std::string name = str("layers.", i);
    x = b.apply("add", {x, self_attention(b, x, kHeads, nullptr, name + ".attention")},
                name + ".add1");
    x = b.layer_norm(x, name + ".norm1");
    x = b.apply("add", {x, feed_forward(b, x, kHidden, name + ".feed_forward")}, name + ".add2");
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
