// "An Image is Worth 16x16 Words: Transformers for Image Recognition at Scale" (2020): ViT-B with
// patches of 32x32, as ncnn's benchmark runs it (vision_transformer.param).

#include <cmath>

#include "hone/zoo/builder.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

constexpr int64_t kVitPatch = 32;
constexpr int64_t kVitWidth = 768;
constexpr int64_t kVitHeads = 12;
constexpr int64_t kVitHidden = 4 * kVitWidth;
constexpr int kVitLayers = 12;

class VisionTransformer {
 public:
  explicit VisionTransformer(uint64_t seed) : weights_(seed), b_("vision_transformer", seed) {}

  Graph build(const Shape& image) {
    batch_ = image[0];
    tokens_ = image[2] / kVitPatch * (image[3] / kVitPatch) + 1;
    Value* x = embed(b_.input("input", image));
    for (int i = 0; i < kVitLayers; ++i) x = layer(x, str("layers.", i));
    x = b_.layer_norm(x, "norm");
    Value* first = b_.constant("class_index", Tensor::scalar(int64_t{0}));
    x = b_.apply("gather", {x, first}, "class", {{"axis", int64_t{1}}});
    return b_.finish(b_.softmax(b_.linear(x, 1000, "head"), "softmax"), "output");
  }

 private:
  // [n, tokens, width]: a token for the class, and one for each patch.
  Value* embed(Value* x) {
    const Conv patches = {.channels = kVitWidth,
                          .kernel = kVitPatch,
                          .stride = kVitPatch,
                          .padding = Padding::Valid,
                          .bias = true};
    x = b_.conv(x, patches, "patch_embed");
    x = b_.reshape(x, {batch_, kVitWidth, tokens_ - 1}, "patch_embed.reshape");
    x = b_.transpose(x, {0, 2, 1}, "patch_embed.transpose");
    Value* token = learned("cls_token", {1, 1, kVitWidth});
    if (batch_ != 1) {
      const Ints all = {batch_, 1, kVitWidth};
      Value* shape = b_.constant("cls_token.shape", Tensor::of_ints(all));
      token = b_.apply("expand", {token, shape}, "cls_token.expand");
    }
    x = b_.concat({token, x}, 1, "tokens");
    return b_.apply("add", {x, learned("pos_embed", {1, tokens_, kVitWidth})}, "embed");
  }

  Value* learned(const std::string& name, const Shape& shape) {
    return b_.constant(name, weights_.normal(name, shape, 0, 0.1));
  }

  Value* layer(Value* x, const std::string& name) {
    Value* y = attention(b_.layer_norm(x, name + ".norm1"), name + ".attn");
    x = b_.apply("add", {x, y}, name + ".add1");
    y = b_.project(b_.layer_norm(x, name + ".norm2"), kVitHidden, name + ".mlp.0");
    y = b_.project(b_.apply("gelu", {y}, name + ".mlp.1"), kVitWidth, name + ".mlp.2");
    return b_.apply("add", {x, y}, name + ".add2");
  }

  // softmax(q k' / sqrt(head width)) v, per head.
  Value* attention(Value* x, const std::string& name) {
    constexpr int64_t kHeadExtent = kVitWidth / kVitHeads;
    const auto heads = [&](std::string_view which, const Ints& order) {
      const std::string part = str(name, ".", which);
      Value* y = b_.project(x, kVitWidth, part);
      y = b_.reshape(y, {batch_, tokens_, kVitHeads, kHeadExtent}, part + ".reshape");
      return b_.transpose(y, order, part + ".transpose");
    };
    Value* q = heads("query", {0, 2, 1, 3});
    Value* k = heads("key", {0, 2, 3, 1});
    Value* v = heads("value", {0, 2, 1, 3});
    const float scale = 1 / std::sqrt(static_cast<float>(kHeadExtent));
    Value* scores = b_.apply(
        "mul", {b_.apply("matmul", {q, k}, name + ".scores"), b_.scalar(scale)}, name + ".scale");
    Value* y = b_.apply("matmul", {b_.softmax(scores, name + ".softmax"), v}, name + ".context");
    y = b_.transpose(y, {0, 2, 1, 3}, name + ".transpose");
    y = b_.reshape(y, {batch_, tokens_, kVitWidth}, name + ".reshape");
    return b_.project(y, kVitWidth, name + ".output");
  }

  WeightSource weights_;
  NetworkBuilder b_;
  int64_t batch_ = 1;
  int64_t tokens_ = 0;
};

}  // namespace

// Counted from vision_transformer.param.
extern const NetworkDef network_vision_transformer = {
    .name = "vision_transformer",
    .summary = "Vision transformer ViT-B/32 (2020), ImageNet, 384x384.",
    .published_parameters = 88297192,
    .published_macs = 13043564544,
    .sized = {.extent = 384,
              .multiple = kVitPatch,
              .build = [](const Shape& image,
                          uint64_t seed) { return VisionTransformer(seed).build(image); }},
};

}  // namespace hone
