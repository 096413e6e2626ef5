// Inception-ResNet v2 ("Inception-v4, Inception-ResNet and the Impact of Residual Connections on
// Learning", 2016) as in tensorflow/models (slim, inception_resnet_v2.py), without the classifier
// that only helps training.

#include "hone/zoo/builder.h"
#include "hone/zoo/zoo.h"

namespace hone {
namespace {

class InceptionResnetV2 {
 public:
  explicit InceptionResnetV2(uint64_t seed) : b_("inception_resnet_v2", seed) {}

  Graph build() {
    Value* x = mixed_5b(stem(b_.input("input", {1, 3, 299, 299})));
    for (int i = 0; i < 10; ++i) x = block35(x, str("Block35_", i));
    x = mixed_6a(x);
    for (int i = 0; i < 20; ++i) x = block17(x, str("Block17_", i));
    x = mixed_7a(x);
    for (int i = 0; i < 10; ++i) x = block8(x, i == 9, str("Block8_", i));
    x = conv(x, {.channels = 1536}, "Conv2d_7b_1x1");
    x = b_.flatten(b_.global_average_pool(x, "AvgPool_1a"), "flatten");
    return b_.finish(b_.linear(x, 1001, "Logits"), "logits");
  }

 private:
  static Conv square(int64_t channels, int64_t kernel) {
    return {.channels = channels, .kernel = kernel};
  }
  static Conv valid(int64_t channels, int64_t stride) {
    return {.channels = channels, .kernel = 3, .stride = stride, .padding = Padding::Valid};
  }

  Value* conv(Value* x, const Conv& options, const std::string& name) {
    return b_.conv_bn(x, options, Nonlinearity::Relu, name, 1e-3);
  }

  Value* branch(Value* x, const std::vector<Conv>& convs, const std::string& name) {
    for (size_t i = 0; i < convs.size(); ++i) x = conv(x, convs[i], str(name, ".", i));
    return x;
  }

  Value* shrink(Value* x, const std::string& name) {
    return b_.max_pool(x, 3, 2, name, Padding::Valid);
  }

  Value* stem(Value* x) {
    x = branch(x, {valid(32, 2), valid(32, 1), square(64, 3)}, "Conv2d_1a");
    x = branch(shrink(x, "MaxPool_3a"), {square(80, 1), valid(192, 1)}, "Conv2d_3b");
    return shrink(x, "MaxPool_5a");
  }

  Value* mixed_5b(Value* x) {
    Value* pooled = branch(b_.smooth(x, 3, "Mixed_5b.AvgPool"), {square(64, 1)}, "Mixed_5b.3");
    return b_.concat(
        {branch(x, {square(96, 1)}, "Mixed_5b.0"),
         branch(x, {square(48, 1), square(64, 5)}, "Mixed_5b.1"),
         branch(x, {square(64, 1), square(96, 3), square(96, 3)}, "Mixed_5b.2"), pooled},
        1, "Mixed_5b");
  }

  Value* mixed_6a(Value* x) {
    return b_.concat({branch(x, {valid(384, 2)}, "Mixed_6a.0"),
                      branch(x, {square(256, 1), square(256, 3), valid(384, 2)}, "Mixed_6a.1"),
                      shrink(x, "Mixed_6a.2")},
                     1, "Mixed_6a");
  }

  Value* mixed_7a(Value* x) {
    return b_.concat({branch(x, {square(256, 1), valid(384, 2)}, "Mixed_7a.0"),
                      branch(x, {square(256, 1), valid(288, 2)}, "Mixed_7a.1"),
                      branch(x, {square(256, 1), square(288, 3), valid(320, 2)}, "Mixed_7a.2"),
                      shrink(x, "Mixed_7a.3")},
                     1, "Mixed_7a");
  }

  // x + scale * (the branches, as wide as x again).
  Value* residual(Value* x, std::vector<Value*> branches, float scale, bool last,
                  const std::string& name) {
    const int64_t channels = NetworkBuilder::channels(x);
    Value* y = b_.concat(std::move(branches), 1, name + ".concat");
    y = b_.conv(y, {.channels = channels, .bias = true}, name + ".Conv2d_1x1");
    if (!last) y = b_.apply("mul", {y, b_.scalar(scale)}, name + ".scale");
    y = b_.apply("add", {x, y}, name + ".add");
    return last ? y : b_.activation(y, Nonlinearity::Relu, name + ".relu");
  }

  Value* block35(Value* x, const std::string& name) {
    Value* twice = branch(x, {square(32, 1), square(48, 3), square(64, 3)}, name + ".2");
    return residual(x,
                    {branch(x, {square(32, 1)}, name + ".0"),
                     branch(x, {square(32, 1), square(32, 3)}, name + ".1"), twice},
                    0.17f, false, name);
  }

  Value* block17(Value* x, const std::string& name) {
    const Conv row = {.channels = 160, .kernel = 1, .kernel_w = 7};
    const Conv column = {.channels = 192, .kernel = 7, .kernel_w = 1};
    return residual(x,
                    {branch(x, {square(192, 1)}, name + ".0"),
                     branch(x, {square(128, 1), row, column}, name + ".1")},
                    0.1f, false, name);
  }

  Value* block8(Value* x, bool last, const std::string& name) {
    const Conv row = {.channels = 224, .kernel = 1, .kernel_w = 3};
    const Conv column = {.channels = 256, .kernel = 3, .kernel_w = 1};
    return residual(x,
                    {branch(x, {square(192, 1)}, name + ".0"),
                     branch(x, {square(192, 1), row, column}, name + ".1")},
                    0.2f, last, name);
  }

  NetworkBuilder b_;
};

}  // namespace

// timm's model card (inception_resnet_v2.tf_in1k): 55.8 M parameters, 13.2 GMACs.
extern const NetworkDef network_inception_resnet_v2 = {
    .name = "inception_resnet_v2",
    .summary = "Inception-ResNet v2 (2016), ImageNet, 299x299.",
    .published_parameters = 55.8e6,
    .published_macs = 13.2e9,
    .build = [](uint64_t seed) { return InceptionResnetV2(seed).build(); },
};

}  // namespace hone
