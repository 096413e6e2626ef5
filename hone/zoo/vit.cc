// "An Image is Worth 16x16 Words" (2020) as in torchvision: norms before attention and before the
// feed-forward part. Images of other sizes would need other position embeddings; other batches do
// not.

#include "hone/zoo/transformer.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

constexpr int64_t kVitB16Patch = 16;
constexpr int64_t kVitB16Width = 768;
constexpr int64_t kVitB16Heads = 12;
constexpr int kVitB16Layers = 12;
constexpr double kVitB16Epsilon = 1e-6;

// [batch, 1, width], for whatever batch `tokens` have.
Value* vit_class_token(NetworkBuilder& b, Value* tokens) {
  Value* token = b.factors("class_token", {1, 1, kVitB16Width}, 1);
  Value* batch = b.apply("shape", {tokens}, "class_token.batch", {{"end", int64_t{1}}});
  Value* rest = b.constant("class_token.rest", Tensor::of_ints({1, kVitB16Width}));
  return b.apply("expand", {token, b.concat({batch, rest}, 0, "class_token.shape")},
                 "class_token.expand");
}

Value* vit_layer(NetworkBuilder& b, Value* x, const std::string& name) {
  Value* y = b.layer_norm(x, name + ".ln_1", kVitB16Epsilon);
  y = self_attention(b, y, kVitB16Heads, nullptr, name + ".self_attention");
  x = b.apply("add", {y, x}, name + ".add1");
  y = feed_forward(b, b.layer_norm(x, name + ".ln_2", kVitB16Epsilon), 4 * kVitB16Width,
                   name + ".mlp");
  return b.apply("add", {x, y}, name + ".add2");
}

Graph build_vit_b_16(uint64_t seed) {
  NetworkBuilder b("vit_b_16", seed);
  Value* x = b.input("input", {1, 3, 224, 224});
  const Conv patches = {.channels = kVitB16Width,
                        .kernel = kVitB16Patch,
                        .stride = kVitB16Patch,
                        .padding = Padding::Valid,
                        .bias = true};
  x = b.reshape(b.conv(x, patches, "conv_proj"), {0, kVitB16Width, -1}, "reshape");
  x = b.transpose(x, {0, 2, 1}, "permute");
  x = b.concat({vit_class_token(b, x), x}, 1, "concat");
  const int64_t tokens = NetworkBuilder::shape(x)[1];
  x = b.apply("add", {x, b.factors("encoder.pos_embedding", {1, tokens, kVitB16Width}, 0.2)},
              "encoder.add");
  for (int i = 0; i < kVitB16Layers; ++i) x = vit_layer(b, x, str("encoder.layers.", i));
  x = b.layer_norm(x, "encoder.ln", kVitB16Epsilon);
  Value* first = b.constant("first_token", Tensor::of<int64_t>({}, {0}));
  x = b.apply("gather", {x, first}, "select", {{"axis", int64_t{1}}});
  return b.finish(b.linear(x, 1000, "heads.head"), "logits");
}

}  // namespace

// torchvision's model page (ViT_B_16_Weights: num_params, _ops).
extern const NetworkDef network_vit_b_16 = {
    .name = "vit_b_16",
    .summary = "Vision transformer B/16 (2020), ImageNet, 224x224.",
    .published_parameters = 86567656,
    .published_macs = 17.564e9,
    .build = build_vit_b_16,
};

}  // namespace hone
